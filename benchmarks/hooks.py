#!/usr/bin/env python3
"""What an agent's command pays for the gate: its hook, and the hold in front of it.

    hooks.py [HOSTGATE] [--rounds N]

HOSTGATE is the program to measure (default: the one on PATH). Starts are told as ratios to
``python -c pass`` of the interpreter that its first line names, taken round by round in random
order. Everything lies in a temporary directory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

UNGATED = [
    "ls -la",
    "git status && rg -n main src | head -20",
    "sed -n '1,80p' $(git ls-files | head -1)",
]
GATED = ["make", "cd sub && make -j4 2>&1 | tail -5"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hostgate", nargs="?", default=shutil.which("hostgate"))
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    python = Path(asked.hostgate).read_text().splitlines()[0].removeprefix("#!").strip()
    with tempfile.TemporaryDirectory(prefix="hooks-") as folder:
        measure(Bench(Path(folder), asked.hostgate, python), asked.rounds)


class Bench:
    """A project, a home and a state of their own, and what is started in them."""

    def __init__(self, root: Path, hostgate: str, python: str) -> None:
        self.hostgate = hostgate
        self.python = python
        self.project = root / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        ours = ("PYTHON", "HOSTGATE_", "XDG_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        self.environment |= {"HOME": str(root), "HOSTGATE_HOME": str(root / "state")}

    def timed(self, argv: list[str], given: str = "") -> float:
        begin = time.perf_counter()
        subprocess.run(
            argv, input=given, text=True, check=True, cwd=self.project, env=self.environment,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return time.perf_counter() - begin

    def bare(self) -> float:
        return self.timed([self.python, "-c", "pass"])

    def hook(self, command: str) -> Callable[[], float]:
        def once() -> float:
            payload = {
                "session_id": "S", "cwd": str(self.project), "tool_name": "Bash",
                "tool_input": {"command": command},
            }  # fmt: skip
            seconds = self.timed([self.hostgate, "hook", "claude"], json.dumps(payload))
            self.clear()
            return seconds

        return once

    def hold(self) -> float:
        seconds = self.timed(["sh", "-c", f"{self.hostgate} hold -- make; :"])
        self.clear()
        return seconds

    def clear(self) -> None:
        """Wait until nothing holds or reserves a slot."""
        registry = Path(self.environment["HOSTGATE_HOME"]) / "registry.json"
        while registry.exists() and (claims := json.loads(registry.read_text())["claims"]):
            for claim in claims:
                if claim["state"] == "reserved":
                    words = [self.hostgate, "release", claim["id"]]
                    subprocess.run(words, env=self.environment, check=True)
            time.sleep(0.005)


def measure(bench: Bench, rounds: int) -> None:
    runs: dict[str, Callable[[], float]] = {"python -c pass": bench.bare}
    runs |= {f"hook, nothing to gate: {command}": bench.hook(command) for command in UNGATED}
    runs |= {f"hook, reserves: {command}": bench.hook(command) for command in GATED}
    runs["sh -c 'hostgate hold -- make'"] = bench.hold
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 2):
        for name in random.sample(list(runs), len(runs)):
            seconds = runs[name]()
            if number >= 2:  # the first ones read the files from the disk
                taken[name].append(seconds)
    bare = taken["python -c pass"]
    print(f"Median ms, x python -c pass, its 10th to 90th percentile ({rounds} rounds)\n")
    for name, times in taken.items():
        ratios = sorted(one / floor for one, floor in zip(times, bare, strict=True))
        spread = f"{ratios[len(ratios) // 10]:.2f}..{ratios[len(ratios) * 9 // 10]:.2f}"
        middle = f"{statistics.median(times) * 1e3:8.1f} {statistics.median(ratios):6.2f}"
        print(f"{middle}  {spread:>12}   {name}")


if __name__ == "__main__":
    main()
