from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostgate.core.claims import Registry
from hostgate.host import StateError
from hostgate.host.state import State, locate
from hostgate.host.store import FileStore
from hostgate.host.tidy import sweep
from hostgate.host.wake import CALL, ring

is_root = os.geteuid() == 0
needs_root = pytest.mark.skipif(not is_root, reason="only root may give files to another user")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def test_the_directory_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("HOSTGATE_HOME")
    assert locate() == "/home/me/.local/state/hostgate"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert locate() == "/home/me/.local/state/hostgate"
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert locate() == "/state/hostgate"
    monkeypatch.setenv("HOSTGATE_HOME", "/elsewhere")
    assert locate() == "/elsewhere"


def test_directories_and_files_are_private_under_any_umask(tmp_path: Path, umask: None) -> None:
    state = State(str(tmp_path / "above/state"))
    os.close(state.create(state.file("file"), os.O_WRONLY))
    state.make_pipe(f"{state.claims}/pipe")
    for name in ("above", "above/state", "above/state/claims"):
        assert mode(tmp_path / name) == 0o700
    assert mode(tmp_path / "above/state/file") == 0o600
    assert mode(tmp_path / "above/state/claims/pipe") == 0o600


def test_an_open_directory_of_one_s_own_is_closed(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o755)
    State(str(tmp_path / "state"))
    assert mode(tmp_path / "state") == 0o700


def test_a_directory_that_others_use_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "something").touch()
    with pytest.raises(StateError, match="others use it"):
        State(str(shared))
    assert mode(shared) == 0o1777


def test_a_file_in_the_way_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(StateError, match="Not a directory"):
        State(str(tmp_path / "state"))


@pytest.mark.skipif(is_root, reason="root may use every directory")
def test_a_directory_that_belongs_to_another_user_is_refused() -> None:
    with pytest.raises(StateError, match="another user"):
        State("/")


@needs_root
def test_run_as_root_what_is_made_belongs_to_the_directory_s_owner(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 12345, 12345)
    state = State(str(home / ".local/state/hostgate"))
    os.close(state.create(state.file("file"), os.O_WRONLY))
    state.make_pipe(state.file("pipe"))
    made = list(home.rglob("*"))
    assert len(made) == 6
    assert {path.stat().st_uid for path in made} == {12345}


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    state = State(str(tmp_path / "state"))
    os.symlink(tmp_path / "target", state.file("file"))
    with pytest.raises(OSError):
        state.create(state.file("file"), os.O_WRONLY)
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("kind", ["another name", "pipe", "link"])
def test_what_stands_in_the_place_of_a_file_is_neither_written_nor_waited_for(
    tmp_path: Path, kind: str
) -> None:
    state = State(str(tmp_path / "state"))
    precious, path = tmp_path / "precious", tmp_path / "state/registry.json.new"
    precious.write_text("precious")
    if kind == "another name":
        os.link(precious, path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(precious)
    with pytest.raises(OSError):
        state.create(str(path), os.O_WRONLY | os.O_TRUNC)
    with pytest.raises(OSError):
        state.replace(str(tmp_path / "state/registry.json"), b"new")
    assert precious.read_text() == "precious"


def test_a_wake_up_writes_into_a_pipe_only(tmp_path: Path) -> None:
    precious, link, path = tmp_path / "precious", tmp_path / "a.wake", tmp_path / "b.wake"
    precious.write_text("precious")
    link.symlink_to(precious)
    os.link(precious, path)
    for place in (link, path):
        ring(str(place), CALL)
    assert precious.read_text() == "precious"


def test_only_files_of_claims_are_swept_away(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path / "state"))
    names = ["k7f3.lock", "k7f3.wake", "k7f3.lock.former", "ask12.lock", "thesis.txt", "a b.lock"]
    for name in names:
        (tmp_path / "state/claims" / name).touch()
    sweep(store, Registry(), [])
    left = sorted(path.name for path in (tmp_path / "state/claims").iterdir())
    assert left == ["a b.lock", "thesis.txt"]


def test_a_state_directory_that_another_user_links_to_is_not_used(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can make a link of another user's")
    (tmp_path / "own").mkdir(0o700)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    assert State(str(tmp_path / "link")).path
    os.chown(tmp_path / "link", 12345, 12345, follow_symlinks=False)
    with pytest.raises(StateError, match="link of another user"):
        State(str(tmp_path / "link"))
