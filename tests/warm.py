"""hostgate as processes of their own, without start-up: forked from one warm interpreter.

Run as a program, this is that interpreter. It reads a request a line, has a child do it, and
answers in a line how the child ended.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from seam import Fault
from support import DEADLINE, Host

HUNG = 999  # the code of what did not end within the deadline, and was killed


class Done:
    """How a child ended. ``code`` is -N for a death by signal N; ``struck`` the call at fault."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.code: int = answer["code"]
        self.struck: str = answer["struck"]
        self.out: str = answer["out"]
        self.err: str = answer["err"]

    def __repr__(self) -> str:
        return f"{self.code} {self.struck!r} {self.out!r} {self.err!r}"


class Warm:
    """The interpreter, as a test sees it."""

    def __init__(self, host: Host) -> None:
        self._host = host
        argv = [sys.executable, __file__, str(host.folder)]
        self._server = subprocess.Popen(
            argv,
            cwd=host.project,
            env=host.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        host.processes.append(self._server)

    def run(
        self,
        *words: str,
        session: str = "",
        step: str = "",
        cwd: Path | None = None,
        fault: tuple[str, int] | None = None,
    ) -> Done:
        """Run hostgate with these words, or ``step``, a ``module:function``, to the end.

        ``fault`` is the kind of one and the number of its call, from the beginning or, in a step,
        from where this says.
        """
        environment = self._host.environment | ({"HOSTGATE_SESSION": session} if session else {})
        request = {
            "words": words,
            "step": step,
            "environment": environment,
            "cwd": str(cwd or self._host.project),
            "fault": fault,
        }
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        answer = self._server.stdout.readline()
        assert answer, "the warm interpreter has ended"
        return Done(json.loads(answer))

    def close(self) -> None:
        """Let it end."""
        if self._server.stdin is not None:
            self._server.stdin.close()
        self._server.wait(DEADLINE)


def serve(folder: Path) -> None:
    """Answer requests to the end of the standard input."""
    for name in ("admission", "app", "main", "past", "run"):  # what a child need not load
        importlib.import_module(f"hostgate.cli.{name}")

    for line in sys.stdin:
        answer = _serve(json.loads(line), folder)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _serve(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(request, folder, writing)
    os.close(writing)
    struck, deadline = b"", time.monotonic() + DEADLINE
    hung = False
    while True:
        left = max(deadline - time.monotonic(), 0)
        if not select.select([reading], [], [], left)[0]:
            hung = True
            os.kill(child, signal.SIGKILL)
            break
        piece = os.read(reading, 4096)
        if not piece:
            break
        struck += piece
    os.close(reading)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    texts = {
        name: (folder / name).read_text("utf-8", "replace") for name in ("warm.out", "warm.err")
    }
    return {
        "code": HUNG if hung else code,
        "struck": struck.decode(),
        "out": texts["warm.out"],
        "err": texts["warm.err"],
    }


def _child(request: dict[str, Any], folder: Path, report: int) -> None:
    """The child's life; never returns. Nobody but it has ``report``: its end is seen by that."""
    try:
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["cwd"])
        for fd, name in ((0, os.devnull), (1, folder / "warm.out"), (2, folder / "warm.err")):
            flags = os.O_RDONLY if fd == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
            opened = os.open(name, flags)
            os.dup2(opened, fd)
            os.close(opened)
        kind, at = request["fault"] or ("kill", -1)
        write = os.write
        fault = Fault(kind, at, lambda text: write(report, text.encode()))
        if request["step"]:
            module, _, name = request["step"].partition(":")
            getattr(importlib.import_module(module), name)(fault, *request["words"])
            os._exit(0)
        from hostgate.cli.main import main

        sys.argv = ["hostgate", *request["words"]]
        fault.arm()
        main()
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(1)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
