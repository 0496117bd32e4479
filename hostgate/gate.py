"""The gate: a claim's way through the registry, and the command's run behind it.

Everything here works on a store and tells a voice; it knows neither files nor screens.
"""

from __future__ import annotations

import os

from hostgate.core import registry as change
from hostgate.core.claims import RESERVED, RUNNING, WAITING, Claim, Registry
from hostgate.core.registry import Now, Superseded
from hostgate.host import StateError, now
from hostgate.host.lock import Hold
from hostgate.host.store import Damaged, FileStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.core.admit import Blocker
    from hostgate.host.handing import Plan
    from hostgate.host.records import Earlier, Run


class Gate:
    """One claim's way: begin or enqueue, take the turn, leave or end.

    A claim that is to be a reservation has no holder once its turn has come. ``chain`` are the
    ids that ``HOSTGATE_CLAIM`` names. ``warn`` is told, in one line, what went wrong without
    stopping anything.
    """

    def __init__(
        self, store: FileStore, claim: Claim, chain: list[str], warn: Callable[[str], None]
    ) -> None:
        self.store = store
        self.claim = claim
        self.hold: Hold | None = None
        self.reuses = False  # a reservation of the same asker for the same command
        self.repeats = ""  # the token of the run that it may run once more
        self.earlier: Earlier | None = None  # what has the run id already: this one never starts
        self.joins: Run | None = None  # the run whose output and code are to be this one's
        self.told = False  # let in, which may not be written yet
        self.once_started: Callable[[], None] | None = None
        self._plan: Plan | None = None
        self._heirs: frozenset[str] = frozenset()  # who was told of this claim's end
        self._chain = chain
        self._asker = (claim.session, claim.title)
        self.warn = warn

    def begin(self, override: bool = False) -> list[Blocker]:
        """Start if nothing blocks, or in spite of it. Returns the blockers.

        Without ``override`` a blocked claim is not registered. Raises :class:`StateError`.
        """

        def body(registry: Registry, moment: Now) -> list[Blocker]:
            return self._begin(registry, moment, override)

        return self._register(body)

    def enqueue(self) -> list[Blocker]:
        """Start if nothing blocks, else stand in the queue. Returns the blockers.

        Raises :class:`StateError`.
        """

        def body(registry: Registry, moment: Now) -> list[Blocker]:
            store = self.store
            return change.enqueue(registry, self.claim, moment, store.away, store.limits)

        found = self._register(body)
        for blocker in found:
            self.store.liveness.nudge(blocker.claim)
        return found

    def turn(self) -> list[Blocker]:
        """A waiter's turn: start if nothing blocks any more.

        Raises :class:`StateError`, :class:`Superseded`.
        """

        def body(registry: Registry) -> list[Blocker]:
            moment = now()
            dropped = self._prune(registry, moment)
            found = change.turn(registry, self.claim, moment, self.store.away, self.store.limits)
            if self.hold is not None and not found:
                self.hold.describe(self.claim)
                self._let_go_of_reservation()
            self._tidy(registry, dropped, moment)
            return found

        return self.store.transact(body)

    def leave(self, outcome: str, code: int, keep: bool = False) -> None:
        """Leave the queue; ``keep`` the place for a retry."""
        if self.hold is None:
            return

        def body(registry: Registry) -> None:
            moment = now()
            change.leave(registry, self.claim, moment, keep)
            waited = moment.uptime - self.claim.enqueued
            self._close(registry, outcome, code, waited, 0.0, moment)

        try:
            self._finally(body)
        except Superseded:
            pass  # it is somebody else's to leave

    def end(self, outcome: str, code: int | None, whole: bool = True) -> None:
        """Record how the command ended, free the slot, and wake who may start now.

        ``whole`` tells whether all of its output was recorded.
        """

        def body(registry: Registry) -> None:
            moment = now()
            there = change.end(registry, self.claim)
            ran = moment.uptime - self.claim.since
            waited = self.claim.since - self.claim.enqueued
            if there:
                self._close(registry, outcome, code, waited, ran, moment, whole)
            elif self.claim.digest:  # somebody thought it gone, as of a stopped process
                from hostgate.host import history

                line = history.record(self.claim, outcome, code, waited, ran, moment.utc)
                self.store.records.end_late(self.claim, line, whole, self.warn)

        try:
            self._finally(body)
        except Superseded as error:
            self.warn(f"{error}; this end is not recorded")

    def environment(self, inherited: dict[str, str]) -> dict[str, str]:
        """The command's environment: it can tell that it runs inside this claim."""
        chain = ",".join([*self.claim.within, self.claim.id])
        return {**inherited, "HOSTGATE_CLAIM": chain, "HOSTGATE_EPOCH": str(self.claim.epoch)}

    def started(self, pid: int) -> None:
        """Note the command's pid, by which an orphan is known."""
        if self.hold is not None:
            self.hold.describe(self.claim, pid)
        self._is_through()
        from hostgate.host import history, tidy  # noqa: F401  # for the end, while the command runs

    def prepare(self) -> None:
        """Get ready, while the command runs, for the end that a waiter waits for.

        What is loaded, read and decided by then, 2 ms of it, it does not have to wait for.
        """
        from hostgate.host.handing import Plan

        if self.told:
            self._insist()
        if self._plan is None:
            self._plan = Plan(self.store, self.claim)
        self._plan.make()

    # the parts of a transaction

    def _register(self, body: Callable[[Registry, Now], list[Blocker]]) -> list[Blocker]:
        def whole(registry: Registry) -> list[Blocker]:
            moment = now()
            dropped = self._prune(registry, moment)
            self.adopt(registry)
            if self.reuses and (mine := change.known_before(registry, self.claim, RESERVED)):
                mine.since = moment.uptime
                self.claim = mine
                return []
            if self.claim.run_id and self._is_known(registry):
                return []
            found = body(registry, moment)
            if registry.find(self.claim.id) is self.claim:
                self.hold = self.store.hold(self.claim)
                if self.claim.digest:
                    self.store.records.begin(self.claim, registry.claims)
                self._let_go_of_reservation()
            self._tidy(registry, dropped, moment)
            return found

        try:
            try:
                return self.store.transact(whole, mend=False)
            except Damaged as error:
                if not self.claim.run_id:
                    raise
                self.warn(str(error))  # what was rebuilt may know the id
                return self.store.transact(whole)
        except StateError:
            if self.hold is not None:  # the registry could not be written: nobody knows of it
                self.hold.release()
                self.hold = None
            raise

    def _begin(self, registry: Registry, moment: Now, override: bool = False) -> list[Blocker]:
        store = self.store
        return change.begin(registry, self.claim, moment, store.away, override, store.limits)

    def _is_known(self, registry: Registry) -> bool:
        """Whether something has the claim's run id already; notes that."""
        from hostgate.host.liveness import GONE

        live = change.with_run_id(registry, self.claim.run_id)
        if live is not None and self.store.liveness.status(live) == GONE:
            live = None
        self.earlier = self.store.records.earlier(self.claim, live, self.repeats, self.warn)
        return self.earlier is not None

    def adopt(self, registry: Registry) -> None:
        """Make the claim part of those that it runs inside, as far as they are live."""
        self.claim.within = []
        self.claim.session, self.claim.title = self._asker  # if the ancestor is gone by now
        change.adopt(registry, self.claim, [*self._chain, *self._shells_around(registry)])

    def _shells_around(self, registry: Registry) -> list[str]:
        """The claims that are held for a shell in which this process runs: it is part of them.

        The shell could not be told by its environment.
        """
        held = [one for one in registry.claims if one.held and self.claim.is_near(one)]
        if not held:
            return []
        from hostgate.host import process

        above = process.ancestors(os.getpid())
        return [one.id for one in held if self.store.liveness.is_child_among(one, above)]

    def _let_go_of_reservation(self) -> None:
        """Unlock a reservation while the registry is locked: nobody may see it held."""
        if self.claim.state == RESERVED:
            self.release(leave_file=True)

    def _prune(self, registry: Registry, moment: Now, everything: bool = False) -> list[Claim]:
        """Drop what is gone of what could be in the way, after a thorough look at the runs.

        ``everything`` looks at the rest too: each claim costs a look at its lock.
        """
        limited = bool(self.store.limits)

        def concerns(claim: Claim) -> bool:
            return claim.id != self.claim.id and (
                everything or limited or self.claim.is_near(claim) or claim.state == RESERVED
            )

        if not any(map(concerns, registry.claims)):
            return []
        from hostgate.host.liveness import GONE
        from hostgate.host.tidy import prune

        liveness = self.store.liveness
        for claim in filter(concerns, registry.claims):
            if liveness.is_stuck(claim):
                change.put_back(claim)

        def gone(claim: Claim) -> bool:
            if not concerns(claim):
                return False
            if claim.state == RUNNING and (limited or self.claim.is_near(claim)):
                return liveness.status(claim) == GONE
            return liveness.gone(claim)

        return prune(self.store, registry, gone, moment, self.warn)

    def _tidy(self, registry: Registry, dropped: list[Claim], moment: Now) -> None:
        if dropped:
            from hostgate.host.tidy import sweep

            self._hand_on(registry, moment)
            sweep(self.store, registry, dropped)

    def _hand_on(self, registry: Registry, moment: Now) -> bool:
        if all(claim.state != WAITING for claim in registry.claims):
            return False
        from hostgate.host.handing import hand_on

        return hand_on(self.store, registry, moment, self._heirs)

    def _insist(self) -> None:
        """See to it that a claim that was let in is listed as running."""
        try:
            self.store.transact(lambda registry: change.insist(registry, self.claim))
            self.told = False
        except (StateError, Superseded):
            pass  # the end will say so

    def _close(
        self,
        registry: Registry,
        outcome: str,
        code: int | None,
        waited: float,
        ran: float,
        moment: Now,
        whole: bool = True,
    ) -> None:
        """The end of this claim's part: hand the slot on first, tidy up afterwards.

        The history is written before the registry: who is killed in between is noted all the same.
        """
        from hostgate.host import history
        from hostgate.host.tidy import has_gone, sweep

        dropped: list[Claim] = []
        if not self._hand_on(registry, moment) and has_gone(self.store, registry):
            dropped = self._prune(registry, moment, everything=True)
        ended = history.record(self.claim, outcome, code, waited, ran, moment.utc)
        history.remember(self.store.state, [ended], self.warn)
        if self.claim.digest:
            self.store.records.end(self.claim, ended, whole, self.warn)
        self.release()
        sweep(self.store, registry, [*dropped, self.claim])

    def _finally(self, body: Callable[[Registry], None]) -> None:
        """A last transaction: whatever happens to it, the slot is free afterwards."""

        def announce(text: str) -> None:
            if self._plan is not None:
                self._heirs = self._plan.announce(text)

        try:
            self.store.transact(body, seen=announce)
        except StateError as error:
            self.warn(f"{error}; the end of {self.claim.id} is not recorded")
            self.release(leave_file=True)  # a file whose lock is free proves it to everybody
        finally:
            self.release()

    def _is_through(self) -> None:
        """Do what was put off until the command had started, or will never start."""
        act, self.once_started = self.once_started, None
        if act is not None:
            act()

    def release(self, leave_file: bool = False) -> None:
        """Let go of the claim's lock, whatever the registry says."""
        self._is_through()
        if self.hold is not None:
            self.hold.release(leave_file)
            self.hold = None
