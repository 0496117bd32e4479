"""From an agent's call to a reservation, and to what its hook answers."""

from __future__ import annotations

import os
from _signal import SIGHUP
from select import POLLERR, POLLHUP, POLLNVAL, poll

from hostgate.agents.agent import Call, Reply
from hostgate.cli import NOT_RUN
from hostgate.cli.claiming import PATIENCE, make_gate
from hostgate.cli.options import HOLD, UsageError, parse
from hostgate.core.admit import Blocker
from hostgate.core.claims import ACTIVE, KEPT, RESERVED
from hostgate.core.durations import say
from hostgate.core.registry import Superseded, known_before
from hostgate.core.settings import Settings
from hostgate.core.splice import spliced
from hostgate.core.text import quote
from hostgate.gate import Gate
from hostgate.host import now
from hostgate.host.history import Usual
from hostgate.host.interrupts import Interrupted, Interrupts
from hostgate.host.program import program
from hostgate.waiting import wait, would_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.agents.agent import Agent
    from hostgate.core.splice import Place

MARGIN = 5.0  # seconds that the hook answers before its own time limit
SHARE = 0.75  # of the command's own time limit, that a hold may wait
# What of the environment counts in a hook; who asks is said by the agent.
VARIABLES = ("HOSTGATE_PROJECT", "HOSTGATE_ON_CONFLICT", "HOSTGATE_WAIT_TIMEOUT")


class Reservation:
    """One call's way: reserve, wait, be asked, or be denied.

    ``places`` are where holds belong in the command, ``None`` where none is safe. ``complain``
    is told what is wrong without stopping anything.
    """

    def __init__(
        self,
        name: str,
        agent: Agent,
        call: Call,
        places: list[Place] | None,
        settings: Settings,
        complain: Callable[[str], None],
    ) -> None:
        environment = {key: os.environ[key] for key in VARIABLES if key in os.environ}
        words = ["-c", call.command]
        try:
            request = parse(words, environment, HOLD, "hook")
        except UsageError as error:
            complain(f"{error}; it counts as not set")
            request = parse(words, {}, HOLD, "hook")
        request.session = call.session or None
        self._name = name
        self._agent = agent
        self._call = call
        self._places = places if agent.REWRITES else None
        self._settings = settings
        self._patience = request.wait_timeout
        self._policy = request.on_conflict or settings.agents.get(name, "wait")
        self._gate: Gate = make_gate(request, name)
        self._gate.reuses = True  # two hooks for one call, or a client that asks twice

    @property
    def made(self) -> bool:
        """Whether the slot is reserved, so that somebody must come for it."""
        return self._gate.claim.state == RESERVED

    def reply(self, since: float) -> Reply | None:
        """What to answer; ``None`` is to say nothing, and the command runs.

        ``since`` is the uptime at which the hook began, whose time is limited. Raises
        :class:`hostgate.host.StateError`.
        """
        self._interrupts = Interrupts()  # before anything waits: to end is to deny from there on
        if self._places is None:
            return self._without_hold(since)
        gate = self._gate
        gate.claim.lasts = self._settings.reservation
        if self._policy == "run":
            gate.begin(override=True)
            return self._rewritten()
        asks = self._agent.ASKS and self._call.attended
        policy = "wait" if self._policy == "ask" and not asks else self._policy
        found = gate.begin() if policy == "cancel" else gate.enqueue()
        if not found:
            return self._rewritten()
        if policy == "cancel":
            return self._denied(found, "a similar command is running", kept=False)
        if policy == "ask":
            gate.leave("left", NOT_RUN, keep=True)
            why = self._why(found, "a similar command is running; run this one anyway?")
            return self._agent.ask(self._call, self._with_hold("--on-conflict run"), why)
        return self._waited(found, since) or self._rewritten()

    def see_through(self) -> None:
        """Leave somebody behind who sees the reservation through. Never raises."""
        from hostgate.keeper import usher

        usher(self._gate.store, self._gate.claim)

    def withdraw(self) -> None:
        """Give the slot back."""
        if self.made:
            self._gate.end("lapsed", None)

    def _without_hold(self, since: float) -> Reply | None:
        """Gate by waiting only: nobody would see that the command runs."""
        gate = self._gate
        if self._policy == "run":
            return None
        found = would_block(gate)
        if not found and known_before(gate.store.read(), gate.claim, KEPT) is None:
            return None
        if found and self._policy == "cancel":
            return self._denied(found, "a similar command is running", kept=False)
        if found := gate.enqueue():
            return self._waited(found, since, give_back=True)
        gate.end("left", None)
        return None

    def _waited(self, found: list[Blocker], since: float, give_back: bool = False) -> Reply | None:
        """Wait for the turn; the answer if it does not come in time."""
        from hostgate.cli.hooks import limit_of

        gate = self._gate
        own = limit_of(self._name, gate.store.state)
        limit = since + own - min(MARGIN, own / 4) - gate.claim.enqueued
        if self._patience is not None:
            limit = min(limit, self._patience)
        try:
            found = wait(gate, found, limit, lambda _: _check_listener(), self._interrupts)
        except Interrupted as error:
            if gate.claim.state in ACTIVE:
                gate.end("left", 128 + error.number)
            else:
                gate.leave("left", 128 + error.number)
            if error.number == SIGHUP:
                return Reply()  # nobody listens
            return self._denied(found, "it was taken out of the queue", kept=False)
        except Superseded as error:
            gate.release()
            return self._denied(found, str(error), kept=False)
        if found:
            gate.leave("left", NOT_RUN, keep=True)
            waited = say(now().uptime - gate.claim.enqueued)
            return self._denied(found, f"its turn did not come within {waited}", kept=True)
        if give_back:
            gate.end("left", None)
        return None

    def _rewritten(self) -> Reply:
        return self._agent.rewrite(self._call, self._with_hold(""))

    def _with_hold(self, options: str) -> str:
        words = [quote(program()), "hold", options, self._gate.claim.id]
        limit = self._call.seconds * SHARE
        if 0 < limit < PATIENCE:
            words.append(f"--wait-timeout {limit:.0f}s")
        hold = " ".join([word for word in words if word])
        return spliced(self._call.command, self._places or [], hold)

    def _denied(self, found: list[Blocker], why: str, kept: bool) -> Reply:
        return self._agent.deny(self._call, self._why(found, f"not run: {why}", kept))

    def _why(self, found: list[Blocker], what: str, kept: bool | None = None) -> str:
        from hostgate.ui.phrases import reason

        return reason(found, now().uptime, Usual(self._gate.store.state), what, kept)


def _check_listener() -> None:
    """Raise :class:`Interrupted` if the agent that waits for the answer is gone."""
    listener = poll()
    listener.register(1, 0)
    if any(event & (POLLERR | POLLHUP | POLLNVAL) for _, event in listener.poll(0)):
        raise Interrupted(SIGHUP)
