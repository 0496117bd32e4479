"""Waiting for the end of a process that is not a child: at once where the kernel tells."""

from __future__ import annotations

import os
import select

from hostgate.host import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LOOK = 0.25  # seconds between two looks where the kernel does not tell


def until_end(pid: int, start: str) -> None:
    """Return when a process has ended, given by its pid and start stamp; "" where it has none."""
    watched = _watched(pid)
    while not process.is_dead(pid, start):
        if watched is None:
            select.select([], [], [], LOOK)
        else:
            select.select([watched], [], [])
            break
    if isinstance(watched, int):
        os.close(watched)


def _watched(pid: int) -> Any:
    """What becomes readable when the process ends; ``None`` where there is no such thing."""
    try:
        if hasattr(os, "pidfd_open"):  # Linux
            return os.pidfd_open(pid)
        system: Any = select
        if hasattr(system, "kqueue"):  # macOS and the BSDs
            queue = system.kqueue()
            add, end = system.KQ_EV_ADD, system.KQ_NOTE_EXIT
            queue.control([system.kevent(pid, system.KQ_FILTER_PROC, add, end)], 0)
            return queue
    except OSError:
        pass  # an old kernel, or a process that has ended
    return None


def pause(seconds: float) -> None:
    """Let time pass."""
    select.select([], [], [], seconds)


def detach(kept: int) -> None:
    """Make a process of one's own of a forked one, with no descriptor of its parent's but one.

    No terminal, no process group and no pipe of the parent's keeps it, or is kept by it. What
    would end it in passing (a ``pkill`` of everything, say) does not.
    """
    from _signal import (
        SIG_IGN,
        SIGALRM,
        SIGHUP,
        SIGINT,
        SIGQUIT,
        SIGTERM,
        SIGUSR2,
        signal,
    )

    os.setsid()
    os.chdir("/")
    for number in (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR2, SIGALRM):
        signal(number, SIG_IGN)
    close_others({kept})
    for _ in range(3):
        os.open("/dev/null", os.O_RDWR)


def close_others(kept: set[int]) -> None:
    """Close every descriptor but these."""
    for fd in _open_descriptors():
        if fd not in kept:
            try:
                os.close(fd)
            except OSError:
                pass  # the one by which they were listed


def _open_descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/dev/fd")]
    except (OSError, ValueError):
        return list(range(os.sysconf("SC_OPEN_MAX")))
