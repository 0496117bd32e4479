"""Mixed load for hours, without any harm: what it costs must not grow."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import psutil
from support import DEADLINE, Host

EVERY = 5.0  # seconds between two samples
WORDS = (
    "run -- true",
    "run -c 'exit 3'",
    "run --lane soak -- sleep 0.05",
    "run --on-conflict wait -- make -v",
    "run --on-conflict cancel -- make -v",
    "run --record -- make -v",
    "check -- make",
    "ls --json",
    "history --json",
    "hold -- make",
)


class Soak:
    """A holder and a waiter that stay, and short commands beside them."""

    def __init__(self, host: Host) -> None:
        self.host = host
        latch = host.latch()
        self.stay = [host.start("run", "--", latch.command, session="A")]
        latch.until_started()
        words = ("run", "--on-conflict", "wait", "--wait-timeout", "100h", "--", latch.command)
        self.stay.append(host.start(*words, session="B"))
        host.until_claims(running=1, waiting=1)

    def go(self, seconds: float) -> list[dict[str, float]]:
        """Load the host for so long; the samples taken meanwhile."""
        samples: list[dict[str, float]] = []
        end = time.monotonic() + seconds
        due = time.monotonic() + EVERY
        while time.monotonic() < end:
            self.load()
            if time.monotonic() >= due:
                samples.append(self.sample())
                due += EVERY
        return samples

    def load(self) -> None:
        started = []
        for at in range(4):
            folder = self.host.folder / f"p{random.randrange(4)}"
            (folder / ".git").mkdir(parents=True, exist_ok=True)
            script = f"hostgate {random.choice(WORDS)} || :"
            process = subprocess.Popen(
                ["/bin/sh", "-c", script],
                cwd=folder,
                env=self.host.environment | {"HOSTGATE_SESSION": f"s{at}"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            started.append(process)
        for process in started:
            process.wait(DEADLINE)

    def sample(self) -> dict[str, float]:
        """A start as a ratio to the interpreter's own, MiB of who stays, files and their MiB."""
        ratios = []
        for _ in range(5):
            bare = self.timed([sys.executable, "-c", "pass"])
            ratios.append(self.timed(["hostgate", "run", "--", "true"]) / bare)
        # recorded runs are kept for a day, and bounded in number and size
        files = [
            path
            for path in self.host.state.rglob("*")
            if path.is_file() and path.parent.name != "runs"
        ]
        resident = [psutil.Process(one.pid).memory_info().rss for one in self.stay]
        return {
            "start": sorted(ratios)[2],
            "memory": sum(resident) / 2**20,
            "files": float(len(files)),
            "bytes": sum(path.stat().st_size for path in files) / 2**20,
        }

    def timed(self, argv: list[str]) -> float:
        begin = time.perf_counter()
        subprocess.run(
            argv, cwd=self.host.project, env=self.host.environment, check=True, timeout=DEADLINE
        )
        return time.perf_counter() - begin
