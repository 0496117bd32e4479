"""Locks that the kernel ends when their holder dies: ``flock`` on small files; a claim's own.

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
from fcntl import F_DUPFD, LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, fcntl, flock

from hostgate.core.claims import Claim, encode_claim
from hostgate.host import StateError, dumps, process
from hostgate.host.state import FORMER, State, unlink, unlink_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PROBED = 0.1  # seconds that a free lock may seem held, while somebody looks at it
HIGH = 230  # descriptors from here on are out of scripts' way (3 to 9, bash's 10, flock(1)'s 200)
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
            acquire(fd, PROBED, lambda: None)
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
        acquire(fd, PROBED, lambda: None)
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
            acquire(fd, PROBED, lambda: None)
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
        fd, self.fd = self.fd, -1
        if fd < 0:
            return
        release(fd)
        mine = os.fstat(fd)
        try:
            os.close(fd)
        except OSError:
            pass  # it is closed all the same
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
