from __future__ import annotations

import os
import signal

import psutil
import pytest
from support import DEADLINE, Host, Latch, until


def test_stop_ends_a_run_and_all_that_it_started(host: Host) -> None:
    script = "trap '' TERM; sleep 600 & echo $! > pid; wait; sleep 600"
    run = host.start("run", "-c", script, session="A")
    pid = int(until(lambda: (host.project / "pid").exists() and _read(host), "the pid"))
    (claim,) = host.until_claims(running=1)
    assert host.run("stop", claim["id"]).returncode == 0
    assert run.wait(DEADLINE) == 128 + signal.SIGKILL
    assert not psutil.pid_exists(pid) or _is_zombie(pid)
    assert host.claims() == []


def _read(host: Host) -> str:
    return (host.project / "pid").read_text().strip()


def test_what_has_a_terminal_is_interrupted_first(host: Host) -> None:
    script = "trap 'echo got INT; exit 3' INT; echo ready; while :; do sleep 0.1; done"
    terminal = host.terminal("bash", "-c", f'exec hostgate run -- bash -c "{script}"')
    terminal.until("ready")
    (claim,) = host.until_claims(running=1)
    assert host.run("stop", claim["id"]).returncode == 0
    terminal.until("got INT")
    assert terminal.wait() == 3
    terminal.close()


def test_without_a_terminal_sigterm_comes_first(host: Host) -> None:
    script = (
        "trap 'echo got INT' INT; trap 'echo got TERM; exit 4' TERM; echo ready; sleep 600 & wait"
    )
    run = host.start("run", "-c", script, session="A")
    assert run.stdout is not None and run.stdout.readline() == "ready\n"
    (claim,) = host.until_claims(running=1)
    host.run("stop", claim["id"])
    assert run.stdout.read() == "got TERM\n"
    assert run.wait(DEADLINE) == 4


def test_a_waiter_leaves_the_queue(host: Host, held: Latch) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    assert host.run("stop", host.claims()[1]["id"]).returncode == 0
    assert waiter.wait(DEADLINE) == 128 + signal.SIGTERM
    assert [one["state"] for one in host.ls()] == ["running"]


def test_an_orphan_is_ended_too(host: Host) -> None:
    latch = host.latch()
    run = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    run.kill()
    run.wait(DEADLINE)
    (claim,) = host.ls()
    assert claim["state"] == "orphaned"
    assert host.run("stop", claim["id"]).returncode == 0
    assert not psutil.pid_exists(latch.pid()) or _is_zombie(latch.pid())
    assert host.claims() == []


def _is_zombie(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_what_a_shell_holds_ends_with_the_shell(host: Host) -> None:
    latch = host.latch()
    shell = host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    assert host.run("stop", host.claims()[0]["id"]).returncode == 0
    assert shell.wait(DEADLINE) == -signal.SIGTERM
    assert host.claims() == []


def test_a_kept_place_is_given_up(host: Host, held: Latch) -> None:
    host.run("run", "--wait-timeout", "0", "--", held.command, session="B")
    kept = host.claims()[1]
    assert kept["state"] == "kept"
    assert host.run("stop", kept["id"]).returncode == 0
    assert [one["state"] for one in host.claims()] == ["running"]


def test_all_asks_once_and_names_the_count(host: Host, held: Latch) -> None:
    host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    unasked = host.run("stop", "--all")
    assert unasked.returncode == 125
    assert "2 runs and waiters" in unasked.stderr and "--yes" in unasked.stderr
    terminal = host.terminal("hostgate", "stop", "--all")
    terminal.until("End 2 runs and waiters? [y/N] ")
    terminal.send("n\n")
    assert terminal.wait() == 75
    terminal.close()
    host.until_claims(running=1, waiting=1)
    assert host.run("stop", "--all", "--yes").returncode == 0
    host.until_claims()
    assert host.run("stop", "--all").returncode == 0  # there is nothing to ask about


def test_a_command_never_stops_what_it_runs_inside(host: Host) -> None:
    done = host.run("run", "-c", "hostgate stop ${HOSTGATE_CLAIM##*,}; echo code $?")
    assert "code 125" in done.stdout and "would end itself" in done.stderr
    done = host.run("run", "-c", "hostgate stop --all --yes; echo code $?")
    assert (done.stdout, done.returncode) == ("code 0\n", 0)


@pytest.mark.parametrize("words", [[], ["k7f3", "--all"], ["zzzz"]])
def test_bad_usage_is_one_line(host: Host, words: list[str]) -> None:
    done = host.run("stop", *words)
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.count("\n") == 1


def test_another_process_that_has_the_pid_now_is_never_signalled(host: Host) -> None:
    latch = host.latch()
    run = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    (claim,) = host.claims()
    path = host.state / "claims" / f"{claim['id']}.lock"
    label = path.read_text().splitlines()[0]
    bystander = host.popen(["sleep", "600"], None, {})
    path.write_text(f"{label}\n{bystander.pid} 12345\n")
    host.run("stop", claim["id"])
    assert bystander.poll() is None
    assert run.poll() is None
    os.kill(bystander.pid, signal.SIGKILL)
    latch.go()
