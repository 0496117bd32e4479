"""Gemini CLI: ``BeforeTool``; the input of the answer is merged into the call's.

``ask`` is not used: it would turn what the user's policy denies into a question, and it ends a
headless run without a word. A policy of a low priority switches off the rules of the user's
``tools.allowed``; a rule that denies wins over one of any priority. Seen with 0.61.0.
"""

from __future__ import annotations

from hostgate.agents import forms
from hostgate.agents.agent import Call, Reply, seconds, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "Gemini CLI"
LIMIT = 900.0
REWRITES = True
ASKS = False
TOOL = "run_shell_command"
EVENT = "BeforeTool"
MILLISECOND = 0.001


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command of a payload; the call's own directory is relative to the project's."""
    found = forms.call_of(payload, (TOOL,))
    if found is not None:
        given = table(payload.get("tool_input"))
        aside = text(given.get("dir_path")) or text(given.get("directory"))
        if aside.startswith("/") or not found.directory:
            found.directory = aside or found.directory
        elif aside:
            found.directory = f"{found.directory}/{aside}"
    return found


def rewrite(call: Call, command: str) -> Reply:
    """Let this command run in the place of the other."""
    return Reply({"hookSpecificOutput": _input(command)})


def deny(call: Call, reason: str) -> Reply:
    """Do not run it."""
    return Reply({"decision": "deny", "reason": reason})


def ask(call: Call, command: str, reason: str) -> Reply:
    """It does not have a person asked."""
    return deny(call, reason)


def _input(command: str) -> dict[str, object]:
    return {"hookEventName": EVENT, "tool_input": {"command": command}}


def limit(hook: dict[str, object]) -> float:
    """Its ``timeout`` in ms, 60000 where there is none."""
    return seconds(hook.get("timeout"), MILLISECOND) or 60.0


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.gemini``."""
    from hostgate.agents.files import Place

    return Place("gemini", f"{home}/.gemini", ".gemini")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The hook, its timeout in ms, and the allow rule for ``hold``: the user's in its own file."""
    from hostgate.agents.files import HOLD, Item, Own, command, hook_group, quoted

    path = f"{root}/settings.json"
    handler = {
        "type": "command",
        "name": "hostgate",
        "command": command(program, "hook", "gemini"),
        "timeout": int(LIMIT * 1000),
    }
    hold = command(program, "hold")
    policy = f"""[[rule]]
toolName = "{TOOL}"
commandPrefix = {quoted(hold)}
decision = "allow"
priority = 999
"""
    return [
        hook_group(path, EVENT, TOOL, handler),
        Own(f"{root}/policies/hostgate.toml", policy)
        if user
        else Item(path, ("tools", "allowed"), f"{TOOL}({hold})", HOLD),
    ]


def remaining(program: str) -> list[str]:
    """Nothing: the hook counts from the next session on."""
    return []
