"""Joining a run instead of starting another one: its output from the start, and its exit code."""

from __future__ import annotations

import os
from _signal import SIGPIPE
from select import select

from hostgate.cli import NOT_RUN, SIGNAL, TROUBLE
from hostgate.cli.claiming import PATIENCE, again, warn
from hostgate.cli.options import Request
from hostgate.core.admit import Blocker, blockers
from hostgate.core.claims import WAITING, Claim
from hostgate.core.durations import say
from hostgate.core.frames import Frames
from hostgate.core.text import inert
from hostgate.gate import Gate
from hostgate.host import StateError, now
from hostgate.host.history import Usual
from hostgate.host.liveness import ALIVE
from hostgate.host.records import Run
from hostgate.host.store import FileStore
from hostgate.host.terminal import has_terminal
from hostgate.host.watch import pause
from hostgate.ui import phrases
from hostgate.ui.voice import Waiting, line
from hostgate.waiting import endless

LOOK = 0.05  # seconds between two looks for more output
LIFE = 1.0  # seconds between two looks whether the run's hostgate lives
CHUNK = 1 << 16  # bytes
UNREAD: int = SIGNAL + SIGPIPE


def answer(gate: Gate, request: Request) -> int:
    """What a call gets that joins a run: its output and code, or why there is none."""
    if gate.joins:
        return join(gate.store, request, gate.joins)
    assert gate.earlier
    run, claim = gate.earlier.run, gate.earlier.claim
    name = f"run id {inert(gate.claim.run_id, 60)}"
    if run.digest != gate.claim.digest:
        asked, there = f"{phrases.what(gate.claim)} in {_here(gate)}", _described(run)
        if asked == there:
            asked = f"a {request.verb} of it"
        line(f"{name} is {there}, not {asked}")
        return TROUBLE
    if claim is not None and claim.id in gate.claim.within:
        line(f"{name} is what this command runs inside: it would wait for itself")
        return TROUBLE
    if request.verb == "hold":
        line(f"not held: {name} {_state(run, claim)}")
        return NOT_RUN if claim is not None else TROUBLE
    if claim is not None and claim.state == WAITING and endless(gate, [Blocker(claim, "run-id")]):
        line(f"{name} waits for this very run: {again(request)}")
        return NOT_RUN
    return join(gate.store, request, run)


def join(store: FileStore, request: Request, run: Run) -> int:
    """Follow a run from its start, and return its code, or that of SIGPIPE if nobody reads it.

    Nothing here fails open: the command runs already, or did.
    """
    try:
        return _Follower(store, request, run).follow()
    except BrokenPipeError:
        return UNREAD
    except (StateError, OSError, ValueError) as error:
        line(f"{_named(run)} cannot be joined: {error}")
        return TROUBLE


class _Follower:
    """One joined run: what of it has been shown, and what becomes of it."""

    def __init__(self, store: FileStore, request: Request, run: Run) -> None:
        self._store = store
        self._records = store.records
        self._request = request
        self._run = run
        self._log = -1
        self._frames = Frames()
        self._since = now().uptime
        self._looked = 0.0
        usual = Usual(store.state)
        self._view = Waiting(self._since, "", usual, request.quiet, plain=False)

    def follow(self) -> int:
        """Show what comes until the end. Returns the exit code."""
        while True:
            found = self._records.get(self._run.name)
            if found is None:
                self._view.close("")
                line(f"{_named(self._run)} was not run: it left the queue, or could not start")
                return NOT_RUN
            if found.token != self._run.token:
                self._view.close("")
                line(f"{_named(self._run)} has another owner now, who runs it again: call again")
                return TROUBLE
            self._copy()
            if found.text("outcome"):
                self._view.close("")
                return self._ended(found)
            if now().uptime - self._looked >= LIFE:
                self._looked = now().uptime
                if (code := self._look()) is not None:
                    return code
            pause(LOOK)

    def _copy(self) -> None:
        """Show what has been written by now."""
        if self._log < 0:
            self._log = self._records.open_log(self._run)
            if self._log < 0:
                return  # it waits for its turn
            self._view.close("")
        while data := os.read(self._log, CHUNK):
            for stream, piece in self._frames.feed(data):
                _write(stream, piece)

    def _ended(self, run: Run) -> int:
        if not run.whole:
            warn(f"not all of the output of {_named(run)} was recorded")
        elif self._log < 0:
            warn(f"the output of {_named(run)} is not kept any more")
        if run.code is None:
            line(f"{_named(run)} has ended, and nobody recorded how ({run.text('outcome')})")
            return TROUBLE
        return run.code

    def _look(self) -> int | None:
        """Whether the run's hostgate lives; the exit code if it does not, or if waiting is over."""
        id = str(self._run.record["id"])
        registry = self._store.read()
        claim = registry.find(id)
        if claim is None or self._store.liveness.status(claim) != ALIVE:
            found = self._records.get(self._run.name)
            if found is not None and found.text("outcome"):
                return None  # it has just ended
            self._copy()
            self._view.close("")
            what = "its command still runs" if claim is not None else "nobody knows how it ended"
            line(
                f"{_named(self._run)} is indeterminate: its hostgate was killed, {what}. "
                f"To run it again: hostgate resume {id}"
            )
            return TROUBLE
        if claim.state != WAITING:
            return None
        found_ahead = blockers(
            claim, registry.claims, self._store.limits, self._store.liveness.away
        )
        limit = self._request.wait_timeout
        if limit is None and not has_terminal():
            limit = PATIENCE
        if found_ahead and limit is not None and now().uptime - self._since >= limit:
            self._view.close("")
            return self._refuse(claim, found_ahead)
        if found_ahead:
            self._view.tell(found_ahead)
        return None

    def _refuse(self, claim: Claim, found: list[Blocker]) -> int:
        waited = say(now().uptime - self._since)
        why = f"{claim.id}, which it joined, did not start within {waited}"
        for text in phrases.refusal(found, now().uptime, why, again(self._request), False):
            line(text)
        return NOT_RUN


def _write(fd: int, data: bytes) -> None:
    """Write every byte, also where the caller has made the descriptor a non-blocking one."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select([], [fd], [])


def _named(run: Run) -> str:
    run_id = run.text("run_id")
    return f"run id {inert(run_id, 60)}" if run_id else f"run {run.record['id']}"


def _described(run: Run) -> str:
    return f"`{inert(run.text('command'))}` in {inert(run.text('directory'), 200)}"


def _here(gate: Gate) -> str:
    return inert(gate.claim.directory, 200)


def _state(run: Run, claim: Claim | None) -> str:
    """What has become of a held run."""
    if claim is not None:
        return f"is {phrases.who(claim)}'s, {phrases.doing(claim, now().uptime)}"
    if run.code is not None:
        return f"has ended with {run.code}; another hold needs another id"
    return "has ended, and nobody recorded how; another hold needs another id"
