from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
from support import BUILD, DEADLINE, Host, Latch, until

from hostgate import keeper
from hostgate.host import process, watch
from hostgate.host.store import FileStore


def code_of(shell: subprocess.Popen[str]) -> int:
    return shell.wait(DEADLINE)


def keeper_of(host: Host) -> psutil.Process:
    (claim,) = [one for one in host.claims() if one["held"]]
    return psutil.Process(claim["owner"]["pid"])


def test_a_shell_holds_a_slot_from_its_hold_to_its_end(host: Host) -> None:
    latch = host.latch()
    shell = host.shell(f"hostgate hold -- make && {latch.command}; exit 7", session="A")
    latch.until_started()
    (claim,) = host.ls()
    assert (claim["state"], claim["command"], claim["child"]) == ("running", "make", shell.pid)
    waiter = host.start("run", "-c", BUILD, session="B")
    host.until_claims(running=1, waiting=1)
    latch.go()
    assert code_of(shell) == 7
    assert waiter.wait(DEADLINE) == 0
    host.until_claims()
    ended = {one["session"]: (one["outcome"], one["code"]) for one in host.history()[-2:]}
    assert ended == {"A": ("held", None), "B": ("ran", 0)}


def test_the_callers_pipes_close_though_the_keeper_lives(host: Host) -> None:
    latch = host.latch()
    shell = host.shell(f"hostgate hold -- make; exec >&- 2>&-; {latch.command}")
    latch.until_started()
    out, err = shell.stdout, shell.stderr
    assert out is not None and err is not None
    assert (out.read(), err.read()) == ("", "")  # to their ends
    fds = Path(f"/proc/{keeper_of(host).pid}/fd")
    if fds.exists():
        targets = {os.readlink(fd) for fd in fds.iterdir()} - {"/dev/null"}
        assert all(t.endswith(".lock") or t.startswith("anon_inode:") for t in targets), targets
    latch.go()


def test_the_keeper_is_in_no_group_of_the_shells_and_survives_what_ends_everything(
    host: Host,
) -> None:
    latch = host.latch()
    shell = host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    keeper = keeper_of(host)
    assert os.getpgid(keeper.pid) == os.getsid(keeper.pid) == keeper.pid
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR2):
        keeper.send_signal(number)
    assert [one["state"] for one in host.ls()] == ["running"]
    os.killpg(shell.pid, signal.SIGKILL)
    host.until_claims()
    until(lambda: not keeper.is_running(), "the end of the keeper")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_however_the_shell_ends_the_next_in_line_starts(host: Host, number: int) -> None:
    shell = host.shell("hostgate hold -- make && echo held; sleep 600", session="A")
    assert shell.stdout is not None and shell.stdout.readline() == "held\n"
    waiter = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="B")
    host.until_claims(running=1, waiting=1)
    os.kill(shell.pid, number)
    assert waiter.wait(DEADLINE) == 0


def test_the_end_of_a_shell_is_seen_without_the_kernels_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "_watched", lambda pid: None)
    for proc in ("/proc", "/nonexistent"):
        monkeypatch.setattr(process, "PROC", proc)
        shell = subprocess.Popen(["sleep", "600"])
        stamp = process.start_stamp(shell.pid)
        shell.kill()  # a zombie, as long as nobody waits for it
        watch.until_end(shell.pid, stamp)
        shell.wait(DEADLINE)
        watch.until_end(shell.pid, stamp)


def test_the_end_of_a_shell_is_seen_at_once_where_the_kernel_tells() -> None:
    shell = subprocess.Popen(["sh", "-c", "read x"], stdin=subprocess.PIPE)
    watched = watch._watched(shell.pid)
    if watched is None:
        pytest.skip("this system has neither pidfd nor kqueue")
    os.close(watched)
    assert shell.stdin is not None
    shell.stdin.close()
    watch.until_end(shell.pid, process.start_stamp(shell.pid))
    shell.wait(DEADLINE)


def test_a_pid_that_is_used_again_is_not_the_shell() -> None:
    watch.until_end(os.getpid(), "12345")  # this process began at another time


def test_a_hold_that_is_not_had_keeps_the_command_from_running(host: Host, held: Latch) -> None:
    script = "hostgate hold --wait-timeout 0 -- make && echo built; echo code $?"
    shell = host.shell(script, session="B")
    out, err = shell.communicate(timeout=DEADLINE)
    assert out == "code 75\n"
    assert "claude · api" in err and "wait and retry" in err and "do not kill" in err


def test_hold_takes_the_options_of_run(host: Host, held: Latch) -> None:
    latch = host.latch("deploy")
    shell = host.shell(
        f"hostgate hold --on-conflict run --title Z --lane blue -- make && {latch.command}",
        session="B",
    )
    latch.until_started()
    claim = host.ls()[-1]
    assert (claim["title"], claim["lanes"], claim["override"]) == ("Z", ["blue"], True)
    cancelled = host.run("hold", "--on-conflict", "cancel", "--lane", "blue", "--", "ls")
    assert cancelled.returncode == 75
    assert "lane: blue" in cancelled.stderr
    latch.go()
    code_of(shell)


def test_without_a_command_the_shell_s_own_command_line_is_what_is_held(host: Host) -> None:
    latch = host.latch()
    script = host.project / "deploy.sh"
    script.write_text(f"hostgate hold\n{latch.command}\n")
    host.popen(["sh", str(script), "staging"], None, {"HOSTGATE_SESSION": "A"})
    latch.until_started()
    assert host.ls()[0]["command"] == f"sh {script} staging"
    latch.go()


def test_two_holds_of_one_shell_do_not_wait_for_each_other(host: Host) -> None:
    script = "hostgate hold -- make && HOSTGATE_SESSION=other hostgate hold -- make && echo both"
    out, err = host.shell(script, session="A").communicate(timeout=DEADLINE)
    assert (out, err) == ("both\n", "")


def test_a_run_inside_a_held_shell_is_part_of_it(host: Host) -> None:
    script = "hostgate hold -- make && sh -c 'HOSTGATE_SESSION=B hostgate run -c \"$BUILD\"'"
    shell = host.shell(script, session="A", BUILD=f"{BUILD}; echo built")
    out, err = shell.communicate(timeout=DEADLINE)
    assert (shell.returncode, out, err) == (0, "built\n", "")


def test_a_hold_whose_shell_is_gone_before_it_begins_holds_nothing(host: Host) -> None:
    """Its parent is then init, which never ends."""
    script = "(exec 1>&-; read x < gate; exec hostgate hold -- make) & echo started"
    os.mkfifo(host.project / "gate")
    shell = host.popen(["bash", "-c", script], None, {})
    assert shell.wait(DEADLINE) == 0
    assert shell.stdout is not None and shell.stderr is not None
    with open(host.project / "gate", "w") as gate:
        gate.write("\n")
    assert "is gone" in shell.stderr.read()
    assert host.claims() == []


def test_release_ends_a_hold_before_its_shell(host: Host) -> None:
    latch = host.latch()
    shell = host.shell(f"hostgate hold -- make && hostgate release; {latch.command}", session="A")
    latch.until_started()
    assert host.ls() == []
    assert host.run("run", "-c", BUILD, session="B").returncode == 0
    latch.go()
    assert code_of(shell) == 0
    assert [one["outcome"] for one in host.history()] == ["held", "ran"]


def test_release_by_id_ends_the_keeper_too(host: Host) -> None:
    latch = host.latch()
    host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    keeper = keeper_of(host)
    assert host.run("release", host.claims()[0]["id"]).returncode == 0
    until(lambda: not psutil.pid_exists(keeper.pid), "the end of the keeper")
    assert host.claims() == []
    latch.go()


def test_release_says_what_it_cannot_release(host: Host, held: Latch) -> None:
    nothing = host.run("release")
    assert (nothing.returncode, nothing.stderr) == (0, "hostgate: nothing is held for this shell\n")
    run = host.run("release", host.claims()[0]["id"])
    assert run.returncode == 125 and "hostgate ls" in run.stderr
    assert [one["state"] for one in host.ls()] == ["running"]


@pytest.mark.parametrize(
    "words",
    [["--nonsense"], ["--timeout", "3", "k7f3"], ["k7f3", "more"], ["-c"], ["--on-conflict", "x"]],
)
def test_bad_usage_is_one_line_and_125(host: Host, words: list[str]) -> None:
    done = host.run("hold", *words)
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.startswith("hostgate: ") and done.stderr.count("\n") == 1


def test_an_id_that_nobody_knows_holds_nothing_up(host: Host) -> None:
    done = host.run("hold", "zzzz")
    assert done.returncode == 0
    assert "no reservation zzzz is known; running ungated" in done.stderr
    strict = host.run("hold", "--strict", "zzzz")
    assert strict.returncode == 125


def test_what_breaks_holds_nothing_up(host: Host) -> None:
    host.state.parent.joinpath("file").write_text("")
    done = host.run("hold", "--", "make", HOSTGATE_HOME=str(host.state.parent / "file"))
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1 and "running ungated" in done.stderr
    assert host.run("hold", "--", "make", HOSTGATE_DISABLE="1").returncode == 0
    assert host.claims() == []


def test_a_killed_keeper_frees_the_slot(host: Host) -> None:
    latch = host.latch()
    host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    keeper_of(host).kill()
    assert host.run("run", "-c", BUILD, session="B").returncode == 0
    latch.go()
    host.until_claims()


def test_the_history_tells_how_long_a_held_command_usually_takes(host: Host) -> None:
    for _ in range(3):
        host.shell("hostgate hold -- make", session="A").wait(DEADLINE)
        host.until_claims()
    latch = host.latch()
    host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    done = host.run("run", "--wait-timeout", "0.1", "--", "make", session="B")
    assert "usually" in done.stderr
    latch.go()


def test_wait_says_that_a_shell_keeps_its_exit_code_to_itself(host: Host) -> None:
    latch = host.latch()
    host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    waiting = host.start("wait", host.claims()[0]["id"])
    latch.go()
    assert waiting.wait(DEADLINE) == 125
    assert json.loads(host.run("history", "--json").stdout)["history"][0]["code"] is None


def test_on_a_terminal_a_hold_asks_as_run_does(host: Host, held: Latch) -> None:
    latch = host.latch("other")
    script = f"hostgate hold -- make && {latch.command}; echo code $?"
    terminal = host.terminal("bash", "-c", script, HOSTGATE_SESSION="B")
    terminal.until("claude · api")
    terminal.until("Run anyway")
    terminal.send("r")
    latch.until_started()
    assert [(one["state"], one["override"]) for one in host.ls()] == [
        ("running", False),
        ("running", True),
    ]
    latch.go()
    terminal.until("code 0")
    terminal.close()


def test_ctrl_c_while_a_hold_waits_leaves_the_queue_and_runs_nothing(
    host: Host, held: Latch
) -> None:
    script = "hostgate hold --on-conflict wait -- make && echo built; echo code $?"
    terminal = host.terminal("bash", "-ic", script, HOSTGATE_SESSION="B")
    terminal.until("waiting")
    host.until_claims(running=1, waiting=1)
    terminal.send("\x03")
    host.until_claims(running=1)
    assert "built" not in terminal.rest()
    terminal.close()


@pytest.mark.parametrize("word", ["make", "ls", "bash"])
def test_a_command_without_dashes_is_no_id(host: Host, word: str) -> None:
    done = host.run("hold", word)
    assert done.returncode == 125
    assert f"put -- before the command: hostgate hold -- {word}" in done.stderr


@pytest.mark.parametrize("id", ["../registry", "../../x", "/tmp/x", "claims/../x", ".", "a b", "ä"])
def test_an_id_that_could_name_another_file_is_no_reservation_s(
    host: Host, monkeypatch: pytest.MonkeyPatch, id: str
) -> None:
    done = host.shell(f"hostgate hold '{id}'; echo $?")
    out, err = done.communicate(timeout=DEADLINE)
    assert (out, err) == (
        "0\n",
        f"hostgate: warning: no reservation {id} is known; running ungated\n",
    )
    assert host.run("release", id).returncode == 125
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a keeper looks for its file"))
    assert keeper.keep(FileStore(str(host.state)), id, (os.getpid(), "")) == keeper.LAPSED
