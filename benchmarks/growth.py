#!/usr/bin/env python3
"""How the cost of a transaction grows: with live claims, with the history, with waiters.

    growth.py [HOSTGATE] [--rounds N] [--releases N]

HOSTGATE is the program to measure (default: the one on PATH). Starts are told as ratios to
``python -c pass`` of the interpreter that its first line names, in random order within a round.
Everything lies in a temporary directory, and ends with it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from table import Row, Table, interleave, short, show
from tools import interpreter

LIVE = [0, 10, 100, 1000]
WAITERS = [(10, 1), (100, 1), (100, 10), (500, 1)]  # and lanes; select(2) knows 1024 descriptors
FLOOR = "python -c pass"
OURS = ("PYTHON", "HOSTGATE_", "XDG_")

# Claims of this one process, each with its lock held and a project of its own: as many live runs
# cost the others. With lanes, the first one runs on all of them, and the others wait for it, each
# on one lane and with its pipe: on its end, the first waiter of each lane is to be woken.
POPULATE = """
import resource, sys, time
from hostgate.core.claims import RUNNING, WAITING
from hostgate.gate import Gate
from hostgate.host.store import FileStore
count, width = int(sys.argv[1]), int(sys.argv[2])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
store = FileStore(sys.argv[3])
lanes = [f"lane{at}" for at in range(width)]
def claim(at):
    mine = lanes[at % width :][:1] if width and at else lanes
    return store.new_claim(f"s{at}", f"title of {at}", f"/project/{at}", "swift build", mine)
claims = [claim(at) for at in range(count)]
holds, bells = [], []
def register(registry):
    for at, one in enumerate(claims):
        one.state = WAITING if width and at else RUNNING
        one.epoch = registry.next_epoch()
        one.reading
        registry.claims.append(one)
        holds.append(store.hold(one))
        if one.state == WAITING:
            bells.append(store.bell(one))
store.transact(register)
print("ready", flush=True)
if width:
    sys.stdin.readline()
    gate = Gate(store, claims[0], [], print)
    gate.hold = holds[0]
    begin = time.perf_counter()
    gate.end("ran", 0)
    seconds = time.perf_counter() - begin
    rung = [at for at, bell in enumerate(bells, 1) if bell.wait(0, sys.stdin.fileno())]
    print(seconds * 1000, len(rung), rung == [*range(1, width + 1)], flush=True)
sys.stdin.readline()
"""

# One claim and its end, without the start of an interpreter.
TRANSACT = """
import sys, time
from hostgate.gate import Gate
from hostgate.host.store import FileStore
store = FileStore(sys.argv[1])
times = []
for at in range(int(sys.argv[2])):
    gate = Gate(store, store.new_claim("s", "t", "/mine", "make", []), [], print)
    begin = time.perf_counter()
    gate.begin()
    gate.end("ran", 0)
    times.append(time.perf_counter() - begin)
print(sorted(times)[len(times) // 2] * 1000)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hostgate", nargs="?", default=shutil.which("hostgate"))
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--releases", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="growth-") as folder:
        bench = Bench(Path(folder), asked.hostgate, interpreter(asked.hostgate)[0])
        live(bench, asked.rounds)
        releases(bench, asked.releases)


class Bench:
    """States of their own, a project, and what is started in them."""

    def __init__(self, root: Path, hostgate: str, python: str) -> None:
        self.root = root
        self.hostgate = hostgate
        self.python = python
        self.project = root / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        self.environment["HOME"] = str(root)
        self._states = 0

    def state(self) -> str:
        self._states += 1
        return str(self.root / f"state{self._states}")

    def start(self, argv: list[str], state: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            argv, cwd=self.project, env=self.environment | {"HOSTGATE_HOME": state} | more,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def out(self, argv: list[str], state: str) -> str:
        process = self.start(argv, state)
        text, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{argv[:3]} exited with {process.returncode}")
        return text

    def timed(self, argv: list[str], state: str) -> float:
        """The ms of a program."""
        begin = time.perf_counter()
        self.out(argv, state)
        return (time.perf_counter() - begin) * 1000

    @contextlib.contextmanager
    def populated(self, count: int, width: int, state: str) -> Iterator[subprocess.Popen[str]]:
        """Have so many claims in a state until the end."""
        process = self.start([self.python, "-c", POPULATE, str(count), str(width), state], state)
        assert process.stdout
        if process.stdout.readline() != "ready\n":
            raise SystemExit("the claims could not be made")
        try:
            yield process
        finally:
            process.communicate("\n\n")


def live(bench: Bench, rounds: int) -> None:
    """A claim and its end beside live claims of other projects."""
    run = [bench.hostgate, "run", "--", "true"]
    measures: dict[str, Callable[[], float]] = {
        FLOOR: partial(bench.timed, [bench.python, "-c", "pass"], "")
    }
    states = {f"{count} live claims": (count, bench.state()) for count in LIVE}
    states["10 live claims, 1 MB of history"] = (10, bench.state())
    with contextlib.ExitStack() as stack:
        for name, (count, state) in states.items():
            stack.enter_context(bench.populated(count, 0, state))
            if "history" in name:
                line = '{"id":"a","epoch":1,"waited":0,"ran":1,"command":"' + "x" * 400 + '"}\n'
                (Path(state) / "history.jsonl").write_text(line * (1000_000 // len(line)))
            measures[name] = partial(bench.timed, run, state)
        table = interleave(rounds, measures)
        for name, (_, state) in states.items():
            inside = bench.out([bench.python, "-c", TRANSACT, state, str(rounds)], state)
            table[name].facts["in process"] = short(float(inside))
            table[name].against["its python"] = FLOOR
    show("Claim and end beside live claims of other projects: ms", table)


def releases(bench: Bench, rounds: int) -> None:
    """A release that lets one waiter in, or one of each lane."""
    table: Table = {}
    for count, width in WAITERS:
        row = table[f"{count} waiters on {width} lane{'s' * (width > 1)}"] = Row()
        found = []
        for number in range(rounds):
            with bench.populated(count + 1, width, bench.state()) as process:
                assert process.stdin and process.stdout
                process.stdin.write("\n")
                process.stdin.flush()
                ms, woken, right = process.stdout.readline().split()
            row.samples[number] = float(ms)
            found.append((int(woken), right == "True"))
        row.facts["woken"] = " ".join(str(one) for one in sorted({woken for woken, _ in found}))
        row.facts["those it admits"] = "yes" if all(right for _, right in found) else "no"
    show("A release with many waiters behind it, in process: ms", table)


if __name__ == "__main__":
    main()
