"""Dozens of hostgates under kills, stops, full disks and a registry that is cut off under them.

What happened is judged afterwards, from what the commands themselves wrote down: a log of starts
and ends, and a lock that each command tries to take for itself.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
from support import DEADLINE, HOSTGATE, Host, until

MOST = 16  # runs at a time
PACE = 0.03  # seconds between two deeds
GROUPS = ("one", "two", "three", "lane")  # of which two commands must not overlap
COMMAND = """#!{python}
import fcntl, os, resource, sys, time
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
folder, group, name = "{folder}", os.environ["GROUP"], os.environ["NAME"]
log = os.open(folder + "/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
def note(what):
    os.write(log, f"{{what}} {{group}} {{name}} {{time.monotonic()}} {{os.getpid()}}\\n".encode())
own = os.open(folder + "/" + group, os.O_WRONLY | os.O_CREAT, 0o600)
try:
    fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    note("overlap")
note("start")
time.sleep(float(os.environ["SECONDS"]))
fcntl.flock(own, fcntl.LOCK_UN)  # what ends after its last word is no overlap
note("end")
"""


@dataclass
class Run:
    """One ``hostgate run``, and what was done to it."""

    name: str
    group: str
    process: subprocess.Popen[str]
    err: Path
    harmed: float = 0.0  # when it, or its command, was killed or interrupted
    disturbed: bool = False  # it was stopped, or its disk was full
    is_full: bool = False  # its disk is, from the first moment on: it cannot be gated
    started: float = 0.0
    ended: float = 0.0
    starts: int = 0
    pids: list[int] = field(default_factory=list)

    @property
    def is_gated(self) -> bool:
        return not self.is_full and "running ungated" not in self.err.read_text(errors="replace")

    @property
    def span(self) -> tuple[float, float]:
        """While it surely ran."""
        return self.started, self.ended or self.harmed or self.started


class Chaos:
    """The deeds, at random, and the judgement."""

    def __init__(self, host: Host, folder: Path, seed: int) -> None:
        self.host = host
        self.folder = folder
        self.random = random.Random(seed)
        self.runs: list[Run] = []
        self.readers: list[subprocess.Popen[str]] = []
        self.stopped: list[tuple[float, psutil.Process]] = []
        self.limited: list[tuple[float, int]] = []
        folder.mkdir()
        self.command = folder / "build.py"
        self.command.write_text(COMMAND.format(python=sys.executable, folder=folder))
        self.command.chmod(0o755)
        for group in GROUPS:
            (folder / "at" / group / ".git").mkdir(parents=True)
            (folder / "at" / group / ".git/HEAD").write_text("ref: refs/heads/main\n")

    # the deeds

    def go(self, seconds: float) -> None:
        deeds = (
            *[self.start] * 12,
            *[self.read] * 3,
            *(self.kill, self.kill, self.interrupt, self.stop, self.fill_disk),
        )
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            # a registry that is rebuilt forgets what is gone, so in the second half nobody cuts it
            cuts = self.random.random() < 0.05 and end - now > seconds / 2
            (self.cut_registry if cuts else self.random.choice(deeds))()
            self.undo(time.monotonic())
            time.sleep(PACE * self.random.random())

    def alive(self) -> list[Run]:
        return [run for run in self.runs if run.process.poll() is None]

    def start(self) -> None:
        if len(self.alive()) >= MOST:
            return
        name, group = f"r{len(self.runs)}", self.random.choice(GROUPS)
        words = [HOSTGATE, "run", "--on-conflict", "wait", "--wait-timeout", "10m"]
        if group == "lane":  # one command in several projects, which only the lane keeps apart
            words += ["--lane", "chaos", "--project", str(self.folder / "at" / name)]
        words += ["--", str(self.command)]
        full = self.random.random() < 0.05
        if full:  # a disk that is full from the first moment on
            words = ["/bin/sh", "-c", 'ulimit -S -f 0; exec "$@"', "sh", *words]
        err = self.folder / f"{name}.err"
        seconds = 0.3 * self.random.random() ** 2
        with err.open("w") as file:
            process = subprocess.Popen(
                words,
                cwd=self.folder / "at" / group,
                env={
                    **self.host.environment,
                    "HOSTGATE_SESSION": name,
                    "GROUP": group,
                    "NAME": name,
                    "SECONDS": f"{seconds:.3f}",
                },
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                text=True,
                start_new_session=True,
            )
        self.host.processes.append(process)
        run = Run(name, group, process, err, disturbed=full, is_full=full)
        self.runs.append(run)
        until(lambda: self.has_arrived(run), f"the arrival of {name}")

    def has_arrived(self, run: Run) -> bool:
        self.undo(time.monotonic())
        if run.process.poll() is not None or f" {run.name} " in self.log():
            return True
        try:
            document = json.loads((self.host.state / "registry.json").read_text())
        except (OSError, ValueError):
            return False
        return any(claim["session"] == run.name for claim in document["claims"])

    def read(self) -> None:
        self.readers = [one for one in self.readers if one.poll() is None]
        if len(self.readers) < 3:
            verb = self.random.choice(
                (["ls", "--json"], ["history", "--json"], ["check", "--", "x"])
            )
            self.readers.append(self.host.start(*verb, session="reader"))

    def kill(self) -> None:
        """A SIGKILL for a hostgate, for a command, for both, or for a reader."""
        if self.readers and self.random.random() < 0.2:
            self.readers.pop().kill()
            return
        if not (runs := self.alive()):
            return
        run = self.random.choice(runs)
        what = self.random.choice(("hostgate", "command", "both"))
        run.harmed = run.harmed or time.monotonic()
        try:
            children = psutil.Process(run.process.pid).children()
            if what == "both":
                os.killpg(run.process.pid, signal.SIGKILL)
            elif what == "hostgate":
                run.process.kill()
            elif children:
                children[0].kill()
        except (psutil.Error, ProcessLookupError):
            pass  # it has just ended

    def interrupt(self) -> None:
        """Ctrl-C, which reaches the whole process group."""
        if runs := self.alive():
            run = self.random.choice(runs)
            run.harmed = run.harmed or time.monotonic()
            self.signal_group(run, signal.SIGINT)

    def signal_group(self, run: Run, number: int) -> None:
        try:
            os.killpg(run.process.pid, number)
        except ProcessLookupError:
            pass  # it has just ended

    def stop(self) -> None:
        if runs := self.alive():
            run = self.random.choice(runs)
            run.disturbed = True
            try:
                process = psutil.Process(run.process.pid)
                process.suspend()
            except psutil.Error:
                return
            self.stopped.append((time.monotonic() + self.random.random(), process))

    def fill_disk(self) -> None:
        """For a while the files of a run's hostgate do not grow."""
        if hasattr(resource, "prlimit") and (runs := self.alive()):
            run = self.random.choice(runs)
            run.disturbed = True
            try:
                resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (16, -1))
            except ProcessLookupError:
                return
            self.limited.append((time.monotonic() + self.random.random() / 2, run.process.pid))

    def cut_registry(self) -> None:
        path = self.host.state / "registry.json"
        try:
            os.truncate(path, self.random.choice((0, path.stat().st_size // 2)))
        except OSError:
            pass  # there is none

    def undo(self, now: float) -> None:
        """Let go on what was stopped long enough, and have room again."""
        for entry in [one for one in self.stopped if one[0] <= now]:
            self.stopped.remove(entry)
            try:
                entry[1].resume()
            except psutil.Error:
                pass
        for limit in [one for one in self.limited if one[0] <= now]:
            self.limited.remove(limit)
            try:
                resource.prlimit(limit[1], resource.RLIMIT_FSIZE, (-1, -1))
            except ProcessLookupError:
                pass

    # the judgement

    def finish(self) -> None:
        """Let everything come to its end."""
        self.undo(float("inf"))
        until(lambda: not self.alive(), f"the end of {[run.name for run in self.alive()]}")
        until(lambda: not self.commands(), "the end of the orphans")
        for run in self.runs:
            self.host.processes.remove(run.process)
        # who comes next sweeps up what was killed
        assert self.host.run("run", "--", "true").returncode == 0
        for line in self.log().splitlines():
            what, _, name, at, pid = line.split()
            run = self.runs[int(name[1:])]
            if what == "start":
                run.started, run.starts = float(at), run.starts + 1
                run.pids.append(int(pid))
            elif what == "end":
                run.ended = float(at)

    def commands(self) -> list[int]:
        """The commands that still run."""
        marked = str(self.command)
        return [
            one.pid
            for one in psutil.process_iter(["cmdline"])
            if marked in (one.info["cmdline"] or []) and one.status() != psutil.STATUS_ZOMBIE
        ]

    def log(self) -> str:
        try:
            return (self.folder / "log").read_text()
        except FileNotFoundError:
            return ""

    def overlaps(self) -> list[str]:
        """Two of one group that ran at once, by their log; who was not gated does not count."""
        found = []
        for group in GROUPS:
            spans = sorted(
                (*run.span, run.name)
                for run in self.runs
                if run.group == group and run.starts and run.is_gated
            )
            found += [f"{a} {b}" for a, b in pairwise(spans) if b[0] < a[1]]
        return found

    def collisions(self) -> list[str]:
        """Two of one group that ran at once, by the lock that each took for itself."""
        outside = [run for run in self.runs if run.starts and not run.is_gated]
        found = []
        for line in self.log().splitlines():
            what, group, name, text, _ = line.split()
            at, run = float(text), self.runs[int(name[1:])]
            excused = any(
                one.group == group and one.span[0] - 0.1 <= at and (at <= one.span[1] or one.harmed)
                for one in outside
            )
            if what == "overlap" and run.is_gated and not excused:
                found.append(line)
        return found

    def inversions(self) -> list[str]:
        """Who came later and started earlier, of those that nothing was done to."""
        calm = [run for run in self.runs if run.starts and run.is_gated and not run.disturbed]
        found = []
        for group in GROUPS:
            line = [run for run in calm if run.group == group]
            found += [f"{a.name} {b.name}" for a, b in pairwise(line) if b.started < a.started]
        return found

    def miscounted(self) -> list[str]:
        """What ran twice, or, unharmed, not exactly once to its end with its own code."""
        twice = [run.name for run in self.runs if run.starts > 1]
        whole = [run for run in self.runs if not run.harmed]
        return twice + [
            f"{run.name}: {run.starts} starts, code {run.process.returncode}"
            for run in whole
            if (run.starts, run.process.returncode) != (1, 0) or not run.ended
        ]

    def leftovers(self) -> list[Any]:
        """Claims, files and processes that are still there."""
        state = self.host.state
        document = json.loads((state / "registry.json").read_text())
        files = [path.name for path in (state / "claims").iterdir()]
        files += [path.name for path in state.rglob("*.new")]
        return [*document["claims"], *files, *self.processes()]

    def processes(self) -> list[str]:
        found = []
        for one in psutil.process_iter():
            try:
                if one.environ().get("HOSTGATE_HOME") == str(self.host.state):
                    found.append(" ".join(one.cmdline()))
            except psutil.Error:
                continue
        return found


def wait_for_none(chaos: Chaos) -> list[Any]:
    """What is left when it has had time to go."""
    deadline = time.monotonic() + DEADLINE
    while (left := chaos.leftovers()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
