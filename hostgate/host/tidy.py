"""Dropping what is gone: the claims whose owner is, with what they leave behind."""

from __future__ import annotations

from hostgate.core import registry as change
from hostgate.core.claims import RESERVED, RUNNING, Claim, Owner, Registry
from hostgate.core.registry import Now
from hostgate.host import history, now
from hostgate.host.liveness import GONE
from hostgate.host.store import FileStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ELSEWHERE = "elsewhere"  # the pid namespace of an owner that could not write who it is


def tidy(store: FileStore, warn: Callable[[str], None]) -> None:
    """Drop the claims that are gone, for a caller that has none. Raises :class:`StateError`."""

    def body(registry: Registry) -> None:
        moment = now()
        dropped = prune(
            store, registry, lambda one: store.liveness.status(one) == GONE, moment, warn
        )
        if dropped:
            from hostgate.host.handing import hand_on

            hand_on(store, registry, moment)
            store.sweep(registry, dropped)

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
