"""Standing in the queue until it is a claim's turn."""

from __future__ import annotations

from hostgate.gate import Gate
from hostgate.host.clock import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.core.admit import Blocker
    from hostgate.host.interrupts import Interrupts
    from hostgate.host.wake import Bell

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
    try:
        deadline = None if limit is None else gate.claim.enqueued + limit
        found = gate.try_turn(found)  # the holder may have ended before there was a bell
        while found:
            interrupts.check()
            tell(found)
            left = LOOK if deadline is None else min(LOOK, deadline - now().uptime)
            if left <= 0:
                break
            rung = bell.wait(left, interrupts.fd)
            found = (not rung and gate.look()) or gate.try_turn(found)
        interrupts.check()
        return found
    finally:
        bell.close()
