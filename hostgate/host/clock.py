"""The clocks: uptime for everything that is computed, UTC for people."""

from __future__ import annotations

from time import gmtime, monotonic, strftime

from hostgate.core.registry import Now


def now() -> Now:
    """The present moment. Uptime is the same for all processes and never steps."""
    return Now(monotonic(), strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()))
