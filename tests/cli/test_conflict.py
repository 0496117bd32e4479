"""What happens when a similar command is running in another session, without a terminal."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess

import psutil
import pytest
from support import BUILD, DEADLINE, HOSTGATE, Host, Latch, until


def test_cancel_names_the_session_and_says_what_to_do(host: Host, held: Latch) -> None:
    done = host.run("run", "--on-conflict", "cancel", "--", "make", "all", session="B")
    assert done.returncode == 75
    assert "claude · api (session A) is running `./build.sh`" in done.stderr
    assert "wait and retry" in done.stderr
    assert "hostgate run --on-conflict wait -- make all" in done.stderr
    assert all(line.startswith("hostgate: ") for line in done.stderr.splitlines())
    assert [claim["session"] for claim in host.claims()] == ["A"]


def test_several_blocking_sessions_are_all_named(host: Host, held: Latch) -> None:
    host.start("run", "--on-conflict", "run", "--", held.command, session="B")
    held.until_started(2)
    done = host.run("run", "--on-conflict", "cancel", "--", held.command, session="C")
    assert "session A" in done.stderr
    assert "B · project" in done.stderr


def test_run_anyway_runs_at_once_and_leaves_both_listed(host: Host, held: Latch) -> None:
    other = host.latch("build.two")
    done = host.start("run", "--on-conflict", "run", "--", other.command, session="B")
    other.until_started()
    assert [(c["session"], c["override"]) for c in host.ls()] == [("A", False), ("B", True)]
    other.go()
    assert done.wait(DEADLINE) == 0
    entry = next(entry for entry in host.history() if entry["session"] == "B")
    assert entry["override"] is True
    assert list(entry["blockers"].values()) == ["both-builds: build.sh, build.two.sh"]


def test_run_anyway_is_not_remembered(host: Host, held: Latch) -> None:
    host.run("run", "--on-conflict", "run", "-c", f"true {held.command}", session="B")
    assert (
        host.run("run", "--on-conflict", "cancel", "--", held.command, session="B").returncode == 75
    )


def test_a_waiter_starts_by_itself_and_tells_how_it_went(host: Host, held: Latch) -> None:
    waiter = host.start("run", "--on-conflict", "wait", "--", held.command, session="B")
    assert waiter.stderr is not None
    first = waiter.stderr.readline()
    assert held.events() == ["start A"]
    held.go()
    held.until_started(2)
    held.go(6)
    _, err = waiter.communicate(timeout=DEADLINE)
    assert waiter.returncode == 6
    assert held.events() == ["start A", "end A", "start B", "end B"]
    *_, verdict = err.splitlines()
    assert re.search(
        r"waiting 0 s for claude · api \(session A\): `./build.sh`, running for", first
    )
    assert "do not kill it" in first
    assert "hostgate run --on-conflict run -- ./build.sh" in first
    assert re.search(r"waited \d+ s for claude · api \(session A\): starting `./build.sh`", verdict)


def test_without_a_terminal_the_default_is_to_wait_and_never_to_ask(
    host: Host, held: Latch
) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    asked = host.start("run", "--on-conflict", "ask", "--", held.command, session="C")
    host.until_claims(running=1, waiting=2)
    for _ in range(3):
        held.go()
    assert waiter.wait(DEADLINE) == asked.wait(DEADLINE) == 0


def test_five_waiters_run_in_the_order_they_came_and_never_together(
    host: Host, held: Latch
) -> None:
    names = ["B", "C", "D", "E", "F"]
    for count, name in enumerate(names, 1):
        host.start("run", "--", held.command, session=name)
        host.until_claims(running=1, waiting=count)
    for count in range(6):
        held.until_started(count + 1)
        held.go()
    until(lambda: host.claims() == [], "the end of the queue")
    order = [name for name in ["A", *names] for _ in range(2)]
    assert held.events() == [
        f"{'end' if at % 2 else 'start'} {name}" for at, name in enumerate(order)
    ]


def test_an_independent_command_is_not_held_up(host: Host, held: Latch) -> None:
    host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    assert host.run("run", "--", "sh", "-c", "true deploy", session="C").returncode == 0
    other = host.folder / "other"
    other.mkdir()
    latch = Latch(other, "build")
    builder = host.start("run", "--", latch.command, session="D", cwd=other)
    latch.until_started()
    latch.go()
    assert builder.wait(DEADLINE) == 0


def test_a_fresh_command_does_not_overtake_a_waiter(host: Host, held: Latch) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    host.settled(waiter)
    os.kill(waiter.pid, signal.SIGSTOP)  # it will not take its turn at once
    held.go()
    until(lambda: len(host.history()) == 1, "the end of A")
    os.kill(waiter.pid, signal.SIGCONT)
    held.until_started(2)
    done = host.run("run", "--on-conflict", "cancel", "--", held.command, session="C")
    assert done.returncode == 75
    held.go()
    assert waiter.wait(DEADLINE) == 0


def test_a_stopped_waiter_is_passed_over_and_takes_its_turn_when_it_goes_on(
    host: Host, held: Latch
) -> None:
    first = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    second = host.start("run", "--", held.command, session="C")
    host.until_claims(running=1, waiting=2)
    host.settled(first)
    os.kill(first.pid, signal.SIGSTOP)
    until(lambda: host.ls()[1]["stopped"], "the stop to be seen")
    held.go()
    held.until_started(2)
    assert held.events()[-1] == "start C"
    os.kill(first.pid, signal.SIGCONT)
    held.go()
    held.until_started(3)
    held.go()
    assert first.wait(DEADLINE) == second.wait(DEADLINE) == 0


def test_a_session_is_not_held_up_by_itself(host: Host, held: Latch) -> None:
    done = host.run("run", "--on-conflict", "cancel", "-c", "make --nothing", session="A")
    assert done.returncode == 2  # make's own


def test_a_command_that_reads_is_never_held_up(host: Host, held: Latch) -> None:
    assert host.run("run", "--on-conflict", "cancel", "--", "ls", session="B").returncode == 0


def test_the_project_follows_what_the_command_says(host: Host, held: Latch) -> None:
    elsewhere = host.folder / "elsewhere"
    elsewhere.mkdir()
    text = f"cd {host.project} && {held.command}"
    assert (
        host.run(
            "run", "--on-conflict", "cancel", "-c", text, session="B", cwd=elsewhere
        ).returncode
        == 75
    )
    assert (
        host.run(
            "run", "--on-conflict", "cancel", "-c", f"cd {elsewhere} && {BUILD}", session="B"
        ).returncode
        == 0
    )


@pytest.mark.parametrize("limit", ["0", "0.3"])
def test_a_wait_that_is_over_exits_75_and_keeps_the_place(
    host: Host, held: Latch, limit: str
) -> None:
    done = host.run("run", "--wait-timeout", limit, "--", held.command, session="B")
    assert done.returncode == 75
    assert "session A" in done.stderr
    assert "wait and retry (your place in the queue is kept for 10 min)" in done.stderr
    assert f"hostgate run --wait-timeout {limit} -- ./build.sh" in done.stderr
    assert [claim["state"] for claim in host.ls()] == ["running", "kept"]
    assert host.history()[-1]["outcome"] == "left"


def test_a_retry_takes_up_its_place_before_those_who_came_later(host: Host, held: Latch) -> None:
    host.run("run", "--wait-timeout", "0", "--", held.command, session="B")
    later = host.start("run", "--", held.command, session="C")
    host.until_claims(running=1, kept=1, waiting=1)
    retry = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=2)
    held.go()
    held.until_started(2)
    assert held.events()[-1] == "start B"
    held.go()
    held.until_started(3)
    held.go()
    assert later.wait(DEADLINE) == retry.wait(DEADLINE) == 0


def test_a_kept_place_holds_nobody_up(host: Host, held: Latch) -> None:
    host.run("run", "--wait-timeout", "0", "--", held.command, session="B")
    held.go()
    until(lambda: [c["state"] for c in host.claims()] == ["kept"], "the end of A")
    done = host.start("run", "--on-conflict", "cancel", "--", held.command, session="C")
    held.until_started(2)
    held.go()
    assert done.wait(DEADLINE) == 0


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_a_signal_takes_a_waiter_out_of_the_queue_at_once(
    host: Host, held: Latch, name: str
) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    waiter.send_signal(getattr(signal, f"SIG{name}"))
    number = getattr(signal, f"SIG{name}")
    expected = -number if name == "INT" else 128 + number
    assert waiter.wait(DEADLINE) == expected
    assert [claim["session"] for claim in host.claims()] == ["A"]
    assert held.events() == ["start A"]


def test_a_killed_waiter_is_out_of_the_queue(host: Host, held: Latch) -> None:
    first = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    second = host.start("run", "--", held.command, session="C")
    host.until_claims(running=1, waiting=2)
    first.kill()
    first.wait()
    held.go()
    held.until_started(2)
    assert held.events()[-1] == "start C"
    held.go()
    assert second.wait(DEADLINE) == 0
    assert os.listdir(host.state / "claims") == []


def test_a_waiter_that_lost_its_wake_up_is_saved_by_the_poll(host: Host, held: Latch) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    pipe = until(lambda: list((host.state / "claims").glob("*.wake")), "the pipe")
    pipe[0].unlink()
    held.go()
    held.until_started(2)
    held.go()
    assert waiter.wait(DEADLINE) == 0


def test_a_slow_lock_while_waiting_does_not_make_the_waiter_spin(host: Host, held: Latch) -> None:
    waiter = host.start("run", "--", held.command, session="B")
    host.settled(waiter)
    (pipe,) = (host.state / "claims").glob("*.wake")
    with open(host.state / "registry.lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        pipe.write_text("\n")
        assert waiter.stderr is not None
        assert "staying in the queue" in waiter.stderr.readline()
    before = psutil.Process(waiter.pid).cpu_times()
    with pytest.raises(subprocess.TimeoutExpired):
        waiter.wait(2)  # two looks
    after = psutil.Process(waiter.pid).cpu_times()
    assert after.user + after.system - before.user - before.system < 1
    held.go()
    held.until_started(2)
    held.go()
    assert waiter.wait(DEADLINE) == 0


def test_quiet_waits_without_a_word_but_says_why_it_did_not_run(host: Host, held: Latch) -> None:
    done = host.run("run", "--quiet", "--wait-timeout", "0.2", "--", held.command, session="B")
    assert done.returncode == 75
    assert "not run" in done.stderr
    assert "waiting" not in done.stderr
    waiter = host.start("run", "--quiet", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    held.go()
    held.until_started(2)
    held.go()
    assert waiter.communicate(timeout=DEADLINE) == ("", "")


def test_the_environment_stands_for_the_flags_and_a_flag_wins(host: Host, held: Latch) -> None:
    host.environment |= {"HOSTGATE_ON_CONFLICT": "cancel", "HOSTGATE_TITLE": "from outside"}
    assert host.run("run", "--", held.command, session="B").returncode == 75
    host.start("run", "--on-conflict", "wait", "--", held.command, session="B")
    claims = host.until_claims(running=1, waiting=1)
    assert claims[1]["title"] == "from outside"
    elsewhere = str(host.folder)
    assert host.run("run", "-c", "true make", HOSTGATE_PROJECT=elsewhere).returncode == 0
    del host.environment["HOSTGATE_ON_CONFLICT"]
    done = host.run("run", "--", held.command, session="C", HOSTGATE_WAIT_TIMEOUT="0")
    assert done.returncode == 75


def test_two_claims_on_a_lane_never_overlap_whatever_they_are(host: Host, held: Latch) -> None:
    deploy = host.latch("deploy")
    host.start("run", "--lane", "staging", "--", deploy.command, session="B")
    deploy.until_started()
    done = host.run(
        "run", "--lane", "staging", "--on-conflict", "cancel", "--", "true", session="B",
        cwd=host.folder,
    )  # fmt: skip
    assert done.returncode == 75
    assert "lane: staging" in done.stderr
    assert host.run("run", "--lane", "production", "--", "true", session="B").returncode == 0


def test_what_another_session_wrote_is_shown_inert(host: Host, held: Latch) -> None:
    title = "evil\x1b[2J\n[bold]x[/bold]"
    host.start("run", "--on-conflict", "run", "--title", title, "--", held.command, session="E")
    held.until_started(2)
    done = host.run("run", "--on-conflict", "cancel", "--", held.command, session="B")
    assert "evil?[2J [bold]x[/bold]" in done.stderr
    table = host.run("ls", COLUMNS="200")
    assert "evil?[2J [bold]x[/bold]" in table.stdout


def test_hostgate_within_hostgate_does_not_wait_for_itself(host: Host) -> None:
    inner = (
        f"{HOSTGATE} run --on-conflict cancel -- sh -c 'make --version > out; echo $HOSTGATE_CLAIM'"
    )
    done = host.run("run", "-c", f"{BUILD}; {inner}", session="A")
    assert done.returncode == 0, done.stderr
    outer, inner_id = done.stdout.splitlines()[-1].split(",")
    assert outer != inner_id
    assert [entry["session"] for entry in host.history()] == ["A", "A"]


def test_a_nested_build_does_not_wait_for_those_who_wait_for_its_ancestor(host: Host) -> None:
    latch = host.latch()
    script = host.project / "build.outer"
    script.write_text(f"#!/bin/sh\n{latch.command}\n{HOSTGATE} run -- make nothing-to-make\n")
    script.chmod(0o755)
    (host.project / "Makefile").write_text("nothing-to-make:\n\t@echo made\n")
    outer = host.start("run", "--", "./build.outer", session="A")
    latch.until_started()
    waiter = host.start("run", "--", "make", "nothing-to-make", session="B")
    host.until_claims(running=1, waiting=1)
    latch.go()
    assert outer.wait(DEADLINE) == 0
    assert waiter.wait(DEADLINE) == 0


def nested(host: Host, name: str, before: str, inner: str) -> str:
    """A script of the project that notes its start and then runs a nested hostgate."""
    script = host.project / name
    script.write_text(
        f"#!/bin/sh\ntouch {name}.started\n{before}\n{HOSTGATE} run {inner}\n"
        f"echo $? > {name}.code\n"
    )
    script.chmod(0o755)
    return f"./{name}"


def test_nested_builds_of_two_overlapping_runs_do_not_wait_for_each_other(host: Host) -> None:
    both = "while ! test -e build.b.started; do sleep 0.01; done"
    one = nested(host, "build.a", both, f"-c '{BUILD} > out'")
    two = nested(host, "build.b", "", f"-c '{BUILD} > out'")
    first = host.start("run", "--", one, session="A")
    until((host.project / "build.a.started").exists, "the first build")
    second = host.start("run", "--on-conflict", "run", "--", two, session="B")
    assert first.wait(DEADLINE) == second.wait(DEADLINE) == 0


def test_nested_runs_that_would_wait_in_a_circle_are_told_so(host: Host) -> None:
    one = nested(host, "a", "while ! test -e b.started; do sleep 0.01; done", "--lane y -- true")
    two = nested(
        host,
        "b",
        "while ! grep -q waiting $HOSTGATE_HOME/registry.json; do sleep 0.01; done",
        "--lane x -- true",
    )
    first = host.start("run", "--lane", "x", "--", one, session="A")
    until((host.project / "a.started").exists, "the first run")
    second = host.start("run", "--lane", "y", "--", two, session="B")
    _, err = second.communicate(timeout=DEADLINE)
    assert "waits for this very run" in err
    assert (host.project / "b.code").read_text() == "75\n"
    assert first.wait(DEADLINE) == 0
    assert (host.project / "a.code").read_text() == "0\n"


def test_many_runs_with_nested_builds_behind_one_holder_all_get_their_turn(
    host: Host, held: Latch
) -> None:
    (host.project / "Makefile").write_text("all:\n\t@echo made\n")
    scripts = [nested(host, f"ci{number}", "", "-c 'make > out'") for number in range(8)]
    runs = [
        host.start("run", "--quiet", "--", script, session=f"s{number}")
        for number, script in enumerate(scripts)
    ]
    host.until_claims(running=9, waiting=8)
    held.go()
    assert [run.wait(DEADLINE) for run in runs] == [0] * 8
    assert {(host.project / f"ci{number}.code").read_text() for number in range(8)} == {"0\n"}


def test_a_build_behind_a_long_here_document_is_a_build(host: Host, held: Latch) -> None:
    text = "cat > notes <<'EOF'\n" + "a line of text\n" * 1000 + f"EOF\n{BUILD}"
    done = host.run("run", "--on-conflict", "cancel", "-c", text, session="B")
    assert done.returncode == 75
    assert not (host.project / "notes").exists()


def test_a_build_elsewhere_behind_something_here_is_elsewhere(host: Host, held: Latch) -> None:
    other = host.project.parent / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for text, code in ((f"pwd && cd {other} && make", 0), (f"(cd {other} && ls); make", 75)):
        assert host.run("check", "-c", text, session="B").returncode == code


def test_waiting_within_a_run_does_not_wait_for_that_run(host: Host) -> None:
    assert host.run("run", "-c", f"{HOSTGATE} wait --idle").returncode == 0
    assert host.run("run", "-c", f"{HOSTGATE} wait $HOSTGATE_CLAIM").returncode == 125


def test_a_waiter_whose_words_nobody_reads_does_not_hold_up_the_queue(
    host: Host, held: Latch
) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    mute = subprocess.Popen(
        [HOSTGATE, "run", "-c", f"{held.command} # {'x' * 100_000}"],
        env=host.environment | {"HOSTGATE_SESSION": "B"},
        cwd=host.project,
        stderr=writing,
        start_new_session=True,
        text=True,
    )
    host.processes.append(mute)
    os.close(writing)
    host.until_claims(running=1, waiting=1)
    held.go()
    held.until_started(2)
    held.go()
    assert mute.wait(DEADLINE) == 0
    os.close(reading)


def test_a_reason_that_quotes_another_session_is_inert(host: Host) -> None:
    latch = host.latch("deploy")
    words = [latch.command, "--alpha", "--beta", "--gamma", "\x1b]0;evil\x07\x1b[31m\nline"]
    host.start("run", "--", *words, session="A")
    latch.until_started()
    for verb in (["run", "--on-conflict", "cancel"], ["check"]):
        done = host.run(*verb, "--", *words[:-1], "--delta", session="B")
        assert done.returncode == 75
        assert "near-identical" in done.stdout + done.stderr
        assert "\x1b" not in done.stdout + done.stderr
        assert all(line.startswith("hostgate: ") for line in done.stderr.splitlines())


def test_a_stale_marker_in_the_environment_still_gates(host: Host, held: Latch) -> None:
    done = host.run(
        "run", "--on-conflict", "cancel", "--", held.command, session="B", HOSTGATE_CLAIM="zzzz"
    )
    assert done.returncode == 75


def test_a_tmux_like_server_started_within_a_run_is_gated_once_that_run_is_over(
    host: Host, held: Latch
) -> None:
    old = host.run("run", "-c", "echo $HOSTGATE_CLAIM", session="C").stdout.strip()
    done = host.run(
        "run", "--on-conflict", "cancel", "--", held.command, session="B", HOSTGATE_CLAIM=old
    )
    assert done.returncode == 75


def test_two_starts_at_once_never_both_run(host: Host) -> None:
    latch = host.latch()
    commands = [
        subprocess.Popen(
            [HOSTGATE, "run", "--quiet", "--", latch.command],
            env=host.environment | {"HOSTGATE_SESSION": f"s{number}"},
            cwd=host.project,
            start_new_session=True,
        )
        for number in range(8)
    ]
    host.processes += commands  # type: ignore[arg-type]
    for count in range(8):
        latch.until_started(count + 1)
        events = [line.split()[0] for line in latch.lines()]
        assert events == ["start", "end"] * count + ["start"]
        latch.go()
    assert [command.wait(DEADLINE) for command in commands] == [0] * 8
