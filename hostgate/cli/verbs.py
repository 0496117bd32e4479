"""The commands that read: ls, check, explain, wait, history. Each returns an exit code."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from hostgate.cli import NOT_RUN, TROUBLE
from hostgate.cli.claiming import BOUND, make_gate, open_store, warn_of
from hostgate.cli.options import Request, UsageError
from hostgate.core.claims import KEPT, Claim
from hostgate.core.registry import with_run_id
from hostgate.core.text import bounded, inert, join, mask, mask_arguments
from hostgate.host import dumps, now
from hostgate.host.config import Config
from hostgate.host.history import Record, entries
from hostgate.host.liveness import GONE
from hostgate.host.project import place_of, roots_of
from hostgate.host.store import FileStore
from hostgate.host.tidy import tidy
from hostgate.ui import documents, phrases
from hostgate.ui.voice import line, warn
from hostgate.waiting import would_block

LOOK = 0.25  # seconds between two looks of a command that watches


def ls(as_json: bool, watch: bool) -> int:
    """List the claims: a table, a JSON document, or either one anew whenever it changes."""
    store = open_store(every_project=True)
    if as_json:
        for _ in _changes(store) if watch else (None,):
            print(dumps(documents.listing(store)), flush=True)
        return 0
    from hostgate.ui import tables

    def table() -> tables.Shown:
        return tables.claims(documents.listing(store))

    if watch:
        tables.watch(table for _ in _changes(store, beat=1.0))
    else:
        tables.console().print(table())
    return 0


def check(request: Request) -> int:
    """Tell whether the command would run now: 0 clear, 75 blocked. Registers nothing."""
    found = would_block(make_gate(request))
    if request.json:
        blockers = [documents.blocker(one) for one in found]
        print(dumps({"clear": not found, "blockers": blockers}))
    elif not found:
        print("clear")
    else:
        uptime = now().uptime
        print("\n".join(phrases.blocker(one, uptime) for one in found))
    return NOT_RUN if found else 0


def explain(commands: list[str], as_json: bool) -> int:
    """Tell how one command is read, or why two are or are not similar.

    They are read as the gate reads them: without their secrets.
    """
    from hostgate.ui import explanation

    config = Config(None)
    here = os.getcwd()
    explained = []
    for command in commands:
        roots = roots_of(place_of(command, here))
        settings = config.settings(roots.tree)
        warn_of(settings.problems)
        project = roots.project(settings.scope)
        known = mask(bounded(command, BOUND))
        explained.append(explanation.Explained(known, project, settings.rules))
    other = explained[1] if len(explained) > 1 else None
    document = explanation.explanation(explained[0], other, settings.rules)
    if as_json:
        print(dumps(document))
        return 0
    for one in explained:
        print("\n".join(explanation.lines(one)))
    if other is not None:
        print("\n".join(explanation.compared(document)))
    return 0


def commands_of(strings: list[str], text: str | None, after_dashes: bool) -> list[str]:
    """The one or two commands that ``explain`` was given, in whichever of its forms."""
    if text is not None:
        if strings:
            raise UsageError("explain takes -c STRING or other words, not both")
        return [text]
    if after_dashes and strings:
        return [join(mask_arguments(strings))]
    if not 1 <= len(strings) <= 2:
        raise UsageError("explain takes one or two commands: hostgate explain 'A' ['B']")
    return strings


def wait(id: str | None, idle: bool) -> int:
    """Wait for the end of one run and return its code, or until nothing runs or waits."""
    if idle == (id is not None):
        raise UsageError("wait takes an id or --idle: hostgate wait ID")
    store = open_store()
    own = os.environ.get("HOSTGATE_CLAIM", "").split(",")
    if id is None:
        while _busy(store, own):
            time.sleep(LOOK)
        return 0
    if id in own:
        raise UsageError(f"{id} is what this command runs inside: it would wait for itself")
    while claim := _named(store, id):
        if claim.state == KEPT:
            break
        if store.liveness.status(claim) == GONE:
            tidy(store, warn)  # nobody has recorded its end: now it is indeterminate
            break
        time.sleep(LOOK)
    ended = reversed(list(entries(store.state)))
    record = next((one for one in ended if id in (one["id"], one.get("run_id"))), None)
    if record is None:
        line(f"no run with the id {inert(id, 20)}: hostgate ls, hostgate history")
        return TROUBLE
    return _code(record)


def _named(store: FileStore, id: str) -> Claim | None:
    """The live claim with this id, else with this run id."""
    registry = store.read()
    return registry.find(id) or with_run_id(registry, id)


def _busy(store: FileStore, own: list[str]) -> bool:
    """Whether anything runs or waits, apart from the runs that this command is part of."""
    claims = store.read().claims
    others = [one for one in claims if one.state != KEPT and one.id not in own]
    return bool(documents.live(store, others))


def _code(record: Record) -> int:
    code = record.get("code")
    if isinstance(code, int):
        return code
    held = record.get("outcome") == "held"
    how = "with its shell, which kept its code" if held else "but nobody recorded how"
    line(f"{record['id']} ended, {how} ({record.get('outcome')})")
    return TROUBLE


def _changes(store: FileStore, beat: float | None = None) -> Iterator[None]:
    """One item now, and one whenever the registry changes or ``beat`` seconds are over."""
    seen: object = object()
    shown = 0.0
    while True:
        stamp = store.stamp()
        if stamp != seen or (beat is not None and time.monotonic() - shown >= beat):
            seen, shown = stamp, time.monotonic()
            yield
        time.sleep(LOOK)
