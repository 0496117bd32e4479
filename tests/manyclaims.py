"""Many claims and waits in one process; what it then has more than before, as JSON."""

from __future__ import annotations

import json
import os
import sys
import threading

from hostgate.cli.claiming import make_gate
from hostgate.cli.options import parse
from hostgate.core.admit import Blocker
from hostgate.gate import Gate
from hostgate.host import history
from hostgate.host.interrupts import Interrupts
from hostgate.waiting import wait

history.BOUND = 64 << 10  # as many claims as fill it are made here


def gate_of(session: str) -> Gate:
    return make_gate(parse(["--session", session, "-c", "make it"], {}))


def claim() -> None:
    gate = gate_of("A")
    assert not gate.begin()
    gate.end("ran", 0)


def wait_once() -> None:
    """One waits for the other, which ends when it is told of."""
    holder, waiter = gate_of("A"), gate_of("B")
    assert not holder.begin()
    interrupts = Interrupts()

    def tell(found: list[Blocker]) -> None:
        assert found[0].claim.id == holder.claim.id
        holder.end("ran", 0)

    found = waiter.enqueue()
    assert found
    assert not wait(waiter, found, 60.0, tell, interrupts)
    interrupts.close()
    waiter.end("ran", 0)


def leave_once() -> None:
    """One waits in vain."""
    holder, waiter = gate_of("A"), gate_of("B")
    assert not holder.begin()
    assert waiter.enqueue()
    waiter.leave("left", 75)
    holder.end("ran", 0)


def census() -> dict[str, object]:
    home = os.environ["HOSTGATE_HOME"]
    try:
        children = os.waitpid(-1, os.WNOHANG)[0] or -1
    except ChildProcessError:
        children = 0
    return {
        "descriptors": sum(1 for fd in range(1024) if is_open(fd)),
        "threads": threading.active_count(),
        "children": children,
        "files": sorted(os.listdir(home)) + sorted(os.listdir(f"{home}/claims")),
    }


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    for work in (claim, wait_once, leave_once):
        work()  # what is loaded once
    before = census()
    for work, times in ((claim, 1000), (wait_once, 200), (leave_once, 100)):
        for _ in range(times):
            work()
    json.dump([before, census()], sys.stdout)
