"""What the history adds up to: runs, conflicts and waits, by project and by rule."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

Record = dict[str, object]
RAN = ("ran", "timeout", "held", "indeterminate")  # the outcomes of what started
KNOWN = ("ran", "timeout", "held", "taken-over")  # and of those whose time is known
AGAIN = ("lapsed", "taken-over")  # what has another line of its own, or never asked for more


class Tally:
    """Sums over some of the history: numbers of claims, and seconds.

    A ``conflict`` is a claim that something stood in the way of; ``anyway`` are those that were
    started all the same.
    """

    __slots__ = ("anyway", "conflicts", "name", "ran", "runs", "waited")

    def __init__(self, name: str) -> None:
        self.name = name
        self.runs = self.conflicts = self.anyway = 0
        self.waited = self.ran = 0.0

    def add(self, record: Record, blocked: bool) -> None:
        """Count one line of the history."""
        self.runs += record.get("outcome") in RAN
        self.conflicts += blocked and record.get("outcome") not in AGAIN
        self.anyway += record.get("override") is True
        self.waited += _seconds(record.get("waited"))
        if record.get("outcome") in KNOWN:
            self.ran += _seconds(record.get("ran"))

    def plain(self) -> dict[str, object]:
        """As plain data."""
        times = {"waited": round(self.waited, 3), "ran": round(self.ran, 3)}
        return {
            "name": self.name,
            "runs": self.runs,
            "conflicts": self.conflicts,
            "anyway": self.anyway,
            **times,
        }


def tally(records: Iterable[Record]) -> tuple[list[Tally], list[Tally]]:
    """The sums by project and by rule, each in the order of most conflicts, then of names.

    A claim counts once for each rule by which anything stood in its way.
    """
    projects: dict[str, Tally] = {}
    rules: dict[str, Tally] = {}
    for record in records:
        found = rules_of(record)
        project = str(record.get("project", ""))
        projects.setdefault(project, Tally(project)).add(record, bool(found))
        for rule in found:
            rules.setdefault(rule, Tally(rule)).add(record, True)
    return _sorted(projects), _sorted(rules)


def rules_of(record: Record) -> set[str]:
    """The rules by which something stood in the way of a claim that has ended."""
    blockers = record.get("blockers")
    reasons = blockers.values() if isinstance(blockers, dict) else ()
    return {str(reason).partition(":")[0] for reason in reasons}


def _sorted(sums: dict[str, Tally]) -> list[Tally]:
    return sorted(sums.values(), key=lambda one: (-one.conflicts, -one.runs, one.name))


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
