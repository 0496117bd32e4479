from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import until

from hostgate.host import process


@pytest.fixture(params=["with /proc", "portable"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to look at a process: the fast one, and the one that every system has."""
    if request.param == "portable":
        monkeypatch.setattr(process, "PROC", "/nowhere")
    elif not os.path.isdir("/proc/self"):
        pytest.skip("this system has no /proc")
    return str(request.param)


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(["sleep", "1000"])
    yield child
    child.kill()
    child.wait()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[int]:
    """A descriptor of a lock file, for a process to inherit."""
    fd = os.open(tmp_path / "a.lock", os.O_RDWR | os.O_CREAT)
    yield fd
    os.close(fd)


def test_who_inherited_a_lock_file_holds_it_also_when_its_name_is_gone(
    way: str, locked: int, tmp_path: Path, child: subprocess.Popen[bytes]
) -> None:
    path = str(tmp_path / "a.lock")
    heir = subprocess.Popen(["sleep", "1000"], pass_fds=[locked])
    try:
        assert process.holds(heir.pid, path) and heir.pid in process.holders(path)
        assert not process.holds(child.pid, path) and child.pid not in process.holders(path)
        if way == "with /proc":
            os.unlink(path)
            assert process.holds(heir.pid, path)
    finally:
        heir.kill()
        heir.wait()
    assert not process.holds(heir.pid, path)


def test_a_link_in_place_of_a_lock_file_makes_nobody_a_holder(
    way: str, locked: int, tmp_path: Path
) -> None:
    (tmp_path / "link.lock").symlink_to("a.lock")
    heir = subprocess.Popen(["sleep", "1000"], pass_fds=[locked])
    try:
        assert not process.holds(heir.pid, str(tmp_path / "link.lock"))
    finally:
        heir.kill()
        heir.wait()


def test_a_living_process_is_not_dead(way: str, child: subprocess.Popen[bytes]) -> None:
    start = process.start_stamp(child.pid)
    assert bool(start) == (way == "with /proc")
    assert not process.is_dead(child.pid, start)


def test_a_dead_process_is_dead(way: str, child: subprocess.Popen[bytes]) -> None:
    start = process.start_stamp(child.pid)
    child.kill()
    child.wait()
    assert process.is_dead(child.pid, start)


def test_a_zombie_is_dead(way: str, child: subprocess.Popen[bytes]) -> None:
    start = process.start_stamp(child.pid)
    child.kill()
    until(lambda: process.is_dead(child.pid, start), "the zombie's death")


def test_a_process_that_has_the_pid_of_another_is_not_that_one(
    child: subprocess.Popen[bytes],
) -> None:
    if not process.start_stamp(child.pid):
        pytest.skip("this system has no /proc, and so no start stamps")
    assert process.is_dead(child.pid, "1")


def test_without_a_start_stamp_a_living_process_counts_as_the_one_that_was_meant(
    way: str, child: subprocess.Popen[bytes]
) -> None:
    assert not process.is_dead(child.pid, "")


@pytest.mark.parametrize("pid", [0, -1])
def test_a_group_is_no_process_and_is_never_asked_about(
    pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a group was signalled"))
    assert not process.is_dead(pid, "")


def test_a_process_of_another_user_counts_as_alive(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert not process.is_dead(os.getpid(), process.start_stamp(os.getpid()))


def test_a_stopped_process_is_seen_and_seen_to_go_on(
    way: str, child: subprocess.Popen[bytes]
) -> None:
    assert not process.is_stopped(child.pid)
    child.send_signal(signal.SIGSTOP)
    until(lambda: process.is_stopped(child.pid), "the stop")
    child.send_signal(signal.SIGCONT)
    until(lambda: not process.is_stopped(child.pid), "the continuation")


def test_a_process_that_is_gone_is_not_stopped(way: str, child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    assert not process.is_stopped(child.pid)
