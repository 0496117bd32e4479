"""Run ids, recorded output, and joining a run instead of starting another."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from support import DEADLINE, HOSTGATE, Host, Latch, until

SPEAKS = "echo ran >> log; echo out; echo err >&2; read line < build.pipe; echo end; exit $line"


@pytest.fixture
def speaking(host: Host) -> Latch:
    """A latch whose pipe lets go what :data:`SPEAKS`."""
    return host.latch()


def let_go(host: Host, code: int = 0) -> None:
    """Let one run of :data:`SPEAKS` end."""
    with open(host.project / "build.pipe", "w") as pipe:
        pipe.write(f"{code}\n")


def executions(host: Host) -> int:
    path = host.project / "log"
    return len(path.read_text().splitlines()) if path.exists() else 0


def result(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=DEADLINE)
    return process.returncode, out, err


def record(host: Host) -> dict[str, Any]:
    """The only record that is kept."""
    import json

    (path,) = (host.state / "runs").glob("*.json")
    return dict(json.loads(path.read_text()))


# run ids


def test_ten_calls_with_one_id_are_one_execution_with_ten_equal_results(
    host: Host, speaking: Latch
) -> None:
    calls = [host.start("run", "--run-id", "r1", "-c", SPEAKS) for _ in range(10)]
    until(lambda: executions(host) == 1)
    let_go(host, 7)
    assert {result(call) for call in calls} == {(7, "out\nend\n", "err\n")}
    assert executions(host) == 1
    assert [(one["outcome"], one["code"]) for one in host.history()] == [("ran", 7)]


def test_a_call_with_the_id_of_an_ended_run_gets_its_result_at_once(host: Host) -> None:
    words = ("run", "--run-id", "r1", "-c", "echo ran >> log; echo out; echo err >&2; exit 3")
    first = host.run(*words, session="A")
    second = host.run(*words, session="B")
    assert executions(host) == 1
    assert (second.returncode, second.stdout, second.stderr) == (3, "out\n", "err\n")
    assert (first.returncode, first.stdout, first.stderr) == (3, "out\n", "err\n")


def test_who_joins_sees_the_output_from_the_start_as_it_comes(host: Host, speaking: Latch) -> None:
    first = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    assert first.stdout is not None
    assert first.stdout.readline() == "out\n"
    second = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    assert second.stdout is not None
    assert second.stdout.readline() == "out\n"
    let_go(host)
    assert result(second) == (0, "end\n", "err\n")
    assert result(first) == (0, "end\n", "err\n")


@pytest.mark.parametrize("live", [True, False])
def test_an_id_is_refused_to_another_command_and_both_are_named(
    host: Host, speaking: Latch, live: bool
) -> None:
    first = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    until(lambda: executions(host) == 1)
    if not live:
        let_go(host)
        result(first)
    done = host.run("run", "--run-id", "r1", "--", "touch", "other")
    assert done.returncode == 125
    assert "echo ran >> log" in done.stderr
    assert "`touch other`" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (host.project / "other").exists()


def test_an_id_is_refused_to_the_same_command_elsewhere(host: Host) -> None:
    assert host.run("run", "--run-id", "r1", "--", "true").returncode == 0
    done = host.run("run", "--run-id", "r1", "--", "true", cwd=host.home)
    assert done.returncode == 125
    assert str(host.project) in done.stderr
    assert str(host.home) in done.stderr


def test_secrets_are_in_no_record(host: Host) -> None:
    host.run("run", "--run-id", "r1", "--", "true", "--token=abc123secret")
    for path in host.state.rglob("*"):
        assert not path.is_file() or b"abc123secret" not in path.read_bytes()


def test_a_waiting_run_is_joined_too(host: Host, held: Latch) -> None:
    words = ("run", "--run-id", "r1", "-c", "./build.sh; echo out")
    first = host.start(*words, session="B")
    host.until_claims(running=1, waiting=1)
    second = host.start(*words, session="C")
    assert second.stderr is not None
    assert "waiting" in (line := second.stderr.readline())
    assert "claude · api" in line
    assert "run now anyway" not in line  # that would join again
    held.go()
    held.until_started(2)
    held.go()
    assert result(second)[:2] == (0, "out\n")
    assert result(first)[:2] == (0, "out\n")
    assert held.events() == ["start A", "end A", "start B", "end B"]


def test_who_joins_a_run_that_waits_leaves_after_its_own_time(host: Host, held: Latch) -> None:
    words = ("run", "--run-id", "r1", "--", "./build.sh")
    host.start(*words, session="B")
    host.until_claims(running=1, waiting=1)
    done = host.run("run", "--wait-timeout", "0", *words[1:], session="C")
    assert done.returncode == 75
    assert "claude · api" in done.stderr
    host.until_claims(running=1, waiting=1)


def test_a_run_that_left_the_queue_has_not_used_its_id(host: Host, held: Latch) -> None:
    words = ("run", "--run-id", "r1", "--wait-timeout", "0", "--", "./build.sh")
    assert host.run(*words, session="B").returncode == 75
    held.go()
    again = host.start(*words, session="B")
    held.until_started(2)
    held.go(4)
    assert again.wait(DEADLINE) == 4


def test_a_command_that_could_not_be_started_has_not_used_its_id(host: Host) -> None:
    words = ("run", "--run-id", "r1", "--", "./later.sh")
    assert host.run(*words).returncode == 127
    script = host.project / "later.sh"
    script.write_text("#!/bin/sh\nexit 5\n")
    script.chmod(0o755)
    assert host.run(*words).returncode == 5


@pytest.mark.parametrize("orphan", [True, False])
def test_a_run_whose_hostgate_was_killed_is_indeterminate_and_never_run_again(
    host: Host, orphan: bool
) -> None:
    latch = host.latch()
    words = ("run", "--run-id", "r1", "--", latch.command)
    first = host.start(*words, session="A")
    latch.until_started()
    joined = host.start(*words, session="B")
    first.kill()
    first.wait(DEADLINE)
    if not orphan:
        os.kill(latch.pid(), signal.SIGKILL)
    id = host.claims()[0]["id"]
    done = [(joined.wait(DEADLINE), joined.stderr.read() if joined.stderr else "")]
    for _ in range(2):
        one = host.run(*words, session="C")
        done.append((one.returncode, one.stderr))
    for code, err in done:
        assert code == 125
        assert "indeterminate" in err
        assert f"hostgate resume {id}" in err
    assert latch.events()[1:] == []


def test_an_orphan_s_output_is_recorded_to_its_end(host: Host, speaking: Latch) -> None:
    first = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    until(lambda: executions(host) == 1)
    first.kill()
    let_go(host)
    (log,) = (host.state / "runs").glob("*.log")
    until(lambda: b"end\n" in log.read_bytes())


def test_a_run_does_not_join_what_it_is_inside_of(host: Host) -> None:
    script = host.project / "self.sh"
    script.write_text("#!/bin/sh\nexec hostgate run --run-id r1 -- ./self.sh\n")
    script.chmod(0o755)
    done = host.run("run", "--run-id", "r1", "--", "./self.sh")
    assert done.returncode == 125
    assert "it would wait for itself" in done.stderr


def test_who_joins_and_is_interrupted_leaves_the_run_alone(host: Host, speaking: Latch) -> None:
    first = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    until(lambda: executions(host) == 1)
    second = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    assert second.stdout is not None
    second.stdout.readline()
    second.send_signal(signal.SIGINT)
    assert second.wait(DEADLINE) == -signal.SIGINT
    let_go(host, 2)
    assert first.wait(DEADLINE) == 2


def test_a_killed_command_s_code_is_everybody_s(host: Host) -> None:
    words = ("run", "--run-id", "r1", "-c", "kill -9 $$")
    assert [host.run(*words).returncode for _ in range(2)] == [137, 137]


def test_a_timeout_is_everybody_s(host: Host) -> None:
    words = ("run", "--run-id", "r1", "--timeout", "0.1", "--", "sleep", "60")
    assert [host.run(*words).returncode for _ in range(2)] == [124, 124]


def test_a_record_that_cannot_be_read_costs_one_warning(host: Host) -> None:
    words = ("run", "--run-id", "r1", "-c", "echo ran >> log")
    host.run(*words)
    (path,) = (host.state / "runs").glob("*.json")
    path.write_text("{")
    done = host.run(*words)
    assert (done.returncode, executions(host)) == (0, 2)
    assert done.stderr.count("\n") == 1
    assert "could not be read" in done.stderr


def test_an_id_that_is_empty_or_too_long_is_bad_usage(host: Host) -> None:
    for id in ("", "x" * 201):
        done = host.run("run", "--run-id", id, "--", "true")
        assert done.returncode == 125
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("id", ["../../x", "a/b", ".", "\x1b[31m", "id with blanks", "é"])
def test_any_text_is_an_id_and_shown_inert(host: Host, id: str) -> None:
    assert host.run("run", "--run-id", id, "--", "true").returncode == 0
    assert host.run("run", "--run-id", id, "--", "true").returncode == 0
    refused = host.run("run", "--run-id", id, "--", "false")
    assert refused.returncode == 125
    assert "\x1b" not in refused.stderr
    assert len(list((host.state / "runs").iterdir())) == 2


# the record


def raw(host: Host, *words: str, session: str = "A") -> subprocess.CompletedProcess[bytes]:
    environment = host.environment | {"HOSTGATE_SESSION": session}
    return subprocess.run(
        [HOSTGATE, *words],
        cwd=host.project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEADLINE,
    )


def test_output_is_recorded_byte_for_byte_on_both_streams(host: Host) -> None:
    data = bytes(range(256)) * 2000 + b"\r\n\x00no newline at the end"
    (host.project / "data").write_bytes(data)
    words = ("run", "--run-id", "r1", "-c", "cat data; cat data data >&2")
    for done in (raw(host, *words), raw(host, *words)):
        assert done.stdout == data
        assert done.stderr == data + data


def test_nothing_is_recorded_unless_asked_for(host: Host) -> None:
    host.run("run", "-c", "echo out")
    assert not (host.state / "runs").exists()


def test_records_are_private_and_say_how_it_ended(host: Host) -> None:
    host.run("run", "--record", "-c", "echo out; exit 3")
    for path in (host.state / "runs").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = record(host)
    assert (found["outcome"], found["code"], found["run_id"]) == ("ran", 3, "")


def test_the_record_is_bounded_and_the_caller_gets_everything(host: Host) -> None:
    size = (16 << 20) + 12345
    words = ("run", "--run-id", "r1", "-c", f"head -c {size} /dev/zero; echo err >&2; exit 5")
    first, second = raw(host, *words), raw(host, *words)
    assert (len(first.stdout), first.returncode) == (size, 5)
    kept = len(second.stdout) + len(b"err\n") * second.stderr.startswith(b"err\n")
    assert (kept, second.returncode) == (16 << 20, 5)
    assert b"not all of the output" in second.stderr
    (log,) = (host.state / "runs").glob("*.log")
    assert log.stat().st_size < 17 << 20


def test_a_disk_that_is_full_costs_a_warning_and_the_command_goes_on(host: Host) -> None:
    if not hasattr(resource, "prlimit"):
        pytest.skip("only Linux can bound the writes of a process that runs")
    words = ("run", "--run-id", "r1", "-c", "read line < build.pipe; head -c 100000 /dev/zero")
    host.latch()
    run = host.start(*words)
    until(lambda: list((host.state / "runs").glob("*.log")))
    for process in [psutil.Process(run.pid), *psutil.Process(run.pid).children()]:
        hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (5000, hard))
    let_go(host)
    code, out, err = result(run)
    assert (code, len(out)) == (0, 100000)
    assert "the output cannot be recorded" in err
    assert "not all of the output" in host.run(*words).stderr


def test_a_background_process_that_keeps_the_output_open_delays_nothing_and_lives_on(
    host: Host,
) -> None:
    host.latch()
    script = "(read line < build.pipe; echo late; echo late >&2; echo alive > alive) & echo out"
    done = host.run("run", "--record", "-c", script)
    assert (done.returncode, done.stdout) == (0, "out\n")
    assert host.claims() == []
    let_go(host)
    until(lambda: (host.project / "alive").exists())


def test_a_reader_that_has_seen_enough_ends_the_command_as_without_hostgate(host: Host) -> None:
    script = f"{HOSTGATE} run --record -- yes | head -n 1"
    done = host.popen(["bash", "-c", f"{script}; echo ${{PIPESTATUS[0]}}"], None, {})
    assert result(done)[1] == "y\n141\n"


def test_a_slow_reader_holds_up_the_command_but_not_its_slot(host: Host) -> None:
    run = host.start("run", "--record", "-c", "head -c 200000 /dev/zero", session="A")
    assert run.stdout is not None
    until(lambda: [one["state"] for one in host.claims()] == ["running"])
    count = 0
    while count < 80000:  # what is left fits into the pipes
        count += len(os.read(run.stdout.fileno(), 80000 - count))
    until(lambda: host.claims() == [])
    assert run.poll() is None  # its reader has not got everything yet
    assert len(result(run)[1]) == 120000
    assert run.returncode == 0


def test_standard_input_is_the_caller_s(host: Host) -> None:
    done = host.popen([HOSTGATE, "run", "--record", "--", "cat"], None, {}, stdin="in\n")
    assert result(done)[:2] == (0, "in\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_do_not_disturb(host: Host, closed: str) -> None:
    script = f"{HOSTGATE} run --record -c 'echo ran >> log; echo out; exit 4' {closed}; echo $?"
    out = result(host.popen(["bash", "-c", script], None, {}))[1]
    assert out.splitlines()[-1] == "4"
    assert executions(host) == 1


def test_a_recorded_run_leaves_no_process(host: Host) -> None:
    host.run("run", "--record", "-c", "echo out")
    until(
        lambda: (
            not [
                one
                for one in psutil.process_iter()
                if one.is_running() and str(host.state) in _home_of(one)
            ]
        )
    )


def _home_of(process: psutil.Process) -> str:
    try:
        return process.environ().get("HOSTGATE_HOME", "")
    except psutil.Error:
        return ""


# on a terminal

TELLS = (
    "import os, sys; sys.stdout.write(f'{os.isatty(0)} {os.isatty(1)} {os.isatty(2)} "
    "{os.get_terminal_size(1).columns} {os.ctermid()}\\n'); open('/dev/tty').close()"
)


def test_on_a_terminal_the_command_has_one(host: Host) -> None:
    import termios

    terminal = host.terminal("bash", "--norc", "--noprofile", "-i", PS1="ready$ ")
    termios.tcsetwinsize(terminal.fd, (33, 77))
    terminal.until("ready$ ")
    (host.project / "tells.py").write_text(TELLS)
    terminal.send(f"{HOSTGATE} run --record -- {sys.executable} tells.py\n")
    terminal.until("True True True 77 /dev/tty")
    terminal.send("exit\n")
    terminal.close()


def test_the_record_of_a_terminal_s_output_is_what_the_command_wrote(host: Host) -> None:
    terminal = host.terminal(HOSTGATE, "run", "--run-id", "r1", "-c", r"printf 'a\n\033[1mb\r\n'")
    assert terminal.rest() == "a\r\nb\r\r\n"  # as the terminal shows it without hostgate
    assert terminal.wait() == 0
    done = raw(host, "run", "--run-id", "r1", "-c", r"printf 'a\n\033[1mb\r\n'")
    assert done.stdout == b"a\n\033[1mb\r\n"
    terminal.close()


def test_only_the_streams_that_are_a_terminal_become_one(host: Host) -> None:
    terminal = host.terminal(
        "bash", "-c", f"{HOSTGATE} run --record -- {sys.executable} -c \"import os, sys; "
        "sys.stderr.write(f'{os.isatty(0)} {os.isatty(1)} {os.isatty(2)}')\" | cat",
    )  # fmt: skip
    assert "True False True" in terminal.rest()
    terminal.close()


def test_ctrl_c_reaches_a_recorded_command_once(host: Host) -> None:
    script = "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05; done"
    terminal = host.terminal(HOSTGATE, "run", "--record", "-c", script)
    terminal.until("ready")
    terminal.send("\x03")
    assert terminal.rest().count("caught") == 1
    assert terminal.wait() == 9
    assert record(host)["code"] == 9
    terminal.close()


def test_ctrl_z_and_fg_work_while_it_is_recorded(host: Host) -> None:
    latch = host.latch()
    terminal = host.terminal("bash", "--norc", "--noprofile", "-i", PS1="ready$ ")
    terminal.until("ready$ ")
    terminal.send(f"{HOSTGATE} run --record -- {latch.command}\n")
    latch.until_started()
    terminal.send("\x1a")
    terminal.until("Stopped")
    terminal.until("ready$ ")
    terminal.send("fg\n")
    terminal.until(latch.command)
    latch.go(6)
    terminal.until("ready$ ")
    terminal.send("echo code $?\n")
    terminal.until("code 6")
    terminal.send("exit\n")
    terminal.close()


def test_a_new_size_of_the_terminal_is_the_command_s(host: Host) -> None:
    import termios

    script = (
        "import os, signal\n"
        "def show(*_): os.write(1, b'size %d\\n' % os.get_terminal_size(1).columns)\n"
        "signal.signal(signal.SIGWINCH, show); show()\n"
        "while True: signal.pause()\n"
    )
    (host.project / "size.py").write_text(script)
    terminal = host.terminal(HOSTGATE, "run", "--record", "--", sys.executable, "size.py")
    termios.tcsetwinsize(terminal.fd, (33, 77))
    terminal.until("size 77")
    termios.tcsetwinsize(terminal.fd, (33, 99))
    terminal.until("size 99")
    terminal.send("\x03")
    terminal.rest()
    terminal.close()


# join


def recorded(host: Host) -> subprocess.Popen[str]:
    """A recorded build of session A, which speaks and waits."""
    first = host.start("run", "--record", "-c", f"./x-build.sh; {SPEAKS}", session="A")
    until(lambda: executions(host) == 1)
    return first


def build_script(host: Host) -> None:
    host.latch()
    script = host.project / "x-build.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)


def test_on_conflict_join_follows_the_same_recorded_command(host: Host) -> None:
    build_script(host)
    first = recorded(host)
    second = host.start(
        "run", "--on-conflict", "join", "-c", f"./x-build.sh; {SPEAKS}", session="B"
    )
    assert second.stdout is not None
    assert second.stdout.readline() == "out\n"
    let_go(host, 8)
    code, out, err = result(second)
    assert (code, out) == (8, "end\n")
    assert err.startswith("hostgate: joining A")
    assert err.endswith("\nerr\n")
    assert result(first) == (8, "out\nend\n", "err\n")
    assert executions(host) == 1


@pytest.mark.parametrize("words", [("make",), ("./build.sh",)], ids=["similar", "not-recorded"])
def test_on_conflict_join_waits_where_there_is_nothing_to_join(
    host: Host, held: Latch, words: tuple[str, ...]
) -> None:
    host.start("run", "--on-conflict", "join", "--", *words, session="B")
    host.until_claims(running=1, waiting=1)


def test_on_conflict_join_starts_at_once_where_nothing_is_in_the_way(host: Host) -> None:
    assert host.run("run", "--on-conflict", "join", "-c", "exit 6").returncode == 6


def test_the_prompt_offers_to_join_the_same_recorded_command(host: Host) -> None:
    build_script(host)
    first = recorded(host)
    terminal = host.terminal(HOSTGATE, "run", "-c", f"./x-build.sh; {SPEAKS}", HOSTGATE_SESSION="B")
    assert "[j] Join" in terminal.until("Cancel")
    terminal.send("j")
    terminal.until("out")
    let_go(host, 8)
    assert "end" in terminal.rest()
    assert terminal.wait() == 8
    assert executions(host) == 1
    assert first.wait(DEADLINE) == 8
    terminal.close()


def test_the_prompt_does_not_offer_to_join_what_is_only_similar(host: Host) -> None:
    build_script(host)
    recorded(host)
    terminal = host.terminal(HOSTGATE, "run", "--", "make", HOSTGATE_SESSION="B")
    assert "Join" not in terminal.until("Cancel")
    terminal.send("j")
    terminal.send("c")
    terminal.rest()
    assert terminal.wait() == 75
    terminal.close()


# held


def test_a_held_run_id_is_held_once_and_release_records_its_code(host: Host) -> None:
    script = "hostgate hold --run-id r1 && echo held && hostgate release 3; echo code $?"
    assert result(host.shell(script))[1] == "held\ncode 0\n"
    _, out, err = result(host.shell(script))
    assert out == "code 125\n"
    assert "has ended with 3" in err
    assert host.run("wait", host.history()[0]["id"]).returncode == 3


def test_a_run_id_that_a_live_shell_holds_is_not_held_again(host: Host) -> None:
    host.latch()
    first = host.shell("hostgate hold --run-id r1 -- x && echo held && read line < build.pipe")
    assert first.stdout is not None
    assert first.stdout.readline() == "held\n"
    _, out, err = result(host.shell("hostgate hold --run-id r1 -- x && echo held; echo $?"))
    assert out == "75\n"
    assert "running for" in err
    let_go(host)
    first.wait(DEADLINE)


@pytest.mark.parametrize("words", [("1", "2"), ("abcd", "efgh"), ("256",), ("abcd", "1", "x")])
def test_release_takes_one_id_and_one_code(host: Host, words: tuple[str, ...]) -> None:
    done = host.run("release", *words)
    assert done.returncode == 125
    assert done.stderr.count("\n") == 1


def test_a_shell_that_became_release_still_releases(host: Host) -> None:
    done = host.popen(["bash", "-c", "hostgate hold && hostgate release 4"], None, {})
    assert result(done)[0] == 0
    assert [(one["outcome"], one["code"]) for one in host.history()] == [("held", 4)]


def test_a_path_that_nobody_can_write_runs_ungated_and_unrecorded(host: Host) -> None:
    host.state.parent.joinpath("file").write_text("")
    done = host.run("run", "--run-id", "r1", "-c", "exit 7", HOSTGATE_HOME=str(Path("/dev/null/x")))
    assert done.returncode == 7
    assert "running ungated" in done.stderr


def test_a_run_id_does_as_an_id(host: Host, speaking: Latch) -> None:
    run = host.start("run", "--run-id", "my run", "-c", SPEAKS)
    until(lambda: executions(host) == 1)
    assert [one["run_id"] for one in host.ls()] == ["my run"]
    waiting = host.start("wait", "my run")
    assert host.run("stop", "my run").returncode == 0
    assert waiting.wait(DEADLINE) == run.wait(DEADLINE) == 143
    assert host.run("wait", "my run").returncode == 143


def test_a_run_does_not_stop_itself_by_its_run_id(host: Host) -> None:
    assert host.run("run", "--run-id", "r1", "-c", "hostgate stop r1").returncode == 125


# what went wrong once


def test_long_argument_lists_that_differ_late_are_two_commands(host: Host) -> None:
    words = [str(at) for at in range(1200)]
    assert host.run("run", "--run-id", "r1", "--", "echo", *words).returncode == 0
    words[1100] = "x"
    assert host.run("run", "--run-id", "r1", "--", "echo", *words).returncode == 125


def test_an_indeterminate_run_is_not_forgotten_by_other_runs(host: Host) -> None:
    latch = host.latch()
    words = ("run", "--run-id", "r1", "--", latch.command)
    run = host.start(*words, session="A")
    latch.until_started()
    run.kill()
    run.wait(DEADLINE)
    os.kill(latch.pid(), signal.SIGKILL)
    until(lambda: host.ls() == [])
    for path in (host.state / "runs").iterdir():
        os.utime(path, (1, 1))
    host.run("run", "--record", "--", "true")
    assert host.run(*words).returncode == 125
    assert len(latch.events()) == 1


def test_a_broken_registry_does_not_run_an_id_twice(host: Host, speaking: Latch) -> None:
    first = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    until(lambda: executions(host) == 1)
    (host.state / "registry.json").write_text("{")
    second = host.start("run", "--run-id", "r1", "-c", SPEAKS)
    assert second.stdout is not None
    assert second.stdout.readline() == "out\n"
    let_go(host, 3)
    assert first.wait(DEADLINE) == second.wait(DEADLINE) == 3
    assert executions(host) == 1


def test_who_writes_on_for_ever_does_not_keep_hostgate(host: Host) -> None:
    run = host.start("run", "--record", "-c", "yes & echo $! > pid; sleep 0.1", session="A")
    out, _ = run.communicate(timeout=DEADLINE)
    assert run.returncode == 0
    assert out.startswith("y\n")
    pid = int((host.project / "pid").read_text())
    assert psutil.pid_exists(pid)
    os.kill(pid, signal.SIGKILL)


def test_many_descriptors_do_not_disturb(host: Host) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < 1300:
        pytest.skip("this user may not open so many files")
    script = (
        "import os, resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, (1300, {hard}))\n"
        "while os.dup(0) < 1200: pass\n"
        "for fd in range(3, 1201): os.set_inheritable(fd, True)\n"
        "os.execvp(sys.argv[1], sys.argv[1:])\n"
    )
    argv = [sys.executable, "-c", script, HOSTGATE, "run", "--record", "-c", "echo out; exit 3"]
    assert result(host.popen(argv, None, {}))[:2] == (3, "out\n")


def test_a_joiner_whose_output_does_not_block_gets_everything(host: Host) -> None:
    words = [HOSTGATE, "run", "--run-id", "r1", "--", "seq", "50000"]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    expected = raw(host, *words[1:]).stdout
    process = subprocess.Popen(
        words, cwd=host.project, env=host.environment | {"HOSTGATE_SESSION": "A"}, stdout=writing
    )
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        assert file.read() == expected
    assert process.wait(DEADLINE) == 0


def test_background_output_goes_on_into_a_file(host: Host) -> None:
    host.latch()
    script = f"{HOSTGATE} run --record -c '(read line < build.pipe; echo late) & echo early' > out"
    assert result(host.popen(["bash", "-c", script], None, {}))[0] == 0
    let_go(host)
    until(lambda: (host.project / "out").read_text() == "early\nlate\n")


def test_a_torn_log_is_one_line(host: Host) -> None:
    words = ("run", "--run-id", "r1", "--", "echo", "once")
    host.run(*words)
    (log,) = (host.state / "runs").glob("*.log")
    log.write_text("garbage garbage garbage garbage")
    done = host.run(*words)
    assert done.returncode == 125
    assert done.stderr.count("\n") == 1


def test_who_joined_a_waiter_that_leaves_is_told_so(host: Host, held: Latch) -> None:
    words = ("run", "--run-id", "r1", "--", "./build.sh")
    first = host.start(*words, session="B")
    host.until_claims(running=1, waiting=1)
    second = host.start(*words, session="C")
    assert second.stderr is not None
    assert "waiting" in second.stderr.readline()
    first.send_signal(signal.SIGTERM)
    assert second.wait(DEADLINE) == 75
    assert "it left the queue" in second.stderr.read()


def test_a_hostgate_that_was_stopped_over_its_command_s_end_still_tells_the_code(
    host: Host, speaking: Latch
) -> None:
    words = ("run", "--run-id", "r1", "-c", SPEAKS)
    first = host.start(*words)
    until(lambda: executions(host) == 1)
    first.send_signal(signal.SIGSTOP)
    let_go(host, 4)
    until(lambda: host.ls() == [])
    host.run("run", "--", "true")  # drops what is gone
    first.send_signal(signal.SIGCONT)
    assert first.wait(DEADLINE) == 4
    assert host.run(*words).returncode == 4


def test_a_run_and_a_hold_of_one_id_are_told_apart_in_words(host: Host) -> None:
    host.run("run", "--run-id", "r1", "--", "make")
    held = host.popen(["bash", "-c", "hostgate hold --run-id r1 -- make; exit $?"], None, {})
    code, _, err = result(held)
    assert code == 125
    assert "not a hold of it" in err
