"""Standing in the queue until it is a claim's turn."""

from __future__ import annotations

from hostgate.core.admit import blockers, cycle
from hostgate.core.claims import ACTIVE, RUNNING, WAITING, Registry
from hostgate.core.registry import begin
from hostgate.gate import Gate
from hostgate.host import StateError, now
from hostgate.host.liveness import GONE, STUCK
from hostgate.host.wake import heard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.core.admit import Blocker
    from hostgate.host.interrupts import Interrupts
    from hostgate.host.wake import Bell

# Seconds for which a waiter believes that it was let in. One that hears it later, as it was
# stopped, may have been put back: it takes its turn.
HEARD = STUCK / 2
LOOK = 1.0  # seconds between a waiter's looks, should a wake-up be lost


def wait(
    gate: Gate,
    found: list[Blocker],
    limit: float | None,
    tell: Callable[[list[Blocker]], None],
    interrupts: Interrupts,
) -> list[Blocker]:
    """Stand in the queue behind ``found`` until it is the claim's turn, or for ``limit`` seconds.

    Returns nothing when the claim runs, else what still blocks it. ``tell`` hears what blocks,
    at least once in each :data:`LOOK`. Raises :class:`Interrupted`, also when the turn has come
    in the same moment, and :class:`hostgate.core.registry.Superseded`.
    """
    bell: Bell = gate.store.bell(gate.claim)
    place = Place(gate)
    try:
        deadline = None if limit is None else gate.claim.enqueued + limit
        found = place.turn(found)  # the holder may have ended before there was a bell
        while found:
            interrupts.check()
            tell(found)
            left = LOOK if deadline is None else min(LOOK, deadline - now().uptime)
            if left <= 0:
                break
            found = place.woken(bell.wait(left, interrupts.fd), found)
        interrupts.check()
    except BaseException:
        bell.close()
        raise
    if gate.told:
        gate.once_started = bell.close  # 50 us that the command does not have to wait for
    else:
        bell.close()
    return found


def would_block(gate: Gate) -> list[Blocker]:
    """What would block a claim that is not registered, by an unlocked look.

    Raises :class:`StateError` where the registry cannot be read.
    """
    claim, store = gate.claim, gate.store
    known = store.read()
    living = [one for one in known.claims if store.liveness.status(one) != GONE]
    registry = Registry(known.epoch, living)
    gate.adopt(registry)
    found = begin(registry, claim, now(), store.away, limits=store.limits)
    claim.state = WAITING  # it was a question: nothing runs
    return found


def endless(gate: Gate, found: list[Blocker]) -> Blocker | None:
    """The blocker that a nested claim would wait for in vain, as it waits for its ancestor."""
    store = gate.store
    try:
        return cycle(gate.claim, found, store.read().claims, store.limits)
    except StateError:
        return None


class Place:
    """A waiter's place in the queue: what it hears and sees of its turn."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._trouble = ""

    def woken(self, words: bytes, found: list[Blocker]) -> list[Blocker]:
        """What blocks after a wake-up that said ``words``, or after none.

        Who let the claim in said so, and it needs no turn of its own. Raises
        :class:`hostgate.core.registry.Superseded`.
        """
        claim, said = self._gate.claim, heard(words)
        if said is not None and said[0] > claim.epoch and 0 <= now().uptime - said[1] < HEARD:
            self._gate.told = True
            claim.state = RUNNING
            claim.epoch, claim.since, claim.started_at = said
            return []
        return (not words and self._look()) or self.turn(found)

    def turn(self, found: list[Blocker]) -> list[Blocker]:
        """A turn that may fail: a waiter that cannot look stays in the queue, or it would jump it.

        Returns what blocks, which is ``found`` as long as the state cannot be used.
        """
        try:
            return self._gate.turn()
        except StateError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._gate.warn(f"{error}; staying in the queue")
            return found

    def _look(self) -> list[Blocker]:
        """What blocks as far as an unlocked look can tell; nothing means: try."""
        claim, store = self._gate.claim, self._gate.store
        try:
            registry = store.read()
        except StateError:
            return []  # the turn will find out, and say so
        mine = registry.find(claim.id)
        if mine is None or mine.state in ACTIVE or mine.epoch > claim.epoch:
            return []
        found = blockers(mine, registry.claims, store.limits, store.away)
        living = store.liveness
        alive = (
            one
            for one in found
            if living.status(one.claim) != GONE and not living.is_stuck(one.claim)
        )
        return found if next(alive, None) is not None else []
