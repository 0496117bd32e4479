"""Callers of every kind: what they have open, blocked, ignored and bounded does no harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import DEADLINE, HOSTGATE, Host

# How a command comes to run, and the options for it; the second one has to wait for a lane.
WAYS = {
    "clear": [],
    "waited": ["--lane", "l"],
    "timeout": ["--timeout", "1h"],
    "recorded": ["--record"],
}
LISTS_DESCRIPTORS = """
import json, os
found = []
for fd in range(4096):
    try:
        found.append((fd, os.fstat(fd).st_ino))
    except OSError:
        pass
print(json.dumps(found))
lock = f"{os.environ['HOSTGATE_HOME']}/claims/{os.environ['HOSTGATE_CLAIM']}.lock"
print(os.stat(lock).st_ino)
"""
TELLS_SIGNALS = """
import signal as s
print([int(n) for n in s.valid_signals() if s.getsignal(n) is s.SIG_IGN])
print(sorted(map(int, s.pthread_sigmask(s.SIG_BLOCK, []))))
"""
ENDS_WITH_7 = "import os; os.write(1, b'ran\\n'); os._exit(7)"


def start(host: Host, setup: str, *argv: str) -> subprocess.Popen[str]:
    """Start a program from a caller that has done ``setup`` to itself."""
    caller = f"import os, resource, signal, sys\n{setup}\nos.execv(sys.argv[1], sys.argv[1:])"
    return host.popen([sys.executable, "-c", caller, *argv], None, {"HOSTGATE_SESSION": "B"})


def gated(host: Host, way: str, setup: str, script: str) -> tuple[int, str, str]:
    """Run a Python script through hostgate; the exit code and both outputs."""
    words = ["run", *WAYS[way], "--", sys.executable, "-c", script]
    if way != "waited":
        process = start(host, setup, HOSTGATE, *words)
    else:
        latch = host.latch()
        host.start("run", "--lane", "l", "--", latch.command, session="A")
        latch.until_started()
        process = start(host, setup, HOSTGATE, *words)
        host.until_claims(running=1, waiting=1)
        latch.go()
    out, err = process.communicate(timeout=DEADLINE)
    return process.returncode, out, err


@pytest.mark.parametrize("bound", ["", "resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))"])
@pytest.mark.parametrize("way", WAYS)
def test_the_command_has_three_descriptors_and_the_lock_of_its_claim(
    host: Host, way: str, bound: str
) -> None:
    code, out, err = gated(host, way, bound, LISTS_DESCRIPTORS)
    assert code == 0, err
    found, lock = map(json.loads, out.splitlines())
    assert [fd for fd, _ in found[:3]] == [0, 1, 2]
    assert [inode for _, inode in found[3:]] == [lock]
    assert "warning" not in err


@pytest.mark.parametrize("way", WAYS)
def test_hundreds_of_descriptors_of_the_caller_all_arrive(host: Host, way: str) -> None:
    setup = """
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
for fd in range(3, 900):
    os.dup2(0, fd, inheritable=True)
"""
    code, out, err = gated(host, way, setup, LISTS_DESCRIPTORS)
    assert code == 0, err
    found, lock = map(json.loads, out.splitlines())
    assert [fd for fd, _ in found[:900]] == list(range(900))
    assert [inode for _, inode in found[900:]] == [lock]
    assert "warning" not in err


@pytest.mark.parametrize("way", WAYS)
def test_the_command_has_the_caller_s_blocked_and_ignored_signals(host: Host, way: str) -> None:
    setup = """
for name in "INT HUP QUIT TERM USR1 USR2 ALRM TSTP TTIN TTOU WINCH".split():
    signal.signal(signal.Signals[f"SIG{name}"], signal.SIG_IGN)
names = "TERM USR1 CHLD CONT ALRM PIPE IO".split()
signal.pthread_sigmask(signal.SIG_SETMASK, [signal.Signals[f"SIG{name}"] for name in names])
"""
    plain = start(host, setup, sys.executable, "-c", TELLS_SIGNALS)
    expected, _ = plain.communicate(timeout=DEADLINE)
    code, out, err = gated(host, way, setup, TELLS_SIGNALS)
    assert (code, out) == (0, expected), err
    assert "15" in expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "setup",
    [
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))",
    ],
    ids=["children ignored", "all blocked", "few descriptors"],
)
def test_the_exit_code_is_kept_for_any_caller(host: Host, way: str, setup: str) -> None:
    code, out, err = gated(host, way, setup, ENDS_WITH_7)
    assert (code, out) == (7, "ran\n"), err
    assert host.history()[-1]["code"] == 7
    assert host.claims() == []


@pytest.mark.parametrize("ignored", [False, True])
def test_a_time_limit_ends_what_was_started_with_every_signal_blocked(
    host: Host, ignored: bool
) -> None:
    setup = "signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())"
    if ignored:
        setup += "\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    words = ["run", "--timeout", "0.1", "--grace", "0.1", "--", "sleep", "1000"]
    assert start(host, setup, HOSTGATE, *words).wait(DEADLINE) == 124
    assert host.claims() == []


@pytest.mark.parametrize("closed", [0, 1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_one_closed_standard_descriptor_stays_closed_and_does_no_harm(
    host: Host, way: str, closed: int
) -> None:
    script = f"""
import os
try:
    os.fstat({closed})
except OSError:
    os._exit(8)
os._exit(9)
"""
    code, _, _ = gated(host, way, f"os.close({closed})", script)
    assert code == (9 if way == "recorded" and closed else 8)  # what is recorded goes to a pipe
    assert host.history()[-1]["code"] == code


def test_a_warning_that_nobody_can_hear_lands_in_no_file(host: Host) -> None:
    assert host.run("run", "-c", "true").returncode == 0
    (host.state / "history.jsonl").unlink()
    (host.state / "history.jsonl").mkdir()  # so that there is something to warn of
    assert "the history cannot be written" in host.run("run", "-c", "true").stderr
    assert gated(host, "clear", "os.close(2)", ENDS_WITH_7)[:2] == (7, "ran\n")
    assert (host.state / "registry.lock").read_bytes() == b""
    assert host.claims() == []


def test_a_bound_on_processes_is_one_line_and_no_slot(host: Host) -> None:
    if os.geteuid() == 0:
        pytest.skip("root has no bound on processes (RLIMIT_NPROC)")
    hard = "resource.getrlimit(resource.RLIMIT_NPROC)[1]"
    setup = f"resource.setrlimit(resource.RLIMIT_NPROC, (1, {hard}))"
    process = start(host, setup, HOSTGATE, "run", "--", "true")
    _, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 126
    assert len(err.splitlines()) == 1
    assert host.claims() == []


def test_threads_of_one_caller_get_the_codes_of_their_own_commands(host: Host) -> None:
    codes = list(range(1, 25))
    with ThreadPoolExecutor(8) as threads:
        runs = threads.map(lambda code: host.run("run", "-c", f"exit {code}"), codes)
        assert [(done.returncode, done.stderr) for done in runs] == [(code, "") for code in codes]
    assert host.claims() == []
