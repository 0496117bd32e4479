from __future__ import annotations

import os
import sys

import pytest
from support import Host

from hostgate.host import process, session


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
    assert session.default_session(environment) == (id, who)


@pytest.mark.parametrize(
    ("variable", "who"), [("GEMINI_CLI", "gemini"), ("CURSOR_AGENT", "cursor")]
)
def test_an_agent_without_an_id_is_told_by_the_kernel_s_session(variable: str, who: str) -> None:
    id, name = session.default_session({variable: "1"})
    assert name == who
    assert id.startswith(f"{who}:terminal:{os.getsid(0)}:")


def test_the_kernel_s_session_is_more_than_a_pid() -> None:
    id, _ = session.default_session({})
    assert id.split(":")[2] == process.start_stamp(os.getsid(0))


def test_a_title_says_who_and_where() -> None:
    assert session.title("claude", "/home/me/api") == "claude · api"
    assert session.title("claude", "/") == "claude · /"


def test_on_a_terminal_the_title_names_it_and_two_terminals_are_two_sessions(host: Host) -> None:
    script = (
        "import os; from hostgate.host import session; "
        "print(*session.default_session({}), os.ttyname(0), sep='|')"
    )
    seen = []
    for _ in range(2):
        terminal = host.terminal(sys.executable, "-c", script)
        id, name, device = terminal.rest().strip().split("|")
        assert name == f"terminal {device.removeprefix('/dev/')}"
        seen.append(id)
        terminal.close()
    assert seen[0] != seen[1]
