"""Figures that were taken in rounds, their ratios round by round, and how both are shown."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

WARM_UP = 3  # rounds that do not count: they read the files from the disk
SELDOM = 3  # what is slow is measured in every third round only

Samples = dict[int, float]  # round -> figure


@dataclass
class Row:
    """What one thing took. ``against`` names the rows that its samples are divided by, each
    under the heading of its column; ``facts`` are further columns.
    """

    samples: Samples = field(default_factory=dict)
    against: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)


Table = dict[str, Row]


def interleave(
    rounds: int,
    measures: Mapping[str, Callable[[], float]],
    slow: Iterable[str] = (),
    order: random.Random | None = None,
    warm_up: int = WARM_UP,
) -> Table:
    """Take each measure once a round, the slow ones seldom, in a fresh random order.

    So a change of the machine's speed falls on all of them alike.
    """
    table: Table = {name: Row() for name in measures}
    order, slow = order or random.Random(), set(slow)
    for number in range(-warm_up, rounds):
        for name in order.sample(list(measures), len(measures)):
            if name in slow and number % SELDOM:
                continue
            figure = measures[name]()
            if number >= 0:
                table[name].samples[number] = figure
    return table


def ratio(samples: Samples, base: Samples) -> str:
    """The median of the ratios of those rounds in which both were taken, and their spread."""
    ratios = [samples[number] / base[number] for number in samples if base.get(number)]
    if not ratios:
        return "-"
    low, high = percentile(ratios, 10), percentile(ratios, 90)
    return f"{statistics.median(ratios):.2f} ({low:.2f}..{high:.2f})"


def percentile(values: list[float], percent: float) -> float:
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def short(value: float) -> str:
    if 0 < abs(value) < 0.1:
        return f"{value:.2g}"
    return f"{value:.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f}"


def show(title: str, table: Table) -> None:
    """Print a table in Markdown; a ratio is a median with its 10th to 90th percentile."""
    against = list(dict.fromkeys(name for row in table.values() for name in row.against))
    facts = list(dict.fromkeys(name for row in table.values() for name in row.facts))
    lines = [["", "n", "median", "min..max", *(f"x {name}" for name in against), *facts]]
    for name, row in table.items():
        taken = list(row.samples.values())
        if not taken:
            continue
        line = [name.replace("|", "\\|"), str(len(taken)), short(statistics.median(taken))]
        line.append(f"{short(min(taken))}..{short(max(taken))}")
        bases = [table.get(row.against.get(column, ""), Row()) for column in against]
        line += [ratio(row.samples, base.samples) for base in bases]
        lines.append([*line, *(row.facts.get(column, "-") for column in facts)])
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    print(f"\n{title}\n")
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True)]
        print("| " + " | ".join(cells) + " |", flush=True)
