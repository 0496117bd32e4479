"""The controlling terminal: can it be asked, how wide is it, one key at a time."""

from __future__ import annotations

import os
from fcntl import LOCK_EX, LOCK_NB, flock
from select import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEVICE = "/dev/tty"


def open_terminal() -> int:
    """The controlling terminal as a descriptor, or -1 where there is none."""
    try:
        return os.open(DEVICE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return -1


def has_terminal() -> bool:
    """Whether this process has a controlling terminal."""
    fd = open_terminal()
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def can_ask() -> bool:
    """Whether a person can be asked now: a terminal, and this job is in its foreground.

    A background job that read from the terminal would be stopped.
    """
    fd = open_terminal()
    if fd < 0:
        return False
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(fd)


def in_foreground() -> bool:
    """Whether standard error is a terminal on which this job may draw."""
    try:
        return os.isatty(2) and os.tcgetpgrp(2) == os.getpgrp()
    except OSError:
        return False


def is_dumb() -> bool:
    """Whether the terminal knows no cursor movements."""
    return os.environ.get("TERM", "dumb") in ("dumb", "")


def width() -> int:
    """The terminal's columns: ``COLUMNS``, else what it says, else 80."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(2).columns or 80
    except OSError:
        return 80


def pressed(fd: int, goes_on: Callable[[], bool]) -> Iterator[str]:
    """The keys of a terminal as they come, while ``goes_on`` says so; ends at end of file.

    The arrow keys and their like are no key.
    """
    while goes_on():
        if not select([fd], [], [], 1.0)[0]:
            continue
        data = os.read(fd, 64)
        if not data:
            return
        text = data.decode("utf-8", "replace")
        if not text.startswith("\x1b"):
            yield from text


class Keys:
    """The terminal gives single keys, without echo, until the object is closed.

    Ctrl-Z and Ctrl-\\ do nothing meanwhile: nobody would give the terminal's modes back.
    Raises ``OSError`` where the terminal is gone, or where another question stands on it.
    """

    def __init__(self, fd: int) -> None:
        import termios

        self._fd = fd
        self._lock = _lock_question()
        try:
            self._before = termios.tcgetattr(fd)
            mode = termios.tcgetattr(fd)
            mode[3] &= ~(termios.ICANON | termios.ECHO)
            for key in ("VSUSP", "VQUIT", "VDSUSP"):
                if hasattr(termios, key):
                    mode[6][getattr(termios, key)] = b"\0"
            termios.tcsetattr(fd, termios.TCSAFLUSH, mode)
        except termios.error as error:
            raise OSError(*error.args) from error

    def close(self) -> None:
        """Give the terminal back as it was, unless it is gone."""
        import termios

        try:
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
        except termios.error:
            pass  # hung up
        if self._lock >= 0:
            os.close(self._lock)


def _lock_question() -> int:
    """A lock on the terminal's device, so that one question at a time stands on it; -1 if none.

    Raises ``OSError`` while another process of this terminal asks.
    """
    for fd in (0, 1, 2):
        try:
            device = os.open(os.ttyname(fd), os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            flock(device, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            os.close(device)
            raise
        except OSError:
            os.close(device)  # this system does not lock devices
            return -1
        return device
    return -1
