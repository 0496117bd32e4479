"""Waking a waiter at once: a named pipe that it listens on. A poll stands behind every wake."""

from __future__ import annotations

import os
from select import select

from hostgate.host.state import State, unlink_own


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

    def wait(self, seconds: float, other: int) -> bool:
        """Wait for a wake-up, at most so long, or until the descriptor ``other`` is readable.

        Returns whether a wake-up came.
        """
        watched = [other] if self._fd < 0 else [other, self._fd]
        if self._fd not in select(watched, [], [], seconds)[0]:
            return False
        try:
            os.read(self._fd, 512)
        except BlockingIOError:
            pass
        return True

    def close(self) -> None:
        """Take the pipe away."""
        if self._fd >= 0:
            mine = os.fstat(self._fd)
            os.close(self._fd)
            self._fd = -1
            unlink_own(self._path, mine)


def ring(path: str) -> None:
    """Wake the waiter that listens on a pipe, if one does."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return  # nobody listens: its poll will tell it
    try:
        os.write(fd, b"\n")
    except OSError:
        pass  # full of wake-ups already
    finally:
        os.close(fd)
