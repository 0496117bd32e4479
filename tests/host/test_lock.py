from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from hostgate.host import lock


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "a.lock"
    path.touch()
    return str(path)


@pytest.fixture
def held(path: str) -> Iterator[int]:
    fd = os.open(path, os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    yield fd
    os.close(fd)


def test_a_probe_tells_free_held_missing_and_unknown(path: str, held: int, tmp_path: Path) -> None:
    assert lock.probe(path) == lock.HELD
    lock.release(held)
    assert lock.probe(path) == lock.FREE
    assert lock.probe(str(tmp_path / "none")) == lock.MISSING
    assert lock.probe(path + "/below") == lock.UNKNOWN


def test_two_probes_do_not_see_each_other(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_SH)  # as another probe does, for longer
    assert lock.probe(path) == lock.FREE
    os.close(fd)


def test_a_probe_does_not_hang_on_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert lock.probe(str(tmp_path / "pipe")) == lock.FREE


def test_a_lock_is_given_up_when_nothing_moves(path: str, held: int) -> None:
    fd = os.open(path, os.O_RDWR)
    begin = time.monotonic()
    with pytest.raises(lock.Busy):
        lock.acquire(fd, 0.2, lambda: "still")
    assert time.monotonic() - begin >= 0.2
    os.close(fd)


def test_a_busy_lock_is_waited_for_as_long_as_something_moves(path: str, held: int) -> None:
    fd = os.open(path, os.O_RDWR)
    looks = iter(range(100))

    def moved() -> int:
        look = next(looks)
        if look == 5:
            lock.release(held)
        return look

    lock.acquire(fd, 0.05, moved)
    assert lock.probe(path) == lock.HELD
    os.close(fd)


def test_filelock_takes_the_same_locks(path: str) -> None:
    with FileLock(path, timeout=5):
        assert lock.probe(path) == lock.HELD
    assert lock.probe(path) in (lock.FREE, lock.MISSING)
