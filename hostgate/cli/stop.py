"""``hostgate stop``: end runs, whoever started them, and take waiters out of the queue."""

from __future__ import annotations

import os
from _signal import SIGTERM

from hostgate.cli.claiming import open_store, warn
from hostgate.cli.exits import NOT_RUN, TROUBLE
from hostgate.cli.options import UsageError
from hostgate.core.claims import KEPT, RESERVED, WAITING, Claim
from hostgate.core.text import inert
from hostgate.host import process
from hostgate.host.child import GRACE
from hostgate.host.liveness import GONE
from hostgate.host.store import FileStore
from hostgate.host.tidy import tidy
from hostgate.host.watch import pause
from hostgate.keeper import release
from hostgate.ui import phrases
from hostgate.ui.voice import line

LOOK = 0.05  # seconds between two looks whether a claim is gone
PATIENCE = 5.0  # seconds that a hostgate may take to record an end


def stop(id: str | None, every: bool, yes: bool) -> int:
    """End one claim, or all of them. Returns 0 once they are gone, 75 if a person says no.

    Raises :class:`UsageError`, :class:`hostgate.host.errors.StateError`.
    """
    if every == (id is not None):
        raise UsageError("stop takes an id or --all: hostgate stop ID")
    store = open_store()
    own = os.environ.get("HOSTGATE_CLAIM", "").split(",")
    claims = [one for one in store.read().claims if store.liveness.status(one) != GONE]
    if id is None:
        found = [one for one in claims if one.id not in own]
        if not found:
            line("nothing is running or waiting")
            return 0
        if not yes and not _agreed(found):
            return NOT_RUN
    else:
        if id in own:
            raise UsageError(f"{id} is what this command runs inside: it would end itself")
        found = [one for one in claims if one.id == id]
        if not found:
            raise UsageError(f"nothing is running or waiting as {inert(id, 20)}: hostgate ls")
    ended = [_end(store, claim) for claim in found]
    return 0 if all(ended) else TROUBLE


def _agreed(found: list[Claim]) -> bool:
    """Ask once. Raises :class:`UsageError` where nobody can be asked."""
    from hostgate.host.terminal import can_ask

    many = f"{len(found)} run{'' if len(found) == 1 else 's'} and waiter{'s'[: len(found) > 1]}"
    if not can_ask():
        raise UsageError(f"stop --all would end {many}; say --yes where nobody can be asked")
    for claim in found:
        print(f"{claim.id}  {phrases.who(claim)}: {phrases.what(claim)}")
    return input(f"End {many}? [y/N] ").strip().lower() in ("y", "yes")


def _end(store: FileStore, claim: Claim) -> bool:
    """End one claim; tell if it cannot be ended. Returns whether it is gone."""
    if claim.state in (KEPT, RESERVED):
        release(store, claim, warn)
        return True
    if store.liveness.is_elsewhere(claim):
        line(f"{claim.id} runs in another pid namespace, or on another host: end it there")
        return False
    child = store.liveness.child(claim.id)
    if claim.state == WAITING:
        _signal(claim.owner.pid, claim.owner.start)
    elif child is None or process.is_dead(*child):
        pass  # it has just ended
    elif not _end_tree(child[0]):
        line(f"{claim.id} cannot be ended: pid {child[0]} is another user's, or hangs")
        return False
    return _until_gone(store, claim)


def _end_tree(pid: int) -> bool:
    from hostgate.host.tree import end

    return end(pid, GRACE)


def _signal(pid: int, start: str) -> None:
    try:
        if not process.is_dead(pid, start):
            os.kill(pid, SIGTERM)
    except OSError:
        pass  # it has just ended, or is another user's


def _until_gone(store: FileStore, claim: Claim) -> bool:
    """Wait until the claim's own hostgate has recorded its end; for a killed one, do that."""
    for _ in range(int(PATIENCE / LOOK)):
        known = store.read().find(claim.id)
        if known is None:
            return True
        if store.liveness.status(known) == GONE:
            tidy(store, warn)
            return True
        pause(LOOK)
    line(f"{claim.id} has not ended: hostgate ls")
    return False
