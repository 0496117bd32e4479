"""``hostgate resume``: run again, here, what was interrupted, in its place if it still has one."""

from __future__ import annotations

import os

from hostgate.cli import NOT_RUN, SIGNAL, TROUBLE
from hostgate.cli.admission import pass_by
from hostgate.cli.claiming import make_gate, open_store
from hostgate.cli.options import Request, UsageError, parse
from hostgate.cli.run import execute, run
from hostgate.cli.stop import Command, own
from hostgate.core import registry as change
from hostgate.core.claims import KEPT, RESERVED, RUNNING, Claim, Registry
from hostgate.core.registry import Superseded
from hostgate.core.text import inert
from hostgate.gate import Gate
from hostgate.host import StateError, child, default_endings, now
from hostgate.host.history import Record, entries, handed_on, record, remember
from hostgate.host.liveness import ORPHANED
from hostgate.host.lock import Hold
from hostgate.host.state import unlink
from hostgate.host.store import FileStore
from hostgate.host.tidy import tidy
from hostgate.host.wake import CALL, ring
from hostgate.host.watch import pause
from hostgate.ui import phrases
from hostgate.ui.voice import line, warn

LOOK = 0.02  # seconds between two looks whether a run has its pid
STARTING = 2.0  # seconds that a run may take to note it


def resume(id: str, yes: bool) -> int:
    """Run again what has this id or run id. Returns its exit code, 75 if a person says no.

    Raises :class:`UsageError`, :class:`hostgate.host.StateError`.
    """
    store = open_store()
    if os.geteuid() == 0 and os.stat(store.state.path).st_uid != 0:
        raise UsageError("not as root: another user could have written what it would run")
    tidy(store, warn)  # what was killed is indeterminate from here on
    claims = store.read().claims
    found = _live(claims, id)
    if found is None:
        last = _last(store, id)
        found = _live(claims, str(last.get("run_id") or id))
    if found is None:
        return _again(last)
    if found.id in own(store, claims):
        raise UsageError(f"{found.id} is what this command runs inside: it would end itself")
    if found.held or found.state == RESERVED:
        raise UsageError(f"{found.id} is held for a shell, which cannot be run again")
    if store.liveness.is_elsewhere(found):
        raise UsageError(f"{found.id} runs in another pid namespace, or on another host")
    request = _request(record(found, "", None, 0.0, 0.0, ""), found.digest != "")
    orphaned = store.liveness.status(found) == ORPHANED
    if not yes and not _agreed(found, orphaned):
        return NOT_RUN
    return _take_over(store, found, request)


def _live(claims: list[Claim], id: str) -> Claim | None:
    """The claim with this id or run id. Raises :class:`UsageError` where that is two.

    A place that is kept runs nothing: the history knows what left it.
    """
    found = [one for one in claims if id in (one.id, one.run_id) and one.state != KEPT]
    if len(found) > 1:
        raise UsageError(f"{inert(id, 60)} is one run's id and another's run id: hostgate ls")
    return found[0] if found else None


def _again(known: Record) -> int:
    """Run what was interrupted: a run like others, but that its run id may run again.

    Raises :class:`UsageError` for what has come to its end.
    """
    outcome, code = known.get("outcome"), known.get("code")
    if outcome in ("held", "lapsed"):
        raise UsageError(f"{known['id']} was held for a shell, which cannot be run again")
    if outcome in ("ran", "not-started") and isinstance(code, int) and code < SIGNAL:
        raise UsageError(f"{known['id']} has ended with {code}: it was not interrupted")
    request = _request(known, bool(known.get("digest")))
    default_endings()
    return run(request, str(known["project"]), str(known.get("token") or ""))


def take_over(gate: Gate, former: Claim) -> None:
    """Be the owner of a claim instead of the one that ``former`` shows, in its place.

    What it runs is still to be ended. Raises :class:`StateError`, :class:`Superseded` where
    it has another owner by now, and :class:`LookupError` where it has ended.
    """
    store, claim = gate.store, gate.claim

    def body(registry: Registry) -> None:
        moment = now()
        gate.adopt(registry)
        change.take_over(registry, former, claim, moment)
        if claim.digest:
            store.records.begin(claim, registry.claims)
        gate.hold = Hold.instead(store.state, claim)
        line = handed_on(former, moment)
        store.afterwards(lambda: remember(store.state, [line], warn))
        ring(store.bell_path(former), CALL)
        unlink(store.bell_path(former))  # the next one there is to be ours

    try:
        store.transact(body)
    except StateError:
        if gate.hold is not None:
            gate.hold.give_back()
            gate.hold = None
        raise


def _take_over(store: FileStore, former: Claim, request: Request) -> int:
    """Be the owner of a live claim: end what it runs, and run it here. Returns the exit code."""
    default_endings()
    child.reserve_standard_descriptors()
    gate = make_gate(request)
    gate.claim.project, gate.claim.run_id = former.project, former.run_id
    command = _command(store, former) if former.state == RUNNING else None
    try:
        take_over(gate, former)
    except Superseded as error:
        if error.claim.owner.pid == former.owner.pid:  # its turn has just come
            return _take_over(store, error.claim, request)
        line(f"not run: {error}; hostgate ls")
        return TROUBLE
    except LookupError:
        line(f"not run: {former.id} has just ended; hostgate history")
        return TROUBLE
    if command is not None and not command.end():
        return TROUBLE  # it still has the slot, as an orphan
    if gate.hold:
        gate.hold.settle()
    if command is not None:
        return execute(request, gate)
    try:
        found = gate.turn()
    except Superseded as error:
        gate.release()
        line(f"not run: {error}")
        return NOT_RUN
    code = pass_by(gate, request, "wait", found) if found else None
    return execute(request, gate) if code is None else code


def _command(store: FileStore, former: Claim) -> Command:
    """What a running claim runs. Raises :class:`UsageError` where that is not known in time."""
    deadline = now().uptime + STARTING
    while not (command := Command(store, former)).is_known:
        if now().uptime > deadline:
            raise UsageError(f"{former.id} is just starting: try again")
        pause(LOOK)
    return command


def _agreed(claim: Claim, orphaned: bool) -> bool:
    """Ask once. Raises :class:`UsageError` where nobody can be asked."""
    from hostgate.host.terminal import can_ask

    since = inert(claim.started_at or claim.enqueued_at, 30)
    facts = f"{phrases.who(claim)}, pid {claim.owner.pid}, since {since}: {phrases.what(claim)}"
    state = "runs on without its hostgate" if orphaned else "seems alive"
    if not can_ask():
        raise UsageError(f"{claim.id} {state} ({facts}); say --yes where nobody can be asked")
    print(f"{claim.id} {state}, {phrases.doing(claim, now().uptime)}: {facts}")
    try:
        return input("End it there and run it here? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        print()
        return False


def _last(store: FileStore, id: str) -> Record:
    """What is known of the last run with this id or run id, which is over.

    Raises :class:`UsageError` where nothing is.
    """
    known = [one for one in entries(store.state) if id in (one["id"], one.get("run_id"))]
    id = str(known[-1].get("run_id") or id) if known else id
    kept = [
        run.record for run in store.records.every() if id in (run.record["id"], run.text("run_id"))
    ]
    found = (kept or known)[-1:]
    if not found:
        raise UsageError(f"nothing is known of {inert(id, 60)}: hostgate ls, hostgate history")
    return found[0]


def _request(known: Record, recorded: bool) -> Request:
    """The request that makes the same run, in its directory. Raises :class:`UsageError`."""
    id, directory = known["id"], str(known.get("directory") or "")
    command, form = str(known["command"]), known.get("form")
    words: list[str] = []
    if run_id := known.get("run_id"):
        words.append(f"--run-id={run_id}")
    elif recorded:
        words.append("--record")
    lanes = known.get("lanes")
    for lane in lanes if isinstance(lanes, list) else []:
        words.append(f"--lane={lane}")
    if form == "argv":
        from shlex import split

        words += ["--", *split(command)]
    elif form == "shell":
        words += ["-c", command]
    else:
        raise UsageError(
            f"{id} cannot be run again: its command has a secret or is too long, and so was not "
            f"kept as it was: {inert(command)}"
        )
    try:
        os.chdir(directory)
    except OSError as error:
        raise UsageError(f"{id} ran in {inert(directory, 200)}: {error.strerror}") from error
    os.environ["PWD"] = directory
    return parse(words, os.environ)
