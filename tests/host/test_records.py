"""What is kept of recorded runs, for how long, and how much of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from time import time

import pytest

from hostgate.core.claims import Claim, Owner
from hostgate.host import history, records
from hostgate.host.records import Records, digest, name_of
from hostgate.host.state import State

DAY = 24 * 3600


@pytest.fixture
def kept(tmp_path: Path) -> Records:
    return Records(State(str(tmp_path / "state")))


def claim(run_id: str = "", id: str = "abcd", command: str = "make") -> Claim:
    made = Claim(
        id=id,
        session="s",
        title="t",
        project="/p",
        command=command,
        owner=Owner("host", 100, "1", ""),
        enqueued_at="",
        enqueued=0.0,
        run_id=run_id,
        directory="/p",
    )
    made.digest = digest(made, "run")
    return made


def end(kept: Records, one: Claim, code: int = 0, outcome: str = "ran") -> None:
    line = history.record(one, outcome, code, 0.0, 1.0, "")
    kept.end(one, line, True, lambda text: pytest.fail(text))


def files(tmp_path: Path) -> list[str]:
    return sorted(os.listdir(tmp_path / "state/runs"))


def age(tmp_path: Path, seconds: float) -> None:
    for path in (tmp_path / "state/runs").iterdir():
        os.utime(path, (time() - seconds, time() - seconds))


def test_a_run_is_kept_with_its_end(kept: Records) -> None:
    one = claim("x")
    kept.begin(one, [one])
    found = kept.get(name_of(one))
    assert found is not None
    assert (found.text("outcome"), found.code) == ("", None)
    end(kept, one, 7)
    ended = kept.get(name_of(one))
    assert ended is not None
    assert (ended.text("outcome"), ended.code, ended.token) == ("ran", 7, found.token)
    assert [run.name for run in kept.every()] == [name_of(one)]


@pytest.mark.parametrize("outcome", ["left", "lapsed", "not-started"])
def test_what_never_ran_is_forgotten(kept: Records, tmp_path: Path, outcome: str) -> None:
    one = claim("x")
    kept.begin(one, [one])
    end(kept, one, 75, outcome)
    assert files(tmp_path) == []


def test_files_are_private_under_any_umask(kept: Records, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        one = claim("x")
        kept.begin(one, [one])
        os.close(kept.create_log(one))
    finally:
        os.umask(before)
    folder = tmp_path / "state/runs"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600, 0o600]


def test_another_execution_never_has_the_output_of_an_earlier_one(kept: Records) -> None:
    one = claim("x")
    kept.begin(one, [one])
    os.close(kept.create_log(one))
    before = kept.get(name_of(one))
    kept.begin(one, [one])
    after = kept.get(name_of(one))
    assert before is not None
    assert after is not None
    assert before.token != after.token
    assert kept.open_log(before) == kept.open_log(after) == -1


def test_an_ended_run_is_kept_for_a_day(kept: Records, tmp_path: Path) -> None:
    one = claim("x")
    kept.begin(one, [one])
    os.close(kept.create_log(one))
    end(kept, one)
    age(tmp_path, DAY - 60)
    assert kept.get(name_of(one)) is not None
    age(tmp_path, DAY + 60)
    assert kept.get(name_of(one)) is None
    other = claim("y")
    kept.begin(other, [other])
    assert [run.name for run in kept.every()] == [name_of(other)]
    assert len(files(tmp_path)) == 1


def test_a_live_run_is_kept_however_old_it_is(kept: Records, tmp_path: Path) -> None:
    one, other = claim("x"), claim("y")
    kept.begin(one, [one])
    age(tmp_path, 9 * DAY)
    kept.begin(other, [one, other])
    assert kept.get(name_of(one)) is not None


def test_the_count_is_bounded_and_the_oldest_go(
    kept: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MOST", 3)
    for at in range(5):
        age(tmp_path, 60) if at else None
        one = claim(f"x{at}")
        kept.begin(one, [one])
        end(kept, one)
        path = tmp_path / f"state/runs/{name_of(one)}.json"
        os.utime(path, (time() - 50 + at, time() - 50 + at))
    assert len(kept.every()) == 3
    assert kept.get(name_of(claim("x4"))) is not None


def test_all_output_together_is_bounded_and_the_codes_stay(
    kept: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "ALL_OUTPUT", 5000)
    for at in range(3):
        one = claim(f"x{at}")
        kept.begin(one, [one])
        fd = kept.create_log(one)
        os.write(fd, bytes(3000))
        os.close(fd)
        end(kept, one, at)
        for file in Path(kept._folder).glob(f"{name_of(one)}.*"):
            os.utime(file, (time() - 50 + at, time() - 50 + at))
    kept.begin(claim("y"), [])
    runs = [kept.get(name_of(claim(f"x{at}"))) for at in range(3)]
    assert [run and run.code for run in runs] == [0, 1, 2]
    assert [kept.open_log(run) >= 0 for run in runs if run] == [False, False, True]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"id": 3}', b"\xff", b'{"id":"a","waited":0,"ran":0}', b"[" * 9999]
)
def test_what_cannot_be_read_is_set_aside(kept: Records, tmp_path: Path, data: bytes) -> None:
    one = claim("x")
    kept.begin(one, [one])
    (tmp_path / f"state/runs/{name_of(one)}.json").write_bytes(data)
    assert kept.get(name_of(one)) is None
    assert files(tmp_path) == [f"{name_of(one)}.json.corrupt"]


def test_commands_are_told_apart_by_text_directory_and_verb() -> None:
    one, other = claim(), claim(command="make all")
    elsewhere = claim()
    elsewhere.directory = "/q"
    kinds = {
        digest(one, "run"),
        digest(one, "hold"),
        digest(other, "run"),
        digest(elsewhere, "run"),
    }
    assert len(kinds) == 4


def test_only_the_execution_that_was_looked_at_may_be_repeated(kept: Records) -> None:
    one, again = claim("x"), claim("x", id="efgh")
    kept.begin(one, [one])
    seen = kept.get(name_of(one))
    assert seen is not None
    assert kept.earlier(again, None, "", pytest.fail) is not None
    assert kept.earlier(again, None, seen.token, pytest.fail) is None
    assert kept.earlier(again, one, seen.token, pytest.fail) is not None  # it is live
    kept.begin(again, [again])  # somebody else has repeated it meanwhile
    assert kept.earlier(one, None, seen.token, pytest.fail) is not None


def test_only_files_of_one_s_own_names_are_removed(kept: Records, tmp_path: Path) -> None:
    first = claim("x")
    kept.begin(first, [first])
    end(kept, first)
    theirs = ("thesis.txt", "experiment.log", "abcd.log", "abcd.txt", "abcd.notes.log", ".json")
    for name in theirs:
        (tmp_path / "state/runs" / name).touch()
    age(tmp_path, 2 * DAY)
    kept.begin(claim(id="abcd"), [])
    assert set(theirs) <= set(files(tmp_path))
    assert kept.get(name_of(first)) is None  # and what is too old of one's own is gone


def test_a_link_in_place_of_the_folder_is_refused(kept: Records, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "abcd.json").touch()
    os.utime(theirs / "abcd.json", (1, 1))
    (tmp_path / "state/runs").symlink_to(theirs)
    with pytest.raises(OSError, match="link"):
        kept.begin(claim("x"), [])
    assert os.listdir(theirs) == ["abcd.json"]
