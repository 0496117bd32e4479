"""The controlling terminal: can it be asked, how wide is it, one key at a time."""

from __future__ import annotations

import os
from _signal import SIG_BLOCK, SIG_SETMASK, SIGTTOU, pthread_sigmask
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


def pressed(goes_on: Callable[[], bool]) -> Iterator[str]:
    """The keys of the terminal as they come, while ``goes_on`` says so; ends at end of file.

    Only the terminal's foreground reads, or it would take the keys of the shell in front. The
    arrow keys and their like are no key.
    """
    # opened at once and not at the first key: the terminal may be gone by then
    return _keys(os.open(DEVICE, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC), goes_on)


def _keys(fd: int, goes_on: Callable[[], bool]) -> Iterator[str]:
    while goes_on():
        try:
            in_front = os.tcgetpgrp(fd) == os.getpgrp()
        except OSError:
            return  # hung up
        if not in_front:
            select([], [], [], 0.25)
            continue
        if not select([fd], [], [], 1.0)[0]:
            continue
        try:
            data = os.read(fd, 64)
        except BlockingIOError:
            continue  # somebody else got it
        if not data:
            return
        text = data.decode("utf-8", "replace")
        if not text.startswith("\x1b"):
            yield from text


class Keys:
    """The terminal gives single keys, without echo, until the object is closed.

    Ctrl-Z and Ctrl-\\ do nothing meanwhile: nobody would give the terminal's modes back.
    ``lock`` is a descriptor that is locked as long as a question stands on this terminal; the
    object closes it. Raises ``OSError`` where the terminal is gone, or another question stands.
    """

    def __init__(self, fd: int, lock: int) -> None:
        import termios

        self._fd = fd
        self._lock = lock
        try:
            flock(lock, LOCK_EX | LOCK_NB)
            self._before = termios.tcgetattr(fd)
            mode = termios.tcgetattr(fd)
            mode[3] &= ~(termios.ICANON | termios.ECHO)
            for key in _special_keys():
                mode[6][key] = b"\0"
            termios.tcsetattr(fd, termios.TCSAFLUSH, mode)
        except termios.error as error:
            os.close(lock)
            raise OSError(*error.args) from error
        except OSError:
            os.close(lock)
            raise

    def close(self) -> None:
        """Give the terminal back as it was, unless it is gone.

        Out of the foreground only its special keys: the shell in front has modes of its own.
        """
        import termios

        mask = pthread_sigmask(SIG_BLOCK, (SIGTTOU,))  # or the background could not
        try:
            mode = self._before
            if not can_ask():
                mode = termios.tcgetattr(self._fd)
                for key in _special_keys():
                    mode[6][key] = self._before[6][key]
            termios.tcsetattr(self._fd, termios.TCSADRAIN, mode)
        except termios.error:
            pass  # hung up
        pthread_sigmask(SIG_SETMASK, mask)
        os.close(self._lock)


def _special_keys() -> list[int]:
    import termios

    names = ("VSUSP", "VQUIT", "VDSUSP")
    return [getattr(termios, name) for name in names if hasattr(termios, name)]
