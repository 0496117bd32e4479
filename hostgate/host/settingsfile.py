"""Other programs' settings files: read as they are, replaced whole, with what was there kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from stat import S_IMODE, S_ISREG

from hostgate.host import StateError, because
from hostgate.host.state import State, unlink, write_all

LOCK = "settings.lock"
PATIENCE = 10.0  # seconds that another installer is waited for
KEPT = ".before-hostgate"  # what the copy's name ends with


@contextmanager
def lock(state: State) -> Iterator[None]:
    """One installer at a time. Raises :class:`StateError`."""
    from filelock import FileLock, Timeout  # 64 ms, which a hook that reads settings does not have

    path = state.file(LOCK)
    try:
        os.close(state.create(path, os.O_RDWR))
        held = FileLock(path)
        held.acquire(timeout=PATIENCE)
    except Timeout:
        raise StateError("another hostgate is changing settings; try again") from None
    except OSError as error:
        raise StateError(f"{path}: {because(error)}") from error
    try:
        yield
    finally:
        held.release()


class SettingsFile:
    """One file as it is now: its ``text``, which is "" where there is none.

    ``copy`` is where what was there before hostgate changed it is kept, beside the file itself. A
    link of that name is somebody else's, who may have put it into a checkout: it is not followed.
    """

    def __init__(self, path: str) -> None:
        """Read it. Raises :class:`StateError`."""
        self.path = path
        self.text = _read(path)
        self.exists = os.path.exists(path)
        self.copy = os.path.realpath(path) + KEPT

    @property
    def before(self) -> str | None:
        """What was there before hostgate changed it; ``None`` where nothing was, or is known."""
        there = os.path.lexists(self.copy) and not os.path.islink(self.copy)
        return _read(self.copy) if there else None

    def keep(self) -> None:
        """Keep a copy of the file as it is, if there is one. Raises :class:`StateError`."""
        if self.exists:
            _write(self.copy, self.copy, self.text, self.path)

    def forget(self) -> None:
        """Remove the copy."""
        unlink(self.copy)

    def replace(self, text: str | None) -> None:
        """Write the file anew, or remove it for ``None``. Raises :class:`StateError`.

        Whoever changed it meanwhile wins. A link to it stays.
        """
        if _read(self.path) != self.text:
            raise StateError(f"{self.path} was changed just now; try again")
        if text is not None:
            _write(self.path, os.path.realpath(self.path), text, self.path)
            return
        unlink(os.path.realpath(self.path))
        try:
            os.rmdir(os.path.dirname(self.path))  # if it has become empty
        except OSError:
            pass


def _read(path: str) -> str:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            if not S_ISREG(os.fstat(fd).st_mode):
                raise StateError(f"{path} is no regular file; left as it is")
            return file.read().decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StateError(f"{path}: {because(error)}") from error
    except UnicodeDecodeError:
        raise StateError(f"{path} is not UTF-8; left as it is") from None


def _write(path: str, target: str, text: str, like: str) -> None:
    """Replace ``target``, which people call ``path``, with the rights that ``like`` has."""
    aside = f"{target}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            mode = S_IMODE(os.stat(like).st_mode)
        except FileNotFoundError:
            mode = 0o600
        fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        try:
            os.fchmod(fd, mode)
            write_all(fd, text.encode())
        finally:
            os.close(fd)
        os.rename(aside, target)
    except OSError as error:
        unlink(aside)
        raise StateError(f"{path}: {because(error)}") from error
