from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from support import BUILD, DEADLINE, Host, until


def limit(host: Host, text: str) -> None:
    folder = host.home / ".config"
    folder.mkdir(exist_ok=True)
    (folder / "hostgate.toml").write_text(f"[limits]\n{text}\n")


def elsewhere(host: Host, name: str) -> Path:
    folder = host.folder / name
    folder.mkdir()
    return folder


def test_a_limit_counts_what_runs_on_the_whole_host(host: Host) -> None:
    limit(host, "build = 1")
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    other = elsewhere(host, "other")
    done = host.run("run", "--on-conflict", "cancel", "-c", BUILD, session="B", cwd=other)
    assert done.returncode == 75
    assert "limit: 1 of 1 builds is running on this host" in done.stderr
    assert latch.command in done.stderr
    assert host.run("run", "--", "./x", session="B", cwd=other).returncode == 127  # no build
    waiter = host.start("run", "-c", BUILD, session="B", cwd=other)
    host.until_claims(running=1, waiting=1)
    (blocker,) = host.ls()[1]["blockers"]
    assert blocker["rule"] == "limit"
    latch.go()
    assert waiter.wait(DEADLINE) == 0


def test_with_a_total_of_one_everything_runs_in_the_order_it_came(host: Host) -> None:
    limit(host, "total = 1")
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    log = host.folder / "log"
    waiters = []
    for at in range(5):
        where = elsewhere(host, f"p{at}")
        waiters.append(
            host.start("run", "-c", f"echo {at} >> {log}; ./x{at}; :", session=f"s{at}", cwd=where)
        )
        host.until_claims(running=1, waiting=at + 1)
    latch.go()
    assert [one.wait(DEADLINE) for one in waiters] == [0] * 5
    assert log.read_text().split() == ["0", "1", "2", "3", "4"]


def test_run_anyway_passes_a_limit(host: Host) -> None:
    limit(host, "total = 1")
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    done = host.run("run", "--on-conflict", "run", "-c", BUILD, session="B")
    assert done.returncode == 0
    assert host.history()[-1]["override"] is True


def test_a_load_that_is_always_over_the_limit_keeps_one_at_a_time(host: Host) -> None:
    if Path("/proc/loadavg").exists() and Path("/proc/loadavg").read_text().startswith("0.00"):
        pytest.skip("this host has no load at all")
    limit(host, "load = 0.000001")
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()  # nobody else runs: a load alone holds nobody up
    done = host.run("check", "--json", "-c", BUILD, session="B", cwd=elsewhere(host, "p"))
    (blocker,) = json.loads(done.stdout)["blockers"]
    assert blocker["reason"].startswith("limit: the load of this host is ")


def test_memory_that_nobody_has_keeps_one_at_a_time(host: Host) -> None:
    limit(host, 'free-memory = "9000TB"')
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "-c", BUILD, session="B", cwd=elsewhere(host, "p"))
    host.until_claims(running=1, waiting=1)
    latch.go()
    assert waiter.wait(DEADLINE) == 0


def test_a_hook_and_a_hold_keep_to_the_limits_too(host: Host) -> None:
    limit(host, "total = 1")
    latch = host.latch()
    shell = host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    waiter = host.start("run", "--", "./x", session="B", cwd=elsewhere(host, "p"))
    host.until_claims(running=1, waiting=1)
    latch.go()
    assert waiter.wait(DEADLINE) == 127
    shell.wait(DEADLINE)
    until(lambda: not host.claims(), "the end of all")


def test_a_project_s_file_sets_no_limits(host: Host) -> None:
    (host.project / ".hostgate.toml").write_text("[limits]\ntotal = 1\n")
    done = host.run("config")
    assert done.returncode == 1
    assert "limits: only the user's file may say that" in done.stdout


def test_what_only_reads_or_is_never_gated_knows_no_limit(host: Host) -> None:
    limit(host, "total = 1\n")
    path = host.home / ".config/hostgate.toml"
    path.write_text('never = ["./docs"]\n' + path.read_text())
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    for command in (["ls"], ["git", "status"], ["./docs"]):
        assert host.run("check", "--", *command, session="B").returncode == 0
    assert host.run("check", "--", "./x", session="B").returncode == 75


def test_a_run_that_is_gone_in_another_project_takes_no_room(host: Host) -> None:
    """A daemon that it left has its lock still."""
    limit(host, "total = 1")
    run = host.start("run", "-c", "sleep 600 & echo $! > pid; sleep 600", session="A")
    until(lambda: (host.project / "pid").exists(), "the start")
    (claim,) = host.until_claims(running=1)
    child = until(lambda: host.ls()[0]["child"], "the child's pid")
    run.kill()
    run.wait(DEADLINE)
    os.kill(child, signal.SIGKILL)
    other = elsewhere(host, "other")
    assert host.run("run", "-c", BUILD, session="B", cwd=other).returncode == 0
    assert claim["id"] not in [one["id"] for one in host.claims()]


def test_a_nested_run_that_outlives_the_one_around_it_counts(host: Host) -> None:
    limit(host, "total = 1")
    latch = host.latch()
    until_started = "while ! grep -q start build.log; do :; done"
    script = f"setsid hostgate run -- {latch.command} >&- 2>&- & {until_started}"
    assert host.run("run", "-c", script, session="A").returncode == 0
    done = host.run("check", "-c", BUILD, session="B", cwd=elsewhere(host, "p"))
    assert done.returncode == 75
    latch.go()
    host.until_claims()
