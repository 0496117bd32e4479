from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from support import BUILD, DEADLINE, HOSTGATE, Host, Latch, until


def claude(command: str, session: str = "S", **more: object) -> dict[str, Any]:
    """What Claude Code's hook is given; ``agent_id`` and the like in ``more``."""
    given = {"command": command, "description": "d", "timeout": 600000}
    return {
        "session_id": session,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": given,
        **more,
    }


def start(
    host: Host, payload: dict[str, Any] | str, agent: str = "claude", **environment: str
) -> subprocess.Popen[str]:
    text = (
        payload if isinstance(payload, str) else json.dumps({"cwd": str(host.project), **payload})
    )
    return host.popen([HOSTGATE, "hook", agent], host.folder, environment, stdin=text)


def answer(hook: subprocess.Popen[str]) -> dict[str, Any]:
    """What a hook answers in Claude's form; {} for nothing."""
    out, err = hook.communicate(timeout=DEADLINE)
    assert (hook.returncode, err) == (0, "")
    return dict(json.loads(out)["hookSpecificOutput"]) if out else {}


def rewritten(hook: subprocess.Popen[str]) -> str:
    said = answer(hook)
    assert "permissionDecision" not in said
    assert said["updatedInput"]["timeout"] == 600000
    return str(said["updatedInput"]["command"])


def denied(hook: subprocess.Popen[str]) -> str:
    said = answer(hook)
    assert said["permissionDecision"] == "deny"
    return str(said["permissionDecisionReason"])


def configure(host: Host, text: str) -> None:
    folder = host.home / ".config"
    folder.mkdir()
    (folder / "hostgate.toml").write_text(text)


def log(host: Host) -> list[str]:
    path = host.state / "hook.log"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status",
        "cd sub && echo hi",
        "hostgate run -- make",
        "hostgate hold && make",
        "",
    ],
)
def test_what_needs_no_gate_gets_no_answer(host: Host, command: str) -> None:
    assert answer(start(host, claude(command))) == {}
    assert (host.claims(), log(host)) == ([], [])


def test_what_is_disabled_or_exempt_gets_no_answer(host: Host) -> None:
    configure(host, 'never = ["make docs"]')
    assert answer(start(host, claude("make"), HOSTGATE_DISABLE="1")) == {}
    assert answer(start(host, claude("make docs"))) == {}
    assert host.claims() == []


def test_a_clear_way_is_reserved_and_the_command_holds_it(host: Host) -> None:
    latch = host.latch()
    command = rewritten(start(host, claude(f"cd .; {latch.command} | cat; echo $?")))
    (claim,) = host.ls()
    assert claim["state"] == "reserved"
    assert (claim["session"], claim["title"]) == ("S", "claude · project")
    assert command == f"cd .; {HOSTGATE} hold {claim['id']} && {latch.command} | cat; echo $?"
    shell = host.shell(command)
    latch.until_started()
    assert [(one["id"], one["state"]) for one in host.ls()] == [(claim["id"], "running")]
    latch.go()
    out, err = shell.communicate(timeout=DEADLINE)
    assert (out, err) == ("0\n", "")
    host.until_claims()
    assert [one["outcome"] for one in host.history()] == ["held"]
    assert list((host.state / "claims").iterdir()) == []


def test_a_reservation_counts_as_running_for_others(host: Host) -> None:
    rewritten(start(host, claude("make")))
    check = host.run("check", "--json", "--", "make", session="B")
    (blocker,) = json.loads(check.stdout)["blockers"]
    assert (check.returncode, blocker["state"]) == (75, "reserved")
    assert "is about to run" in host.run("check", "--", "make", session="B").stdout


def test_the_hook_waits_for_its_turn(host: Host, held: Latch) -> None:
    hook = start(host, claude("make"))
    host.until_claims(running=1, waiting=1)
    held.go()
    assert f"{HOSTGATE} hold " in rewritten(hook)
    host.until_claims(reserved=1)


def test_what_does_not_get_its_turn_in_time_is_denied_and_keeps_its_place(
    host: Host, held: Latch
) -> None:
    reason = denied(start(host, claude("make"), HOSTGATE_WAIT_TIMEOUT="0.2"))
    for words in (
        "claude · api",
        "session A",
        f"`{held.command}`",
        "Wait and retry the same command",
        "your place in the queue is kept",
        "Do not kill",
    ):
        assert words in reason
    late = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="C")
    host.until_claims(running=1, kept=1, waiting=1)
    again = start(host, claude("make"))
    host.until_claims(running=1, waiting=2)
    held.go()
    assert rewritten(again)
    assert late.poll() is None  # it came after the one whose place was kept
    assert host.run("release", host.claims()[0]["id"]).returncode == 0
    assert late.wait(DEADLINE) == 0


def test_the_reason_says_how_long_it_usually_takes(host: Host) -> None:
    assert host.run("run", "-c", BUILD, session="A").returncode == 0
    latch = host.latch()
    host.start("run", "-c", f"{BUILD}; {latch.command}", session="A")
    latch.until_started()
    latch.go()
    host.until_claims()
    host.start("run", "-c", f"{BUILD}; {latch.command}", session="A")
    latch.until_started(2)
    assert "usually" in denied(start(host, claude("make"), HOSTGATE_WAIT_TIMEOUT="0"))


def test_sub_agents_of_one_conversation_are_told_apart(host: Host) -> None:
    rewritten(start(host, claude("make", agent_id="a1")))
    assert "S/a1" in denied(
        start(host, claude("make -j4", agent_id="a2"), HOSTGATE_WAIT_TIMEOUT="0")
    )
    assert rewritten(start(host, claude("make -k", agent_id="a1")))


def test_who_asks_is_said_by_the_agent_and_not_by_the_environment(host: Host) -> None:
    rewritten(start(host, claude("make"), HOSTGATE_SESSION="mine", HOSTGATE_TITLE="me"))
    (claim,) = host.ls()
    assert (claim["session"], claim["title"]) == ("S", "claude · project")


def test_two_hooks_for_one_command_make_one_reservation(host: Host) -> None:
    hooks = [start(host, claude("make")) for _ in range(4)]
    assert len({rewritten(hook) for hook in hooks}) == 1
    assert len(host.claims()) == 1


def test_the_configuration_says_what_an_agent_does(host: Host, held: Latch) -> None:
    configure(host, '[agents]\nclaude = "cancel"\ncodex = "run"\n')
    assert "a similar command is running" in denied(start(host, claude("make")))
    said = answer(start(host, claude("make", session="T"), "codex"))
    assert said["permissionDecision"] == "allow"
    assert [(one["state"], one["override"]) for one in host.ls()] == [
        ("running", False),
        ("reserved", True),
    ]
    reason = denied(
        start(host, claude("make"), HOSTGATE_ON_CONFLICT="wait", HOSTGATE_WAIT_TIMEOUT="0")
    )
    assert "kept" in reason


def test_a_person_can_be_asked(host: Host, held: Latch) -> None:
    said = answer(start(host, claude("make; echo made"), HOSTGATE_ON_CONFLICT="ask"))
    assert said["permissionDecision"] == "ask"
    assert "claude · api" in said["permissionDecisionReason"]
    assert [one["state"] for one in host.ls()] == ["running", "kept"]  # who thinks holds no place
    (host.project / "Makefile").write_text("all:\n\t@echo building\n")
    shell = host.shell(said["updatedInput"]["command"])
    out, err = shell.communicate(timeout=DEADLINE)
    assert (out, err) == ("building\nmade\n", "")
    until(lambda: host.history()[-1]["override"], "the end of the override")


def test_where_nobody_can_be_asked_the_hook_waits(host: Host, held: Latch) -> None:
    environment = {"HOSTGATE_ON_CONFLICT": "ask", "CLAUDE_CODE_SESSION_ATTENDED": "0"}
    start(host, claude("make"), "claude", **environment)
    host.until_claims(running=1, waiting=1)


def test_a_reservation_that_nobody_comes_for_lapses(host: Host) -> None:
    configure(host, 'reservation = "1s"')
    command = rewritten(start(host, claude("make; echo made")))
    waiter = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="B")
    assert waiter.wait(DEADLINE) == 0
    assert [one["outcome"] for one in host.history()] == ["lapsed", "ran"]
    (host.project / "Makefile").write_text("all:\n\t@echo building\n")
    out, err = host.shell(command).communicate(timeout=DEADLINE)
    assert (out, err) == ("building\nmade\n", "")
    host.until_claims()
    assert [(one["outcome"], one["session"]) for one in host.history()[2:]] == [("held", "S")]


def test_a_lapsed_reservation_is_asked_for_again(host: Host) -> None:
    configure(host, 'reservation = "1s"')
    command = rewritten(start(host, claude("make && echo made; echo code $?")))
    until(lambda: host.history(), "the end of the reservation")
    latch = host.latch()
    host.start("run", "--", latch.command, session="B")
    latch.until_started()
    refused = host.shell(command.replace(" && make", " --wait-timeout 0.2 && make"))
    out, err = refused.communicate(timeout=DEADLINE)
    assert out == "code 75\n"
    assert "not run" in err and "wait and retry" in err and "place in the queue is kept" in err
    waiting = host.shell(command)
    host.until_claims(running=1, waiting=1)
    latch.go()
    waiting.communicate(timeout=DEADLINE)
    host.until_claims()


def test_a_hold_waits_no_longer_than_the_command_s_own_limit_allows(host: Host) -> None:
    payload = claude("make")
    payload["tool_input"]["timeout"] = 20000
    said = answer(start(host, payload))
    assert " --wait-timeout 15s && make" in said["updatedInput"]["command"]


def test_what_cannot_be_spliced_waits_only(host: Host, held: Latch) -> None:
    command = "f() { make; }; f"
    hook = start(host, claude(command))
    host.until_claims(running=1, waiting=1)
    held.go()
    assert answer(hook) == {}
    host.until_claims()
    assert answer(start(host, claude(command))) == {}


def test_qwen_waits_or_denies_and_never_reserves(host: Host, held: Latch) -> None:
    payload = claude("make", tool_name="run_shell_command")
    assert (
        "wait and retry"
        in denied(start(host, payload, "qwen", HOSTGATE_WAIT_TIMEOUT="0.1")).lower()
    )
    hook = start(host, payload, "qwen")
    host.until_claims(running=1, waiting=1)
    held.go()
    assert answer(hook) == {}
    host.until_claims()


def test_windsurf_is_denied_by_exit_2(host: Host, held: Latch) -> None:
    payload = {
        "agent_action_name": "pre_run_command",
        "trajectory_id": "W",
        "tool_info": {"command_line": "make", "cwd": str(host.project)},
    }
    hook = start(host, payload, "windsurf", HOSTGATE_WAIT_TIMEOUT="0")
    out, err = hook.communicate(timeout=DEADLINE)
    assert (hook.returncode, out) == (2, "")
    assert "claude · api" in err


@pytest.mark.parametrize("payload", ["", "{", "[]", "null", '"x"', "\x00", "{" * 2000, "[" * 5000])
def test_what_is_no_payload_is_logged_and_denies_nothing(host: Host, payload: str) -> None:
    hook = host.popen([HOSTGATE, "hook", "claude"], host.folder, {}, stdin=payload or "\n")
    assert hook.communicate(timeout=DEADLINE) == ("", "")
    assert hook.returncode == 0
    (line,) = log(host)
    assert "claude: the payload is no JSON" in line


def test_whatever_breaks_is_logged_and_denies_nothing(host: Host) -> None:
    broken = {"HOSTGATE_HOME": str(host.folder / "file")}
    (host.folder / "file").write_text("")
    assert answer(start(host, claude("make"), "claude", **broken)) == {}
    gone = claude("make", cwd=str(host.folder / "gone"))
    assert answer(start(host, gone)) == {}
    assert rewritten(start(host, claude("make"), HOSTGATE_WAIT_TIMEOUT="soon"))
    host.run("release", host.claims()[0]["id"])
    host.run("run", "--", "true")
    (host.state / "registry.json").write_text("{")
    assert answer(start(host, claude("make"))) == {}
    assert len(log(host)) == 3
    assert "registry was broken" in log(host)[-1]


def test_a_locked_registry_does_not_hold_the_agent_up(host: Host) -> None:
    host.run("run", "--", "true")
    script = "f = open(sys.argv[1]); fcntl.flock(f, 2); print(flush=True); input()"
    lock = f"{host.state}/registry.lock"
    words = [sys.executable, "-c", f"import fcntl, sys; {script}", lock]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as locker:
        assert locker.stdout is not None
        assert locker.stdout.readline() == "\n"
        assert answer(start(host, claude("make"))) == {}
        assert "locked" in log(host)[-1]
        locker.communicate("\n", timeout=DEADLINE)


@pytest.mark.parametrize("words", [[], ["nobody"], ["claude", "more"]])
def test_a_persons_mistake_is_one_line(host: Host, words: list[str]) -> None:
    done = host.run("hook", *words)
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.count("\n") == 1 and "windsurf" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_hook_that_is_ended_leaves_the_queue(host: Host, held: Latch, number: int) -> None:
    hook = start(host, claude("make"))
    host.until_claims(running=1, waiting=1)
    hook.send_signal(number)
    out, _ = hook.communicate(timeout=DEADLINE)
    assert ("deny" in out) == (number != signal.SIGKILL)  # whoever listens must not go on
    assert host.run("run", "--on-conflict", "cancel", "--", "ls").returncode == 0
    assert [one["state"] for one in host.ls()] == ["running"]


def test_a_hook_whose_agent_is_gone_leaves_the_queue(host: Host, held: Latch) -> None:
    hook = start(host, claude("make"))
    host.until_claims(running=1, waiting=1)
    assert hook.stdout is not None
    hook.stdout.close()
    host.until_claims(running=1)
    hook.wait(DEADLINE)


def test_a_payload_that_never_ends_is_taken_as_it_is(host: Host) -> None:
    with subprocess.Popen(
        [HOSTGATE, "hook", "claude"],
        env=host.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as hook:
        assert hook.stdin is not None and hook.stdout is not None
        hook.stdin.write(json.dumps(claude("make", cwd=str(host.project))))
        hook.stdin.flush()
        assert "hold" in hook.stdout.read()


def test_a_run_inside_what_a_hook_gated_is_part_of_it(host: Host) -> None:
    inner = f"{HOSTGATE} run -c 'echo all: | make -sf - && echo built'"
    (host.project / "build.sh").write_text(inner)
    command = rewritten(start(host, claude("sh build.sh", agent_id="a1")))
    shell = host.shell(command, CLAUDE_CODE_SESSION_ID="S")
    out, err = shell.communicate(timeout=DEADLINE)
    assert (out, err) == ("built\n", "")


@pytest.fixture
def sandbox(host: Host) -> list[str]:
    """What starts a shell that has its own pids and can only read the state."""
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec bash -c "$1"'
    words = ["unshare", "-mpf", "sh", "-c", script, str(host.state)]
    host.run("ls")
    probe = subprocess.run([*words, "true"], capture_output=True)
    if probe.returncode:
        pytest.skip("no right to make namespaces here")
    return words


@pytest.mark.parametrize("proc", ["", "mount -t proc proc /proc && "])
def test_in_a_sandbox_that_can_only_read_the_lock_is_enough(
    host: Host, sandbox: list[str], proc: str
) -> None:
    """Without its own /proc, what stands there by a pid is another process, as with Claude's."""
    latch = host.latch()
    command = rewritten(start(host, claude(f"{latch.command}; echo done")))
    sandbox[4] = proc + sandbox[4]
    shell = host.popen([*sandbox, f"{command}\n:"], None, {})
    latch.until_started()
    (claim,) = host.ls()
    assert (claim["state"], claim["owner"]["alive"]) == ("running", True)
    waiter = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="B")
    host.until_claims(running=1, waiting=1)
    latch.go()
    assert shell.communicate(timeout=DEADLINE) == ("done\n", "")
    assert waiter.wait(DEADLINE) == 0
    host.until_claims()
    assert [one["outcome"] for one in host.history()] == ["held", "ran"]


def test_in_a_sandbox_a_short_command_frees_its_slot_at_once(
    host: Host, sandbox: list[str]
) -> None:
    command = rewritten(start(host, claude("make --always-make -f /dev/null x; echo done")))
    out, _ = host.popen([*sandbox, command], None, {}).communicate(timeout=DEADLINE)
    assert out == "done\n"
    host.until_claims()


def test_in_a_sandbox_a_lapsed_reservation_still_waits_for_others(
    host: Host, sandbox: list[str]
) -> None:
    configure(host, 'reservation = "1s"')
    command = rewritten(start(host, claude("make && echo made; echo code $?")))
    until(lambda: host.history(), "the end of the reservation")
    latch = host.latch()
    host.start("run", "--", latch.command, session="B")
    latch.until_started()
    short = command.replace(" && make", " --wait-timeout 0.2 && make")
    out, err = host.popen([*sandbox, short], None, {}).communicate(timeout=DEADLINE)
    assert out == "code 75\n"
    assert "not run" in err
    latch.go()


def test_what_is_left_of_a_hook_is_what_the_doctor_reads(host: Host) -> None:
    rewritten(start(host, claude("make")))
    answer(start(host, claude("ls")))
    host.run("release", host.claims()[0]["id"])
    until(lambda: not list((host.state / "claims").iterdir()), "the claim's files to go")
    assert {path.name for path in host.state.iterdir()} == {
        "claims", "history.jsonl", "hook-claude.held", "hook-claude.ran",
        "registry.json", "registry.lock",
    }  # fmt: skip
    assert all(os.stat(path).st_mode & 0o077 == 0 for path in host.state.iterdir())


def test_a_hook_answers_before_its_own_time_limit(host: Host, held: Latch) -> None:
    settings = host.home / ".claude/settings.json"
    host.run("install", "claude")
    settings.write_text(settings.read_text().replace("900", "1"))
    hook = start(host, claude("make"))
    assert "your place in the queue is kept" in denied(hook)


def test_several_holds_of_one_reservation_are_each_had(host: Host) -> None:
    command = rewritten(start(host, claude(f"{BUILD} && echo held")))
    os.mkfifo(host.project / "gate")
    shells = [host.shell(f"{command}; read x < {host.project}/gate") for _ in range(4)]
    for shell in shells:
        assert shell.stdout is not None and shell.stderr is not None
        while "held" not in (line := shell.stdout.readline()):
            assert line, shell.stderr.read()
    assert [one["state"] for one in host.ls()] == ["running"] * 4
    for shell in shells:
        os.killpg(shell.pid, signal.SIGKILL)
    host.until_claims()


def test_an_answer_that_is_none_reserves_nothing(host: Host) -> None:
    payload = json.dumps(claude("make", cwd=str(host.project))).replace("600000", "1e999")
    assert answer(start(host, payload)) == {}
    host.until_claims()
    assert len(log(host)) == 1


def test_a_retry_that_only_waits_gives_up_its_kept_place(host: Host, held: Latch) -> None:
    payload = claude("make", tool_name="run_shell_command")
    denied(start(host, payload, "qwen", HOSTGATE_WAIT_TIMEOUT="0"))
    host.until_claims(running=1, kept=1)
    held.go()
    assert answer(start(host, payload, "qwen")) == {}
    host.until_claims()


def test_a_line_of_any_length_is_answered_in_time(host: Host) -> None:
    command = rewritten(start(host, claude("make; " * 20000)))
    assert command.count(" hold ") == 20000
