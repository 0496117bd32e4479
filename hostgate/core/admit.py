"""The one rule: which of the waiting claims may start, and what stands in the way of the others.

Everything that decides comes through :func:`admit`, or through its short form :func:`clear`
which stops at a claim's first blocker. Both are pure and deterministic.
"""

from __future__ import annotations

from hostgate.core.claims import ACTIVE, KEPT, RUNNING, WAITING, Claim
from hostgate.core.text import inert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Away = Callable[[Claim], bool]


class Blocker:
    """A claim in the way, the rule that makes it one, and the reason in a person's words.

    The reason quotes another session's words, so it is inert.
    """

    __slots__ = ("claim", "reason", "rule")

    def __init__(self, claim: Claim, reason: str) -> None:
        self.claim = claim
        self.rule = reason.partition(":")[0]
        self.reason = inert(reason)

    def __repr__(self) -> str:
        return f"Blocker({self.claim.id}, {self.reason!r})"


class Limits:
    """How many may run at once on the host (``most``): of a category, or in ``total``.

    ``strain`` tells why nothing more should start though there is room, or "". It counts only
    where something runs already, as ``make -l`` has it: else nobody is there to be waited for.
    """

    __slots__ = ("most", "strain")

    def __init__(
        self, most: dict[str, int] | None = None, strain: Callable[[], str] | None = None
    ) -> None:
        self.most = most or {}
        self.strain = strain

    def __bool__(self) -> bool:
        return bool(self.most) or self.strain is not None


NO_LIMITS = Limits()
TOTAL = "total"


def contends(a: Claim, b: Claim) -> str | None:
    """Why two claims must not overlap, or ``None``. Symmetric; the reason begins with the rule.

    They contend when they share a lane, or when they are of different sessions, in one project,
    and similar. A claim never contends with itself, nor with one that it runs inside.
    """
    if a.id == b.id or a.id in b.within or b.id in a.within:
        return None
    for lane in a.lanes:
        if lane in b.lanes:
            return f"lane: {lane}"
    if a.session == b.session or a.project != b.project:
        return None
    from hostgate.core.likeness import compare  # reached only where two claims meet

    return compare(a.reading, b.reading, a.rules)


def admit(
    claims: list[Claim], limits: Limits | None = None, away: Away | None = None
) -> dict[str, list[Blocker]]:
    """For each waiting claim, by id and in order, what blocks it; nothing is *clear*.

    ``claims`` stand in arrival order. A claim is blocked by every running claim (a reservation
    counts as one), and by every earlier claim that still waits or is admitted in this same walk,
    that contends with it; and by what fills its limits. Who is ``away`` (a kept place, a stopped
    waiter) is passed over: not admitted, and in nobody's way.
    """
    walk = _Walk(claims, limits, away)
    return {claim.id: list(found) for claim, found in walk if not walk.is_away(claim)}


def clear(
    claims: list[Claim], limits: Limits | None = None, away: Away | None = None
) -> list[Claim]:
    """The waiting claims that may start now, in order: those that :func:`admit` finds clear."""
    walk = _Walk(claims, limits, away)
    return [claim for claim, found in walk if next(found, None) is None and not walk.is_away(claim)]


def blockers(
    claim: Claim, claims: list[Claim], limits: Limits | None = None, away: Away | None = None
) -> list[Blocker]:
    """What :func:`admit` says of one waiting claim that is not away."""
    for other, found in _Walk(claims, limits, away):
        if other is claim:
            return list(found)
    return []


class _Walk:
    """One walk over the waiting claims in order. Blockers are found as they are asked for.

    Who is away is asked last, of those for whom it matters: it costs a look at a process.
    """

    def __init__(
        self, claims: list[Claim], limits: Limits | None = None, away: Away | None = None
    ) -> None:
        self.claims = claims
        self.running = [claim for claim in claims if claim.state in ACTIVE]
        self.limits = limits or NO_LIMITS
        self.away = away
        self.ids = {claim.id for claim in self.running}
        self.counted = [claim for claim in self.running if not self.is_nested(claim)]
        self.passed: dict[str, bool] = {}
        self.found: dict[str, list[Blocker]] = {}
        self.strained: str | None = None

    def __iter__(self) -> Iterator[tuple[Claim, Iterator[Blocker]]]:
        for claim in self.claims:
            if claim.state != WAITING:
                continue
            yield claim, self.blockers(claim)
            if not self.limits or self.is_nested(claim):
                continue
            if next(self.blockers(claim), None) is None and not self.is_away(claim):
                self.counted.append(claim)

    def is_nested(self, claim: Claim) -> bool:
        """Whether the claim runs inside one that still runs."""
        return not self.ids.isdisjoint(claim.within)

    def is_away(self, claim: Claim) -> bool:
        """Whether the claim is passed over; asked of each one at most once in a walk."""
        if claim.state == KEPT or self.away is None:
            return claim.state == KEPT
        if claim.id not in self.passed:
            self.passed[claim.id] = self.away(claim)
        return self.passed[claim.id]

    def blockers(self, claim: Claim) -> Iterator[Blocker]:
        yield from self.contenders(claim)
        for filled, _, reason in self.over(claim):
            for other in filled:
                yield Blocker(other, f"limit: {reason}")

    def over(self, claim: Claim) -> Iterator[tuple[list[Claim], int, str]]:
        """The limits without room for a claim: what fills each, how much of it must end, and why.

        None counts for a nested claim: the ancestor's slot is its slot.
        """
        if self.is_nested(claim):
            return
        for kind, most in self.limits.most.items():
            if len(self.counted) < most:
                continue  # before anything is read
            filled = [c for c in self.counted if _counts(c, kind)]
            if len(filled) >= most and _counts(claim, kind):
                yield filled, len(filled) - most + 1, _filled(len(filled), most, kind)
        if self.limits.strain and (busy := [c for c in self.counted if _counts(c, TOTAL)]):
            if not _counts(claim, TOTAL):
                return
            if self.strained is None:
                self.strained = self.limits.strain()
            if self.strained:
                yield busy, len(busy), self.strained

    def contenders(self, claim: Claim) -> Iterator[Blocker]:
        """The claims in the way of one, limits aside; a nested one has its ancestor's slot.

        It does not wait for what an ancestor of its already overlaps (somebody chose *run
        anyway*), nor for a waiter that waits, through any chain, for an ancestor.
        """
        if not claim.within:
            yield from self.ahead(claim)
            return
        ancestors = [other for other in self.running if other.id in claim.within]
        for blocker in self.known_ahead(claim):
            other = blocker.claim
            if other.state in ACTIVE and any(contends(other, one) for one in ancestors):
                continue
            if other.state == WAITING and other.id in self.dependents(claim.within):
                continue
            yield blocker

    def ahead(self, claim: Claim) -> Iterator[Blocker]:
        """Every running and every earlier waiting claim that contends with one."""
        for other in self.running:
            if reason := contends(other, claim):
                yield Blocker(other, reason)
        for other in self.claims:
            if other is claim:
                break
            if other.state != WAITING or not (reason := contends(other, claim)):
                continue
            if not self.is_away(other):
                yield Blocker(other, reason)

    def known_ahead(self, claim: Claim) -> list[Blocker]:
        """All of :meth:`ahead`, found once for each claim in a walk."""
        if claim.id not in self.found:
            self.found[claim.id] = list(self.ahead(claim))
        return self.found[claim.id]

    def dependents(self, ids: list[str]) -> set[str]:
        """These, and the claims that wait, through any chain, for one of them.

        A waiter waits for those ahead of it, a running claim for the waiters nested in it. What is
        nested in a claim does not wait for those who wait for that one.
        """
        return set(ids).union(*[self.depending(id) for id in ids])

    def depending(self, id: str) -> set[str]:
        known = {id}
        waiting = [one for one in self.claims if one.state == WAITING and id not in one.within]
        grown = True
        while grown:
            before = len(known)
            for claim in waiting:
                if self.waits_for(claim, known):
                    known.add(claim.id)
                if claim.id in known:
                    known.update(claim.within)
            grown = len(known) > before
        return known

    def waits_for(self, claim: Claim, known: set[str]) -> bool:
        """Whether a waiter cannot start before one of these has ended.

        A limit has it wait for them only if the others that fill it cannot make room.
        """
        if any(blocker.claim.id in known for blocker in self.known_ahead(claim)):
            return True
        return any(
            sum(other.id not in known for other in filled) < count
            for filled, count, _ in self.over(claim)
        )


def _counts(claim: Claim, kind: str) -> bool:
    """Whether a claim counts for a limit; what only reads, or is never gated, for none."""
    category = claim.reading.category
    return category == kind or (kind == TOTAL and category != "read")


def _filled(running: int, most: int, kind: str) -> str:
    noun = {TOTAL: "commands", "other": "other commands"}.get(kind, f"{kind}s")
    return f"{running} of {most} {noun} {'is' if running == 1 else 'are'} running on this host"


def cycle(
    claim: Claim, found: list[Blocker], claims: list[Claim], limits: Limits | None = None
) -> Blocker | None:
    """The blocker that waits, through any chain, for a claim that this one runs inside.

    Waiting for it would never end. ``found`` are the claim's blockers, ``claims`` all of them.
    """
    if not claim.within:
        return None
    others = [other for other in claims if other.id != claim.id]
    dependents = _Walk(others, limits).dependents(claim.within)
    return next((blocker for blocker in found if blocker.claim.id in dependents), None)


def same_text(a: Claim, b: Claim) -> bool:
    """Whether two claims have the same command, blanks and case aside."""
    from hostgate.core.likeness import fold

    return fold(a.command) == fold(b.command)


def conflicts(command: str, session: str, project: str, against: Iterable[object]) -> list[Blocker]:
    """What blocks a fresh command: one :class:`Blocker` for every claim of ``against`` in its way.

    ``against`` are claims as ``hostgate ls --json`` lists them, or objects with the attributes
    ``session``, ``command`` and ``project``; all of them count, running or waiting.
    """
    fresh = _fresh(command, session, project)
    others = [_claim(at, entry, RUNNING) for at, entry in enumerate(against)]
    return admit([*others, fresh])[fresh.id]


def may_claim(
    session: str, command: str, project: str, running: Iterable[object], queue: Iterable[object]
) -> bool:
    """Whether a session's command may start now, by the same rule as everything else.

    ``queue`` holds the waiting claims in arrival order. Where the session's own entry for this
    command stands in it, only those before it count; else the command is the last in line.
    """
    busy = [_claim(at, entry, RUNNING) for at, entry in enumerate(running)]
    line = [_claim(at, entry, WAITING) for at, entry in enumerate(queue, len(busy))]
    fresh = _fresh(command, session, project)
    for claim in line:
        if (claim.session, claim.project) == (session, project) and same_text(claim, fresh):
            return claim in clear([*busy, *line])
    return fresh in clear([*busy, *line, fresh])


def _fresh(command: str, session: str, project: str) -> Claim:
    return _claim("fresh", {"session": session, "command": command, "project": project}, WAITING)


def _claim(at: object, entry: object, state: str) -> Claim:
    if isinstance(entry, Claim):
        return entry if entry.state == state else _claim(at, entry_of(entry), state)

    def get(name: str) -> Any:
        return entry.get(name) if isinstance(entry, dict) else getattr(entry, name, None)

    session, command, project = (str(get(name) or "") for name in ("session", "command", "project"))
    return Claim(
        id=str(get("id") or f"#{at}"),
        state=state,
        session=session,
        title=str(get("title") or session),
        project=project,
        command=command,
        lanes=list(get("lanes") or []),
        owner=None,  # type: ignore[arg-type]  # a claim that only the rule looks at
        enqueued_at="",
        enqueued=0.0,
    )


def entry_of(claim: Claim) -> dict[str, object]:
    """What the rule looks at in a claim, as plain data."""
    return {
        name: getattr(claim, name)
        for name in ("id", "session", "title", "command", "project", "lanes")
    }
