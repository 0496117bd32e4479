"""GitHub Copilot CLI: ``preToolUse`` of its own form, and Claude's where that is configured.

It denies when a hook exits with another code than 0. A decision ``allow`` would override the
user's ``--deny-tool``, so none is given. Seen with 1.0.102, but for ``ask``.
"""

from __future__ import annotations

from hostgate.agents import forms
from hostgate.agents.agent import Call, Reply, seconds, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "Copilot CLI"
LIMIT = 900.0
REWRITES = ASKS = True
TOOL = "bash"


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command of a payload, of either form."""
    if "hook_event_name" in payload:
        return forms.call_of(payload, ("Bash", TOOL))
    command = text(_given(payload).get("command"))
    if payload.get("toolName") != TOOL or not command:
        return None
    return Call(payload, payload.get("sessionId"), command, payload.get("cwd"))


def rewrite(call: Call, command: str) -> Reply:
    """Let this command run in the place of the other."""
    if "hook_event_name" in call.given:
        return forms.rewrite(call, command)
    return Reply({"modifiedArgs": {**_given(call.given), "command": command}})


def deny(call: Call, reason: str) -> Reply:
    """Do not run it."""
    if "hook_event_name" in call.given:
        return forms.deny(call, reason)
    return Reply({"permissionDecision": "deny", "permissionDecisionReason": reason})


def ask(call: Call, command: str, reason: str) -> Reply:
    """Have a person asked whether this command is to run."""
    if "hook_event_name" in call.given:
        return forms.ask(call, command, reason)
    asked = {"permissionDecision": "ask", "permissionDecisionReason": reason}
    return Reply({**asked, "modifiedArgs": {**_given(call.given), "command": command}})


def _given(payload: dict[str, object]) -> dict[str, object]:
    """The tool's arguments: an object, in older versions a JSON text of one."""
    given = payload.get("toolArgs")
    if isinstance(given, str):
        from json import loads

        try:
            given = loads(given)
        except ValueError:
            return {}
    return table(given)


def limit(hook: dict[str, object]) -> float:
    """Its ``timeoutSec``, 30 where there is none."""
    return seconds(hook.get("timeoutSec")) or 30.0


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.copilot``, or where ``COPILOT_HOME`` says; a project's is ``.github``."""
    from hostgate.agents.files import Place

    return Place("copilot", environment.get("COPILOT_HOME") or f"{home}/.copilot", ".github")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The hook, in a file of its own."""
    from hostgate.agents.files import Own, command, pretty

    # where hostgate is gone, the hook must not fail: that would deny every command
    hook = f"if [ -x {command(program)} ]; then {command(program, 'hook', 'copilot')}; fi"
    handler = {"type": "command", "bash": hook, "timeoutSec": int(LIMIT)}
    document = {"version": 1, "hooks": {"preToolUse": [handler]}}
    return [Own(f"{root}/hooks/hostgate.json", pretty(document), is_hook=True)]


def remaining(program: str) -> list[str]:
    """Copilot's rules are options of its command line."""
    folder = program.rpartition("/")[0]
    return [
        "where you start copilot with --allow-tool rules, add "
        f"--allow-tool='shell({program}:*)' --add-dir={folder}"
    ]
