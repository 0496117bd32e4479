"""The JSON documents of the reading commands: versioned plain data."""

from __future__ import annotations

from hostgate.core.admit import Blocker, admit
from hostgate.core.claims import ACTIVE, KEPT, RESERVED, SCHEMA, WAITING, Claim
from hostgate.host import now
from hostgate.host.history import Usual
from hostgate.host.liveness import ALIVE, GONE, ORPHANED
from hostgate.host.store import FileStore

Document = dict[str, object]


def listing(store: FileStore) -> Document:
    """What ``ls`` shows: every claim that is not gone, in arrival order.

    Raises :class:`hostgate.host.StateError` where the registry cannot be read.
    """
    registry = store.read()
    uptime = now().uptime
    found_live = live(store, registry.claims)
    usual = Usual(store.state)
    found = admit([claim for claim, _ in found_live], store.limits, store.liveness.away)
    return {
        "schema": SCHEMA,
        "epoch": registry.epoch,
        "claims": [
            _claim(store, claim, status, found.get(claim.id, []), uptime, usual)
            for claim, status in found_live
        ],
    }


def live(store: FileStore, claims: list[Claim]) -> list[tuple[Claim, str]]:
    """Those of the claims that are not gone or expired, each with its owner's status."""
    found = [(claim, store.liveness.status(claim)) for claim in claims]
    return [(claim, status) for claim, status in found if status != GONE]


def _claim(
    store: FileStore,
    claim: Claim,
    status: str,
    found: list[Blocker],
    uptime: float,
    usual: Usual,
) -> Document:
    child = store.liveness.child(claim.id)
    expected = usual(claim) if claim.state in ACTIVE else None
    return {
        "id": claim.id,
        "state": "orphaned" if status == ORPHANED else claim.state,
        "session": claim.session,
        "title": claim.title,
        "project": claim.project,
        "command": claim.command,
        "category": claim.reading.category,
        "lanes": claim.lanes,
        "run_id": claim.run_id,
        "epoch": claim.epoch,
        "owner": {
            "host": claim.owner.host,
            "pid": claim.owner.pid,
            "alive": status == ALIVE and claim.state not in (KEPT, RESERVED),
        },
        "child": child[0] if child else None,
        "enqueued_at": claim.enqueued_at,
        "started_at": claim.started_at or None,
        "elapsed": round(uptime - claim.since, 3),
        "usual": round(expected, 3) if expected is not None else None,
        "override": claim.override,
        "stopped": claim.state == WAITING and store.liveness.away(claim),
        "ahead": sum(1 for one in found if one.claim.state == WAITING),
        "blockers": [blocker(one) for one in found],
    }


def blocker(found: Blocker) -> Document:
    """One blocker, as ``check --json`` and ``ls --json`` say it."""
    claim = found.claim
    return {
        "id": claim.id,
        "state": claim.state,
        "session": claim.session,
        "title": claim.title,
        "command": claim.command,
        "rule": found.rule,
        "reason": found.reason,
        "since": claim.started_at or claim.enqueued_at,
    }
