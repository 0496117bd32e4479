"""The state directory: where it is, and how files come into being in it.

Directories are 0700 and files 0600 under any umask. Run as root in another user's directory
(``sudo``), everything that is made there belongs to that user.
"""

from __future__ import annotations

import os
from stat import S_IMODE, S_ISDIR, S_ISLNK, S_ISREG

from hostgate.host import StateError, because

REGISTRY = "registry.json"
LOCK = "registry.lock"
HISTORY = "history.jsonl"
CONFIG = "config.json"
CLAIMS = "claims"
RUNS = "runs"
NO_SPACE = 28  # ENOSPC of every system; errno is a module more
PIECE = 1 << 16  # bytes of a file that are read at once
FORMER = ".former"  # behind the name of a lock file: that of a claim's owner before


def locate() -> str:
    """The path of the state directory, which need not exist.

    Raises :class:`StateError` where the user has no home.
    """
    if path := os.environ.get("HOSTGATE_HOME"):
        return os.path.abspath(path)
    path = os.environ.get("XDG_STATE_HOME", "")
    if not path.startswith("/"):  # a relative one is to be ignored, says the XDG specification
        path = os.path.expanduser("~/.local/state")
        if not path.startswith("/"):
            raise StateError("no home directory: set HOSTGATE_HOME")
    return os.path.join(path, "hostgate")


class State:
    """A state directory that is there, is the user's own, and is private."""

    __slots__ = ("_owner", "claims", "path")

    def __init__(self, path: str) -> None:
        """Make the directory where it is missing. Raises :class:`StateError`."""
        self.path = path
        self.claims = f"{path}/{CLAIMS}"
        self._owner: tuple[int, int] | None = None
        try:
            self._prepare()
        except OSError as error:
            raise StateError(f"state directory {path}: {because(error)}") from error

    def _prepare(self) -> None:
        user = os.geteuid()
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            self._make(self.claims)
            found = os.lstat(self.path)
        if S_ISLNK(found.st_mode):
            if found.st_uid not in (user, 0):
                raise PermissionError(1, "it is a link of another user's")
            found = os.stat(self.path)
        if not S_ISDIR(found.st_mode):
            raise NotADirectoryError(20, "Not a directory")
        if user == 0:
            self._owner = (found.st_uid, found.st_gid) if found.st_uid else None
            if self._owner and os.path.islink(self.claims):
                raise PermissionError(1, f"{CLAIMS} is a link of another user's")
        elif found.st_uid != user:
            raise PermissionError(1, "it belongs to another user")
        if S_IMODE(found.st_mode) & 0o077:
            names = os.listdir(self.path)
            if names and LOCK not in names:
                raise PermissionError(1, "others use it too, and it is not hostgate's own")
            os.chmod(self.path, 0o700)

    def _make(self, folder: str) -> None:
        missing = [folder]
        while not os.path.isdir(parent := os.path.dirname(missing[-1])):
            missing.append(parent)
        above = os.stat(parent)
        for path in reversed(missing):
            try:
                os.mkdir(path, 0o700)
            except FileExistsError:
                continue  # another hostgate made it meanwhile
            os.chmod(path, 0o700)  # the umask may have taken away even the owner's rights
            if os.geteuid() == 0 and above.st_uid:
                os.chown(path, above.st_uid, above.st_gid, follow_symlinks=False)

    def file(self, name: str) -> str:
        """The path of a file of the directory."""
        return f"{self.path}/{name}"

    def create(self, path: str, flags: int) -> int:
        """Open a file of the directory for writing, make it where it is missing.

        Returns the descriptor, which commands do not inherit. Raises ``OSError``, also for what is
        no file of its own: a link, a pipe, another name of some other file.
        """
        truncates = flags & os.O_TRUNC
        flags ^= truncates
        flags |= os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            fd = os.open(path, flags, 0o600)
        except FileNotFoundError:
            self._make(os.path.dirname(path))
            fd = os.open(path, flags, 0o600)
        found = os.fstat(fd)
        if not S_ISREG(found.st_mode) or found.st_nlink > 1:
            os.close(fd)
            raise PermissionError(1, "it is no file of hostgate's own", path)
        if truncates and found.st_size:  # not before it is known to be one's own
            os.ftruncate(fd, 0)
        if S_IMODE(found.st_mode) != 0o600:
            os.fchmod(fd, 0o600)
        if self._owner and found.st_uid != self._owner[0]:
            os.fchown(fd, *self._owner)
        return fd

    def replace(self, path: str, data: bytes, aside: str = ".new") -> None:
        """Replace a file of the directory as a whole, by way of one whose name ends so.

        Raises ``OSError``; then the old one is whole.
        """
        try:
            fd = self.create(path + aside, os.O_WRONLY | os.O_TRUNC)
            try:
                reserve(fd, len(data))
                write_all(fd, data)
            finally:
                os.close(fd)
            os.rename(path + aside, path)
        except OSError:
            unlink(path + aside)
            raise

    def make_pipe(self, path: str) -> None:
        """Make a named pipe of the directory. Raises ``OSError``."""
        os.mkfifo(path, 0o600)
        os.chmod(path, 0o600)
        if self._owner:
            os.chown(path, *self._owner, follow_symlinks=False)


def read_all(fd: int) -> bytes:
    """All bytes of a regular file that is open at its beginning. Raises ``OSError``."""
    data = os.read(fd, PIECE)
    while len(data) % PIECE == 0 and (more := os.read(fd, PIECE)):
        data += more
    return data


def read_lines(path: str) -> list[str]:
    """The lines of a small file; none where it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return os.read(fd, 1 << 18).decode("utf-8", "replace").split("\n")
    except OSError:
        return []
    finally:
        os.close(fd)


def names_in(directory: str) -> list[str]:
    """The names of what is in a directory; none where it cannot be read."""
    try:
        return os.listdir(directory)
    except OSError:
        return []


def reserve(fd: int, size: int) -> None:
    """Give a file its blocks before it is written. Raises ``OSError``, as for a full disk.

    Else ext4 writes them out in the rename that puts the file in another's place: 150 to 330 us
    instead of 60. What that is good for, a power cut, ends every claim anyway.
    """
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(fd, 0, size)
        except OSError as error:
            if error.errno == NO_SPACE:
                raise


def write_all(fd: int, data: bytes) -> None:
    """Write every byte. Raises ``OSError``, as for a full disk."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def unlink_own(path: str, mine: os.stat_result) -> None:
    """Remove a file of one's own, unless somebody else's has its name by now."""
    try:
        own = os.path.samestat(os.lstat(path), mine)
    except OSError:
        return  # it is gone
    if own:
        unlink(path)


def unlink(path: str) -> None:
    """Remove a file that may be gone already, or that may not be removed."""
    try:
        os.unlink(path)
    except OSError:
        pass  # a label that stays costs nothing; the next prune tries again
