"""The agents: what each one's hook is given and answers, and how it is installed.

One pure module an agent, listed here; :mod:`hostgate.agents.agent` says what each of them has.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.agents.agent import Agent

AGENTS = {
    "claude": "hostgate.agents.claude",
    "codex": "hostgate.agents.codex",
    "gemini": "hostgate.agents.gemini",
    "copilot": "hostgate.agents.copilot",
    "opencode": "hostgate.agents.opencode",
    "qwen": "hostgate.agents.qwen",
    "cursor": "hostgate.agents.cursor",
    "windsurf": "hostgate.agents.windsurf",
}


def load(name: str) -> Agent:
    """The module of one agent; only that one is imported, since a hook has little time."""
    from importlib import import_module

    module: Agent = import_module(AGENTS[name])
    return module
