from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.agents import AGENTS, claude, codex, copilot, cursor, gemini, load, opencode, qwen
from hostgate.agents import windsurf as windsurf
from hostgate.core.settings import AGENTS as NAMES

if TYPE_CHECKING:
    from hostgate.agents.agent import Agent

PAYLOADS = Path(__file__).with_name("payloads")
# that each module has what the hook asks of it is checked by its type
MODULES: dict[str, Agent] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
    "opencode": opencode,
    "qwen": qwen,
    "cursor": cursor,
    "windsurf": windsurf,
}
E1 = "e8f8e704-17ab-4d04-ae62-2470b3456e06"
CALLS = {  # of which agent, session, directory, seconds
    "claude": ("claude", E1, "/p", 600.0),
    "claude-subagent": ("claude", f"{E1}/af17da23cad330164", "/p", 60.0),
    "codex": ("codex", "01a227c9-f927-7223-9551-f41d9d6ae347", "/p", 0.0),
    "gemini": ("gemini", "0158fd5b-842b-4420-ba01-e35b7767d533", "/p/sub", 0.0),
    "copilot": ("copilot", "d3c805a9-c56f-45c6-a312-2e55f20cb59d", "/p", 0.0),
    "copilot-older": ("copilot", "d3c805a9-c56f-45c6-a312-2e55f20cb59d", "/p", 0.0),
    "copilot-as-claude": ("copilot", "92e0bdd8-1111-2222-3333-444455556666", "/p", 0.0),
    "opencode": ("opencode", "ses_dd09", "/p", 30.0),
    "qwen": ("qwen", "de499ebc-0000-4000-8000-000000000000", "/p", 0.0),
    "cursor": ("cursor", "c-1", "/p/sub", 0.0),
    "windsurf": ("windsurf", "t-1", "/p", 0.0),
}
HELD = "/opt/hostgate hold k7f3 && swift build"


def payload(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text())
    return found


def test_every_payload_and_every_agent_is_tried() -> None:
    assert {path.stem for path in PAYLOADS.iterdir()} == CALLS.keys()
    assert MODULES.keys() == AGENTS.keys() == set(NAMES)
    assert all(load(name) is module for name, module in MODULES.items())


@pytest.mark.parametrize("name", CALLS)
def test_a_recorded_payload_is_understood(name: str) -> None:
    agent, session, directory, seconds = CALLS[name]
    call = load(agent).call(payload(name), {})
    assert call is not None
    assert (call.session, call.command) == (session, "swift build")
    assert (call.directory, call.seconds) == (directory, seconds)
    assert call.attended


def answers(name: str) -> tuple[Any, Any]:
    """What an agent is told for a payload: to run another command, and to run nothing."""
    agent = load(CALLS[name][0])
    call = agent.call(payload(name), {})
    assert call is not None
    rewritten, denied = agent.rewrite(call, HELD), agent.deny(call, "wait")
    assert rewritten.code == 0
    return rewritten.document, denied.document


def specific(**said: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}


DENIED = specific(permissionDecision="deny", permissionDecisionReason="wait")


def test_claude_gets_all_of_its_input_back_and_no_decision() -> None:
    given = payload("claude")["tool_input"]
    assert answers("claude") == (specific(updatedInput={**given, "command": HELD}), DENIED)


def test_codex_gets_the_decision_that_it_demands_and_nothing_that_it_does_not_know() -> None:
    rewritten = specific(permissionDecision="allow", updatedInput={"command": HELD})
    assert answers("codex") == (rewritten, DENIED)


def test_gemini_gets_what_it_merges() -> None:
    inner = {"hookEventName": "BeforeTool", "tool_input": {"command": HELD}}
    assert answers("gemini") == (
        {"hookSpecificOutput": inner},
        {"decision": "deny", "reason": "wait"},
    )


@pytest.mark.parametrize("name", ["copilot", "copilot-older"])
def test_copilot_gets_its_own_form_without_a_decision(name: str) -> None:
    arguments = {"command": HELD, "description": "scripted command"}
    assert answers(name) == (
        {"modifiedArgs": arguments},
        {"permissionDecision": "deny", "permissionDecisionReason": "wait"},
    )


@pytest.mark.parametrize("name", ["copilot-as-claude", "opencode"])
def test_who_speaks_claudes_form_is_answered_in_it(name: str) -> None:
    given = payload(name)["tool_input"]
    assert answers(name) == (specific(updatedInput={**given, "command": HELD}), DENIED)


def test_qwen_and_cursor_are_denied_in_their_forms() -> None:
    assert answers("qwen")[1] == DENIED
    assert answers("cursor") == (
        {"updated_input": {"command": HELD, "working_directory": "/p/sub"}},
        {"permission": "deny", "user_message": "wait", "agent_message": "wait"},
    )


def test_windsurf_understands_exit_2_only() -> None:
    call = windsurf.call(payload("windsurf"), {})
    assert call is not None
    denied = windsurf.deny(call, "wait")
    assert (denied.document, denied.error, denied.code) == (None, "wait", 2)


@pytest.mark.parametrize("name", set(CALLS) - {"windsurf"})
def test_nobody_else_is_ever_answered_by_an_exit_code(name: str) -> None:
    agent = load(CALLS[name][0])
    call = agent.call(payload(name), {})
    assert call is not None
    replies = [agent.rewrite(call, HELD), agent.deny(call, "w"), agent.ask(call, HELD, "w")]
    assert [(reply.code, reply.error) for reply in replies] == [(0, "")] * 3


def test_claude_says_whether_somebody_can_be_asked() -> None:
    call = claude.call(payload("claude"), {"CLAUDE_CODE_SESSION_ATTENDED": "0"})
    assert call is not None
    assert not call.attended
    asked: Any = claude.ask(call, HELD, "busy").document
    said = asked["hookSpecificOutput"]
    assert (said["permissionDecision"], said["permissionDecisionReason"]) == ("ask", "busy")
    assert said["updatedInput"]["command"] == HELD


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(name=st.sampled_from(sorted(CALLS)), keys=st.lists(st.integers(0, 20)), value=JSON)
def test_what_is_of_another_form_is_no_shell_command_and_no_error(
    name: str, keys: list[int], value: object
) -> None:
    document = payload(name)
    inner = next((v for v in document.values() if isinstance(v, dict)), document)
    for table in (document, inner):
        for key in keys[:2]:
            table[sorted(table)[key % len(table)]] = value
    call = load(CALLS[name][0]).call(document, {})
    assert call is None or isinstance(call.command, str)
    if call is not None:
        load(CALLS[name][0]).rewrite(call, HELD)


def test_other_tools_concern_nobody() -> None:
    for name, (agent, *_) in CALLS.items():
        document = payload(name)
        for key in ("tool_name", "toolName", "agent_action_name"):
            if key in document:
                document[key] = "Read"
        assert load(agent).call(document, {}) is None


def test_the_digest_of_a_hook_is_codex_s() -> None:
    """As Codex 0.171.0 told it (``hooks/list`` of its app server) for this hook."""
    hook: dict[str, object] = {
        "type": "command",
        "command": "/opt/hostgate hook codex",
        "timeout": 900,
        "statusMessage": "hostgate: waiting for a free slot",
    }
    told = "861b1f8281ec91e9b3f2ef782623002fed0770b9723b77d5639fd0eed2e15241"
    assert codex.digest(hook) == f"sha256:{told}"


@pytest.mark.parametrize(
    ("name", "hook", "seconds"),
    [
        ("claude", {}, 600),
        ("claude", {"timeout": 30}, 30),
        ("codex", {"timeout": "x"}, 600),
        ("gemini", {}, 60),
        ("gemini", {"timeout": 900000}, 900),
        ("qwen", {}, 60),
        ("qwen", {"timeout": 30}, 30),
        ("qwen", {"timeout": 5000}, 5),
        ("qwen", {"timeout": 900000}, 60),
        ("copilot", {}, 30),
        ("copilot", {"timeoutSec": 200}, 200),
        ("cursor", {"timeout": 900}, 900),
        ("windsurf", {}, 60),
        ("opencode", {}, 900),
    ],
)
def test_a_hook_s_own_time_limit_is_what_its_settings_make_of_it(
    name: str, hook: dict[str, object], seconds: float
) -> None:
    assert load(name).limit(hook) == pytest.approx(seconds)


def test_what_is_installed_gives_the_hook_the_time_that_it_counts_on() -> None:
    for name in AGENTS:
        agent = load(name)
        root = agent.places("/h", {}).user
        hooks = [edit for edit in agent.edits(root, True, "/opt/hostgate", "/s") if edit.is_hook]
        (edit,) = hooks
        limits = [agent.limit(hook) for _, hook in edit.own_hooks(edit.put(""))]
        assert limits in ([], [agent.LIMIT]), name
