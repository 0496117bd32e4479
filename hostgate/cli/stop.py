"""``hostgate stop``: end runs, whoever started them, and take waiters out of the queue."""

from __future__ import annotations

import os
from _signal import SIGCONT, SIGTERM

from hostgate.cli import NOT_RUN, TROUBLE
from hostgate.cli.claiming import open_store, warn
from hostgate.cli.options import UsageError
from hostgate.core.claims import ACTIVE, KEPT, RESERVED, RUNNING, WAITING, Claim
from hostgate.core.text import inert
from hostgate.host import process
from hostgate.host.child import GRACE
from hostgate.host.liveness import GONE
from hostgate.host.store import FileStore
from hostgate.host.tidy import tidy
from hostgate.host.watch import pause
from hostgate.keeper import release
from hostgate.ui import phrases
from hostgate.ui.voice import line

LOOK = 0.05  # seconds between two looks whether a claim is gone
PATIENCE = 5.0  # seconds that a hostgate may take to record an end


def stop(id: str | None, every: bool, yes: bool) -> int:
    """End one claim, or all of them. Returns 0 once they are gone, 75 if a person says no.

    Raises :class:`UsageError`, :class:`hostgate.host.StateError`.
    """
    if every == (id is not None):
        raise UsageError("stop takes an id or --all: hostgate stop ID")
    store = open_store()
    claims = [one for one in store.read().claims if store.liveness.status(one) != GONE]
    mine = own(store, claims)
    if id is None:
        found = [one for one in claims if one.id not in mine]
        if not found:
            line("nothing is running or waiting")
            return 0
        if not yes and not _agreed(found):
            return NOT_RUN
    else:
        found = [one for one in claims if one.id == id]
        found = found or [one for one in claims if one.run_id == id]
        if mine := [one.id for one in found if one.id in mine]:
            raise UsageError(f"{mine[0]} is what this command runs inside: it would end itself")
        if not found:
            raise UsageError(f"nothing is running or waiting as {inert(id, 20)}: hostgate ls")
    found.sort(key=lambda one: one.state == RUNNING)  # or those who wait would start
    ended = [_end(store, claim) for claim in found]
    return 0 if all(ended) else TROUBLE


def own(store: FileStore, claims: list[Claim]) -> list[str]:
    """The claims that this command is part of, by its environment or by its shells."""
    above = process.ancestors(os.getpid())
    held = [one.id for one in claims if one.held and store.liveness.is_child_among(one, above)]
    return [*os.environ.get("HOSTGATE_CLAIM", "").split(","), *held]


def _agreed(found: list[Claim]) -> bool:
    """Ask once. Raises :class:`UsageError` where nobody can be asked."""
    from hostgate.host.terminal import can_ask

    running = sum(one.state in ACTIVE for one in found)
    counts = ((running, "run"), (len(found) - running, "waiter"))
    many = " and ".join([f"{n} {what}{'s' * (n > 1)}" for n, what in counts if n])
    if not can_ask():
        raise UsageError(f"stop --all would end {many}; say --yes where nobody can be asked")
    for claim in found:
        print(f"{claim.id}  {phrases.who(claim)}: {phrases.what(claim)}")
    try:
        return input(f"End {many}? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        print()
        return False


def _end(store: FileStore, claim: Claim) -> bool:
    """End one claim; tell if it cannot be ended. Returns whether it is gone."""
    if claim.state in (KEPT, RESERVED):
        release(store, claim, warn)
        return True
    if store.liveness.is_elsewhere(claim):
        line(f"{claim.id} runs in another pid namespace, or on another host: end it there")
        return False
    if claim.state == WAITING:
        _dequeue(store, claim)
    elif not Command(store, claim).end():
        return False
    return _until_gone(store, claim)


class Command:
    """The processes of a run: its command, and what has left that but still has the claim's lock.

    Made while the claim is its owner's; what it starts later is found by the lock too.
    """

    def __init__(self, store: FileStore, claim: Claim) -> None:
        self._claim = claim
        self._path = store.liveness.lock_path(claim.id)
        self._child = store.liveness.child(claim.id)
        self._user = os.stat(store.state.path).st_uid
        self._proven = self._child is not None and self._is_its(*self._child)
        self._others = self._holders()

    @property
    def is_known(self) -> bool:
        """Whether there is something to end: a run that is just starting has no pid yet."""
        return self._child is not None

    def end(self) -> bool:
        """End all of it; tell if it cannot be ended. Returns whether the command is gone."""
        from hostgate.host.tree import end

        child = self._child
        lives = child is not None and self._proven and not process.is_dead(*child)
        if child is not None and lives and not end(child[0], GRACE):
            line(f"{self._claim.id} cannot be ended: pid {child[0]} is another user's, or hangs")
            return False
        for pid, start in {**self._holders(), **self._others}.items():
            if not process.is_dead(pid, start):
                end(pid, GRACE)
        return True

    def _is_its(self, pid: int, start: str) -> bool:
        """Whether a process is provably the claim's: no other one is ever signalled.

        It has the claim's lock, or runs inside something that has; else its start stamp must be
        that of the lock file, which under sudo only counts for processes of the file's own user.
        Where the system has no such stamps, the living owner vouches for its command.
        """
        if process.is_dead(pid, start):
            return False
        if any(process.holds(one, self._path) for one in (pid, *process.ancestors(pid))):
            return True
        if self._user != os.geteuid() and process.user_of(pid) != self._user:
            return False
        has_stamps = process.start_stamp(os.getpid()) != ""
        if has_stamps or start:  # a stamp that cannot be compared proves nothing
            return has_stamps and bool(start)
        return process.holds(self._claim.owner.pid, self._path)

    def _holders(self) -> dict[int, str]:
        known = [] if self._claim.held else process.holders(self._path)
        return {pid: process.start_stamp(pid) for pid in known if pid != self._claim.owner.pid}


def _dequeue(store: FileStore, claim: Claim) -> None:
    """Have a waiter leave the queue, a stopped one too."""
    owner = claim.owner
    if process.is_dead(owner.pid, owner.start):
        return
    if not process.holds(owner.pid, store.liveness.lock_path(claim.id)):
        return  # another process, that the registry has for it
    try:
        os.kill(owner.pid, SIGTERM)
        os.kill(owner.pid, SIGCONT)
    except OSError:
        pass  # it has just ended, or is another user's


def _until_gone(store: FileStore, claim: Claim) -> bool:
    """Wait until the claim's own hostgate has recorded its end; for a killed one, do that."""
    for _ in range(int(PATIENCE / LOOK)):
        known = store.read().find(claim.id)
        if known is None:
            return True
        if claim.state == WAITING and known.state == RUNNING:
            return _end(store, known)  # its turn came in the same moment
        if store.liveness.status(known) == GONE:
            tidy(store, warn)
            return True
        pause(LOOK)
    line(f"{claim.id} has not ended: hostgate ls")
    return False
