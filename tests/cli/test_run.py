"""The run itself: arguments, exit codes, descriptors, environment, time limits."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from support import DEADLINE, HOSTGATE, Host, until


def test_the_arguments_arrive_byte_for_byte(host: Host) -> None:
    words = ["a b", "", "'", '"', "$HOME", "*", "\\", "\n", "ü", "--", "-c", "--session"]
    script = "import sys, json; print(json.dumps(sys.argv[1:]))"
    done = host.run("run", "--", sys.executable, "-c", script, *words)
    assert json.loads(done.stdout) == words


def test_bytes_that_are_no_text_arrive_too(host: Host) -> None:
    argv = [HOSTGATE.encode(), b"run", b"--", b"printf", b"%s", b"a\xff\xfeb"]
    done = subprocess.run(argv, env=host.environment, cwd=host.project, capture_output=True)
    assert done.stdout == b"a\xff\xfeb", done.stderr


def test_a_string_is_run_by_the_user_s_shell(host: Host) -> None:
    done = host.run("run", "-c", 'echo $0 "$((1 + 1))" | tr a-z A-Z', SHELL="/bin/bash")
    assert done.stdout == "/BIN/BASH 2\n"
    assert host.run("run", "-c", "echo $0", SHELL="").stdout == "/bin/sh\n"


@pytest.mark.parametrize("code", [0, 1, 7, 75, 125, 130, 255])
def test_the_command_s_exit_code_is_kept(host: Host, code: int) -> None:
    assert host.run("run", "--", "sh", "-c", f"exit {code}").returncode == code
    assert host.history()[-1]["code"] == code


@pytest.mark.parametrize("name", ["TERM", "KILL", "HUP", "SEGV", "QUIT", "PIPE"])
def test_a_death_by_a_signal_is_128_and_its_number(host: Host, name: str) -> None:
    number = getattr(signal, f"SIG{name}")
    assert host.run("run", "-c", f"kill -{name} $$").returncode == 128 + number
    assert host.history()[-1]["code"] == 128 + number


def test_a_death_by_sigint_is_one_of_hostgate_too(host: Host) -> None:
    done = host.run("run", "-c", "kill -INT $$")
    assert done.returncode == -signal.SIGINT


def test_an_environment_entry_without_a_name_does_no_harm(host: Host) -> None:
    source = host.project / "odd.c"
    source.write_text(
        "#include <unistd.h>\n"
        'int main(int n, char **a) { extern char **environ; char *e[99], **p = e; *p++ = "=x=y";'
        "for (char **q = environ; *q && p < e + 97; q++) *p++ = *q; *p = 0;"
        "return execve(a[1], a + 1, e); }\n"
    )
    if (
        not shutil.which("cc")
        or subprocess.run(["cc", "-o", host.project / "odd", source]).returncode
    ):
        pytest.skip("a C compiler is missing")
    argv = [str(host.project / "odd"), HOSTGATE, "run", "-c", "exit 4"]
    done = subprocess.run(argv, env=host.environment, cwd=host.project, capture_output=True)
    assert (done.returncode, done.stderr) == (4, b"")


def test_a_missing_command_is_127_and_one_that_is_no_program_126(host: Host) -> None:
    done = host.run("run", "--", "no-such-command-anywhere")
    assert (done.returncode, done.stderr) == (
        127,
        "hostgate: no-such-command-anywhere: command not found\n",
    )
    (host.project / "data").write_text("x")
    done = host.run("run", "--", "./data")
    assert (done.returncode, done.stderr) == (126, "hostgate: ./data: Permission denied\n")
    assert host.run("run", "--", "/").returncode == 126
    assert host.run("run", "--", "").stderr == "hostgate: '': command not found\n"
    assert {entry["outcome"] for entry in host.history()} == {"not-started"}
    assert host.claims() == []


def test_a_script_without_a_first_line_runs_as_a_shell_would_run_it(host: Host) -> None:
    script = host.project / "plain"
    script.write_text('echo "plain $1"\n')
    script.chmod(0o755)
    assert host.run("run", "--", "./plain", "x").stdout == "plain x\n"


def test_standard_input_output_and_error_are_the_caller_s(host: Host) -> None:
    done = subprocess.run(
        [HOSTGATE, "run", "-c", "cat; echo error >&2"],
        input="through\n",
        env=host.environment,
        cwd=host.project,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("through\n", "error\n")


def test_other_inherited_descriptors_arrive(host: Host) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    subprocess.run(
        [
            HOSTGATE,
            "run",
            "--",
            sys.executable,
            "-c",
            f"import os; os.write({writing}, b'jobserver')",
        ],
        env=host.environment,
        cwd=host.project,
        close_fds=False,
        check=True,
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "jobserver"


def test_closed_standard_descriptors_do_no_harm(host: Host) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {HOSTGATE} run -c 'echo x > made; exit 3' <&- >&- 2>&-"],
        env=host.environment,
        cwd=host.project,
    )
    assert done.returncode == 3
    assert (host.project / "made").read_text() == "x\n"
    assert host.claims() == []


def test_the_command_runs_in_the_caller_s_process_group(host: Host) -> None:
    done = host.run("run", "--", "python3", "-c", "import os; print(os.getpgrp() == os.getsid(0))")
    assert done.stdout == "True\n"


def test_ignored_and_default_signals_are_as_without_hostgate(host: Host) -> None:
    script = (
        "import signal as s; "
        "print([int(n) for n in s.valid_signals() if s.getsignal(n) is s.SIG_IGN], "
        "sorted(map(int, s.pthread_sigmask(s.SIG_BLOCK, []))))"
    )
    command = [sys.executable, "-c", script]
    plain, gated = (
        subprocess.run(argv, env=host.environment, cwd=host.project, capture_output=True).stdout
        for argv in (command, [HOSTGATE, "run", "--", *command])
    )
    assert gated == plain
    piped = host.run("run", "-c", "yes | head -1; echo ${PIPESTATUS[0]}", SHELL="/bin/bash")
    assert piped.stdout == f"y\n{128 + signal.SIGPIPE}\n"


def test_the_command_can_tell_that_it_is_gated(host: Host) -> None:
    done = host.run(
        "run", "-c", "echo $HOSTGATE_CLAIM $HOSTGATE_EPOCH; cat $HOSTGATE_HOME/registry.json"
    )
    line, _, registry = done.stdout.partition("\n")
    claim = json.loads(registry)["claims"][0]
    assert line == f"{claim['id']} {claim['epoch']}"


def test_the_claim_is_recorded_with_its_times(host: Host) -> None:
    latch = host.latch()
    host.start("run", "--title", "me", "--", latch.command, session="s")
    latch.until_started()
    (claim,) = host.ls()
    assert claim["state"] == "running"
    assert claim["session"] == "s"
    assert claim["title"] == "me"
    assert claim["project"] == str(host.project)
    assert claim["command"] == latch.command
    assert claim["category"] == "build"
    assert claim["owner"]["alive"] is True
    assert claim["owner"]["pid"] == host.processes[0].pid
    assert claim["child"] == latch.pid()
    latch.go(3)
    until(lambda: host.claims() == [], "the end")
    (entry,) = host.history()
    assert (entry["outcome"], entry["code"], entry["session"]) == ("ran", 3, "s")


def test_state_is_private_while_and_after_a_run(host: Host) -> None:
    host.run("run", "-c", "true")
    assert [oct(p.stat().st_mode & 0o777) for p in [host.state, host.state / "claims"]] == [
        "0o700",
        "0o700",
    ]
    files = [path for path in host.state.rglob("*") if path.is_file()]
    assert {oct(path.stat().st_mode & 0o777) for path in files} == {"0o600"}
    assert sorted(path.name for path in files) == [
        "history.jsonl",
        "registry.json",
        "registry.lock",
    ]


def test_a_secret_is_stored_nowhere(host: Host) -> None:
    latch = host.latch()
    host.start("run", "--", latch.command, "--token=hunter2", "--password", "hunter2", session="a")
    latch.until_started()
    assert "***" in host.ls()[0]["command"]
    done = host.run(
        "run", "--on-conflict", "cancel", "-c", f"API_KEY=hunter2 {latch.command}", session="b"
    )
    assert done.returncode == 75
    stored = b"".join(path.read_bytes() for path in host.state.rglob("*") if path.is_file())
    assert b"hunter2" not in stored
    assert "hunter2" not in done.stderr


def test_an_argument_of_a_megabyte_is_bounded_in_the_registry_and_arrives_whole(host: Host) -> None:
    done = host.run("run", "-c", f"printf %s '{'x' * 100_000}' | wc -c")
    assert done.stdout.strip() == "100000"
    assert len(host.history()[0]["command"]) < 5000


@pytest.mark.parametrize("form", ["seconds", "minutes"])
def test_a_time_limit_ends_the_command_with_124(host: Host, form: str) -> None:
    limit = {"seconds": "0.2", "minutes": "0m0.2s"}[form]
    assert host.run("run", "--timeout", limit, "--", "sleep", "1000").returncode == 124
    assert host.history()[0]["outcome"] == "timeout"
    assert host.claims() == []


def test_a_time_limit_that_is_not_reached_changes_nothing(host: Host) -> None:
    assert host.run("run", "--timeout", "1h", "-c", "exit 4").returncode == 4


def test_a_time_limit_ends_the_whole_tree_also_what_ignores_sigterm(host: Host) -> None:
    pids = host.project / "pids"
    script = (
        f"trap '' TERM; (trap '' TERM; sh -c 'echo $$ >> {pids}; exec sleep 1000') & "
        f"echo $$ >> {pids}; wait; sleep 1000"
    )
    done = host.run("run", "--timeout", "0.5", "--grace", "0.3", "-c", script)
    assert done.returncode == 124

    def gone(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            return True

    for pid in pids.read_text().split():
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            continue
        assert gone(int(pid)), f"{pid} lives on"


def test_a_time_limit_lets_the_command_tidy_up_within_the_grace(host: Host) -> None:
    script = "trap 'echo tidied; exit 0' TERM; sleep 1000 & wait"
    done = host.run("run", "--timeout", "0.3", "--grace", "20", "-c", script)
    assert (done.returncode, done.stdout) == (124, "tidied\n")


def test_a_command_that_was_stopped_and_continued_goes_on_to_its_end(host: Host) -> None:
    latch = host.latch()
    holder = host.start("run", "--", latch.command)
    latch.until_started()
    os.kill(latch.pid(), signal.SIGSTOP)
    until(lambda: psutil.Process(latch.pid()).status() == psutil.STATUS_STOPPED, "the stop")
    os.kill(latch.pid(), signal.SIGCONT)
    latch.go(6)
    assert holder.wait(DEADLINE) == 6


def test_a_time_limit_ends_a_stopped_command_too(host: Host) -> None:
    assert host.run("run", "--timeout", "0.3", "-c", "kill -STOP $$").returncode == 124


def test_a_stopped_hostgate_whose_command_has_ended_holds_nothing(host: Host) -> None:
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    os.kill(holder.pid, signal.SIGSTOP)
    until(lambda: psutil.Process(holder.pid).status() == psutil.STATUS_STOPPED, "the stop")
    latch.go()
    done = host.run("run", "--on-conflict", "cancel", "-c", "make --nothing", session="B")
    assert done.returncode == 2  # make's own
    os.kill(holder.pid, signal.SIGCONT)
    assert holder.wait(DEADLINE) == 0
    assert [e["outcome"] for e in host.history() if e["session"] == "A"] == ["indeterminate"]


def test_ctrl_c_while_hostgate_starts_is_no_traceback(host: Host) -> None:
    errors = set()
    for milliseconds in range(0, 40, 2):
        process = host.start("run", "--", "true")
        time.sleep(milliseconds / 1000)  # any moment of the start will do
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=DEADLINE)
        # The interpreter has a dozen ways to say that its own start was interrupted.
        its_own = "KeyboardInterrupt" in err and "in _run" not in err
        errors.add("" if its_own else err)
    assert errors == {""}


def test_disabled_hostgate_runs_everything_ungated(host: Host) -> None:
    done = host.run("run", "-c", "echo ${HOSTGATE_CLAIM:-none}; exit 5", HOSTGATE_DISABLE="1")
    assert (done.stdout, done.returncode) == ("none\n", 5)
    assert not host.state.exists()


def test_disabled_hostgate_minds_no_other_variable(host: Host) -> None:
    done = host.run("run", "-c", "exit 5", HOSTGATE_DISABLE="1", HOSTGATE_WAIT_TIMEOUT="nonsense")
    assert (done.returncode, done.stderr) == (5, "")


def test_an_alarm_from_outside_is_no_time_limit(host: Host) -> None:
    process = host.start(
        "run", "-c", "trap 'exit 6' ALRM; echo > armed; while :; do sleep 0.05; done"
    )
    until((host.project / "armed").exists, "the trap")
    process.send_signal(signal.SIGALRM)
    assert process.wait(DEADLINE) == 6


def test_quiet_says_nothing_on_a_clear_way_and_neither_does_the_default(host: Host) -> None:
    assert host.run("run", "-c", "true").stderr == ""
    assert host.run("run", "--quiet", "-c", "true").stderr == ""
