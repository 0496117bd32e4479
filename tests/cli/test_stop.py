from __future__ import annotations

import json
import os
import signal
import subprocess

import psutil
import pytest
from support import DEADLINE, HOSTGATE, Host, Latch, until

from hostgate.host import process

Bystander = subprocess.Popen[str]


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
    assert "1 run and 1 waiter" in unasked.stderr and "--yes" in unasked.stderr
    terminal = host.terminal("hostgate", "stop", "--all")
    terminal.until("End 1 run and 1 waiter? [y/N] ")
    terminal.send("n\n")
    assert terminal.wait() == 75
    terminal.close()
    terminal = host.terminal("hostgate", "stop", "--all")
    terminal.until("[y/N] ")
    terminal.send("\x04")  # Ctrl-D
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
    assert host.run("stop", claim["id"]).returncode == 0
    assert bystander.poll() is None
    assert run.wait(DEADLINE) == 128 + signal.SIGTERM  # its command has the claim's lock


@pytest.fixture
def bystander(host: Host) -> Bystander:
    """A process that has nothing to do with hostgate, but may read a claim's lock file."""
    return host.popen(["sleep", "600"], None, {})


def label(host: Host, id: str, line: str) -> None:
    """Have a claim's lock file say that its command is another process."""
    path = host.state / "claims" / f"{id}.lock"
    path.write_text(f"{path.read_text().splitlines()[0]}\n{line}\n")


def rename(host: Host, id: str, pid: int, start: str) -> None:
    """Have the registry say that a claim's owner is another process."""
    path = host.state / "registry.json"
    document = json.loads(path.read_text())
    (claim,) = [one for one in document["claims"] if one["id"] == id]
    claim["owner"] |= {"pid": pid, "start": start}
    path.write_text(json.dumps(document))


@pytest.mark.skipif(process.start_stamp(os.getpid()) == "", reason="no start stamps here")
def test_a_pid_without_a_start_stamp_is_no_proof(host: Host, bystander: Bystander) -> None:
    latch = host.latch()
    run = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    (claim,) = host.claims()
    label(host, claim["id"], f"{bystander.pid}")
    assert host.run("stop", claim["id"]).returncode == 0
    assert bystander.poll() is None
    assert run.wait(DEADLINE) == 128 + signal.SIGTERM


@pytest.mark.parametrize("pid", ["0", "-1", "99999999999999999999", "9" * 5000, "1 2 3", "²", ""])
def test_a_pid_that_is_none_is_no_process(host: Host, pid: str) -> None:
    latch = host.latch()
    run = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    (claim,) = host.claims()
    label(host, claim["id"], pid)
    assert [one["id"] for one in host.ls()] == [claim["id"]]
    assert host.run("stop", claim["id"]).returncode == 0
    assert run.wait(DEADLINE) == 128 + signal.SIGTERM


def test_a_waiter_s_pid_is_no_proof_without_its_lock(
    host: Host, held: Latch, bystander: Bystander
) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    host.settled(waiter)
    waiter.send_signal(signal.SIGSTOP)  # or its next look would put the registry right
    id = host.claims()[1]["id"]
    rename(host, id, bystander.pid, process.start_stamp(bystander.pid))
    assert host.run("stop", id).returncode == 125  # it could not be ended
    assert bystander.poll() is None


def test_a_keeper_s_pid_is_no_proof_without_its_lock(host: Host, bystander: Bystander) -> None:
    latch = host.latch()
    host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    id = host.claims()[0]["id"]
    rename(host, id, bystander.pid, process.start_stamp(bystander.pid))
    assert host.run("release", id).returncode == 0
    assert bystander.poll() is None
    assert host.claims() == []


@pytest.mark.skipif(not os.path.isdir("/proc/self/fdinfo"), reason="the system does not tell")
def test_who_only_reads_a_lock_file_is_not_ended(host: Host, held: Latch) -> None:
    (claim,) = host.claims()
    path = host.state / "claims" / f"{claim['id']}.lock"
    backup = host.popen(["sh", "-c", f"exec sleep 600 < {path}"], None, {})
    until(lambda: os.path.realpath(f"/proc/{backup.pid}/fd/0") == str(path), "the reader")
    assert host.run("stop", claim["id"]).returncode == 0
    assert backup.poll() is None


def test_all_ends_waiters_first_so_that_none_of_them_starts(host: Host) -> None:
    script = "echo $$ >> started; trap '' TERM; sleep 600"
    runs = [host.start("run", "--lane", "l", "-c", script, session=one) for one in "ABCD"]
    host.until_claims(running=1, waiting=3)
    assert host.run("stop", "--all", "--yes").returncode == 0
    assert all(run.wait(DEADLINE) for run in runs)
    assert (host.project / "started").read_text().count("\n") == 1
    assert host.claims() == []


def test_a_stopped_waiter_leaves_the_queue_too(host: Host, held: Latch) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    host.settled(waiter)
    waiter.send_signal(signal.SIGSTOP)
    assert host.run("stop", host.claims()[1]["id"]).returncode == 0
    assert waiter.wait(DEADLINE) == 128 + signal.SIGTERM


def test_a_shell_that_holds_does_not_stop_itself(host: Host) -> None:
    shell = host.shell("hostgate hold -- make; hostgate stop --all --yes; echo after", session="A")
    out, _ = shell.communicate(timeout=DEADLINE)
    assert out == "after\n"


def test_what_has_left_the_tree_is_ended_too(host: Host) -> None:
    trap = "trap 'sleep 700 & echo $! > late; exit 1' TERM"
    script = f"(sleep 600 & echo $! > pid); {trap}; sleep 600 & wait"
    run = host.start("run", "-c", script, session="A")
    pids = [int(until(lambda: (host.project / "pid").exists() and _read(host), "the pid"))]
    (claim,) = host.until_claims(running=1)
    assert host.run("stop", claim["id"]).returncode == 0
    assert run.wait(DEADLINE) in (1, 128 + signal.SIGTERM)
    late = host.project / "late"
    pids += [int(late.read_text())] if late.exists() else []
    assert all(not psutil.pid_exists(pid) or _is_zombie(pid) for pid in pids)


def test_a_hook_that_is_taken_out_of_the_queue_denies(host: Host, held: Latch) -> None:
    payload = {"session_id": "S", "tool_name": "Bash", "tool_input": {"command": "make"}}
    hook = host.popen([HOSTGATE, "hook", "claude"], None, {}, stdin=json.dumps(payload))
    host.until_claims(running=1, waiting=1)
    assert host.run("stop", host.claims()[1]["id"]).returncode == 0
    out, _ = hook.communicate(timeout=DEADLINE)
    assert '"permissionDecision":"deny"' in out and "taken out of the queue" in out
