"""Cursor: ``preToolUse`` of ``hooks.json``. From its documentation only, not seen at work.

A permission ``allow`` might skip what the user would have been asked, so none is given.
"""

from __future__ import annotations

from hostgate.agents.agent import Call, Reply, seconds, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "Cursor"
LIMIT = 900.0
REWRITES = True
ASKS = False  # "ask" is accepted for this event, and not enforced
TOOL = "Shell"


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command of a payload."""
    given = table(payload.get("tool_input"))
    command = text(given.get("command"))
    if payload.get("tool_name") != TOOL or not command:
        return None
    directory = given.get("working_directory") or payload.get("cwd")
    return Call(payload, payload.get("conversation_id"), command, directory)


def rewrite(call: Call, command: str) -> Reply:
    """Let this command run in the place of the other."""
    given = table(call.given.get("tool_input"))
    return Reply({"updated_input": {**given, "command": command}})


def deny(call: Call, reason: str) -> Reply:
    """Do not run it."""
    return Reply({"permission": "deny", "user_message": reason, "agent_message": reason})


def ask(call: Call, command: str, reason: str) -> Reply:
    """It cannot have a person asked."""
    return deny(call, reason)


def limit(hook: dict[str, object]) -> float:
    """Its ``timeout`` in seconds; what holds where there is none is not documented."""
    return seconds(hook.get("timeout")) or 60.0


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.cursor``."""
    from hostgate.agents.files import Place

    return Place("cursor", f"{home}/.cursor", ".cursor")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The hook."""
    from hostgate.agents.files import command, hook_entry

    handler = {
        "command": command(program, "hook", "cursor"),
        "matcher": TOOL,
        "timeout": int(LIMIT),
        "failClosed": False,
    }
    return [hook_entry(f"{root}/hooks.json", "preToolUse", handler, version=1)]


def remaining(program: str) -> list[str]:
    """Its allow list is edited in its settings."""
    return [f"if you use Cursor's command allowlist, add `{program} hold` to it"]
