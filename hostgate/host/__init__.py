"""The operating system: one module for each part of it that hostgate talks to.

Here is what all of them need, as every module more costs each start 70 us: errors, clocks, the
ending signals, and JSON by the C half of the standard library's ``json``. ``import json`` costs
10 ms of start-up (it compiles regular expressions), ``_json`` 0.3 ms. ``_json`` is private, so
whatever it does not do is left to ``json``.
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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


class _Context:
    """What the C scanner asks of a ``json.JSONDecoder``."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_scan: Callable[[str, int], tuple[object, int]] | None = None


def loads(text: str) -> object:
    """The value of a JSON text. Raises ``ValueError`` (or ``RecursionError``)."""
    global _scan
    try:
        if _scan is None:
            from _json import make_scanner

            _scan = make_scanner(_Context)  # type: ignore[arg-type]
        value, end = _scan(text, 0)
        if end >= len(text.rstrip()):
            return value
    except Exception:  # it is private, and for some broken texts it raises SystemError
        pass
    from json import loads

    return loads(text)


def dumps(value: object) -> str:
    """The JSON text of plain data, in one line of ASCII."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        encoder = make_encoder(
            None, _unknown, encode_basestring_ascii, None, ":", ",", False, False, False
        )
        return "".join(encoder(value, 0))
    except (ImportError, TypeError, AttributeError):
        from json import dumps

        return dumps(value, separators=(",", ":"))


def _unknown(value: object) -> object:
    raise TypeError(f"no plain data: {value!r}")
