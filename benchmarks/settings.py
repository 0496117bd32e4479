"""How much is measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The command line's options of the same names."""

    rounds: int
    trials: int
    drains: dict[int, int]  # waiters -> drains
    stagger: float
    settle: float
    claims: int
    starts: int
    storms: int
    idle: float
    rests: int
