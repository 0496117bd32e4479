"""Amounts of memory: read from the configuration, and said to a person."""

from __future__ import annotations

UNITS = {
    "": 1,
    "b": 1,
    "k": 10**3, "kb": 10**3, "kib": 2**10,
    "m": 10**6, "mb": 10**6, "mib": 2**20,
    "g": 10**9, "gb": 10**9, "gib": 2**30,
    "t": 10**12, "tb": 10**12, "tib": 2**40,
}  # fmt: skip


def parse_size(text: str) -> int:
    """Bytes of ``2GB``, ``512 MiB``, ``1.5g`` or ``4096``; raises ``ValueError`` for others."""
    number = text.strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = text.strip()[len(number) :].strip().lower()
    if unit not in UNITS or not number or not set(number) <= set("0123456789."):
        raise ValueError(text)
    return int(float(number) * UNITS[unit])


def say_size(size: float) -> str:
    """An amount as a person says it: ``1.5 GB``, ``512 MB``."""
    units = ["kB", "MB", "GB"]
    size /= 1000
    while size >= 999.5 and units[1:]:
        size /= 1000
        units.pop(0)
    return f"{size:.1f} {units[0]}" if size < 10 else f"{size:.0f} {units[0]}"
