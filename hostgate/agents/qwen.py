"""Qwen Code: Claude's form, but rewrites are ignored: the hook waits or denies.

Its hooks are cut at 60 s, whatever is set; a timeout from 1000 on is in ms. Seen with 0.24.4.
"""

from __future__ import annotations

from hostgate.agents import forms
from hostgate.agents.agent import Call, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "Qwen Code"
LIMIT = 60.0
REWRITES = ASKS = False
TOOL = "run_shell_command"
MILLISECOND = 0.001


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command of a payload."""
    return forms.call_of(payload, (TOOL,))


rewrite, deny, ask = forms.rewrite, forms.deny, forms.ask


def limit(hook: dict[str, object]) -> float:
    """Its ``timeout`` in seconds, or from 1000 on in ms; never more than a minute."""
    given = seconds(hook.get("timeout")) or LIMIT
    return min(given if given < 1000 else given * MILLISECOND, LIMIT)


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.qwen``."""
    from hostgate.agents.files import Place

    return Place("qwen", f"{home}/.qwen", ".qwen")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The hook."""
    from hostgate.agents.files import command, hook_group

    handler = {
        "type": "command",
        "name": "hostgate",
        "command": command(program, "hook", "qwen"),
        "timeout": int(LIMIT * 1000),
    }
    return [hook_group(f"{root}/settings.json", forms.EVENT, TOOL, handler)]


def remaining(program: str) -> list[str]:
    """What a hook that cannot rewrite leaves open."""
    return [
        "Qwen Code ignores rewrites: its builds wait for others, but others do not see them; "
        f"tell it to prefix builds with `{program} run --`"
    ]
