"""The operating system: one module for each part of it that hostgate talks to.

Here is what all of them need: every module more costs each start 70 us.
"""

from __future__ import annotations

from _signal import (
    SIG_DFL,
    SIG_IGN,
    SIGHUP,
    SIGINT,
    SIGQUIT,
    SIGTERM,
    SIGUSR1,
    SIGUSR2,
    getsignal,
    signal,
)
from time import gmtime, monotonic, strftime

from hostgate.core.registry import Now

ENDING = (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2)


class StateError(Exception):
    """The state cannot be used; the text is one line for a person.

    ``run`` warns and runs its command ungated, every other command reports it and exits 125.
    """


def because(error: OSError) -> str:
    """An operating system's error in a few words: ``Permission denied``."""
    return error.strerror or str(error)


def now() -> Now:
    """The present moment: uptime for everything that is computed, UTC for people.

    Uptime is the same for all processes and never steps.
    """
    return Now(monotonic(), strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()))


def default_endings() -> None:
    """Let the ending signals end this process at once, but for those that it is to ignore.

    Python's own handler would turn SIGINT into an exception.
    """
    for number in ENDING:
        if getsignal(number) != SIG_IGN:
            signal(number, SIG_DFL)
