"""Transactions of the registry, each by a process of its own that may be struck in the middle.

What comes before ``fault.arm()`` is the setting, and always succeeds. ``apart`` is a directory
where nobody else is; the other ones stand in the queue of the working directory.
"""

from __future__ import annotations

import os
import signal

from seam import Fault

from hostgate import keeper
from hostgate.cli import resume
from hostgate.cli.claiming import make_gate
from hostgate.cli.options import parse
from hostgate.gate import Gate

SITTER = "sitter.pipe"  # below ``apart``: who opens it for writing lets the sitter end


def gate_of(session: str, *words: str) -> Gate:
    return make_gate(parse(["--session", session, *words, "-c", "make it"], {}))


def enqueue(fault: Fault, apart: str) -> None:
    gate = gate_of("V")
    fault.arm()
    assert gate.enqueue()


def leave(fault: Fault, apart: str) -> None:
    gate = gate_of("V")
    assert gate.enqueue()
    fault.arm()
    gate.leave("left", 75)


def keep_place(fault: Fault, apart: str) -> None:
    gate = gate_of("V")
    assert gate.enqueue()
    fault.arm()
    gate.leave("left", 75, keep=True)


def turn(fault: Fault, apart: str) -> None:
    """The end of who is in the way, and the turn of who waited for that."""
    os.chdir(apart)
    first, second = gate_of("V1"), gate_of("V2")
    assert not first.enqueue()
    assert second.enqueue()
    bell = second.store.bell(second.claim)
    fault.arm()
    first.end("ran", 0)
    assert not second.turn()
    bell.close()
    second.end("ran", 0)


def prune(fault: Fault, apart: str) -> None:
    """A start where somebody's claim is dead."""
    os.chdir(apart)
    if (child := os.fork()) == 0:
        gate_of("V1").begin()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    gate = gate_of("V2")
    fault.arm()
    assert not gate.begin()
    gate.end("ran", 0)


def hold(fault: Fault, apart: str) -> None:
    """A reservation that a keeper takes over, for a shell that has ended by then."""
    os.chdir(apart)
    if (shell := os.fork()) == 0:
        os._exit(0)
    os.waitpid(shell, 0)
    gate = gate_of("V")
    gate.claim.lasts = 0.05
    fault.arm()
    assert not gate.begin()
    keeper.keep(gate.store, gate.claim.id, (shell, ""))


def take_over(fault: Fault, apart: str) -> None:
    """A claim gets another owner, who then has its former one, the sitter, end what it runs."""
    os.chdir(apart)
    gate = gate_of("V")
    former, sitter = _sitter()
    (claim,) = [one for one in gate.store.read().claims if one.id == former]
    fault.arm()
    resume.take_over(gate, claim)
    let_go(apart)
    os.waitpid(sitter, 0)
    assert gate.hold is not None
    gate.hold.settle()
    gate.end("ran", 0)


def _sitter() -> tuple[str, int]:
    """A process that runs something until it is let go; returns its claim's id, and its pid."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.setsid()
            for fd in range(3, writing):  # whoever waits for the end of the step waits for these
                os.close(fd)
            pipe = os.open(SITTER, os.O_RDWR)
            gate = gate_of("S")
            assert not gate.begin()
            gate.started(os.getpid())
            os.write(writing, gate.claim.id.encode())
            os.read(pipe, 1)
            gate.end("ran", 0)
        finally:
            os._exit(0)
    os.close(writing)
    id = os.read(reading, 64).decode()
    os.close(reading)
    assert id
    return id, child


def let_go(apart: str) -> bool:
    """Let the sitter end. Returns whether there was one."""
    try:
        fd = os.open(f"{apart}/{SITTER}", os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return False
    os.write(fd, b"\n")
    os.close(fd)
    return True
