"""Spans of time: read from the command line, and said to a person."""

from __future__ import annotations

UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "": 1.0}


def parse_duration(text: str) -> float:
    """Seconds of ``90``, ``1.5``, ``90s``, ``1m30s``, ``2h`` or ``1d``.

    Raises ``ValueError`` for anything else: a sign, a unit twice or out of order, no number.
    """
    seconds, number, allowed = 0.0, "", list(UNITS)
    for char in text + ("\0" if text[-1:].isdigit() or text[-1:] == "." else ""):
        if char in "0123456789.":
            number += char
            continue
        unit = "" if char == "\0" else char
        if unit not in allowed or (unit == "" and seconds):
            raise ValueError(text)
        seconds += float(number) * UNITS[unit]
        allowed = allowed[allowed.index(unit) + 1 :]
        number = ""
    if number or not text or seconds > 1e9:
        raise ValueError(text)
    return seconds


def say(seconds: float) -> str:
    """A span as a person says it: ``3 s``, ``2 min 10 s``, ``1 h 05 min``."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"
