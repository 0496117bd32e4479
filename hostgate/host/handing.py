"""Handing a slot on: who ends lets in who waits, and tells them at once.

A waiter's own turn would be a transaction more, and it would have to wait for this one's end. It is
told even before the registry is written, which is the same transaction's next step: a waiter that
was let in starts, and then sees to it that it is listed (:func:`hostgate.core.registry.insist`),
should whoever let it in be killed in between. Until then it stands in the registry as a waiter, in
the way of all who came later.
"""

from __future__ import annotations

from hostgate.core.admit import clear
from hostgate.core.claims import Claim, Registry
from hostgate.core.registry import Now, start
from hostgate.host import StateError, now
from hostgate.host.store import FileStore
from hostgate.host.wake import CALL, let_in, ring


def hand_on(
    store: FileStore, registry: Registry, moment: Now, told: frozenset[str] = frozenset()
) -> bool:
    """Let in the waiters that became clear, and wake them. Returns whether there are any.

    Who decides by the same rules and limits is started here, and only has to be told; who does
    not, or has to do something about its turn itself, is woken to take it. ``told`` are the ids
    of those that are started already.
    """

    def absent(claim: Claim) -> bool:
        if claim.id in told:
            return store.liveness.gone(claim)  # stopped or not: it will start
        return store.liveness.absent(claim)

    def call() -> None:
        for path in paths:
            ring(path, CALL)

    paths: list[str] = []
    found = clear(registry.claims, store.limits, absent)
    for claim in found:
        if not _may_let_in(store, claim):
            paths.append(store.bell_path(claim))
            continue
        start(registry, claim, moment)
        if claim.id not in told:
            ring(store.bell_path(claim), let_in(claim.epoch, moment))
    store.afterwards(call)  # to look when there is something to see
    return bool(found)


class Plan:
    """Who is to be let in at the end of a claim, found out while its command runs."""

    def __init__(self, store: FileStore, claim: Claim) -> None:
        self._store = store
        self._claim = claim
        self._text = ""  # of the registry, for which the plan is made
        self._epoch = 0
        self._heirs: list[Claim] = []

    def make(self) -> None:
        """Look who waits."""
        self._text = ""
        try:
            registry, text = self._store.snapshot()
        except StateError:
            return  # the end will find out, and say so
        passed_over = []

        def absent(claim: Claim) -> bool:
            if self._store.liveness.absent(claim):
                passed_over.append(claim)
                return True
            return False

        others = [claim for claim in registry.claims if claim.id != self._claim.id]
        limits = self._store.limits
        found = clear(others, limits, absent)
        if not passed_over and not (limits and limits.strain):  # these change without the registry
            self._text, self._epoch = text, registry.epoch
            self._heirs = [claim for claim in found if _may_let_in(self._store, claim)]

    def announce(self, text: str) -> frozenset[str]:
        """Tell those who are to be let in, if the registry is as it was. Returns their ids.

        Under the registry's lock; it is read and written with that afterwards.
        """
        if text != self._text or any(map(self._store.away, self._heirs)):
            return frozenset()
        moment = now()
        for at, claim in enumerate(self._heirs, 1):
            ring(self._store.bell_path(claim), let_in(self._epoch + at, moment))
        return frozenset([claim.id for claim in self._heirs])


def _may_let_in(store: FileStore, claim: Claim) -> bool:
    return not claim.lasts and claim.terms == store.terms_of(claim.project)
