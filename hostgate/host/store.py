"""The registry in files: one JSON document, replaced whole under one lock.

The gate knows a store by four verbs: one transaction on the document, "am I still held",
"wake these", "wait until woken". This one keeps them in the state directory.
"""

from __future__ import annotations

import os

from hostgate.core.admit import NO_LIMITS, clear
from hostgate.core.claims import (
    WAITING,
    Broken,
    Claim,
    Newer,
    Owner,
    Registry,
    decode_claim,
    decode_registry,
    encode,
)
from hostgate.core.rules import default_rules
from hostgate.core.text import bounded
from hostgate.host import apart, history, lock, process
from hostgate.host.errors import StateError, because
from hostgate.host.hold import Hold
from hostgate.host.jsontext import dumps, loads
from hostgate.host.liveness import Liveness, read_lines
from hostgate.host.state import FORMER, LOCK, REGISTRY, State, unlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from hostgate.core.rules import RulesOf
    from hostgate.host.records import Records
    from hostgate.host.wake import Bell

    T = TypeVar("T")

PATIENCE = 2.0  # seconds without any movement after which a locked registry is given up
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l and no o, no 1 and no 0


class Damaged(StateError):
    """The registry could not be read, and was set aside; what lives was found again."""


class FileStore:
    """The registry of one state directory. Makes the directory; raises :class:`StateError`.

    ``rules_of`` are the rules of each project, for the claims that are read from now on; ``limits``
    are the host's.
    """

    def __init__(self, path: str) -> None:
        self.state = State(path)
        self.rules_of: RulesOf = default_rules
        self.limits = NO_LIMITS
        self._host = os.uname().nodename
        self._space = process.pid_space()
        self.liveness = Liveness(self.state.claims, self._host, self._space)
        self._read: tuple[object, Registry] | None = None

    # the document

    def transact(self, change: Callable[[Registry], T], *, mend: bool = True) -> T:
        """Change the registry under its lock: read, ``change(registry)``, replace if it differs.

        A registry that cannot be read is set aside and rebuilt from the locks that are held;
        then :class:`Damaged` is raised, or with ``mend`` the change goes on. Raises
        :class:`StateError` for everything that keeps the change from being made; the old file
        is whole then.
        """
        try:
            fd = self._lock()
            try:
                registry, before, damage = self._load()
                if damage and not mend:
                    self._save(dumps(encode(registry)))
                    raise Damaged(damage)
                result = change(registry)
                text = dumps(encode(registry))
                if text != before:
                    self._save(text)
                return result
            finally:
                os.close(fd)
        except OSError as error:
            where = f" ({error.filename})" if isinstance(error.filename, str) else ""
            raise StateError(f"the registry: {because(error)}{where}") from error

    def read(self) -> Registry:
        """The registry as it is now, without any lock.

        Raises :class:`StateError` where it cannot be read, :class:`Damaged` where it is broken.
        """
        try:
            stamp = self.stamp()
            if self._read is None or stamp != self._read[0] or stamp is None:
                self._read = (stamp, self._parse()[0])
            return self._read[1]
        except FileNotFoundError:
            return Registry()
        except OSError as error:
            raise StateError(f"the registry: {because(error)}") from error
        except (Broken, Newer) as error:
            raise Damaged(f"the registry cannot be read: {error}") from error

    def stamp(self) -> object:
        """A value that changes whenever the registry is replaced."""
        try:
            found = os.stat(self.state.file(REGISTRY))
        except OSError:
            return None
        return (found.st_ino, found.st_mtime_ns, found.st_size)

    def _lock(self) -> int:
        path = self.state.file(LOCK)
        while True:
            fd = self.state.create(path, os.O_RDWR)
            try:
                lock.acquire(fd, PATIENCE, self.stamp)
                mine, there = os.fstat(fd), os.stat(path)
                if (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino):
                    return fd
            except FileNotFoundError:
                pass  # the directory was taken away meanwhile
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def _load(self) -> tuple[Registry, str, str]:
        """The registry, its text, and what was wrong with it."""
        try:
            return *self._parse(), ""
        except Newer as error:
            raise StateError(f"the registry is a newer hostgate's ({error})") from error
        except FileNotFoundError:
            return self._recover(), "", ""
        except Broken as error:
            aside = self._set_aside()
            return self._recover(), "", f"the registry was broken ({error}), set aside as {aside}"

    def _parse(self) -> tuple[Registry, str]:
        fd = os.open(self.state.file(REGISTRY), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            data = file.read()
        try:
            text = data.decode()
            return decode_registry(loads(text), self.rules_of, apart.read), text
        except Newer:
            raise
        except (ValueError, RecursionError, KeyError) as error:
            raise Broken(str(error) if isinstance(error, Broken) else "no JSON") from error

    def _save(self, text: str) -> None:
        self.state.replace(self.state.file(REGISTRY), text.encode())

    def _set_aside(self) -> str:
        path = self.state.file(REGISTRY)
        number = 1
        while os.path.lexists(aside := f"{path}.corrupt-{number}"):
            number += 1
        os.rename(path, aside)
        return os.path.basename(aside)

    def _recover(self) -> Registry:
        """The registry that the held locks tell of: each lock file describes its claim."""
        claims: list[Claim] = []
        epoch = history.last_epoch(self.state)
        for name in _names(self.state.claims):
            path = f"{self.state.claims}/{name}"
            if not name.endswith(".lock"):
                continue
            try:
                claim = decode_claim(loads(read_lines(path)[0]), self.rules_of, apart.read)
            except (Broken, ValueError, IndexError, RecursionError):
                continue
            epoch = max(epoch, claim.epoch)
            if self.liveness.lock_path(claim.id) == path and lock.probe(path) == lock.HELD:
                claims.append(claim)
        claims.sort(key=lambda claim: claim.epoch)
        return Registry(epoch, claims)

    # one's own claim

    def new_claim(
        self, session: str, title: str, project: str, text: str, lanes: list[str]
    ) -> Claim:
        """A fresh claim of this process, in no registry yet.

        Its command is the beginning of the ``text``; the detector reads all of it.
        """
        return Claim(
            id=_fresh_id(4),
            session=session,
            title=title,
            project=project,
            command=bounded(text),
            text=text,
            lanes=lanes,
            owner=self.owner(),
            enqueued_at="",
            enqueued=0.0,
            rules_of=self.rules_of,
            read=apart.read,
        )

    def owner(self) -> Owner:
        """This process, as the owner of a claim."""
        pid = os.getpid()
        return Owner(self._host, pid, process.start_stamp(pid), self._space)

    def hold(self, claim: Claim) -> Hold:
        """Take the kernel lock of a claim that is about to be registered. Raises ``OSError``."""
        while True:
            try:
                return Hold.of(self.state, claim)
            except FileExistsError:
                claim.id = _fresh_id(5)  # somebody has that name already

    @property
    def records(self) -> Records:
        """What is kept of recorded runs."""
        from hostgate.host.records import Records

        return Records(self.state)

    def question_lock(self) -> int:
        """A descriptor to lock while a question stands on this session's terminal."""
        return self.state.create(f"{self.state.claims}/ask{os.getsid(0)}.lock", os.O_RDWR)

    def bell(self, claim: Claim) -> Bell:
        """The pipe on which the claim waits to be woken."""
        from hostgate.host.wake import Bell

        return Bell(self.state, f"{self.state.claims}/{claim.id}.wake")

    def dismiss(self, former: Claim) -> None:
        """Wake a waiter whose claim has another owner by now; the pipe is to be the latter's."""
        from hostgate.host.wake import ring

        path = f"{self.state.claims}/{former.id}.wake"
        ring(path)
        unlink(path)

    def wake(self, registry: Registry) -> None:
        """Wake the waiters that became clear, so that they come while others tidy up."""
        if all(claim.state != WAITING for claim in registry.claims):
            return
        from hostgate.host.wake import ring

        for claim in clear(registry.claims, self.limits, self.liveness.away):
            ring(f"{self.state.claims}/{claim.id}.wake")

    def sweep(self, registry: Registry, dropped: list[Claim]) -> None:
        """Take away the files of claims that are gone; under the registry's lock.

        When the registry is empty, whatever a killed process left goes too.
        """
        for claim in dropped:
            self._forget(claim.id)
        if registry.claims:
            return
        for name in _names(self.state.claims):
            path = f"{self.state.claims}/{name}"
            if name.endswith(".wake") or lock.probe(path) == lock.FREE:
                unlink(path)

    def _forget(self, id: str) -> None:
        unlink(self.liveness.lock_path(id))
        unlink(self.liveness.lock_path(id) + FORMER)
        unlink(f"{self.state.claims}/{id}.wake")


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _fresh_id(length: int) -> str:
    return "".join([ALPHABET[byte % len(ALPHABET)] for byte in os.urandom(length)])
