"""Starting the tools, each in the same isolated environment, and ending what is left."""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import proc
import stub
from tools import Tool

LIMIT = 60.0  # seconds for a tool to start or end a command that is free to
ROUNDS = 50  # looks for processes that are left at the end
# Variables that are not handed on.
OURS = ("XDG_", "PYTHON", "HOSTGATE_", "PARALLEL", "TS_", "NQ", "TASK_QUEUE_", "PEERS_")


class Stuck(Exception):
    """A tool did not do within LIMIT what it was free to do."""


class Run(NamedTuple):
    """A program to run to its end, where, with what on its standard input, and what follows."""

    argv: list[str]
    tool: Tool | None = None
    place: Path | None = None
    given: Path | None = None
    after: Callable[[], None] = lambda: None


class Bench:
    """One run of the benchmark: its directory, its tools, and the processes it started.

    The commands work in ``work``, which is a repository of its own.
    """

    def __init__(self, root: Path, tools: list[Tool], seed: int) -> None:
        self.root = root
        self.tools = tools
        self.random = random.Random(seed)
        self.started: set[int] = set()  # and not yet reaped
        self.stub, self.stub_kind = stub.build(root)
        self.work = self.project("work")
        self.env = self._environment()
        self._null = os.open(os.devnull, os.O_RDWR)
        self._count = 0
        os.chdir(self.work)

    def _environment(self) -> dict[str, str]:
        home = self.root / "home"
        (self.root / "run").mkdir(mode=0o700)
        env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        env |= {"HOME": str(home), "TMPDIR": str(self.root)}
        for kind in ("CONFIG", "STATE", "DATA", "CACHE"):
            folder = home / f".{kind.lower()}"
            folder.mkdir(parents=True)
            env[f"XDG_{kind}_HOME"] = str(folder)
        return env | {"XDG_RUNTIME_DIR": str(self.root / "run")}

    def project(self, name: str) -> Path:
        """A new directory that is a project for hostgate."""
        folder = self.root / name
        (folder / ".git").mkdir(parents=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        return folder

    def number(self) -> int:
        """A number that this run has not used yet."""
        self._count += 1
        return self._count

    def hostgates(self) -> list[Tool]:
        return [tool for tool in self.tools if tool.is_hostgate]

    def mark(self, tool: Tool, role: str) -> str:
        return f"{self.root}:{tool.name}:{role}"

    def spawn(
        self,
        argv: list[str],
        tool: Tool | None,
        role: str = "run",
        told: dict[str, str] | None = None,
        given: Path | None = None,
        terminal: str = "",
    ) -> int:
        """Start a program in a process group of its own, its input and output nowhere, or on a
        terminal which it then controls; ``given`` is the file that is its input instead.
        """
        env = self.env | (told or {})
        if tool is not None:
            env |= tool.env | {proc.MARK: self.mark(tool, role)}
        actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, terminal or str(given or os.devnull), os.O_RDWR, 0)
        ]
        if terminal:
            actions += [(os.POSIX_SPAWN_DUP2, 0, fd) for fd in (1, 2)]
            pid = os.posix_spawnp(argv[0], argv, env, file_actions=actions, setsid=True)
        else:
            actions += [(os.POSIX_SPAWN_DUP2, self._null, fd) for fd in (1, 2)]
            pid = os.posix_spawnp(argv[0], argv, env, file_actions=actions, setpgroup=0)
        self.started.add(pid)
        return pid

    def wait(self, pid: int) -> int:
        """The exit code of a spawned process."""
        fd = os.pidfd_open(pid)
        ended, _, _ = select.select([fd], [], [], LIMIT)
        os.close(fd)
        if not ended:
            raise Stuck(f"a process did not end within {LIMIT:g} s")
        return self._reap(pid)

    def run(self, run: Run) -> float:
        """Run something to its end; ms."""
        os.chdir(run.place or self.work)
        begin = time.perf_counter_ns()
        code = self.wait(self.spawn(run.argv, run.tool, given=run.given))
        ms = (time.perf_counter_ns() - begin) / 1e6
        os.chdir(self.work)
        if code:
            raise Stuck(f"exit status {code} of {' '.join(run.argv)}")
        run.after()
        return ms

    def servers(self, stopping: bool = False) -> None:
        for tool in self.tools:
            if argv := tool.stop if stopping else tool.start:
                self.wait(self.spawn([*argv], tool, "server"))

    def end_all(self) -> None:
        """Kill what this run started and has not seen end, wherever it went."""
        for _ in range(ROUNDS):  # what was just about to start something may have done so
            pids = self.started | set(proc.marked(f"{self.root}:"))
            if not pids:
                break
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for pid in list(self.started):
                self._reap(pid)
            time.sleep(0.02)
        os.chdir("/")

    def _reap(self, pid: int) -> int:
        _, status = os.waitpid(pid, 0)
        self.started.discard(pid)
        return os.waitstatus_to_exitcode(status)
