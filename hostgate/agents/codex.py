"""Codex: Claude's form, read strictly; a rewrite must come with ``allow``, which approves nothing.

An answer with anything unknown in it is void as a whole. Seen with 0.171.0.
"""

from __future__ import annotations

from hostgate.agents import forms
from hostgate.agents.agent import Call, Reply, seconds, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "Codex"
LIMIT = 900.0
REWRITES = True
ASKS = False  # an answer "ask" is void, and the command runs ungated
TOOLS = ("Bash",)


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command of a payload. It has no time limit: the model polls what goes on."""
    return forms.call_of(payload, TOOLS)


def rewrite(call: Call, command: str) -> Reply:
    """Let this command run in the place of the other."""
    return forms.rewrite(call, command, permissionDecision="allow")


deny, ask = forms.deny, forms.ask


def limit(hook: dict[str, object]) -> float:
    """Its ``timeout`` in seconds, 600 where there is none."""
    return seconds(hook.get("timeout")) or 600.0


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.codex``, or where ``CODEX_HOME`` says."""
    from hostgate.agents.files import Place

    return Place("codex", environment.get("CODEX_HOME") or f"{home}/.codex", ".codex")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The hook; for the user also the rule for ``hold``, and the sandbox's way to the state."""
    from hostgate.agents.files import Own, command, hook_group, quoted
    from hostgate.agents.tomlitem import TomlItem

    handler = {
        "type": "command",
        "command": command(program, "hook", "codex"),
        "timeout": int(LIMIT),
        "statusMessage": "hostgate: waiting for a free slot",
    }
    found: list[Edit] = [hook_group(f"{root}/hooks.json", forms.EVENT, "Bash", handler)]
    if user:
        rule = f'prefix_rule(pattern=[{quoted(program)}, "hold"], decision="allow")\n'
        roots = ("sandbox_workspace_write", "writable_roots")
        found += [
            Own(f"{root}/rules/hostgate.rules", rule),
            TomlItem(f"{root}/config.toml", roots, state),
        ]
    return found


def is_trusted(config: dict[str, object], path: str, at: tuple[int, int], handler: object) -> bool:
    """Whether a person has accepted a hook: that of a group and a place in it (``at``).

    ``config`` is ``config.toml``.
    """
    state = table(table(config.get("hooks")).get("state"))
    known = table(state.get(f"{path}:pre_tool_use:{at[0]}:{at[1]}")).get("trusted_hash")
    return known == digest(table(handler))


def digest(given: dict[str, object]) -> str:
    """What Codex keeps of a hook that was accepted: a digest of it in a normal form."""
    from hashlib import sha256
    from json import dumps

    hook = {
        "async": False,
        "command": given.get("command"),
        "timeout": given.get("timeout", 600),
        "type": "command",
    }
    if "statusMessage" in given:
        hook["statusMessage"] = given["statusMessage"]
    form = {"event_name": "pre_tool_use", "hooks": [hook], "matcher": "Bash"}
    text = dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def remaining(program: str) -> list[str]:
    """Codex runs no hook that nobody has reviewed, and does not say so."""
    return [
        "start codex and accept the hook (Hooks need review, Trust all): until then it is "
        "skipped in silence, in `codex exec` too"
    ]
