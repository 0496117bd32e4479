"""Real processes, files and terminals for the tests, all of which end with the test."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

HOSTGATE = str(Path(sys.executable).with_name("hostgate"))
DEADLINE = 30.0  # seconds that an event may take on a slow machine before the test fails
BUILD = "echo all: | make -sf -"  # a build that any machine with make has


def until(condition: Callable[[], object], what: str = "the condition") -> Any:
    """Wait for a condition to give a true value, and return that value."""
    deadline = time.monotonic() + DEADLINE
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come within {DEADLINE:g} s")
        time.sleep(0.01)  # the pace of looking, not a hope
    return value


class Host:
    """One machine as the tests see it: a home, a project, and processes that all end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self.home = folder / "home"
        self.home.mkdir()
        self.environment = {
            "HOME": str(self.home),
            "HOSTGATE_HOME": str(self.state),
            "PATH": f"{Path(HOSTGATE).parent}:{os.environ['PATH']}",
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "COLUMNS": "120",
        }
        self.processes: list[subprocess.Popen[str]] = []
        self._latches = 0

    def start(
        self, *words: str, session: str = "", cwd: Path | None = None, **environment: str
    ) -> subprocess.Popen[str]:
        """Start hostgate with these words, in a session of its own, without a terminal."""
        if session:
            environment["HOSTGATE_SESSION"] = session
        return self.popen([HOSTGATE, *words], cwd, environment)

    def shell(self, script: str, session: str = "", **environment: str) -> subprocess.Popen[str]:
        """Start a shell with a script, as agents do; ``exec`` is not its last word."""
        if session:
            environment["HOSTGATE_SESSION"] = session
        return self.popen(["bash", "-c", f"{script}\n:"], None, environment)

    def popen(
        self, argv: list[str], cwd: Path | None, environment: dict[str, str], stdin: str = ""
    ) -> subprocess.Popen[str]:
        """Start a program in a session of its own, without a terminal."""
        process = subprocess.Popen(
            argv,
            cwd=cwd or self.project,
            env=self.environment | environment,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.processes.append(process)
        if stdin:
            assert process.stdin is not None
            process.stdin.write(stdin)
            process.stdin.close()
            process.stdin = None
        return process

    def run(
        self, *words: str, session: str = "", cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run hostgate with these words to its end."""
        process = self.start(*words, session=session, cwd=cwd, **environment)
        out, err = process.communicate(timeout=DEADLINE)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def claims(self) -> list[dict[str, Any]]:
        """The claims as the registry's file has them."""
        try:
            document = json.loads((self.state / "registry.json").read_text())
        except FileNotFoundError:
            return []
        return list(document["claims"])

    def ls(self) -> list[dict[str, Any]]:
        """The claims as ``hostgate ls --json`` shows them."""
        done = self.run("ls", "--json")
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout)["claims"])

    def history(self) -> list[dict[str, Any]]:
        """The lines of the history's file."""
        path = self.state / "history.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def until_claims(self, **states: int) -> list[dict[str, Any]]:
        """Wait until the registry holds so many claims of these states, and no others."""

        def found() -> list[dict[str, Any]] | None:
            claims = self.claims()
            counts = {state: sum(c["state"] == state for c in claims) for state in states}
            alone = sum(states.values()) == len(claims)
            return (claims or [{}]) if counts == states and alone else None

        return list(until(found, f"{states} (there is {self.claims()})"))

    def settled(self, waiter: subprocess.Popen[str]) -> None:
        """Wait until a waiter does nothing but wait: it says so, without any lock in its hands."""
        assert waiter.stderr is not None
        assert "waiting" in waiter.stderr.readline()

    def latch(self, name: str = "build") -> Latch:
        """A new script of the project that runs until it is let go."""
        self._latches += 1
        return Latch(self.project, name)

    def terminal(self, *argv: str, cwd: Path | None = None, **environment: str) -> Terminal:
        """Start a program on a new terminal."""
        terminal = Terminal(list(argv), cwd or self.project, self.environment | environment)
        self.processes.append(terminal.process)
        return terminal

    def end(self) -> None:
        """End every process that was started, all of its session, and what left that."""
        started = {process.pid for process in self.processes}
        for one in psutil.process_iter():
            try:
                in_session = one.pid in started or os.getsid(one.pid) in started
                if in_session or one.environ().get("HOSTGATE_HOME") == str(self.state):
                    os.kill(one.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError, psutil.Error):
                continue
        for process in self.processes:
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()


class Latch:
    """A script that notes its start and its end, and in between waits to be let go.

    Its name makes it a build. ``go`` lets one run of it end; each run takes one ``go``.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.log = folder / f"{name}.log"
        self.log.touch()
        self.pipe = folder / f"{name}.pipe"
        os.mkfifo(self.pipe)
        self.script = folder / f"{name}.sh"
        self.script.write_text(
            f'#!/bin/sh\necho "start $HOSTGATE_SESSION $$" >> {self.log}\n'
            f"read line < {self.pipe}\n"
            f'echo "end $HOSTGATE_SESSION $$" >> {self.log}\nexit "${{line:-0}}"\n'
        )
        self.script.chmod(0o755)
        self.command = f"./{name}.sh"

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()

    def events(self) -> list[str]:
        """The starts and ends so far: ``["start A", "end A"]``."""
        return [line.rpartition(" ")[0] for line in self.lines()]

    def pid(self, at: int = 0) -> int:
        """The pid of a run that has started."""
        return int([line for line in self.lines() if line.startswith("start")][at].split()[-1])

    def until_started(self, count: int = 1) -> None:
        until(
            lambda: sum(line.startswith("start") for line in self.lines()) >= count,
            f"start number {count} of {self.command}",
        )

    def go(self, code: int = 0) -> None:
        """Let one run end, with this exit code, and see that it does."""
        ends = self._ends()
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                fd = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:
                assert time.monotonic() < deadline, "nobody waits to be let go"
                time.sleep(0.005)  # the pace of looking
        os.write(fd, f"{code}\n".encode())
        os.close(fd)
        until(lambda: self._ends() > ends, f"an end of {self.command}")

    def _ends(self) -> int:
        return sum(line.startswith("end") for line in self.lines())


class Terminal:
    """A program on a pseudo-terminal, as a person uses it."""

    def __init__(self, argv: list[str], cwd: Path, environment: dict[str, str]) -> None:
        self.fd, inner = os.openpty()
        self.text = ""
        self.process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=environment,
            stdin=inner,
            stdout=inner,
            stderr=inner,
            text=True,
            preexec_fn=lambda: os.login_tty(inner),
        )
        os.close(inner)

    def send(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def until(self, text: str) -> str:
        """Wait until the screen has shown a text since the last call; return what came."""
        deadline = time.monotonic() + DEADLINE
        while text not in self.text:
            left = deadline - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"no {text!r} on the terminal, only {self.text!r}")
        seen, found, self.text = self.text.partition(text)
        return seen + found

    def rest(self) -> str:
        """Everything up to the end of the program."""
        while self._read(DEADLINE):
            pass
        seen, self.text = self.text, ""
        return seen

    def wait(self) -> int:
        return self.process.wait(DEADLINE)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def _read(self, seconds: float) -> bool:
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 4096)
        except OSError:
            return False  # Linux's way to say that nobody has the terminal any more
        self.text += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode("utf-8", "replace"))
        return bool(data)
