"""``hostgate run``: the quick path. On a clear way nothing heavy is imported."""

from __future__ import annotations

import os

from hostgate.cli.claiming import again, make_gate, warn
from hostgate.cli.exits import NOT_RUN, SIGNAL, TROUBLE
from hostgate.cli.options import Request
from hostgate.core.claims import RUNNING
from hostgate.gate import Gate, wait
from hostgate.host import child
from hostgate.host.errors import StateError
from hostgate.host.history import Usual
from hostgate.host.interrupts import Interrupted, Interrupts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.core.admit import Blocker

PATIENCE = 90.0  # seconds of waiting without a terminal: agents' own limits begin at 120


def run(request: Request) -> int:
    """Gate a command, run it, and return the exit code; -N is to die by signal N."""
    child.reserve_standard_descriptors()
    try:
        gate = make_gate(request)
        policy = request.on_conflict or "ask"
        if policy == "run":
            gate.begin(override=True)
            return _execute(request, gate)
        found = gate.enqueue() if policy == "wait" else gate.begin()
    except (StateError, OSError) as error:
        return _ungated(request, str(error))
    except Exception as error:  # a defect of hostgate must not cost the user the command
        return _ungated(request, f"internal error: {type(error).__name__}: {error}")
    if found:
        code = _blocked(gate, request, policy, found)
        if code is not None:
            return code
    return _execute(request, gate)


def run_ungated(request: Request) -> int:
    """Run a command as if there were no gate (``HOSTGATE_DISABLE``)."""
    return _execute(request, None)


def _ungated(request: Request, why: str) -> int:
    """The gate does not work: one line, and the command runs all the same, but for --strict."""
    if request.strict:
        _say(f"not run: {why} (--strict)")
        return TROUBLE
    warn(f"{why}; running ungated")
    return _execute(request, None)


def _blocked(gate: Gate, request: Request, policy: str, found: list[Blocker]) -> int | None:
    """The way past what blocks: ``None`` once the command may start, else the exit code.

    Nothing here fails open: it is known by now that a similar command is running.
    """
    if policy == "cancel":
        return _refuse(request, found, f"{_names(found)} in the way (--on-conflict cancel)")
    interrupts = Interrupts()
    try:
        code, busy = None, False
        if policy == "ask":
            found, code, busy = _ask(gate, request, found, interrupts)
        if found and code is None:
            code = _wait(gate, request, found, interrupts, busy)
        interrupts.close()
        return code
    except Interrupted as error:
        code = -error.number
        if gate.claim.state == RUNNING:
            gate.end("left", SIGNAL + error.number)  # it had just got its turn
        else:
            gate.leave("left", SIGNAL + error.number)
        return code
    except Exception as error:
        why = error if isinstance(error, StateError) else f"internal error: {error!r}"
        gate.leave("left", NOT_RUN)
        return _refuse(request, found, f"the queue cannot be joined: {why}")


def _ask(
    gate: Gate, request: Request, found: list[Blocker], interrupts: Interrupts
) -> tuple[list[Blocker], int | None, bool]:
    """Ask, if somebody can be.

    Returns what to wait for, the exit code if it is over, and whether another question stands on
    the terminal.
    """
    from hostgate.host.terminal import can_ask
    from hostgate.ui import prompt

    busy = False
    while found and can_ask():
        usual = Usual(gate.store.state)
        lock = gate.store.question_lock()
        answer = prompt.ask(
            gate.claim.command, found, usual, lambda: _is_clear(gate), interrupts, lock
        )
        if answer == prompt.CLEAR:
            gone = _names(found)
            found = gate.begin()
            if not found and not request.quiet:
                _say(f"the way is clear, {gone} is done: starting")
            continue
        if answer == prompt.RUN:
            try:
                gate.begin(override=True)
            except StateError as error:
                warn(f"{error}; running ungated")  # as the person wants it
            return [], None, False
        if answer == prompt.CANCEL:
            return [], _refuse(request, found, "cancelled"), False
        if answer == prompt.BUSY:
            interrupts.check()  # the terminal may be busy because it is gone
            busy = True
        elif answer == prompt.BROKEN:
            warn("the question cannot be shown; waiting")
        break
    return (gate.enqueue() if found else []), None, busy


def _is_clear(gate: Gate) -> bool:
    """Whether nothing blocks any more; what cannot be read is no clear way."""
    try:
        return not gate.would_block()
    except StateError:
        return False


def _wait(
    gate: Gate, request: Request, found: list[Blocker], interrupts: Interrupts, busy: bool
) -> int | None:
    """Stand in the queue: ``None`` once it is the claim's turn, else the exit code."""
    from hostgate.core.durations import say
    from hostgate.host.clock import now
    from hostgate.host.terminal import has_terminal
    from hostgate.ui import phrases
    from hostgate.ui.voice import Waiting

    limit = request.wait_timeout
    if limit is None and not has_terminal():
        limit = PATIENCE
    claim = gate.claim
    usual = Usual(gate.store.state)
    view = Waiting(claim.enqueued, again(request, "run"), usual, request.quiet, plain=busy)
    names = _names(found)
    if endless := gate.cycle(found):
        view.close("waiting would never end")
        gate.leave("left", NOT_RUN)
        return _refuse(request, found, f"{phrases.who(endless.claim)} waits for this very run")
    try:
        found = wait(gate, found, limit, view.tell, interrupts)
    except Interrupted:
        view.close("left the queue")
        raise
    waited = say(now().uptime - claim.enqueued)
    if not found:
        view.close(f"waited {waited} for {names}: starting {phrases.what(claim)}")
        return None
    view.close("")
    gate.leave("left", NOT_RUN, keep=True)
    return _refuse(request, found, f"its turn did not come within {waited}", kept=True)


def _refuse(request: Request, found: list[Blocker], why: str, kept: bool = False) -> int:
    from hostgate.host.clock import now
    from hostgate.ui.phrases import refusal

    retry = again(request) if kept else again(request, "wait")
    for text in refusal(found, now().uptime, why, retry, kept):
        _say(text)
    return NOT_RUN


def _execute(request: Request, gate: Gate | None) -> int:
    """Run the command, gated or not, and return its exit code; -N is a death by signal N."""
    environment = dict(os.environ)
    if request.text is not None:
        argv = [environment.get("SHELL") or "/bin/sh", "-c", request.text]
    else:
        argv = request.argv
    grace = child.GRACE if request.grace is None else request.grace
    try:
        outcome, code = child.run(
            argv,
            gate.environment(environment) if gate else environment,
            gate.started if gate else _nothing,
            request.timeout,
            grace,
        )
    except child.CannotStart as error:
        _say(str(error))
        outcome, code = "not-started", error.code
    if gate:
        gate.end(outcome, code if code >= 0 else SIGNAL - code)
    return code


def _nothing(pid: int) -> None:
    """An ungated command's pid concerns nobody."""


def _names(found: list[Blocker]) -> str:
    from hostgate.ui.phrases import blocked_by

    return blocked_by(found)


def _say(text: str) -> None:
    from hostgate.ui.voice import line

    line(text)
