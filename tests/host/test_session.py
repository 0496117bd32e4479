from __future__ import annotations

import os
import subprocess
import sys
from subprocess import PIPE

import pytest
from support import Host

from hostgate.host import process, project


@pytest.mark.parametrize(
    ("environment", "id", "who"),
    [
        ({"CLAUDE_CODE_SESSION_ID": "abc", "CLAUDECODE": "1"}, "abc", "claude"),
        ({"CODEX_SESSION_ID": "s", "CODEX_THREAD_ID": "t"}, "s", "codex"),
        ({"CODEX_THREAD_ID": "t"}, "t", "codex"),
        ({"QWEN_CODE_SESSION_ID": "q"}, "q", "qwen"),
        ({"COPILOT_AGENT_SESSION_ID": "c"}, "c", "copilot"),
        ({"OPENCODE": "1", "OPENCODE_PID": "77"}, "opencode:77", "opencode"),
        ({"GEMINI_CLI": "1", "GEMINI_SESSION_ID": "g"}, "g", "gemini"),
    ],
)
def test_an_agent_s_own_id_is_the_session(environment: dict[str, str], id: str, who: str) -> None:
    assert project.default_session(environment) == (id, who)


SHOW = (
    "import os; from hostgate.host import process, project; id, who = project.default_session("
    "{name: '1' for name in os.environ.get('SHOWN', '').split()}); "
    "print(id, who.split()[0], os.getpid(), process.start_stamp(os.getpid()), sep='|')"
)


def shown(variable: str) -> list[str]:
    """What a process of a kernel session of its own says: id, who, its pid, its start stamp."""
    script = [sys.executable, "-c", SHOW]
    environment = {**os.environ, "SHOWN": variable}
    done = subprocess.run(script, env=environment, stdout=PIPE, text=True, start_new_session=True)
    assert done.returncode == 0
    return done.stdout.strip().split("|")


@pytest.mark.parametrize(
    ("variable", "who"), [("GEMINI_CLI", "gemini"), ("CURSOR_AGENT", "cursor")]
)
def test_an_agent_without_an_id_is_told_by_the_kernel_s_session(variable: str, who: str) -> None:
    id, name, pid, _ = shown(variable)
    assert name == who
    assert id.startswith(f"{who}:terminal:{pid}:")


def test_the_kernel_s_session_is_more_than_a_pid() -> None:
    id, _, pid, stamp = shown("")
    assert stamp
    assert id.split(":")[1:3] == [pid, stamp]


def test_a_leader_in_an_outer_pid_namespace_still_leaves_an_id(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "getsid", lambda pid: 0)
    id, _ = project.default_session({})
    assert id.split(":")[1:3] == [str(os.getpid()), process.start_stamp(os.getpid())]


def test_a_title_says_who_and_where() -> None:
    assert project.title("claude", "/home/me/api") == "claude · api"
    assert project.title("claude", "/") == "claude · /"


def test_on_a_terminal_the_title_names_it_and_two_terminals_are_two_sessions(host: Host) -> None:
    script = (
        "import os; from hostgate.host import project; "
        "print(*project.default_session({}), os.ttyname(0), sep='|')"
    )
    seen = []
    for _ in range(2):
        terminal = host.terminal(sys.executable, "-c", script)
        id, name, device = terminal.rest().strip().split("|")
        assert name == f"terminal {device.removeprefix('/dev/')}"
        seen.append(id)
        terminal.close()
    assert seen[0] != seen[1]
