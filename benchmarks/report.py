"""The results as tables in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from parts import BARE, NO_CLAIM, ROLES, Results, Samples, Settings
from tools import Tool

Rows = list[list[str]]
HEAD = ["tool", "median", "min..max", "p95"]


class Report:
    """Prints one table a part."""

    def __init__(self, results: Results, tools: list[Tool], settings: Settings) -> None:
        self.results = results
        self.tools = tools
        self.settings = settings

    def print(self, parts: Iterable[str]) -> None:
        show: dict[str, Callable[[], None]] = {
            "overhead": self.overhead,
            "load": self.load,
            "handoff": self.handoff,
            "fairness": self.fairness,
            "idle": self.idle,
            "rss": self.rss,
        }
        for part in show:
            if part in parts:
                show[part]()

    def overhead(self) -> None:
        floors = {tool.name: tool.floor for tool in self.tools}
        rows = []
        for name, samples in self._having("overhead"):
            code = self.results[name].get("exit 7")
            kept = "-" if code is None else "yes" if code == [7] else f"no: {code[0]:.0f}"
            floor = self._samples(floors.get(name, ""), "overhead")
            flock = self._samples("flock", "overhead")
            rows.append([*_timing(name, samples), _ratio(samples, flock), _ratio(samples, floor)])
            rows[-1] += [_show(self._beyond_bare(samples)), kept]
        head = [*HEAD, "x flock", "x its python", "minus bare", "exit status kept"]
        _print(f"Overhead: ms for TOOL true; {self.settings.rounds} rounds", head, rows)

    def load(self) -> None:
        rows = []
        for tool in self.tools:
            floor = self._samples(tool.floor, "load")
            alone = self._samples(f"{tool.name}, {NO_CLAIM}", "load")
            for name, samples in self._having("load"):
                if name == tool.floor or name.startswith(f"{tool.name}, "):
                    ratios = [_ratio(samples, floor), _ratio(samples, alone)]
                    rows.append([*_timing(name, samples), *ratios])
        title = f"Load: ms for hostgate run -- true; {self.settings.rounds} rounds"
        _print(title, [*HEAD, "x its python", "x no other claim"], rows)

    def handoff(self) -> None:
        flock = self._samples("flock", "handoff")
        rows = [[*_timing(name, s), _ratio(s, flock)] for name, s in self._having("handoff")]
        title = f"Hand-off: ms from holder's end to waiter's start; {self.settings.trials} trials"
        _print(title, [*HEAD, "x flock"], rows)

    def fairness(self) -> None:
        flock, waiters = self._samples("flock", "drain"), self.settings.waiters
        rows = []
        for name, drains in self._having("drain"):
            middle = statistics.median(drains)
            disorder = " ".join(f"{n:.0f}" for n in self.results[name]["disorder"])
            together = f"{sum(self.results[name]['together']):.0f}"
            row = [name, _show(middle), _spread(drains), _show(middle / waiters)]
            rows.append([*row, _ratio(drains, flock), disorder, together])
        title = (
            f"Fairness: {waiters} waiters {self.settings.stagger * 1e3:g} ms apart;"
            f" {self.settings.drains} drains of {waiters * (waiters - 1) // 2} pairs"
        )
        head = ["tool", "drain ms", "min..max", "per waiter", "x flock"]
        _print(title, [*head, "out of order", "ran together"], rows)

    def idle(self) -> None:
        rows = [
            [name, _show(cpu[0]), f"{self.results[name]['wake-ups'][0]:.0f}"]
            for name, cpu in self._having("cpu")
        ]
        title = f"Idle: a waiter (and the tool's server) over {self.settings.idle:g} s"
        _print(title, ["tool", "CPU ms", "wake-ups"], rows)

    def rss(self) -> None:
        kinds = [f"{figure} {role}" for role in ROLES for figure in ("peak", "share")]
        rows = []
        for name, _ in self._having(kinds[0]):
            figures = [self.results[name][kind][0] for kind in kinds]
            rows.append([name, *(_show(mib) if mib else "-" for mib in figures)])
        title = "Memory: MiB of the wrapper, peak resident and proportional share"
        _print(title, ["tool", *kinds], rows)

    def _having(self, figure: str) -> list[tuple[str, Samples]]:
        return [(name, found[figure]) for name, found in self.results.items() if figure in found]

    def _samples(self, name: str, figure: str) -> Samples:
        return self.results.get(name, {}).get(figure, [])

    def _beyond_bare(self, samples: Samples) -> float:
        bare = self._samples(BARE, "overhead")
        return statistics.median(a - b for a, b in zip(samples, bare, strict=True))


def _timing(name: str, samples: Samples) -> list[str]:
    middle = _show(statistics.median(samples))
    return [name, middle, _spread(samples), _show(_percentile(samples, 95))]


def _percentile(samples: Samples, percent: float) -> float:
    ordered = sorted(samples)
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _show(value: float) -> str:
    return f"{value:.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f}"


def _spread(samples: Samples) -> str:
    return f"{_show(min(samples))}..{_show(max(samples))}"


def _ratio(samples: Samples, base: Samples) -> str:
    """The median of a/b over rounds in which both were measured."""
    if not base:
        return "-"
    return f"{statistics.median(a / b for a, b in zip(samples, base, strict=True)):.2f}"


def _print(title: str, head: list[str], rows: Rows) -> None:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    print(f"\n{title}\n")
    for row in (head, _rule(widths), *rows):
        first, *rest = zip(row, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(text.rjust(width) for text, width in rest)]
        print("| " + " | ".join(cells) + " |")


def _rule(widths: list[int]) -> list[str]:
    """The line below a table's head: the first column to the left, figures to the right."""
    first, *rest = widths
    return ["-" * first, *("-" * (width - 1) + ":" for width in rest)]
