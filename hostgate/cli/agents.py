"""What ``doctor`` tells of the agents: their hooks, and what became of them."""

from __future__ import annotations

import os
import time

from hostgate.agents import AGENTS, load
from hostgate.agents.files import Edit
from hostgate.cli.hooks import SCOPES, edits_of
from hostgate.core.durations import say
from hostgate.core.text import inert
from hostgate.host import StateError, hooklog
from hostgate.host.settingsfile import SettingsFile
from hostgate.host.state import State

OK, ODD, BAD = "ok", "odd", "bad"

Finding = tuple[str, str]


def findings(state: State) -> list[Finding]:
    """A line or more for each agent whose hook is installed, and for the hooks' own log."""
    found: list[Finding] = []
    for name in AGENTS:
        seen: list[str] = []  # in one's home, the project's settings are the user's
        for in_project in SCOPES:
            try:
                found += _of(name, in_project, state, seen)
            except StateError as error:
                found.append((ODD, f"{name}: {error}"))
    lines = hooklog.complaints(state)
    if lines:
        count = f"{len(lines)} line{'' if len(lines) == 1 else 's'}"
        found.append(
            (ODD, f"{state.file(hooklog.LOG)}: {count}, the last: {inert(lines[-1], 300)}")
        )
    return found


def _of(name: str, in_project: bool, state: State, seen: list[str]) -> list[Finding]:
    found: list[Finding] = []
    for edit in edits_of(load(name), in_project, state.path):
        if not edit.is_hook or edit.path in seen:
            continue
        seen.append(edit.path)
        text = SettingsFile(edit.path).text
        try:
            programs = edit.mine(text)
            others = edit.others(text)
        except ValueError as error:
            return [(ODD, f"{name}: {edit.path}: {error}")]
        if not programs:
            continue
        found.append(_installed(name, edit.path, programs, state))
        found += _trust(name, edit, text)
        others += _beside(edit.path) if not edit.own_hooks(text) else []
        found += [
            (ODD, f"{name}: another hook sees commands too ({inert(other, 80)}): of two that "
                  "rewrite, the last one wins, and the other's change is lost")
            for other in others
        ]  # fmt: skip
    return found


def _beside(path: str) -> list[str]:
    """The other files of a folder in which every file is a hook, or a plugin."""
    folder, own = os.path.split(path)
    ending = os.path.splitext(own)[1]
    names = sorted(name for name in os.listdir(folder) if name.endswith(ending) and name != own)
    return [f"{folder}/{name}" for name in names]


def _installed(name: str, settings: str, programs: list[str], state: State) -> Finding:
    if len(programs) > 1:
        return ODD, f"{name}: {len(programs)} hooks in {settings}; hostgate install {name} again"
    if not os.access(programs[0], os.X_OK):
        text = f"{name}: its hook in {settings} calls {programs[0]}, which is not there"
        return BAD, f"{text}; hostgate install {name}"
    ran, held = (_ago(state, name, what) for what in (hooklog.RAN, hooklog.HELD))
    return OK, f"{name}: hook in {settings}, last ran {ran}, last held {held}"


def _ago(state: State, name: str, what: str) -> str:
    at = hooklog.noted(state, name, what)
    return "never" if at is None else f"{say(time.time() - at)} ago"


def _trust(name: str, edit: Edit, text: str) -> list[Finding]:
    """Codex skips a hook in silence until a person has accepted it."""
    if name != "codex":
        return []
    import tomllib

    from hostgate.agents.codex import is_trusted, places

    user = places(os.path.expanduser("~"), os.environ).user
    try:
        config = tomllib.loads(SettingsFile(f"{user}/config.toml").text)
    except ValueError as error:
        return [(ODD, f"{name}: {user}/config.toml: {error}")]
    if all(is_trusted(config, edit.path, at, hook) for at, hook in edit.own_hooks(text)):
        return [(OK, f"{name}: its hook is accepted")]
    return [(ODD, f"{name}: its hook is not accepted, and skipped: start codex and accept it")]
