"""Waking a waiter at once: a named pipe that it listens on. A poll stands behind every wake."""

from __future__ import annotations

import os
from select import POLLIN, poll
from stat import S_ISFIFO

from hostgate.host.state import State, unlink_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.core.registry import Now

CALL = b"\n"  # look whether it is your turn


class Bell:
    """A waiter's pipe. Where the file system has no pipes, waiting is only polling."""

    def __init__(self, state: State, path: str) -> None:
        self._path = path
        self._fd = -1
        try:
            state.make_pipe(path)
            # read and write, so that the pipe never reports an end when a writer closes it
            self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            pass  # the poll is slower, and enough

    def wait(self, seconds: float, other: int) -> bytes:
        """Wait for a wake-up, at most so long, or until the descriptor ``other`` is readable.

        Returns what was said: nothing if no wake-up came.
        """
        watched = poll()  # select knows no descriptor beyond 1023
        for fd in (other, self._fd):
            if fd >= 0:
                watched.register(fd, POLLIN)
        if self._fd not in dict(watched.poll(max(0, int(seconds * 1000) + 1))):
            return b""
        try:
            return os.read(self._fd, 4096)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """Take the pipe away."""
        if self._fd >= 0:
            mine = os.fstat(self._fd)
            os.close(self._fd)
            self._fd = -1
            unlink_own(self._path, mine)


def let_in(epoch: int, moment: Now) -> bytes:
    """The words that tell a waiter that it has the slot, and since when."""
    return f"{epoch} {moment.uptime!r} {moment.utc}\n".encode()


def heard(words: bytes) -> tuple[int, float, str] | None:
    """The epoch, the uptime and the time at which a waiter was let in, if it was told that."""
    for line in words.decode("ascii", "replace").splitlines():
        try:
            epoch, since, started_at = line.split()
            return int(epoch), float(since), started_at
        except ValueError:
            continue  # it is only to look
    return None


def ring(path: str, words: bytes) -> None:
    """Tell the waiter that listens on a pipe something, if one does."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return  # nobody listens: its poll will tell it
    try:
        if S_ISFIFO(os.fstat(fd).st_mode):
            os.write(fd, words)
        if hasattr(os, "sched_yield"):
            os.sched_yield()  # the kernel may have put it behind us, on the same processor
    except OSError:
        pass  # full of wake-ups already
    finally:
        os.close(fd)
