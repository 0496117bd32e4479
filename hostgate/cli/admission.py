"""The way past what blocks: cancel, ask, or wait. Imported once something does."""

from __future__ import annotations

import os

from hostgate.cli import NOT_RUN, SIGNAL
from hostgate.cli.claiming import PATIENCE, again, warn
from hostgate.cli.options import Request
from hostgate.core.admit import Blocker
from hostgate.core.claims import ACTIVE, RUNNING, WAITING
from hostgate.core.durations import say
from hostgate.core.registry import Superseded
from hostgate.core.text import inert
from hostgate.gate import Gate
from hostgate.host import StateError, now
from hostgate.host.history import Usual
from hostgate.host.interrupts import Interrupted, Interrupts
from hostgate.host.liveness import ALIVE
from hostgate.host.terminal import can_ask, has_terminal
from hostgate.host.watch import pause
from hostgate.ui import phrases
from hostgate.ui.voice import Waiting, line
from hostgate.waiting import LOOK, endless, wait, would_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.host.records import Run


def pass_by(gate: Gate, request: Request, policy: str, found: list[Blocker]) -> int | None:
    """The way past what blocks: ``None`` once the command may start, else the exit code.

    Nothing here fails open: it is known by now that a similar command is running.
    """
    if policy == "cancel":
        return _refuse(
            request, found, f"{phrases.blocked_by(found)} in the way (--on-conflict cancel)"
        )
    try:
        interrupts = Interrupts()
        code, busy = None, False
        if policy == "join":
            found = _join_or_queue(gate, request, found)
        if policy == "ask":
            found, code, busy = _ask(gate, request, found, interrupts)
        if found and code is None:
            code = _wait(gate, request, found, interrupts, busy)
        interrupts.close()
        return code
    except Interrupted as error:
        code = -error.number
        if gate.claim.state in ACTIVE:
            gate.end("left", SIGNAL + error.number)  # it had just got its turn
        else:
            gate.leave("left", SIGNAL + error.number)
        return code
    except Superseded as error:
        gate.release()
        line(f"not run: {error}")
        return NOT_RUN
    except Exception as error:
        why = error if isinstance(error, StateError) else f"internal error: {error!r}"
        gate.leave("left", NOT_RUN)
        return _refuse(request, found, f"the queue cannot be joined: {why}")


def _twin(gate: Gate, request: Request, found: list[Blocker]) -> Run | None:
    """The recorded run of the very same command that is in the way, if there is one to join."""
    for blocker in found:
        claim = blocker.claim
        joinable = claim.digest and claim.state in (RUNNING, WAITING) and request.verb == "run"
        if blocker.rule != "identical" or not joinable:
            continue
        from hostgate.host.records import digest, name_of

        same = claim.digest == digest(gate.claim, "run")
        if same and gate.store.liveness.status(claim) == ALIVE:
            return gate.store.records.get(name_of(claim))
    return None


def _join_or_queue(gate: Gate, request: Request, found: list[Blocker]) -> list[Blocker]:
    """Join the same command that is recorded, else stand in the queue. Returns what blocks."""
    gate.joins = _twin(gate, request, found)
    if not gate.joins:
        return gate.enqueue()
    if not request.quiet:
        line(f"joining {inert(gate.joins.text('title'), 60)}: {phrases.what(gate.claim)}")
    return []


def _ask(
    gate: Gate, request: Request, found: list[Blocker], interrupts: Interrupts
) -> tuple[list[Blocker], int | None, bool]:
    """Ask, if somebody can be.

    Returns what to wait for, the exit code if it is over, and whether another question stands on
    the terminal.
    """
    from hostgate.ui import prompt

    busy = False
    while found and can_ask():
        usual = Usual(gate.store.state)
        lock = _question_lock(gate)
        joinable = _twin(gate, request, found)
        answer = prompt.ask(
            gate.claim.command,
            found,
            usual,
            joinable is not None,
            lambda: _is_clear(gate),
            interrupts,
            lock,
        )
        if answer == prompt.JOIN:
            gate.joins = joinable
            return [], None, False
        if answer == prompt.CLEAR:
            gone = phrases.blocked_by(found)
            found = gate.begin()
            if not found and not request.quiet:
                line(f"the way is clear, {gone} is done: starting")
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


def _question_lock(gate: Gate) -> int:
    """A descriptor to lock while a question stands on this session's terminal."""
    state = gate.store.state
    return state.create(f"{state.claims}/ask{os.getsid(0)}.lock", os.O_RDWR)


def _is_clear(gate: Gate) -> bool:
    """Whether nothing blocks any more; what cannot be read is no clear way."""
    try:
        return not would_block(gate)
    except StateError:
        return False


def _wait(
    gate: Gate, request: Request, found: list[Blocker], interrupts: Interrupts, busy: bool
) -> int | None:
    """Stand in the queue: ``None`` once it is the claim's turn, else the exit code."""
    limit = request.wait_timeout
    if limit is None and not has_terminal():
        limit = PATIENCE
    claim = gate.claim
    usual = Usual(gate.store.state)
    view = Waiting(claim.enqueued, again(request, "run"), usual, request.quiet, plain=busy)
    names = phrases.blocked_by(found)
    if ever := endless(gate, found):
        view.close("waiting would never end")
        gate.leave("left", NOT_RUN)
        return _refuse(request, found, f"{phrases.who(ever.claim)} waits for this very run")
    try:
        found = wait(gate, found, limit, view.tell, interrupts)
    except Interrupted:
        view.close("left the queue")
        raise
    except Superseded:
        view.close("")
        raise
    waited = say(now().uptime - claim.enqueued)
    if not found:
        view.close(f"waited {waited} for {names}: starting {phrases.what(claim)}")
        return None
    view.close("")
    gate.leave("left", NOT_RUN, keep=True)
    return _refuse(request, found, f"its turn did not come within {waited}", kept=True)


def look_only(gate: Gate, request: Request) -> int | None:
    """Wait where nothing can be written: until nothing blocks, then ``None``, else the exit code.

    Raises :class:`StateError` where nothing can be read either.
    """
    limit = PATIENCE if request.wait_timeout is None else request.wait_timeout
    since = now().uptime
    view = Waiting(
        since, again(request, "run"), Usual(gate.store.state), request.quiet, plain=False
    )
    if request.on_conflict == "run":
        return None
    while found := would_block(gate):
        left = since + limit - now().uptime
        if left <= 0 or request.on_conflict == "cancel":
            view.close("")
            waited = say(now().uptime - since)
            return _refuse(request, found, f"its turn did not come within {waited}")
        view.tell(found)
        pause(min(LOOK, left))
    view.close("")
    return None


def _refuse(request: Request, found: list[Blocker], why: str, kept: bool = False) -> int:
    retry = again(request) if kept else again(request, "wait")
    for text in phrases.refusal(found, now().uptime, why, retry, kept):
        line(text)
    return NOT_RUN
