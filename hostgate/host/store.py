"""The registry in files: one JSON document, replaced whole under one lock.

The gate knows a store by four verbs: one transaction on the document, "am I still held",
"wake these", "wait until woken". This one keeps them in the state directory.
"""

from __future__ import annotations

import os

from hostgate.core.claims import (
    SCHEMA,
    Broken,
    Claim,
    Newer,
    Owner,
    Registry,
    check_ids,
    decode_claim,
    decode_registry,
    encode_claim,
    is_epoch,
)
from hostgate.core.text import bounded
from hostgate.host import StateError, because, dumps, loads, lock, process
from hostgate.host.lock import Hold
from hostgate.host.state import LOCK, REGISTRY, State, read_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from hostgate.core.admit import Limits
    from hostgate.core.likeness import Reading
    from hostgate.core.rules import Rules, RulesOf
    from hostgate.host.liveness import Liveness
    from hostgate.host.records import Records
    from hostgate.host.wake import Bell

    T = TypeVar("T")

PATIENCE = 2.0  # seconds without any movement after which a locked registry is given up
HEAD = f'{{"schema":{SCHEMA},"epoch":'
OPENING, SEPARATOR, CLOSING = '"claims":[\n', ",\n", "\n]}\n"  # of the lines in the registry
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l and no o, no 1 and no 0


class Damaged(StateError):
    """The registry could not be read, and was set aside; what lives was found again."""


class FileStore:
    """The registry of one state directory. Makes the directory; raises :class:`StateError`.

    ``rules_of`` are the rules of each project, for the claims that are read from now on; ``limits``
    are the host's. ``terms_of`` tells by what this process decides for the claims of a project:
    it lets in those that say the same of themselves.
    """

    def __init__(self, path: str) -> None:
        self.state = State(path)
        self.rules_of: RulesOf | None = None
        self.limits: Limits | None = None
        self.terms_of: Callable[[str], str | None] = _unknown
        self._host = os.uname().nodename
        self._space = process.pid_space()
        self._liveness: Liveness | None = None
        self._read: tuple[object, Registry] | None = None
        self._former = -1  # the registry's file as it was before a transaction, open
        self._known: dict[str, Claim] = {}  # the claims as they stood in the lines read last
        self._after: list[Callable[[], None]] = []

    @property
    def liveness(self) -> Liveness:
        """Whether the owners of claims are alive. Where nobody is around, nobody asks."""
        if self._liveness is None:
            from hostgate.host.liveness import Liveness

            self._liveness = Liveness(self.state.claims, self._host, self._space)
        return self._liveness

    def away(self, claim: Claim) -> bool:
        """Whether a waiter is to be passed over."""
        return self.liveness.away(claim)

    # the document

    def transact(
        self,
        change: Callable[[Registry], T],
        *,
        mend: bool = True,
        seen: Callable[[str], None] | None = None,
    ) -> T:
        """Change the registry under its lock: read, ``change(registry)``, replace if it differs.

        ``seen`` is told the registry's text before it is read. What ``change`` asks for by
        :meth:`afterwards` is done at the end, still under the lock.
        A registry that cannot be read is set aside and rebuilt from the locks that are held;
        then :class:`Damaged` is raised, or with ``mend`` the change goes on. Raises
        :class:`StateError` for everything that keeps the change from being made; the old file
        is whole then.
        """
        try:
            fd = self._lock()
            self._former = -1
            try:
                registry, before, damage = self._load(seen)
                if damage and not mend:
                    self._save(self._encode(registry))
                    raise Damaged(damage)
                self._known, self._read, self._after = {}, None, []  # the claims may change
                result = change(registry)
                text = self._encode(registry)
                if text != before:
                    self._save(text)
                for act in self._after:
                    act()
                return result
            finally:
                if self._former >= 0:
                    os.close(self._former)
                os.close(fd)
        except OSError as error:
            where = f" ({error.filename})" if isinstance(error.filename, str) else ""
            raise StateError(f"the registry: {because(error)}{where}") from error

    def afterwards(self, act: Callable[[], None]) -> None:
        """Have something done at the end of this transaction, if the registry could be written."""
        self._after.append(act)

    def read(self) -> Registry:
        """The registry as it is now, without any lock.

        Raises :class:`StateError` where it cannot be read, :class:`Damaged` where it is broken.
        """
        stamp = self.stamp()
        if self._read is None or stamp != self._read[0] or stamp is None:
            self._read = (stamp, self.snapshot()[0])
        return self._read[1]

    def snapshot(self) -> tuple[Registry, str]:
        """The registry as it is now, and its text; else as :meth:`read`."""
        try:
            return self._parse()
        except FileNotFoundError:
            return Registry(), ""
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

    def _load(self, seen: Callable[[str], None] | None) -> tuple[Registry, str, str]:
        """The registry, its text, and what was wrong with it.

        The file stays open to the end of the transaction: to replace one that is open takes 10 us,
        one that is not 60, cold 250, as its blocks are freed at once. The next one waits for that.
        """
        try:
            return *self._parse(seen, keep=True), ""
        except Newer as error:
            raise StateError(f"the registry is a newer hostgate's ({error})") from error
        except (FileNotFoundError, Broken) as error:
            from hostgate.host import mending

            damage = ""
            if isinstance(error, Broken):
                aside = mending.set_aside(self.state)
                damage = f"the registry was broken ({error}), set aside as {aside}"
            return mending.recovered(self.state, self.liveness, self._claim), "", damage

    def _parse(
        self, seen: Callable[[str], None] | None = None, keep: bool = False
    ) -> tuple[Registry, str]:
        fd = os.open(self.state.file(REGISTRY), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if keep:
            self._former = fd
        try:
            data = read_all(fd)
        finally:
            if not keep:
                os.close(fd)
        try:
            text = data.decode()
            if seen:
                seen(text)
            return self._decode(text), text
        except Newer:
            raise
        except (ValueError, RecursionError, KeyError) as error:
            raise Broken(str(error) if isinstance(error, Broken) else "no JSON") from error

    def _decode(self, text: str) -> Registry:
        """The registry in a text, which has a claim a line if we wrote it.

        Lines that were read before are not read again: so a queue costs who looks at it all the
        time 3 us a claim instead of 27. No line end stands inside a JSON value.
        """
        head, opening, rest = text.partition(OPENING)
        epoch = head.removeprefix(HEAD).removesuffix(",")
        if not opening or not rest.endswith(CLOSING) or not is_epoch(epoch):
            return decode_registry(loads(text), self._claim)
        registry = Registry(int(epoch))
        known = {}
        for line in rest[: -len(CLOSING)].split(SEPARATOR) if rest != CLOSING else ():
            claim = self._known.get(line)
            if claim is None:
                claim = self._claim(loads(line))
                claim.seal(line)
            known[line] = claim
            registry.claims.append(claim)
        check_ids(registry)
        self._known = known
        return registry

    def _encode(self, registry: Registry) -> str:
        self._known = {}
        lines = []
        for claim in registry.claims:
            if line := claim.sealed_line():
                self._known[line] = claim
            lines.append(line or dumps(encode_claim(claim)))
        return f"{HEAD}{registry.epoch},{OPENING}{SEPARATOR.join(lines)}{CLOSING}"

    def _claim(self, data: object) -> Claim:
        return decode_claim(data, self.rules_of, read_apart)

    def _save(self, text: str) -> None:
        self.state.replace(self.state.file(REGISTRY), text.encode())

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
            read=read_apart,
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

    def bell(self, claim: Claim) -> Bell:
        """The pipe on which the claim waits to be woken."""
        from hostgate.host.wake import Bell

        return Bell(self.state, self.bell_path(claim))

    def bell_path(self, claim: Claim) -> str:
        """Where that pipe is."""
        return f"{self.state.claims}/{claim.id}.wake"


def read_apart(command: str, rules: Rules) -> Reading:
    """The reading of a command, made where its parser can do no harm."""
    from hostgate.host.apart import read

    return read(command, rules)


def _unknown(project: str) -> None:
    """The terms of who has not looked at them all."""


def _fresh_id(length: int) -> str:
    return "".join([ALPHABET[byte % len(ALPHABET)] for byte in os.urandom(length)])
