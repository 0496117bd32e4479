"""Where the agents' hooks stand, and how much time their settings give them."""

from __future__ import annotations

import os

from hostgate.agents import load
from hostgate.host import StateError
from hostgate.host.program import program
from hostgate.host.project import tree_here
from hostgate.host.settingsfile import SettingsFile
from hostgate.host.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.agents.agent import Agent
    from hostgate.agents.files import Edit

SCOPES = (False, True)  # the user's settings, the project's


def edits_of(agent: Agent, in_project: bool, state: str) -> list[Edit]:
    """What installing changes. Raises :class:`StateError` where there is no such place."""
    place = agent.places(os.path.expanduser("~"), os.environ)
    if not in_project:
        return agent.edits(place.user, True, program(), state)
    tree = tree_here()
    if not tree:
        raise StateError("the working directory is gone")
    return agent.edits(f"{tree}/{place.project}", False, program(), state)


def limit_of(name: str, state: State) -> float:
    """Seconds that an agent's hook may take, as the settings stand; its default if none do."""
    agent = load(name)
    found: list[float] = []
    for in_project in SCOPES:
        try:
            for edit in edits_of(agent, in_project, state.path):
                text = SettingsFile(edit.path).text if edit.is_hook else ""
                found += [agent.limit(hook) for _, hook in edit.own_hooks(text)]
                if text and text == edit.put(""):
                    found.append(agent.LIMIT)
        except (StateError, ValueError):
            continue  # the agent will not have read it either
    return min(found, default=agent.limit({}))
