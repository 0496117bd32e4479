"""The gate: a claim's way through the registry, and the command's run behind it.

Everything here works on a store and tells a voice; it knows neither files nor screens.
"""

from __future__ import annotations

import os

from hostgate.core import registry as change
from hostgate.core.claims import KEPT, RESERVED, RUNNING, WAITING, Claim, Registry
from hostgate.core.registry import Now, Superseded
from hostgate.host import StateError, now
from hostgate.host.hold import Hold
from hostgate.host.store import Damaged, FileStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.core.admit import Blocker
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

    def has_place(self) -> bool:
        """Whether a place is kept for this claim, as far as an unlocked look can tell.

        Raises :class:`StateError`.
        """
        return change.known_before(self.store.read(), self.claim, KEPT) is not None

    def would_block(self) -> list[Blocker]:
        """What would block a claim that is not registered, by an unlocked look.

        Raises :class:`StateError` where the registry cannot be read.
        """
        from hostgate.host.liveness import GONE

        known = self.store.read()
        liveness = self.store.liveness
        living = [claim for claim in known.claims if liveness.status(claim) != GONE]
        registry = Registry(known.epoch, living)
        self._adopt(registry)
        found = self._begin(registry, now())
        self.claim.state = WAITING  # it was a question: nothing runs
        return found

    def cycle(self, found: list[Blocker]) -> Blocker | None:
        """The blocker that a nested claim would wait for in vain, as it waits for its ancestor."""
        from hostgate.core.admit import cycle

        try:
            return cycle(self.claim, found, self.store.read().claims, self.store.limits)
        except StateError:
            return None

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

    def take_over(self, former: Claim) -> None:
        """Be the owner of a claim instead of the one that ``former`` shows, in its place.

        What it runs is still to be ended. Raises :class:`StateError`, :class:`Superseded` where
        it has another owner by now, and :class:`LookupError` where it has ended.
        """

        from hostgate.host import history

        def body(registry: Registry) -> None:
            moment = now()
            self._adopt(registry)
            change.take_over(registry, former, self.claim, moment)
            if self.claim.digest:
                self.store.records.begin(self.claim, registry.claims)
            self.hold = Hold.instead(self.store.state, self.claim)
            line = history.handed_on(former, moment)
            history.remember(self.store.state, [line], self.warn)
            self.store.dismiss(former)

        try:
            self.store.transact(body)
        except StateError:
            if self.hold is not None:
                self.hold.give_back()
                self.hold = None
            raise

    def environment(self, inherited: dict[str, str]) -> dict[str, str]:
        """The command's environment: it can tell that it runs inside this claim."""
        chain = ",".join([*self.claim.within, self.claim.id])
        return {**inherited, "HOSTGATE_CLAIM": chain, "HOSTGATE_EPOCH": str(self.claim.epoch)}

    def started(self, pid: int) -> None:
        """Note the command's pid, by which an orphan is known."""
        if self.hold is not None:
            self.hold.describe(self.claim, pid)

    def prepare(self) -> None:
        """Get ready, while the command runs, for the end that a waiter waits for.

        What is loaded and read by then, 2 ms of it, the waiter does not have to wait for.
        """
        from hostgate.core.admit import clear
        from hostgate.host import history, tidy, wake  # noqa: F401

        try:
            registry = self.store.read()
        except StateError:
            return  # the end will find out, and say so
        others = [claim for claim in registry.claims if claim.id != self.claim.id]
        clear(others, self.store.limits, self.store.liveness.absent)

    # the parts of a transaction

    def _register(self, body: Callable[[Registry, Now], list[Blocker]]) -> list[Blocker]:
        def whole(registry: Registry) -> list[Blocker]:
            moment = now()
            dropped = self._prune(registry, moment)
            self._adopt(registry)
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

    def _adopt(self, registry: Registry) -> None:
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

    def _prune(self, registry: Registry, moment: Now, waiters: bool = True) -> list[Claim]:
        """Drop what is gone; the thorough look is for the runs that could be in the way.

        Without ``waiters`` those are left for later: each costs a look at its lock.
        """
        if all(claim.id == self.claim.id for claim in registry.claims):
            return []
        from hostgate.host.liveness import GONE
        from hostgate.host.tidy import prune

        liveness = self.store.liveness

        def gone(claim: Claim) -> bool:
            if claim.id == self.claim.id or (claim.state == WAITING and not waiters):
                return False
            if claim.state == RUNNING and (self.store.limits or self.claim.is_near(claim)):
                return liveness.status(claim) == GONE
            return liveness.gone(claim)

        return prune(self.store, registry, gone, moment, self.warn)

    def _tidy(self, registry: Registry, dropped: list[Claim], moment: Now) -> None:
        if dropped:
            self.store.hand_on(registry, moment)
            self.store.sweep(registry, dropped)

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
        """The end of this claim's part: hand the slot on first, tidy up afterwards."""
        dropped = self._prune(registry, moment, waiters=False)
        if not self.store.hand_on(registry, moment):
            dropped += self._prune(registry, moment)

        def tidy_up() -> None:
            from hostgate.host import history

            ended = history.record(self.claim, outcome, code, waited, ran, moment.utc)
            history.remember(self.store.state, [ended], self.warn)
            if self.claim.digest:
                self.store.records.end(self.claim, ended, whole, self.warn)
            self.release()
            self.store.sweep(registry, [*dropped, self.claim])

        self.store.afterwards(tidy_up)

    def _finally(self, body: Callable[[Registry], None]) -> None:
        """A last transaction: whatever happens to it, the slot is free afterwards."""
        try:
            self.store.transact(body)
        except StateError as error:
            self.warn(f"{error}; the end of {self.claim.id} is not recorded")
            self.release(leave_file=True)  # a file whose lock is free proves it to everybody
        finally:
            self.release()

    def release(self, leave_file: bool = False) -> None:
        """Let go of the claim's lock, whatever the registry says."""
        if self.hold is not None:
            self.hold.release(leave_file)
            self.hold = None
