#!/usr/bin/env python3
"""What the detector costs: its start, a comparison, and long lines.

    detector.py [PYTHON] [--rounds N]

PYTHON is an interpreter that has hostgate installed (default: this one). Starts are told as ratios
to ``python -c pass`` of the same interpreter, taken round by round in random order.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

FIRST = "import hostgate; hostgate.classify({!r})"
STARTS = {
    "python -c pass": "pass",
    "classify swift build": FIRST.format("swift build"),
    "classify cd x && make 2>&1 | tail": FIRST.format("cd x && make 2>&1 | tail"),
    "classify make -j$(nproc) (the parser loaded)": FIRST.format("make -j$(nproc)"),
}
PAIRS = [
    ("swift build", "swift test"),
    ("pytest -q", "pytest -q -x"),
    ("npm run dev", "yarn dev"),
    ("./deploy.sh staging", "./deploy.sh production"),
]
LINES = [
    "swift build",
    "cd x && make 2>&1 | tail",
    "cd app && FOO=1 timeout 600 ./gradlew build 2>&1 | tail -20",
    "make -j$(nproc)",
    "git commit -m \"$(cat <<'EOF'\nci: cargo build\nEOF\n)\"",
]
SHAPES = ["make 'a b' && ", "sudo ", "x | ", "-x ", "$(a) ", "echo a | sh; ", "for i in a; do "]
MEASURES = """
import sys, time, json
from hostgate import classify, similarity
pairs, lines, shapes = json.load(sys.stdin)

def best(run, count):
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(count):
            run()
        times.append((time.perf_counter() - begin) / count)
    return min(times)

def long_line(shape, length):
    return (shape * length)[:length]

print(json.dumps([
    [best(lambda: similarity(a, b), 2000) for a, b in pairs],
    [best(lambda: classify(line), 500) for line in lines],
    [[best(lambda: classify(long_line(shape, size)), 1) for size in (10_000, 100_000)]
     for shape in shapes],
]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="?", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    environment = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}

    def start(code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([asked.python, "-c", code], check=True, env=environment)
        return time.perf_counter() - begin

    starts(start, asked.rounds)
    measured = inside(asked.python, environment)
    print("\nSimilarity of two plain commands, the tables loaded (best of 7)\n")
    for (a, b), seconds in zip(PAIRS, measured[0], strict=True):
        print(f"{seconds * 1e6:8.1f} us   {a}  |  {b}")
    print("\nClassification, the tables (and the parser) loaded (best of 7)\n")
    for line, seconds in zip(LINES, measured[1], strict=True):
        print(f"{seconds * 1e6:8.1f} us   {line!r}")
    print("\nLong lines: 10 KB, 100 KB, and their ratio (linear: 10)\n")
    for shape, (small, large) in zip(SHAPES, measured[2], strict=True):
        print(f"{small * 1e3:8.1f} ms {large * 1e3:8.1f} ms {large / small:6.1f}   {shape!r}")


def starts(start: Callable[[str], float], rounds: int) -> None:
    """Print the median time of each start, and the median ratio to the bare interpreter's."""
    taken: dict[str, list[float]] = {name: [] for name in STARTS}
    for number in range(rounds + 2):
        for name in random.sample(list(STARTS), len(STARTS)):
            seconds = start(STARTS[name])
            if number >= 2:  # the first ones read the files from the disk
                taken[name].append(seconds)
    bare = taken["python -c pass"]
    print(f"Import and first classification: median ms, x python -c pass ({rounds} rounds)\n")
    for name, times in taken.items():
        ratios = [one / floor for one, floor in zip(times, bare, strict=True)]
        print(f"{statistics.median(times) * 1e3:8.1f} {statistics.median(ratios):6.2f}   {name}")


def inside(python: str, environment: dict[str, str]) -> list[list[Any]]:
    """What one interpreter measures of itself, the tables loaded: pairs, lines, shapes."""

    done = subprocess.run(
        [python, "-c", MEASURES],
        input=json.dumps([PAIRS, LINES, SHAPES]),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return list(json.loads(done.stdout))


if __name__ == "__main__":
    main()
