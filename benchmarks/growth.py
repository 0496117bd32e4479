#!/usr/bin/env python3
"""How the cost grows: with live claims, with the history, with waiters.

    growth.py [HOSTGATE] [--rounds N] [--drains N] [--waiters 20,100,200]

HOSTGATE is the program to measure (default: the one on PATH). Starts are told as ratios to
``python -c pass`` of the interpreter that its first line names, in random order within a round.
Everything lies in a temporary directory, and ends with it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

LIVE = [0, 10, 100, 1000]
OURS = ("PYTHON", "HOSTGATE_", "XDG_")

# Claims of this one process, each with its lock held and a project of its own: as many live runs
# cost the others. "wait" has them stand in one queue instead, each with its pipe, behind a run.
POPULATE = """
import resource, select, sys, time
from hostgate.core.claims import RUNNING, WAITING
from hostgate.gate import Gate
from hostgate.host.store import FileStore
count, kind = int(sys.argv[1]), sys.argv[2]
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
store = FileStore(sys.argv[3])
def claim(at):
    place = "/queue" if kind == "wait" else f"/project/{at}"
    return store.new_claim(f"s{at}", f"title of {at}", place, "swift build", [])
claims = [claim(at) for at in range(count)]
holds, bells = [], []
def register(registry):
    for at, one in enumerate(claims):
        one.state = WAITING if kind == "wait" and at else RUNNING
        one.epoch = registry.next_epoch()
        one.reading
        registry.claims.append(one)
        holds.append(store.hold(one))
        if one.state == WAITING:
            bells.append(store.bell(one))
store.transact(register)
print("ready", flush=True)
if kind == "wait":
    sys.stdin.readline()
    gate = Gate(store, claims[0], [], print)
    gate.hold = holds[0]
    begin = time.perf_counter()
    gate.end("ran", 0)
    seconds = time.perf_counter() - begin
    rung = sum(bell.wait(0, sys.stdin.fileno()) != b"" for bell in bells)
    print(seconds * 1000, rung, flush=True)
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
    parser.add_argument("--drains", type=int, default=3)
    parser.add_argument("--waiters", default="20,100,200")
    asked = parser.parse_args()
    python = Path(asked.hostgate).read_text().splitlines()[0].removeprefix("#!").strip()
    with tempfile.TemporaryDirectory(prefix="growth-") as folder:
        bench = Bench(Path(folder), asked.hostgate, python)
        live(bench, asked.rounds)
        releases(bench, asked.drains)
        print(f"\nReal waiters on one lane, drained: medians of {asked.drains}\n")
        print("    waiters   ms each   out of order   ran together")
        for count in asked.waiters.split(","):
            drains(bench, int(count), asked.drains)


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
        begin = time.perf_counter()
        self.out(argv, state)
        return time.perf_counter() - begin

    @contextlib.contextmanager
    def populated(self, count: int, kind: str, state: str) -> Iterator[subprocess.Popen[str]]:
        """Have so many claims in a state until the end."""
        process = self.start([self.python, "-c", POPULATE, str(count), kind, state], state)
        assert process.stdout
        if process.stdout.readline() != "ready\n":
            raise SystemExit("the claims could not be made")
        try:
            yield process
        finally:
            process.communicate("\n\n")


def live(bench: Bench, rounds: int) -> None:
    print(f"Claim and end beside live claims of other projects: medians of {rounds} rounds\n")
    print("    live   history   ms in process   ms   x python -c pass   10th..90th")
    with contextlib.ExitStack() as stack:
        states = {(count, 0): bench.state() for count in LIVE}
        states[10, 1] = bench.state()
        for (count, history), state in states.items():
            stack.enter_context(bench.populated(count, "run", state))
            if history:
                line = '{"id":"a","epoch":1,"waited":0,"ran":1,"command":"' + "x" * 400 + '"}\n'
                (Path(state) / "history.jsonl").write_text(line * (1000_000 // len(line)))
        ratios: dict[tuple[int, int], list[float]] = {key: [] for key in states}
        times: dict[tuple[int, int], list[float]] = {key: [] for key in states}
        for _ in range(rounds):
            bare = bench.timed([bench.python, "-c", "pass"], "")
            for key in random.sample(list(states), len(states)):
                seconds = bench.timed([bench.hostgate, "run", "--", "true"], states[key])
                times[key].append(seconds)
                ratios[key].append(seconds / bare)
        for (count, history), state in states.items():
            inside = float(bench.out([bench.python, "-c", TRANSACT, state, str(rounds)], state))
            each = sorted(ratios[count, history])
            low, high = each[len(each) // 10], each[len(each) * 9 // 10]
            print(
                f"    {count:4}   {'1 MB' if history else '0':>7}   {inside:13.2f}"
                f"   {statistics.median(times[count, history]) * 1000:.1f}"
                f"   {statistics.median(each):.2f}   {low:.2f}..{high:.2f}"
            )


def releases(bench: Bench, rounds: int) -> None:
    print(f"\nA release with many waiters behind it, in process: medians of {rounds}\n")
    print("    waiters   ms   woken")
    for count in (10, 100, 500):  # select(2) knows 1024 descriptors
        found = []
        for _ in range(rounds):
            with bench.populated(count + 1, "wait", bench.state()) as process:
                assert process.stdin and process.stdout
                process.stdin.write("\n")
                process.stdin.flush()
                found.append(process.stdout.readline().split())
        woken = {int(one[1]) for one in found}
        print(f"    {count:7}   {statistics.median(float(one[0]) for one in found):.2f}   {woken}")


def drains(bench: Bench, count: int, rounds: int) -> None:
    """Real waiters on one lane, each of which notes its start and its end."""
    spans, out_of_order, together = [], 0, 0
    for _ in range(rounds):
        state = bench.state()
        log, latch = Path(f"{state}.log"), f"{state}.latch"
        os.mkfifo(latch)
        words = [bench.hostgate, "run", "--strict", "--quiet", "--lane", "one", "-c"]
        note = "echo $HOSTGATE_SESSION >>"
        patient = {"HOSTGATE_ON_CONFLICT": "wait", "HOSTGATE_WAIT_TIMEOUT": "1h"}
        runs = [bench.start([*words, f"read line < {latch}"], state, HOSTGATE_SESSION="h")]
        _until(state, running=1)
        for at in range(count):
            argv = [*words, f"{note} {log}; {note} {log}"]
            runs.append(bench.start(argv, state, HOSTGATE_SESSION=str(at), **patient))
            _until(state, running=1, waiting=at + 1)
        time.sleep(1.5)  # until the last of them does nothing but wait
        begin = time.perf_counter()
        Path(latch).write_text("\n")
        for run in runs:
            run.communicate()
        spans.append(time.perf_counter() - begin)
        noted = [int(line) for line in log.read_text().split()]
        starts = list(dict.fromkeys(noted))
        out_of_order += sum(a > b for a, b in pairwise(starts))
        together += sum(a != b for a, b in zip(noted[::2], noted[1::2], strict=True))
        if sorted(starts) != list(range(count)):
            raise SystemExit("not every waiter has run")
    each = statistics.median(spans) * 1000 / count
    print(f"    {count:7}   {each:.2f}   {out_of_order}   {together}")


def _until(state: str, **wanted: int) -> None:
    """Wait until the registry has so many claims of these states."""
    path = Path(state, "registry.json")
    while True:
        claims = json.loads(path.read_text())["claims"] if path.exists() else []
        states = [claim["state"] for claim in claims]
        if all(states.count(name) == count for name, count in wanted.items()):
            return
        time.sleep(0.002)


if __name__ == "__main__":
    main()
