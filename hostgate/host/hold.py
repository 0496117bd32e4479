"""A claim's own lock: what the kernel frees when its owner and the command are both gone."""

from __future__ import annotations

import os
from fcntl import F_DUPFD, fcntl

from hostgate.core.claims import Claim, encode_claim
from hostgate.host import StateError, lock, process
from hostgate.host.jsontext import dumps
from hostgate.host.state import FORMER, State, unlink, unlink_own

PROBED = 0.1  # seconds that a free lock may seem held, while somebody looks at it
HIGH = 230  # descriptors from here on are out of scripts' way (3 to 9, bash's 10, flock(1)'s 200)


class Hold:
    """The lock of one's own claim, held until :meth:`release` or the end of the process.

    The command inherits it: so it holds the slot even if this process is killed. The file's
    text is a label, which names the command's pid and from which a lost registry is rebuilt.
    """

    __slots__ = ("_path", "fd")

    def __init__(self, path: str, fd: int) -> None:
        self._path = path
        self.fd = fd

    @classmethod
    def of(cls, state: State, claim: Claim) -> Hold:
        """Make and lock the file. Raises ``OSError``, ``FileExistsError`` for a name in use."""
        path = f"{state.claims}/{claim.id}.lock"
        fd = state.create(path, os.O_RDWR | os.O_EXCL)
        try:
            lock.acquire(fd, PROBED, lambda: None)
        except BaseException:
            os.close(fd)
            unlink(path)
            raise
        hold = cls(path, _inheritable(fd))
        hold.describe(claim)
        return hold

    @classmethod
    def instead(cls, state: State, claim: Claim) -> Hold:
        """Put a locked file of one's own in the place of a former owner's. Raises ``OSError``.

        The former file stays beside it until :meth:`settle`: should this process be killed before
        it has ended what the former owner runs, that still holds the slot.
        """
        path = f"{state.claims}/{claim.id}.lock"
        unlink(path + FORMER)
        fd = state.create(path + ".new", os.O_RDWR | os.O_TRUNC)
        lock.acquire(fd, PROBED, lambda: None)
        hold = cls(path, _inheritable(fd))
        hold.describe(claim)
        os.link(path, path + FORMER)
        os.rename(path + ".new", path)
        return hold

    def settle(self) -> None:
        """Forget the former owner's file: nothing of its runs any more."""
        unlink(self._path + FORMER)

    def give_back(self) -> None:
        """Put the former owner's file back: it was not to be taken over."""
        try:
            os.rename(self._path + FORMER, self._path)
        except OSError:
            pass  # it still counts where it is
        self.release(leave_file=True)

    @classmethod
    def found(cls, path: str) -> Hold | None:
        """Lock a file that is there, also one that can only be read; ``None`` if it is not free."""
        fd = -1
        for access in (os.O_RDWR, os.O_RDONLY):  # the latter in an agent's sandbox
            try:
                fd = os.open(path, access | os.O_CLOEXEC | os.O_NOFOLLOW)
                break
            except OSError:
                continue
        if fd < 0:
            return None
        try:
            lock.acquire(fd, PROBED, lambda: None)
            if os.path.samestat(os.fstat(fd), os.stat(path)):
                return cls(path, fd)
        except (OSError, StateError):
            pass  # it is held, or it is gone
        os.close(fd)
        return None

    def describe(self, claim: Claim, child: int = 0) -> None:
        """Write the claim into its file, and the command's pid once there is one."""
        lines = dumps(encode_claim(claim)) + "\n"
        if child:
            lines += f"{child} {process.start_stamp(child)}\n"
        data = lines.encode()
        try:
            os.pwrite(self.fd, data, 0)  # first, so that the file is never empty
            os.ftruncate(self.fd, len(data))
        except OSError:
            pass  # the lock counts, not the label

    def release(self, leave_file: bool = False) -> None:
        """Unlock for everybody who inherited the lock, and take the file away."""
        lock.release(self.fd)
        mine = os.fstat(self.fd)
        os.close(self.fd)
        if not leave_file:
            unlink_own(self._path, mine)


def _inheritable(fd: int) -> int:
    """The descriptor, to be inherited, under a high number where the system's bound allows one."""
    try:
        high = fcntl(fd, F_DUPFD, HIGH)
    except OSError:
        os.set_inheritable(fd, True)
        return fd
    os.close(fd)
    return high
