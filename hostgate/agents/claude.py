"""Claude Code: ``PreToolUse`` of its settings; it takes a rewrite without a decision.

A decision ``allow`` would skip the prompt that the user would have got, so none is given.
Seen with 2.1.332.
"""

from __future__ import annotations

from hostgate.agents import forms
from hostgate.agents.agent import Call, seconds, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "Claude Code"
LIMIT = 900.0
REWRITES = ASKS = True
TOOLS = ("Bash", "Monitor")  # the latter runs a shell command and watches what it prints
MILLISECOND = 0.001
EXCLUDED = ("sandbox", "excludedCommands")
ALLOW_WRITE = ("sandbox", "filesystem", "allowWrite")


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command of a payload; its ``timeout`` is in ms, 120000 where none is given."""
    limit = seconds(table(payload.get("tool_input")).get("timeout"), MILLISECOND)
    # "0" under -p, where a question comes back as an error
    attended = environment.get("CLAUDE_CODE_SESSION_ATTENDED") != "0"
    return forms.call_of(payload, TOOLS, limit, attended)


rewrite, deny, ask = forms.rewrite, forms.deny, forms.ask


def limit(hook: dict[str, object]) -> float:
    """Its ``timeout`` in seconds, 600 where there is none."""
    return seconds(hook.get("timeout")) or 600.0


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.claude``, or where ``CLAUDE_CONFIG_DIR`` says."""
    from hostgate.agents.files import Place

    folder = environment.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    return Place("claude", folder, ".claude")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The hook, the allow rule for ``hold``, and the sandbox's way to the state.

    A project's own settings are ``settings.local.json``: the other file is shared, and the path
    is this machine's.
    """
    from hostgate.agents.files import HOLD, Item, command, hook_group

    path = f"{root}/settings.json" if user else f"{root}/settings.local.json"
    hold = command(program, "hold")
    handler = {
        "type": "command",
        "command": command(program, "hook", "claude"),
        "timeout": int(LIMIT),
        "statusMessage": "hostgate: waiting for a free slot",
    }
    return [
        hook_group(path, forms.EVENT, "|".join(TOOLS), handler),
        Item(path, ("permissions", "allow"), f"Bash({hold}:*)", HOLD),
        Item(path, ALLOW_WRITE, state, only_with=("sandbox", "enabled")),
        # a line is free of the sandbox only if each of its parts is
        Item(path, EXCLUDED, f"{hold} *", HOLD, only_with=EXCLUDED),
    ]


def remaining(program: str) -> list[str]:
    """Nothing: the hook counts from the next session on."""
    return []
