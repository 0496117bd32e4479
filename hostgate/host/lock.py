"""Locks that the kernel ends when their holder dies: ``flock`` on small files.

``filelock`` costs 64 ms of start-up, ``fcntl.flock`` 0.2 ms; both take the same locks.
"""

from __future__ import annotations

import os
from _signal import (
    ITIMER_REAL,
    SIG_SETMASK,
    SIG_UNBLOCK,
    SIGALRM,
    pthread_sigmask,
    setitimer,
    signal,
)
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock

from hostgate.host import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FREE, HELD, MISSING, UNKNOWN = "free", "held", "missing", "unknown"


class Busy(StateError):
    """The lock was not to be had."""


def probe(path: str) -> str:
    """Whether somebody holds the lock of a file: ``free``, ``held``, ``missing``, ``unknown``.

    A probe takes a shared lock for a moment, so that two probes do not see each other.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return MISSING
    except OSError:
        return UNKNOWN
    try:
        flock(fd, LOCK_SH | LOCK_NB)
    except BlockingIOError:
        return HELD
    except OSError:
        return UNKNOWN
    finally:
        os.close(fd)
    return FREE


def until_free(path: str) -> None:
    """Wait until nobody holds the lock of a file, or the file is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            flock(fd, LOCK_SH)
        finally:
            os.close(fd)
    except OSError:
        pass  # it is gone


def acquire(fd: int, patience: float, moved: Callable[[], object]) -> None:
    """Lock a file exclusively, in the kernel's order of arrival.

    Gives up with :class:`Busy` when it was not to be had for ``patience`` seconds in which
    ``moved`` returned the same value all the time. Raises ``OSError`` where the file system
    knows no locks. Main thread only: the bound is a timer signal.
    """
    try:
        flock(fd, LOCK_EX | LOCK_NB)
        return
    except BlockingIOError:
        pass
    armed = True

    def expire(number: int, frame: object) -> None:
        if armed:
            raise Busy("the registry is locked, and nothing moves in it")

    before = signal(SIGALRM, expire)
    mask = pthread_sigmask(SIG_UNBLOCK, (SIGALRM,))  # or the timer would never be heard
    try:
        seen = moved()
        while True:
            # again and again: a signal just before the call must not be the last one
            setitimer(ITIMER_REAL, patience, 0.05)
            try:
                flock(fd, LOCK_EX)
                return
            except Busy:
                if moved() == seen:
                    raise
                seen = moved()
    finally:
        armed = False
        setitimer(ITIMER_REAL, 0)
        pthread_sigmask(SIG_SETMASK, mask)
        signal(SIGALRM, before)


def release(fd: int) -> None:
    """Unlock, for every process that inherited the descriptor too."""
    try:
        flock(fd, LOCK_UN)
    except OSError:
        pass  # no lock was held
