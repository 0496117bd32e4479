"""What is known of the agents' hooks: when each last ran and last held, and what went wrong.

Files of the state directory: the time of two empty ones, and the lines of a third.
"""

from __future__ import annotations

import os

from hostgate.host import now
from hostgate.host.state import State, write_all

LOG = "hook.log"
BOUND = 1 << 16  # bytes of the log; over it the older half goes
RAN, HELD = "ran", "held"


def note(state: State, agent: str, what: str) -> None:
    """Note that an agent's hook ran, or held a command, just now."""
    path = _path(state, agent, what)
    try:
        os.utime(path)
    except FileNotFoundError:
        try:
            os.close(state.create(path, os.O_WRONLY))
        except OSError:
            pass  # it only tells people
    except OSError:
        pass


def noted(state: State, agent: str, what: str) -> float | None:
    """When that was: seconds of the wall clock, for people; ``None`` for never."""
    try:
        return os.stat(_path(state, agent, what)).st_mtime
    except OSError:
        return None


def complain(state: State, agent: str, text: str) -> None:
    """Add a line to the log. Raises ``OSError``."""
    path = state.file(LOG)
    fd = state.create(path, os.O_RDWR | os.O_APPEND)
    try:
        line = " ".join(f"{now().utc} {agent}: {text}".split())
        write_all(fd, f"{line[:1000]}\n".encode("utf-8", "replace"))
        size = os.fstat(fd).st_size
        if size > BOUND:
            tail = os.pread(fd, size, size - BOUND // 2)
            os.ftruncate(fd, 0)
            write_all(fd, tail[tail.find(b"\n") + 1 :])
    finally:
        os.close(fd)


def complaints(state: State) -> list[str]:
    """The lines of the log, oldest first."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC  # whatever is in its place
    try:
        fd = os.open(state.file(LOG), flags)
        with os.fdopen(fd, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _path(state: State, agent: str, what: str) -> str:
    return state.file(f"hook-{agent}.{what}")
