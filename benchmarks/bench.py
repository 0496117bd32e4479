"""Starting the tools, each in the same isolated environment, and ending what is left."""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import time
from pathlib import Path

import proc
import stub
from tools import Tool

LIMIT = 60.0  # seconds for a tool to start or end a command that is free to
ROUNDS = 50  # looks for processes that are left at the end
OURS = ("XDG_", "PYTHON", "HOSTGATE_", "PARALLEL", "TS_", "NQ", "PEERS_")  # not handed on


class Stuck(Exception):
    """A tool did not do within LIMIT what it was free to do."""


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

    def shuffled(self) -> list[Tool]:
        return self.random.sample(self.tools, len(self.tools))

    def mark(self, tool: Tool, role: str) -> str:
        return f"{self.root}:{tool.name}:{role}"

    def spawn(
        self,
        argv: list[str],
        tool: Tool | None,
        role: str = "run",
        told: dict[str, str] | None = None,
    ) -> int:
        env = self.env | (told or {})
        if tool is not None:
            env |= tool.env | {proc.MARK: self.mark(tool, role)}
        quiet = [(os.POSIX_SPAWN_DUP2, self._null, fd) for fd in (0, 1, 2)]
        pid = os.posix_spawnp(argv[0], argv, env, file_actions=quiet)
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

    def time_ms(self, argv: list[str], tool: Tool | None) -> float:
        begin = time.perf_counter_ns()
        self.wait(self.spawn(argv, tool))
        return (time.perf_counter_ns() - begin) / 1e6

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


class Queue:
    """A holder of one tool's lock, which keeps it, and waiters behind it."""

    def __init__(self, bench: Bench, tool: Tool) -> None:
        self.bench, self.tool = bench, tool
        number = bench.number()
        self.log, self.fifo = bench.root / f"log{number}", bench.root / f"fifo{number}"
        self.log.touch()
        os.mkfifo(self.fifo)
        self.pids: list[int] = []
        self._add("holder", "holder", str(self.fifo))
        self._until("start holder ")

    def add_waiter(self) -> None:
        self._add(f"w{len(self.pids)}", "waiter", "")

    def release(self) -> list[dict[str, int]]:
        """Let the holder end and all run; their stamps in ns, holder first."""
        os.close(os.open(self.fifo, os.O_WRONLY))
        for pid in self.pids:
            self.bench.wait(pid)
        labels = ["holder", *(f"w{i}" for i in range(1, len(self.pids)))]
        for label in labels:
            self._until(f"end {label} ")
        found = stub.stamps(self.log.read_text())
        self.log.unlink()
        self.fifo.unlink()
        return [found[label] for label in labels]

    def _add(self, label: str, role: str, fifo: str) -> None:
        argv = self.tool.wrap([self.bench.stub], f"s{self.bench.number()}")
        told = {stub.LOG: str(self.log), stub.LABEL: label, stub.FIFO: fifo}
        self.pids.append(self.bench.spawn(argv, self.tool, role, told))

    def _until(self, text: str) -> None:
        limit = time.monotonic() + LIMIT
        while text not in self.log.read_text():
            if time.monotonic() > limit:
                raise Stuck(f"{self.tool.name}: no {text.strip()!r} within {LIMIT:g} s")
            for pid in self.bench.started.intersection(self.pids):
                ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended and ended.si_status:
                    raise Stuck(f"{self.tool.name}: exit status {ended.si_status}")
            time.sleep(0.005)
