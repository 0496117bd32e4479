"""Whatever stands in hostgate's files, the command runs, and nothing is thrown away."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from oddjson import ANY, damaged, nearly, text_of
from scene import assert_calm
from support import Host, Latch
from warm import Done, Warm

from hostgate.core.claims import (
    KEPT,
    RESERVED,
    RUNNING,
    WAITING,
    Claim,
    Owner,
    decode_registry,
    encode_claim,
)
from hostgate.host import history
from hostgate.host.process import pid_space


def claim(id: str, state: str, host: str) -> Claim:
    """A claim of a process that is gone, or of another machine."""
    return Claim(
        id=id,
        state=state,
        session="s",
        title="t",
        project="/elsewhere",
        command="make",
        lanes=["l"],
        epoch=3,
        owner=Owner(host, 2**31 - 2, "1", pid_space()),
        enqueued_at="2020-01-01T00:00:00Z",
        enqueued=1.0,
        since=1.5,
        behind={"x": "y"},
        directory="/",
        form="argv",
    )


HERE = os.uname().nodename
CLAIMS = [
    claim("aaaa", RUNNING, HERE),
    claim("bbbb", WAITING, "h"),
    claim("cccc", KEPT, HERE),
    claim("dddd", RESERVED, "h"),
]
REGISTRY = {"schema": 1, "epoch": 9, "claims": [encode_claim(claim) for claim in CLAIMS]}
RECORD = history.record(CLAIMS[0], "ran", 0, 0.5, 1.5, "2020-01-01T00:00:00Z")

fuzz = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
few = settings(fuzz, max_examples=20)


def put(host: Host, name: str, data: bytes) -> None:
    """A state directory with this file and no other."""
    shutil.rmtree(host.state, ignore_errors=True)
    (host.state / name).parent.mkdir(parents=True, mode=0o700)
    host.state.chmod(0o700)
    (host.state / name).write_bytes(data)


def assert_runs(host: Host, done: Done, data: bytes) -> None:
    """The command ran; what could not be read is set aside, or left where it is newer."""
    assert done.code == 7, done
    assert_calm(done)
    path = host.state / "registry.json"
    if not done.err:
        decode_registry(json.loads(path.read_text()))
        return
    assert done.err.endswith("; running ungated\n"), done
    kept = path if "newer" in done.err else host.state / "registry.json.corrupt-1"
    assert kept.read_bytes() == data
    if kept != path:
        decode_registry(json.loads(path.read_text()))


@fuzz
@given(data=ANY.map(text_of) | nearly(REGISTRY))
def test_whatever_json_the_registry_is_the_command_runs(
    host: Host, warm: Warm, data: bytes
) -> None:
    put(host, "registry.json", data)
    assert_runs(host, warm.run("run", "-c", "exit 7"), data)


@fuzz
@given(data=damaged(text_of(REGISTRY)) | st.binary(max_size=50))
def test_whatever_bytes_the_registry_is_the_command_runs(
    host: Host, warm: Warm, data: bytes
) -> None:
    put(host, "registry.json", data)
    assert_runs(host, warm.run("run", "-c", "exit 7"), data)
    again = warm.run("run", "-c", "exit 7")
    assert again.code == 7
    assert again.err == "" or "newer" in again.err


@few
@given(data=nearly(REGISTRY) | damaged(text_of(REGISTRY)))
def test_a_real_process_reads_the_same_files(host: Host, data: bytes) -> None:
    put(host, "registry.json", data)
    done = host.run("run", "-c", "exit 7")
    answer = {"code": done.returncode, "struck": "", "out": done.stdout, "err": done.stderr}
    assert_runs(host, Done(answer), data)


@few
@pytest.mark.parametrize("words", [("ls",), ("ls", "--json"), ("check", "-c", "make"), ("doctor",)])
@given(data=nearly(REGISTRY) | damaged(text_of(REGISTRY)))
def test_who_only_reads_the_registry_says_in_a_line_what_is_wrong(
    host: Host, warm: Warm, words: tuple[str, ...], data: bytes
) -> None:
    put(host, "registry.json", data)
    done = warm.run(*words)
    assert done.code in (0, 1, 75, 125), done
    assert_calm(done)
    assert (host.state / "registry.json").read_bytes() == data


@fuzz
@given(data=nearly(REGISTRY))
def test_odd_claims_of_the_same_project_keep_nobody_from_running_anyway(
    host: Host, warm: Warm, data: bytes
) -> None:
    data = data.replace(b"/elsewhere", str(host.project).encode())
    put(host, "registry.json", data)
    words = ("run", "--on-conflict", "run", "-c", "true make; exit 7")
    assert_runs(host, warm.run(*words), data)


LABEL = encode_claim(CLAIMS[0])
LABELS = st.just(text_of(LABEL)) | nearly(LABEL) | damaged(text_of(LABEL))
LINES = st.sampled_from([b"\n812 1\n", b"\n-1 x\n", b"\n0\n", b"\n2147483647 1\n", b"", b"\n\xff"])


@fuzz
@given(label=LABELS, line=LINES, taken=st.booleans())
def test_whatever_a_lost_registry_s_lock_files_say_the_command_runs(
    host: Host, warm: Warm, label: bytes, line: bytes, taken: bool
) -> None:
    label = label.replace(b"/elsewhere", str(host.project).encode())
    put(host, "claims/aaaa.lock", label + line)
    with open(host.state / "claims/aaaa.lock") as file:
        if taken:
            fcntl.flock(file, fcntl.LOCK_EX)
        for _ in range(2):  # the second one finds it in the registry
            done = warm.run("run", "--on-conflict", "run", "-c", "true make; exit 7")
            assert (done.code, done.err) == (7, ""), done
        decode_registry(json.loads((host.state / "registry.json").read_text()))


@few
@example(data=text_of({**RECORD, "ran": "x", "command": "./build.sh"}), tail=b"")
@example(data=text_of({**RECORD, "id": 5}), tail=b"")
@given(data=nearly(RECORD) | damaged(text_of(RECORD)), tail=st.sampled_from([b"", b"\n", b"\n{"]))
def test_whatever_the_history_says_runs_and_waits_go_on(
    host: Host, warm: Warm, held: Latch, data: bytes, tail: bytes
) -> None:
    before = data + tail + text_of(RECORD) + b"\n"
    (host.state / "history.jsonl").write_bytes(before)
    done = warm.run("run", "-c", "exit 7", cwd=host.home)
    assert (done.code, done.err) == (7, "")
    assert (host.state / "history.jsonl").read_bytes().endswith(b"}\n")
    words = ("run", "--on-conflict", "wait", "--wait-timeout", "0.001", "--", held.command)
    assert_calm(waited := warm.run(*words, session="B"))
    assert waited.code == 75
    for verb in ("history", "stats"):
        assert_calm(shown := warm.run(verb))
        assert shown.code == 0, shown


@pytest.fixture
def remembered(host: Host, warm: Warm) -> tuple[Path, bytes]:
    """What is remembered of a configuration file, and where."""
    (host.home / ".config").mkdir()
    (host.home / ".config/hostgate.toml").write_text('never = ["./x"]\n[limits]\ntotal = 9\n')
    assert warm.run("run", "-c", "true").code == 0
    path = host.state / "config.json"
    return path, path.read_bytes()


@fuzz
@given(st.data())
def test_whatever_is_remembered_of_the_configuration_is_no_problem(
    host: Host, warm: Warm, remembered: tuple[Path, bytes], given: st.DataObject
) -> None:
    path, good = remembered
    path.write_bytes(given.draw(nearly(json.loads(good)) | damaged(good)))
    done = warm.run("run", "-c", "exit 7")
    assert (done.code, done.err) == (7, "")
