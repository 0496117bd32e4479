"""Holding a slot for a shell: a small process that lives as long as the shell does.

Whoever calls ``hostgate hold`` goes on to run its command itself, so nothing of hostgate's is
around that command. The keeper has the claim's kernel lock instead, and nothing else of its
caller's: no pipe, no terminal, no process group.
"""

from __future__ import annotations

import os
from _signal import SIGUSR1

from hostgate.core import registry as change
from hostgate.core.claims import RESERVED, RUNNING, Claim, Registry, is_id
from hostgate.gate import Gate
from hostgate.host import StateError, lock, now, process, watch
from hostgate.host.lock import Hold
from hostgate.host.store import FileStore
from hostgate.host.tidy import tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SEEN = 1.0  # seconds that a keeper that can write nothing waits until somebody has noted it
LOOK = 0.1  # seconds between two looks of an usher: what a read-only sandbox holds is seen then

HELD, LAPSED, BROKEN = "held", "lapsed", "broken"


def keep(store: FileStore, id: str, shell: tuple[int, str]) -> str:
    """Turn a reservation into a running claim that lasts as long as a shell (pid, start stamp).

    ``held``: a keeper has it. ``lapsed``: there is no such reservation any more. ``broken``: no
    keeper could be started.
    """
    if not is_id(id):
        return LAPSED  # it would name a file somewhere else
    try:
        reading, writing = os.pipe()
        child = os.fork()
    except OSError:
        return BROKEN
    if child == 0:
        _keeper(store, id, shell, writing)
    os.close(writing)
    answer = os.read(reading, 64).decode()
    os.close(reading)
    return answer or BROKEN


def _keeper(store: FileStore, id: str, shell: tuple[int, str], writing: int) -> None:
    """The keeper's life; never returns."""
    try:
        gate = _take(store, id, shell)
        os.write(writing, (HELD if gate else LAPSED).encode())
        if gate and gate.hold:
            watch.detach(gate.hold.fd)
            watch.until_end(*shell)
            gate.end("held", None)
    finally:
        os._exit(0)


def _take(store: FileStore, id: str, shell: tuple[int, str]) -> Gate | None:
    """Lock a reservation's file and make it this process's running claim, if it is still there.

    Where the state can only be read, the lock must be enough: whoever can write notes it down.
    """
    hold = Hold.found(store.liveness.lock_path(id))
    if hold is None:
        return None

    def body(registry: Registry) -> Claim | None:
        claim = registry.find(id)
        if claim is None or not _is_free(claim):
            return None
        change.take(registry, claim, store.owner(), now())
        hold.describe(claim, shell[0])
        return claim

    try:
        claim = store.transact(body)
    except StateError:
        claim = _noted(store, id)
    if claim is None:
        hold.release(leave_file=True)
        return None
    gate = Gate(store, claim, [], lambda text: None)
    gate.hold = hold
    return gate


def _is_free(claim: Claim) -> bool:
    """Whether the claim is its lock's: it is reserved, or was just noted as held by us."""
    return claim.state == RESERVED or (claim.state == RUNNING and claim.held)


def _noted(store: FileStore, id: str) -> Claim | None:
    """Wait until somebody who can write has noted that the lock is held, or the time is over."""
    deadline = now().uptime + SEEN
    while True:
        try:
            claim = store.read().find(id)
        except StateError:
            return None
        if claim is None or not _is_free(claim):
            return None
        if claim.state == RUNNING or now().uptime > deadline:
            return claim
        watch.pause(LOOK / 2)


def usher(store: FileStore, claim: Claim) -> None:
    """Start a process that sees a reservation through until it is taken over, or lapses.

    It notes what a holder in a read-only sandbox cannot: that the slot is held, and that it is
    free again. Where it cannot be started, the next hostgate notes the former, not the latter.
    """
    try:
        if os.fork():
            return
    except OSError:
        return
    try:
        watch.detach(-1)
        _attend(store, claim)
    finally:
        os._exit(0)


def _attend(store: FileStore, claim: Claim) -> None:
    path = store.liveness.lock_path(claim.id)
    while True:
        known = store.read().find(claim.id)
        if known is None:
            return
        held = lock.probe(path) == lock.HELD
        if known.state == RESERVED and (held or change.expired(known, now())):
            tidy(store, lambda text: None)
        elif known.state != RESERVED:
            break
        watch.pause(LOOK)
    if store.liveness.is_elsewhere(known):
        lock.until_free(path)
        tidy(store, lambda text: None)


def release(
    store: FileStore, claim: Claim, warn: Callable[[str], None], code: int | None = None
) -> None:
    """End a held claim, or a reservation, before its time, with its exit code if there is one.

    Raises :class:`StateError`.
    """
    owner = claim.owner
    here = claim.held and not store.liveness.is_elsewhere(claim)
    keeper_lives = (
        here
        and owner.pid != os.getpid()
        and not process.is_dead(owner.pid, owner.start)
        and process.holds(owner.pid, store.liveness.lock_path(claim.id))
    )
    Gate(store, claim, [], warn).end("held" if claim.held else "lapsed", code)
    if not keeper_lives:
        return  # one that cannot be reached holds a lock that counts no more
    try:
        os.kill(owner.pid, SIGUSR1)
    except OSError:
        pass  # it has just ended, or is another user's
