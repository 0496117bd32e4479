"""Windsurf: ``pre_run_command``; exit 2 with a reason is all that it understands.

From its documentation only, not seen at work.
"""

from __future__ import annotations

from hostgate.agents.agent import Call, Reply, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "Windsurf"
LIMIT = 60.0  # it documents none; nobody waits long for an editor that says nothing
REWRITES = ASKS = False


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command of a payload."""
    info = table(payload.get("tool_info"))
    command = text(info.get("command_line"))
    if payload.get("agent_action_name") != "pre_run_command" or not command:
        return None
    return Call(payload, payload.get("trajectory_id"), command, info.get("cwd"))


def rewrite(call: Call, command: str) -> Reply:
    """It runs what it was about to run."""
    return Reply()


def deny(call: Call, reason: str) -> Reply:
    """Do not run it."""
    return Reply(error=reason, code=2)


def ask(call: Call, command: str, reason: str) -> Reply:
    """It cannot have a person asked."""
    return deny(call, reason)


def limit(hook: dict[str, object]) -> float:
    """It has no setting for that."""
    return LIMIT


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.codeium/windsurf``."""
    from hostgate.agents.files import Place

    return Place("windsurf", f"{home}/.codeium/windsurf", ".windsurf")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The hook."""
    from hostgate.agents.files import command, hook_entry

    handler = {"command": command(program, "hook", "windsurf"), "show_output": True}
    return [hook_entry(f"{root}/hooks.json", "pre_run_command", handler)]


def remaining(program: str) -> list[str]:
    """What a hook that cannot rewrite leaves open."""
    return [
        "Windsurf's hooks cannot rewrite: its builds wait for others, but others do not see "
        f"them; tell it to prefix builds with `{program} run --`"
    ]
