"""Is a claim's owner alive? The kernel's lock tells; pids only help where a lock outlives both.

Age never makes a claim stale, and neither does the wall clock: only proof does.
"""

from __future__ import annotations

import os
from _signal import SIGURG

from hostgate.core.claims import KEPT, RESERVED, RUNNING, Claim
from hostgate.core.registry import expired
from hostgate.host import lock, now, process
from hostgate.host.state import FORMER, read_lines

STUCK = 1.0  # seconds in which who was let in has started, unless it is stopped
ALIVE, ORPHANED, GONE = "alive", "orphaned", "gone"


class Liveness:
    """Answers about the claims of one state directory, as this process can see them."""

    def __init__(self, claims: str, host: str, space: str) -> None:
        self._claims = claims
        self._host = host
        self._space = space

    def lock_path(self, id: str) -> str:
        """The file whose lock the owner holds as long as it lives."""
        return f"{self._claims}/{id}.lock"

    def gone(self, claim: Claim) -> bool:
        """The quick look of every transaction: whether the kernel has freed the claim's lock."""
        state = self._probe(claim.id)
        if claim.state == RESERVED:
            return state != lock.HELD
        if state == lock.MISSING:
            return self.status(claim) == GONE
        return state == lock.FREE

    def status(self, claim: Claim) -> str:
        """The whole answer: ``alive``, ``orphaned`` (the owner died, the command lives), ``gone``.

        A lock that is held though owner and command are provably dead is held by a daemon that
        the command left behind. An owner that was stopped after its command had ended holds
        nothing either. What is held and cannot be proven dead is alive. A kept place and a
        reservation have no owner: they live for their time, or as long as somebody holds the lock.
        """
        state = self._probe(claim.id)
        if claim.state == KEPT or (claim.state == RESERVED and state != lock.HELD):
            return GONE if expired(claim, now()) else ALIVE
        if state == lock.FREE or (state == lock.MISSING and claim.held):
            return GONE
        owner = claim.owner
        if claim.state == RESERVED or self.is_elsewhere(claim):
            return ALIVE
        owner_is_dead = process.is_dead(owner.pid, owner.start)
        if claim.state != RUNNING:
            return GONE if owner_is_dead else ALIVE  # a waiter has no command to outlive it
        child = self.child(claim.id)
        if not owner_is_dead:
            over = child is not None and process.is_dead(*child)
            return GONE if over and process.is_stopped(owner.pid) else ALIVE
        if child is None:
            return GONE if state == lock.MISSING else ORPHANED
        return GONE if process.is_dead(*child) else ORPHANED

    def _probe(self, id: str) -> str:
        """Who holds a claim's lock: its owner, or still the one before."""
        path = self.lock_path(id)
        state = lock.probe(path)
        if state != lock.HELD and lock.probe(path + FORMER) == lock.HELD:
            return lock.HELD
        return state

    def away(self, claim: Claim) -> bool:
        """Whether a waiter is stopped, so that others need not wait for it to go on."""
        owner = claim.owner
        if claim.state == KEPT:
            return True
        if self.is_elsewhere(claim):
            return False
        return owner.pid != os.getpid() and process.is_stopped(owner.pid)

    def absent(self, claim: Claim) -> bool:
        """Whether a waiter is away, or gone."""
        return self.away(claim) or self.gone(claim)

    def is_stuck(self, claim: Claim) -> bool:
        """Whether a claim was let in and has not started, as its owner is stopped."""
        if claim.state != RUNNING or self.is_elsewhere(claim):
            return False
        if now().uptime - claim.since < STUCK or not process.is_stopped(claim.owner.pid):
            return False
        lines = read_lines(self.lock_path(claim.id))  # it describes itself once it has started
        return len(lines) < 3 and '"state":"waiting"' in "".join(lines[:1])

    def nudge(self, claim: Claim) -> None:
        """Tell the owner of a running claim that somebody waits for it.

        By SIGURG, which everybody who does not know it ignores.
        """
        owner = claim.owner
        if claim.state != RUNNING or self.is_elsewhere(claim) or not owner.start:
            return
        if process.start_stamp(owner.pid) == owner.start:
            try:
                os.kill(owner.pid, SIGURG)
            except OSError:
                pass  # it has just ended

    def is_elsewhere(self, claim: Claim) -> bool:
        """Whether the owner's pids mean nothing here: another host, or another pid namespace."""
        return claim.owner.host != self._host or claim.owner.space != self._space

    def is_child_among(self, claim: Claim, pids: list[int]) -> bool:
        """Whether the process that a claim lasts as long as is one of these, here and alive."""
        if self.is_elsewhere(claim):
            return False
        child = self.child(claim.id)
        return child is not None and child[0] in pids and not process.is_dead(*child)

    def child(self, id: str) -> tuple[int, str] | None:
        """The pid and start stamp of a claim's command, which stand in its lock file."""
        path = self.lock_path(id)
        lines = read_lines(path)
        if len(lines) < 3 and lock.probe(path) != lock.HELD:  # who took it over was killed
            lines = read_lines(path + FORMER) or lines
        pid, _, start = (lines[1] if len(lines) > 1 else "").partition(" ")
        number = int(pid) if pid.isascii() and pid.isdigit() and len(pid) <= 10 else 0
        return (number, start) if 0 < number < 2**31 else None
