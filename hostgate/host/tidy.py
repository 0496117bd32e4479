"""Dropping what is gone: the claims whose owner is, with what they leave behind."""

from __future__ import annotations

import os

from hostgate.core import registry as change
from hostgate.core.claims import KEPT, RESERVED, RUNNING, Claim, Owner, Registry
from hostgate.core.registry import Now
from hostgate.host import history, lock, now
from hostgate.host.state import FORMER, names_in, unlink
from hostgate.host.store import FileStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

OURS = (".lock", f".lock{FORMER}", ".lock.new", ".wake")  # endings of files in claims/
ELSEWHERE = "elsewhere"  # the pid namespace of an owner that could not write who it is


def tidy(store: FileStore, warn: Callable[[str], None]) -> None:
    """Drop the claims that are gone, for a caller that has none. Raises :class:`StateError`."""

    def body(registry: Registry) -> None:
        moment = now()
        from hostgate.host.liveness import GONE

        dropped = prune(
            store, registry, lambda one: store.liveness.status(one) == GONE, moment, warn
        )
        if dropped:
            from hostgate.host.handing import hand_on

            hand_on(store, registry, moment)
            sweep(store, registry, dropped)

    store.transact(body)


def prune(
    store: FileStore,
    registry: Registry,
    gone: Callable[[Claim], bool],
    moment: Now,
    warn: Callable[[str], None],
) -> list[Claim]:
    """Drop what is gone, and record it; returns that.

    A reservation whose lock is held was taken over where the state is read-only, in an agent's
    sandbox: that is recorded here.
    """
    for claim in registry.claims:
        if claim.state == RESERVED and not store.liveness.gone(claim):
            owner = Owner(claim.owner.host, claim.owner.pid, "", ELSEWHERE)
            change.take(registry, claim, owner, moment)
    dropped = change.prune(registry, gone, moment)
    unknown = [one for one in dropped if not history.is_recorded(store.state, one)]
    lines = history.lost(unknown, moment)
    store.afterwards(lambda: history.remember(store.state, lines, warn))
    for claim in dropped:
        if claim.digest and claim.state != RUNNING:  # what never ran may be tried again
            store.records.forget(claim)
    return dropped


def has_gone(store: FileStore, registry: Registry) -> bool:
    """Whether it is time to look for claims that are gone: one of them is looked at in turn.

    So those that concern nobody any more go with time, and nobody pays for all of them.
    """
    if not registry.claims:
        return False
    one = registry.claims[os.getpid() % len(registry.claims)]
    held = lock.probe(f"{store.state.claims}/{one.id}.lock") == lock.HELD
    return one.state in (KEPT, RESERVED) or not held


def sweep(store: FileStore, registry: Registry, dropped: list[Claim]) -> None:
    """Take away the files of claims that are gone; under the registry's lock.

    When the registry is empty, whatever a killed process left goes too.
    """
    folder = store.state.claims
    if registry.claims:
        for claim in dropped:
            for ending in (".lock", f".lock{FORMER}", ".wake"):
                unlink(f"{folder}/{claim.id}{ending}")
        return
    for name in names_in(folder):
        path = f"{folder}/{name}"
        if not name.partition(".")[0].isalnum() or not name.endswith(OURS):
            continue  # who put it there keeps it
        if name.endswith(".wake") or lock.probe(path) == lock.FREE:
            unlink(path)
