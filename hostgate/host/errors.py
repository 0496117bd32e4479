"""What can go wrong between hostgate and the system, as one kind of exception."""

from __future__ import annotations


class StateError(Exception):
    """The state cannot be used; the text is one line for a person.

    ``run`` warns and runs its command ungated, every other command reports it and exits 125.
    """


def because(error: OSError) -> str:
    """An operating system's error in a few words: ``Permission denied``."""
    return error.strerror or str(error)
