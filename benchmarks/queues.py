"""A holder of one tool's lock and the waiters behind it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import proc
import stub
from bench import LIMIT, Bench, Stuck
from tools import Tool

STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")  # colours and movements of the cursor


class Queue:
    """A holder, which keeps the lock until it is let go or killed, and waiters behind it."""

    def __init__(self, bench: Bench, tool: Tool) -> None:
        self.bench, self.tool = bench, tool
        number = bench.number()
        self.log, self.fifo = bench.root / f"log{number}", bench.root / f"fifo{number}"
        self.log.touch()
        os.mkfifo(self.fifo)
        self.pids: list[int] = []
        self._add("holder", "holder", str(self.fifo))
        self._until(partial(self._has, "start holder "), "start")

    def add_waiter(self) -> None:
        self._add(f"w{len(self.pids)}", "waiter")

    def add_waiting(self, stagger: float) -> None:
        """A waiter that has its place before this returns: of hostgate the registry tells it,
        the others have so many seconds.
        """
        self.add_waiter()
        if not self.tool.is_hostgate:
            time.sleep(stagger)
            return
        registry = Path(self.tool.env["HOSTGATE_HOME"], "registry.json")
        self._until(
            lambda: len(json.loads(registry.read_text())["claims"]) == len(self.pids), "place"
        )

    def add_asked(self) -> None:
        """A waiter on a terminal, whose person has chosen Wait from the menu."""
        terminal = Terminal()
        self._add(f"w{len(self.pids)}", "waiter", terminal=terminal)
        self._until(lambda: "[w] Wait" in terminal.text, "question")
        terminal.type("w")
        self._until(lambda: "waiting" in terminal.text, "waiting line")

    def release(self) -> list[dict[str, int]]:
        """Let the holder end and all run; their stamps in ns, holder first."""
        os.close(os.open(self.fifo, os.O_WRONLY))
        return self._ended(["holder", *self._waiters()])

    def kill(self) -> float:
        """Kill the holder with its command; the seconds until the only waiter starts."""
        everything = proc.marked(self.bench.mark(self.tool, "holder"))
        begin = time.monotonic_ns()
        os.killpg(self.pids[0], signal.SIGKILL)
        for pid in everything:  # some put the command into a group or session of its own
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        (waiter,) = self._ended(self._waiters())
        return (waiter["start"] - begin) / 1e9

    def _ended(self, labels: list[str]) -> list[dict[str, int]]:
        for pid in self.pids:
            self.bench.wait(pid)
        for label in labels:  # nq's command may end after nq
            self._until(partial(self._has, f"end {label} "), "end")
        found = stub.stamps(self.log.read_text())
        self.log.unlink()
        self.fifo.unlink()
        return [found[label] for label in labels]

    def _has(self, stamp: str) -> bool:
        return stamp in self.log.read_text()

    def _waiters(self) -> list[str]:
        return [f"w{at}" for at in range(1, len(self.pids))]

    def _add(self, label: str, role: str, fifo: str = "", terminal: Terminal | None = None) -> None:
        number = self.bench.number()
        argv = self.tool.wrap([self.bench.stub], f"s{number}")
        told = {stub.LOG: str(self.log), stub.LABEL: label, stub.FIFO: fifo}
        if self.tool.apart:
            told["HOSTGATE_PROJECT"] = str(self.bench.project(f"project{number}"))
        path = terminal.path if terminal else ""
        if terminal:
            told |= {"TERM": "xterm-256color", "COLUMNS": "120"}
        self.pids.append(self.bench.spawn(argv, self.tool, role, told, terminal=path))

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        limit = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > limit:
                raise Stuck(f"{self.tool.name}: no {what} within {LIMIT:g} s")
            for pid in self.bench.started.intersection(self.pids):
                ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended and ended.si_status:
                    raise Stuck(f"{self.tool.name}: exit status {ended.si_status}")
            time.sleep(0.005)


class Terminal:
    """A pseudo-terminal on which one program is shown; what it writes is read as it comes."""

    def __init__(self) -> None:
        self._fd, self._inner = os.openpty()  # the inner end is kept, so that none comes too early
        self.path = os.ttyname(self._inner)
        self.text = ""
        threading.Thread(target=self._read, daemon=True).start()

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def _read(self) -> None:
        while data := os.read(self._fd, 4096):
            self.text += STYLE.sub("", data.decode(errors="replace"))
