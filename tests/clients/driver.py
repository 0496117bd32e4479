"""Starts a real agent in a home of its own, with hostgate installed as a person would do it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from types import TracebackType
from typing import Any, NamedTuple

import psutil
import pytest
from support import HOSTGATE, Host, until

from clients.model import Call, Model
from clients.settings import CLIENTS, Client, Lay

PATIENCE = 90.0  # seconds that an agent may take for one command before the test fails


class Ended(NamedTuple):
    """How an agent's run ended, and what its model was told of each command."""

    code: int
    seconds: float
    told: list[str]


def found(client: Client) -> Path:
    """The folder of a client that somebody has put there; without it the test is skipped."""
    home = pwd.getpwuid(os.getuid()).pw_dir  # not the one of the test
    cache = os.environ.get("AGENT_CLIENT_CACHE") or f"{home}/.cache/agent-clients"
    folder = Path(cache) / client.folder
    if not (folder / "node_modules/.bin" / client.name).exists():
        pytest.skip(f"{client.title} is not cached: see CONTRIBUTING")
    if not shutil.which("node"):
        pytest.skip(f"{client.title} needs node, which is missing")
    return folder


def processes_with(variable: str, value: Path) -> list[psutil.Process]:
    """The processes with this in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(variable) == str(value):
                found.append(process)
        except psutil.Error:
            continue
    return found


def nothing_is_left(host: Host) -> None:
    """Wait until there are no claims, no lock files and no processes of hostgate's any more."""
    host.until_claims()
    until(lambda: not list((host.state / "claims").iterdir()), "the end of the claims' files")

    def mine() -> list[str]:
        lines = []
        for process in processes_with("HOSTGATE_HOME", host.state):
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if HOSTGATE in words[:2]:
                lines.append(f"{process.pid} {' '.join(words)}")
        return lines

    until(lambda: not mine(), f"the end of {mine()}")


class Agent:
    """One agent in a host's project, and its conversation.

    ``allow`` and ``deny`` are rules of the user's, by the first words of a command; ``extra`` are
    more settings in the agent's own form, that are there before hostgate is installed.
    """

    def __init__(
        self,
        host: Host,
        name: str,
        allow: list[str] | None = None,
        deny: list[str] | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self.client = CLIENTS[name]
        package = found(self.client)
        self.host = host
        self.home = Path(mkdtemp(prefix=f"{name}-", dir=host.folder))
        self._temporary = TemporaryDirectory(prefix="hg")  # short, as sockets' names must be
        self.model = Model()
        lay = Lay(self.home, package, self.model.url, allow or [], deny or [], extra or {})
        started = self.client.lay(lay)
        self.arguments = started.arguments
        self.environment = {
            "HOME": str(self.home),
            "HOSTGATE_HOME": str(host.state),
            "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"],
            "SHELL": "/bin/bash",
            "TERM": "dumb",
            "TMPDIR": self._temporary.name,
            **started.environment,
        }
        self._program = package / "node_modules/.bin" / name
        self._process: subprocess.Popen[bytes] | None = None
        self._since = 0.0
        self.installed = subprocess.run(
            [HOSTGATE, "install", name],
            cwd=host.project,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.kill()
        until(lambda: not self.processes(end=True), f"the end of all that {self} started")
        self.model.close()
        self._temporary.cleanup()

    def __str__(self) -> str:
        return self.client.title

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The client, which is started when it is needed first."""
        if self._process is None:
            self._since = time.monotonic()
            with (
                open(self.home / "stdout", "wb") as out,
                open(self.home / "stderr", "wb") as error,
            ):
                self._process = subprocess.Popen(
                    [str(self._program), *self.arguments],
                    cwd=self.host.project,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=error,
                    start_new_session=True,
                )
        return self._process

    def ask(self, command: str) -> Call:
        """Have the agent run a command, and do not wait for that."""
        assert self.process.poll() is None, self._said()
        return self.model.ask(command)

    def told(self, call: Call) -> str:
        """What the model is told of a command, once it is."""
        deadline = time.monotonic() + PATIENCE
        with self.model.changed:
            while not call.done:
                self.model.changed.wait(0.05)  # to look whether the client still runs
                over = self.process.poll() is not None or time.monotonic() > deadline
                assert call.done or not over, f"no result of {call.command!r}: {self._said()}"
        return call.text

    def run(self, command: str) -> str:
        """Have the agent run a command; returns what its model is told of it."""
        return self.told(self.ask(command))

    def end(self) -> Ended:
        """Let the conversation end, and the client with it."""
        self.model.end()
        code = self.process.wait(PATIENCE)
        told = [call.text for call in self.model.calls]
        return Ended(code, time.monotonic() - self._since, told)

    def kill(self, everything: bool = False) -> None:
        """Kill the client with its process group; if ``everything``, what it runs as well."""
        if self._process is None or self._process.poll() is not None:
            return
        children = psutil.Process(self._process.pid).children(recursive=True) if everything else []
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for child in children:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue  # of the client's group

    def processes(self, end: bool = False) -> list[psutil.Process]:
        """What runs in this agent's home; ended if need be."""
        found = processes_with("HOME", self.home)
        for process in found if end else []:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        return found

    def _said(self) -> str:
        texts = [(self.home / name).read_text("utf-8", "replace") for name in ("stdout", "stderr")]
        return f"{self}, exit {self.process.poll()}: {texts[0][-1500:]} {texts[1][-1500:]}"
