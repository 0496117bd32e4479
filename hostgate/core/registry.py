"""What a transaction does to the registry: begin, enqueue, take a turn, end, leave, prune.

Each is a pure change of the claims in memory; :mod:`hostgate.gate` runs them one at a time
under the store's lock. Each returns what its caller has to know.
"""

from __future__ import annotations

from hostgate.core.claims import (
    ACTIVE,
    KEPT,
    RESERVED,
    RUNNING,
    WAITING,
    Claim,
    Owner,
    Registry,
)
from hostgate.core.text import inert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.core.admit import Away, Blocker, Limits

RESERVED_FOR = 120.0  # seconds of uptime that a reservation lasts, where no setting says else
NOTED = 8  # blockers that a claim remembers: all of them would grow with the queue's square
KEPT_FOR = 600.0  # seconds of uptime that a place is kept for a retry


class Superseded(Exception):
    """Somebody took the claim over: it carries a newer epoch than its former owner's."""

    def __init__(self, claim: Claim) -> None:
        who = f"{inert(claim.title, 60)} (pid {claim.owner.pid}, epoch {claim.epoch})"
        super().__init__(f"{claim.id} was taken over by {who}")
        self.claim = claim


class Now:
    """The moment of a transaction: uptime in seconds, and UTC for people."""

    __slots__ = ("uptime", "utc")

    def __init__(self, uptime: float, utc: str) -> None:
        self.uptime = uptime
        self.utc = utc


def begin(
    registry: Registry,
    claim: Claim,
    now: Now,
    away: Away | None = None,
    override: bool = False,
    limits: Limits | None = None,
) -> list[Blocker]:
    """Start the claim if nothing blocks it, or in spite of what does (``override``).

    Returns what blocks it. A blocked claim without override leaves the registry as it was.
    """
    before = list(registry.claims)
    _place(registry, claim, now)
    found = _blockers(claim, registry.claims, limits, away)
    if found and not override:
        registry.claims = before
    else:
        claim.override = override and bool(found)
        _note(claim, found)
        start(registry, claim, now)
    return found


def enqueue(
    registry: Registry,
    claim: Claim,
    now: Now,
    away: Away | None = None,
    limits: Limits | None = None,
) -> list[Blocker]:
    """Start the claim if nothing blocks it, else let it wait. Returns what blocks it."""
    _place(registry, claim, now)
    claim.epoch = registry.next_epoch()
    return turn(registry, claim, now, away, limits)


def turn(
    registry: Registry,
    claim: Claim,
    now: Now,
    away: Away | None = None,
    limits: Limits | None = None,
) -> list[Blocker]:
    """A waiter's turn: start it if nothing blocks it any more. Returns what blocks it.

    A waiter that the registry has lost goes to the end of the line. What an earlier turn, whose
    result could not be written, made of the claim does not count. Raises :class:`Superseded`.
    """
    claim.state, claim.since = WAITING, claim.enqueued
    known = _put(registry, claim)
    if known is not None and known.state in ACTIVE:  # whoever ended before has let it in
        claim.state, claim.epoch = known.state, known.epoch
        claim.since, claim.started_at = known.since, known.started_at
        return []
    found = _blockers(claim, registry.claims, limits, away)
    _note(claim, found)
    if not found:
        start(registry, claim, now)
    return found


def insist(registry: Registry, claim: Claim) -> None:
    """List as running what runs: it was let in, and that may not have been written.

    Raises :class:`Superseded`.
    """
    known = _put(registry, claim)
    if known is not None and known.state in ACTIVE:
        claim.epoch = known.epoch
    else:
        claim.epoch = registry.next_epoch()


def put_back(claim: Claim) -> None:
    """Let one that was let in and cannot start wait on in its place."""
    claim.state, claim.since, claim.started_at = WAITING, claim.enqueued, ""


def end(registry: Registry, claim: Claim) -> bool:
    """Take the claim out. Returns whether it was there: somebody may have found it over already.

    Raises :class:`Superseded` where it has a newer owner.
    """
    found = registry.find(claim.id)
    if found is None:
        return False
    _refuse_former(found, claim)
    registry.claims.remove(found)
    return True


def leave(registry: Registry, claim: Claim, now: Now, keep: bool) -> None:
    """Leave the queue; with ``keep`` the place stays for the same session and command.

    Raises :class:`Superseded`.
    """
    found = registry.find(claim.id)
    if found is None:
        return
    _refuse_former(found, claim)
    if keep:
        found.run_id = found.digest = ""  # it has run nothing: the id is free
        found.state = KEPT
        found.since = now.uptime
    else:
        registry.claims.remove(found)


def take(registry: Registry, claim: Claim, owner: Owner, now: Now) -> None:
    """Make a running claim, held by a shell, of a reservation whose lock has been taken."""
    if claim.state == RESERVED:
        claim.since = now.uptime
        claim.started_at = now.utc
    claim.state, claim.held, claim.lasts = RUNNING, True, 0.0
    claim.owner = owner
    claim.epoch = registry.next_epoch()


def take_over(registry: Registry, former: Claim, claim: Claim, now: Now) -> None:
    """Put a claim in the place of one whose owner it takes over from, under the same id.

    Who ran runs on, who waited waits, in the order as it was. Raises :class:`Superseded` where
    ``former`` has changed hands meanwhile, :class:`LookupError` where it has ended.
    """
    at = _index(registry, former.id)
    if at is None:
        raise LookupError(former.id)
    _refuse_former(registry.claims[at], former)
    former = registry.claims[at]
    claim.id, claim.behind, claim.override = former.id, former.behind, former.override
    claim.enqueued, claim.enqueued_at = former.enqueued, former.enqueued_at
    claim.state = RUNNING if former.state in ACTIVE else WAITING
    claim.since, claim.started_at = (
        (now.uptime, now.utc) if claim.state == RUNNING else (former.enqueued, "")
    )
    claim.epoch = registry.next_epoch()
    registry.claims[at] = claim


def with_run_id(registry: Registry, run_id: str) -> Claim | None:
    """The claim that this run id belongs to. A place that is kept has run nothing."""
    for claim in registry.claims:
        if claim.run_id == run_id and claim.state != KEPT:
            return claim
    return None


def known_before(registry: Registry, claim: Claim, state: str) -> Claim | None:
    """What the same session has for the same command already: a reservation, a kept place."""
    for other in registry.claims:
        if other.state == state and _same(other, claim):
            return other
    return None


def prune(registry: Registry, gone: Callable[[Claim], bool], now: Now) -> list[Claim]:
    """Drop the claims that are gone, and what was kept or reserved for too long. Returns them.

    A reservation is not ``gone`` as long as somebody holds its lock.
    """

    def over(claim: Claim) -> bool:
        if claim.state in (KEPT, RESERVED) and not expired(claim, now):
            return False
        return claim.state == KEPT or gone(claim)

    dropped = [claim for claim in registry.claims if over(claim)]
    if dropped:
        registry.claims = [claim for claim in registry.claims if claim not in dropped]
    return dropped


def adopt(registry: Registry, claim: Claim, chain: list[str]) -> None:
    """Make the claim a nested one of those claims of ``chain`` that are live.

    ``chain`` is what ``HOSTGATE_CLAIM`` says, outermost first: believed only as far as the
    registry knows a claim of that id that runs. The session is the innermost ancestor's.
    """
    for id in chain:
        ancestor = registry.find(id)
        if ancestor is None or ancestor is claim or ancestor.id in claim.within:
            continue
        if ancestor.state in ACTIVE:
            claim.within = [*claim.within, id]
            claim.session = ancestor.session
            claim.title = ancestor.title


def _place(registry: Registry, claim: Claim, now: Now) -> None:
    """Put the claim where it stands in the order: its kept place, behind its ancestor, or last."""
    claim.state = WAITING
    claim.enqueued = claim.since = now.uptime
    claim.enqueued_at = now.utc
    for at, other in enumerate(registry.claims):
        if other.state == KEPT and _same(other, claim):
            claim.behind = other.behind
            registry.claims[at] = claim
            return
    behind = _index(registry, claim.within[-1]) if claim.within else None
    if behind is None:
        registry.claims.append(claim)
        return
    at = behind
    while at + 1 < len(registry.claims) and claim.within[-1] in registry.claims[at + 1].within:
        at += 1  # behind the ancestor's other nested claims, which came before
    registry.claims.insert(at + 1, claim)


def _put(registry: Registry, claim: Claim) -> Claim | None:
    """Put a claim where it stands listed, else last. Returns what stood there.

    Raises :class:`Superseded`.
    """
    at = _index(registry, claim.id)
    if at is None:
        registry.claims.append(claim)
        return None
    known = registry.claims[at]
    _refuse_former(known, claim)
    registry.claims[at] = claim
    return known


def start(registry: Registry, claim: Claim, now: Now) -> None:
    """Let a claim in: from here on it has the slot, whoever decided that."""
    claim.state = RESERVED if claim.lasts else RUNNING
    claim.since = now.uptime
    claim.started_at = now.utc
    claim.epoch = registry.next_epoch()


def _blockers(
    claim: Claim, claims: list[Claim], limits: Limits | None, away: Away | None
) -> list[Blocker]:
    """What the rule says; where nobody is near, it need not be asked, which saves 0.2 ms."""
    if not limits and not any(other is not claim and claim.is_near(other) for other in claims):
        return []
    from hostgate.core.admit import blockers

    return blockers(claim, claims, limits, away)


def _note(claim: Claim, found: list[Blocker]) -> None:
    """Remember for the history whom the claim waited for, or overrode; the first of them."""
    behind = dict(claim.behind)
    for blocker in found:
        if len(behind) == NOTED:
            break
        behind.setdefault(blocker.claim.id, blocker.reason)
    claim.behind = behind


def _refuse_former(found: Claim, claim: Claim) -> None:
    """Refuse what a former owner would write. Raises :class:`Superseded`."""
    if found.epoch > claim.epoch and not found.owner.is_same(claim.owner):
        raise Superseded(found)


def _same(known: Claim, claim: Claim) -> bool:
    same_asker = (known.session, known.project, known.lanes) == (
        claim.session,
        claim.project,
        claim.lanes,
    )
    if not same_asker:
        return False
    from hostgate.core.admit import same_text

    return same_text(known, claim)


def expired(claim: Claim, now: Now) -> bool:
    """Whether a place was kept, or a reservation left, for too long.

    An uptime that ran backwards is another boot.
    """
    most = claim.lasts if claim.state == RESERVED else KEPT_FOR
    return not 0 <= now.uptime - claim.since <= most


def _index(registry: Registry, id: str) -> int | None:
    for at, claim in enumerate(registry.claims):
        if claim.id == id:
            return at
    return None
