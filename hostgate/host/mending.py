"""A registry that is lost or broken: set aside what is there, and find again what lives."""

from __future__ import annotations

import os

from hostgate.core.claims import Broken, Claim, Registry
from hostgate.host import history, loads, lock
from hostgate.host.state import REGISTRY, State, names_in, read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.host.liveness import Liveness


def set_aside(state: State) -> str:
    """Give a registry that cannot be read a name that nobody reads. Returns it."""
    path = state.file(REGISTRY)
    number = 1
    while os.path.lexists(aside := f"{path}.corrupt-{number}"):
        number += 1
    os.rename(path, aside)
    return os.path.basename(aside)


def recovered(state: State, liveness: Liveness, decoded: Callable[[object], Claim]) -> Registry:
    """The registry that the held locks tell of: each lock file describes its claim."""
    claims: list[Claim] = []
    epoch = history.last_epoch(state)
    for name in names_in(state.claims):
        path = f"{state.claims}/{name}"
        if not name.endswith(".lock"):
            continue
        try:
            claim = decoded(loads(read_lines(path)[0]))
        except (Broken, ValueError, IndexError, RecursionError):
            continue
        epoch = max(epoch, claim.epoch)
        if liveness.lock_path(claim.id) == path and lock.probe(path) == lock.HELD:
            claims.append(claim)
    claims.sort(key=lambda claim: claim.epoch)
    return Registry(epoch, claims)
