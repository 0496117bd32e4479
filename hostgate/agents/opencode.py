"""opencode: it has no command hooks, so a plugin calls the hook and changes the call in place.

The plugin speaks Claude's form with the hook. It starts it asynchronously, since anything else
would stop the whole server while the hook waits. Seen with 1.18.33.
"""

from __future__ import annotations

from hostgate.agents import forms
from hostgate.agents.agent import Call, seconds, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.agents.files import Edit, Place

TITLE = "opencode"
LIMIT = 900.0
REWRITES = True
ASKS = False
TOOLS = ("bash", "Bash")
MILLISECOND = 0.001

PLUGIN = """\
// Written by `hostgate install opencode`; `hostgate uninstall opencode` removes it.
// Before a shell command runs, it asks hostgate whether a similar one runs in another session.
import { spawn } from "node:child_process"

const PROGRAM = __PROGRAM__

const ask = (call) =>
  new Promise((resolve) => {
    const hook = spawn(PROGRAM, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    let answer = ""
    hook.stdout.on("data", (piece) => (answer += piece))
    hook.stdin.on("error", () => {})
    hook.on("error", () => resolve({})) // hostgate is gone: the command runs
    hook.on("close", () => {
      try {
        resolve(JSON.parse(answer || "{}").hookSpecificOutput ?? {})
      } catch {
        resolve({})
      }
    })
    hook.stdin.end(JSON.stringify(call))
  })

export const Hostgate = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    if (input.tool !== "bash") return
    const said = await ask({
      session_id: input.sessionID,
      cwd: output.args.workdir ?? directory,
      hook_event_name: "PreToolUse",
      tool_name: "bash",
      tool_input: { ...output.args },
    })
    if (said.permissionDecision === "deny") throw new Error(said.permissionDecisionReason)
    Object.assign(output.args, said.updatedInput ?? {})
  },
  "shell.env": async (input, output) => {
    if (input.sessionID) output.env.OPENCODE_SESSION_ID = input.sessionID
  },
})
"""


def call(payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
    """The command that the plugin hands on; its ``timeout`` is in ms."""
    limit = seconds(table(payload.get("tool_input")).get("timeout"), MILLISECOND)
    return forms.call_of(payload, TOOLS, limit)


rewrite, deny, ask = forms.rewrite, forms.deny, forms.ask


def limit(hook: dict[str, object]) -> float:
    """The plugin waits for as long as it takes."""
    return LIMIT


def places(home: str, environment: Mapping[str, str]) -> Place:
    """``~/.config/opencode``, or below ``XDG_CONFIG_HOME``."""
    from hostgate.agents.files import Place

    folder = text(environment.get("XDG_CONFIG_HOME")) or f"{home}/.config"
    return Place("opencode", f"{folder}/opencode", ".opencode")


def edits(root: str, user: bool, program: str, state: str) -> list[Edit]:
    """The plugin; and the rule for ``hold`` where the user has rules for commands."""
    from hostgate.agents.files import HOLD, Member, Own, command, quoted

    plugin = PLUGIN.replace("__PROGRAM__", quoted(program))
    found: list[Edit] = [Own(f"{root}/plugins/hostgate.js", plugin, is_hook=True)]
    folder = root if user else root.rpartition("/")[0]
    for name in ("opencode.json", "opencode.jsonc"):
        rule = command(program, "hold", "*")
        found.append(Member(f"{folder}/{name}", ("permission", "bash"), rule, "allow", HOLD))
    return found


def remaining(program: str) -> list[str]:
    """Nothing: the plugin counts from the next start on."""
    return []
