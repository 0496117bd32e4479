"""Handing a slot on: who ends lets in who waits, at once, whatever the system offers."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path

import psutil
import pytest
from support import DEADLINE, Host, Latch, until

from hostgate.core.claims import Registry
from hostgate.core.registry import start
from hostgate.host import now
from hostgate.host.store import FileStore
from hostgate.host.wake import let_in, ring

# hostgate whose waiters look only once in ten minutes: what comes sooner came by an event.
PATIENT = "import hostgate.waiting as w; w.LOOK = 600; from hostgate.cli.main import main; main()"
# ... and on a system that has none of what only Linux has.
BARE = """
import _signal, os, select
for module, names in (
    (os, "pidfd_open sched_yield posix_fallocate"), (_signal, "sigtimedwait"), (select, "epoll")
):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
def hidden(function):
    def call(path, *rest):
        if isinstance(path, str) and path.startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory")
        return function(path, *rest)
    return call
os.open, os.readlink = hidden(os.open), hidden(os.readlink)
"""


@pytest.mark.parametrize("script", [PATIENT, BARE + PATIENT], ids=["here", "bare"])
def test_waiters_start_in_order_by_events_alone(host: Host, script: str) -> None:
    latch = host.latch()
    program = [sys.executable, "-c", script, "run", "--on-conflict", "wait", "--"]

    def start(session: str) -> None:
        environment = {"HOSTGATE_SESSION": session}
        host.popen([*program, latch.command], None, environment)

    start("a")
    latch.until_started()
    for count, session in enumerate("bcd", 1):
        start(session)
        host.until_claims(running=1, waiting=count)
    settle(host, "bcd")
    for count in range(2, 5):
        latch.go()
        latch.until_started(count)
    latch.go()
    host.until_claims()
    starts = [event for event in latch.events() if event.startswith("start")]
    assert starts == ["start a", "start b", "start c", "start d"]


def settle(host: Host, sessions: str) -> None:
    """Wait until every waiter listens on its pipe and has looked once more."""
    for process in host.processes[-len(sessions) :]:
        host.settled(process)


def held(host: Host) -> tuple[Latch, str]:
    """A held build and a waiter behind it; the latch and the waiter's id."""
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "--", latch.command, session="B")
    host.until_claims(running=1, waiting=1)
    host.settled(waiter)
    return latch, str(host.claims()[1]["id"])


def test_a_waiter_needs_no_write_of_its_own_to_start(host: Host) -> None:
    if not hasattr(resource, "prlimit"):
        pytest.skip("only Linux can bound the writes of a process that runs")
    latch, _ = held(host)
    waiter = host.processes[-1]
    resource.prlimit(waiter.pid, resource.RLIMIT_FSIZE, (16, resource.RLIM_INFINITY))
    latch.go()
    _, err = waiter.communicate(timeout=DEADLINE)
    assert waiter.returncode == 128 + signal.SIGXFSZ  # of the command, which has the bound too
    assert "staying in the queue" not in err


def test_who_was_let_in_by_one_that_was_killed_before_it_wrote_that_is_listed(host: Host) -> None:
    latch, id = held(host)
    holder = host.processes[-2]
    os.kill(holder.pid, signal.SIGSTOP)  # as if it were between telling and writing
    epoch = json.loads((host.state / "registry.json").read_text())["epoch"]
    ring(f"{host.state}/claims/{id}.wake", let_in(epoch + 1, now()))
    latch.until_started(2)
    until(lambda: [one["state"] for one in host.claims() if one["id"] == id] == ["running"], id)
    os.killpg(holder.pid, signal.SIGKILL)
    later = host.start("run", "--", latch.command, session="C")
    until(lambda: [one["session"] for one in host.claims()] == ["B", "C"], "both in order")
    assert [one["state"] for one in host.claims()] == ["running", "waiting"]
    for count in (2, 3):
        latch.until_started(count)
        latch.go()
    assert later.wait(DEADLINE) == 0


def test_a_waiter_that_was_stopped_is_passed_over_by_who_had_planned_to_let_it_in(
    host: Host,
) -> None:
    latch, _ = held(host)
    stopped = host.processes[-1]
    later = host.start("run", "--", latch.command, session="C")
    host.until_claims(running=1, waiting=2)
    host.settled(later)
    os.kill(stopped.pid, signal.SIGSTOP)
    latch.go()
    until(lambda: latch.events()[-1] == "start C", "the start of the other one")
    os.kill(stopped.pid, signal.SIGCONT)
    latch.go()
    until(lambda: latch.events()[-1] == "start B", "the start of the one that was stopped")
    latch.go()
    assert stopped.wait(DEADLINE) == later.wait(DEADLINE) == 0


def test_one_that_is_let_in_and_stopped_at_that_moment_does_not_hold_up_the_others(
    host: Host,
) -> None:
    latch, id = held(host)
    stopped = host.processes[-1]
    later = host.start("run", "--", latch.command, session="C")
    host.until_claims(running=1, waiting=2)
    host.settled(later)
    os.kill(stopped.pid, signal.SIGSTOP)
    until(lambda: psutil.Process(stopped.pid).status() == psutil.STATUS_STOPPED, "the stop")
    store = FileStore(str(host.state))

    def let_it_in(registry: Registry) -> None:
        claim = registry.find(id)
        assert claim is not None
        start(registry, claim, now())
        ring(store.bell_path(claim), let_in(claim.epoch, now()))

    store.transact(let_it_in)
    latch.go()
    until(lambda: latch.events()[-1] == "start C", "the start of the other one")
    os.kill(stopped.pid, signal.SIGCONT)
    host.until_claims(running=1, waiting=1)
    latch.go()
    until(lambda: latch.events()[-1] == "start B", "the start of the one that was stopped")
    latch.go()
    assert stopped.wait(DEADLINE) == later.wait(DEADLINE) == 0
    assert latch.events()[2:] == ["start C", "end C", "start B", "end B"]


def test_who_decides_by_other_rules_takes_its_turn_itself(host: Host) -> None:
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    other = host.latch("other")
    user = host.home / ".config/hostgate.toml"
    user.parent.mkdir()
    user.write_text('[commands]\nbuild = ["./other.sh"]\n')
    waiter = host.start("run", "--lane", "x", "--", other.command, session="B")
    host.until_claims(running=1, waiting=1)
    host.settled(waiter)
    # to the holder these two do not contend, but the waiter's own rules are asked
    second = host.start("run", "--", other.command, session="C", HOSTGATE_ON_CONFLICT="wait")
    host.until_claims(running=1, waiting=2)
    latch.go()
    other.until_started()
    assert [one["session"] for one in host.until_claims(running=1, waiting=1)] == ["B", "C"]
    for count in (1, 2):
        other.until_started(count)
        other.go()
    assert waiter.wait(DEADLINE) == second.wait(DEADLINE) == 0


def test_a_command_hears_nothing_of_who_waits_for_it(host: Host, tmp_path: Path) -> None:
    heard, ready, go = (tmp_path / name for name in ("heard", "ready", "go"))
    os.mkfifo(go)
    script = tmp_path / "make"
    script.write_text(
        f"#!{sys.executable}\nimport signal, pathlib\n"
        f"signal.signal(signal.SIGURG, lambda *_: pathlib.Path({str(heard)!r}).touch())\n"
        f"pathlib.Path({str(ready)!r}).touch()\nopen({str(go)!r}).read()\n"
    )
    script.chmod(0o755)
    holder = host.start("run", "--", str(script), session="A")
    until(ready.exists, "the start")
    waiter = host.start("run", "--on-conflict", "wait", "--", "make", "x", session="B")
    host.until_claims(running=1, waiting=1)
    host.settled(waiter)
    go.write_text("")
    assert holder.wait(DEADLINE) == 0
    assert not heard.exists()


def test_a_claim_without_a_lock_file_whose_owner_is_stopped_stops_nobody(host: Host) -> None:
    latch, id = held(host)
    holder, waiter = host.processes[-2:]
    os.kill(holder.pid, signal.SIGSTOP)
    until(lambda: psutil.Process(holder.pid).status() == psutil.STATUS_STOPPED, "the stop")
    (running,) = [one for one in host.claims() if one["id"] != id]
    (host.state / "claims" / f"{running['id']}.lock").unlink()
    store = FileStore(str(host.state))
    claim = store.read().find(running["id"])
    assert claim is not None
    claim.since -= 60
    assert not store.liveness.is_stuck(claim)
    os.kill(holder.pid, signal.SIGCONT)
    for count in (1, 2):
        latch.until_started(count)
        latch.go()
    assert waiter.wait(DEADLINE) == 0
