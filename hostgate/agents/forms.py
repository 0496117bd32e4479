"""The form of hooks that came from Claude Code, and that Codex, Qwen and others took over."""

from __future__ import annotations

from hostgate.agents.agent import Call, Reply, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

EVENT = "PreToolUse"


def call_of(
    payload: dict[str, object], tools: Collection[str], limit: float = 0.0, attended: bool = True
) -> Call | None:
    """The shell command of a payload of this form; ``None`` where it is another tool's."""
    given = table(payload.get("tool_input"))
    command = text(given.get("command"))
    if payload.get("tool_name") not in tools or not command:
        return None
    session = text(payload.get("session_id"))
    if part := text(payload.get("agent_id")):
        session = f"{session}/{part}"
    return Call(payload, session, command, payload.get("cwd"), limit, attended)


def given(call: Call) -> dict[str, object]:
    """The tool's input as it was given: what is left out of an answer is lost."""
    return table(call.given.get("tool_input"))


def answer(**said: object) -> Reply:
    """An answer of this form."""
    return Reply({"hookSpecificOutput": {"hookEventName": EVENT, **said}})


def rewrite(call: Call, command: str, **said: object) -> Reply:
    """Let this command run in the place of the other, with all other input as it was."""
    return answer(**said, updatedInput={**given(call), "command": command})


def deny(call: Call, reason: str) -> Reply:
    """Do not run it."""
    return answer(permissionDecision="deny", permissionDecisionReason=reason)


def ask(call: Call, command: str, reason: str) -> Reply:
    """Have a person asked whether this command is to run."""
    return rewrite(call, command, permissionDecision="ask", permissionDecisionReason=reason)
