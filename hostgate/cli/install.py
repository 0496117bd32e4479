"""``hostgate install`` and ``uninstall``: an agent's hook, put into its settings and taken out."""

from __future__ import annotations

import os
from shutil import which

from hostgate.agents import AGENTS, load
from hostgate.cli.hooks import edits_of
from hostgate.cli.options import UsageError
from hostgate.host import StateError
from hostgate.host.program import program
from hostgate.host.settingsfile import SettingsFile, lock
from hostgate.host.state import State, locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.agents.agent import Agent
    from hostgate.agents.files import Edit


def install(name: str | None, in_project: bool, dry_run: bool, detect: bool) -> int:
    """Put an agent's hook into its settings. Raises :class:`UsageError`, :class:`StateError`."""
    if detect:
        return _detect()
    agent = _agent(name)
    state = State(locate())  # a sandbox's writable folder must be there beforehand
    with lock(state):
        changed = []
        for file, edits in _files(agent, in_project, state):
            text = _with(file, edits)
            if text != file.text:
                changed.append((file, text, _without(file, edits) != file.text))
        if dry_run:
            return _show([(file, text) for file, text, _ in changed])
        for file, text, installed in changed:
            if not installed:
                file.keep()
            file.replace(text)
            print(f"{'changed' if file.exists else 'wrote'} {file.path}")
    if not changed:
        print(f"{agent.TITLE}: the hook is installed already")
    for text in agent.remaining(program()):
        print(f"still to do: {text}")
    return 0


def uninstall(name: str | None, in_project: bool, dry_run: bool) -> int:
    """Take an agent's hook out again, and nothing else. Raises like :func:`install`."""
    agent = _agent(name)
    state = State(locate())
    with lock(state):
        changed = []
        for file, edits in _files(agent, in_project, state):
            text = _without(file, edits)
            if text != file.text:
                changed.append((file, text))
        if dry_run:
            return _show([(file, text or "") for file, text in changed])
        for file, text in changed:
            before = file.before
            file.replace(text)
            print(f"{'removed' if text is None else 'changed'} {file.path}")
            if text == before:
                file.forget()
            elif before is not None:
                print(f"kept {file.copy}, which is what was there before")
    if not changed:
        print(f"{agent.TITLE}: no hook is installed here")
    return 0


def _agent(name: str | None) -> Agent:
    if name not in AGENTS:
        what = "which agent?" if name is None else f"no such agent: {name};"
        raise UsageError(f"{what} one of {', '.join(AGENTS)}")
    return load(name)


def _files(agent: Agent, in_project: bool, state: State) -> list[tuple[SettingsFile, list[Edit]]]:
    """The files in question, each with its edits."""
    grouped: dict[str, list[Edit]] = {}
    for edit in edits_of(agent, in_project, state.path):
        grouped.setdefault(edit.path, []).append(edit)
    return [(SettingsFile(path), edits) for path, edits in grouped.items()]


def _with(file: SettingsFile, edits: list[Edit], text: str | None = None) -> str:
    """The file's text, or another one, with all edits in it."""
    found = file.text if text is None else text
    for edit in edits:
        try:
            found = edit.put(found)
        except ValueError as error:
            raise StateError(f"{file.path}: {error}; left as it is") from error
    return found


def _without(file: SettingsFile, edits: list[Edit]) -> str | None:
    """The file's text without the edits: to the letter what it was, if nobody changed it since.

    ``None`` where nothing is left of it.
    """
    if not file.text:
        return file.text
    for before in (file.before, None):
        try:
            if _with(file, edits, before or "") == file.text:
                return before
        except StateError:
            continue
    found = file.text
    for edit in reversed(edits):
        try:
            found = edit.take(found)
        except ValueError as error:
            raise StateError(f"{file.path}: {error}; left as it is") from error
    return found or None


def _show(changed: list[tuple[SettingsFile, str]]) -> int:
    from difflib import unified_diff

    for file, text in changed:
        old, new = file.text.splitlines(keepends=True), text.splitlines(keepends=True)
        for one in unified_diff(old, new, file.path, file.path):
            print(one, end="" if one.endswith("\n") else "\n")  # a file may end without one
    if not changed:
        print("nothing would change")
    return 0


def _detect() -> int:
    for name in AGENTS:
        place = load(name).places(os.path.expanduser("~"), os.environ)
        path = which(place.name)
        found = [one for one in (path, place.user if os.path.isdir(place.user) else None) if one]
        print(f"{name:9} {'found: ' + ', '.join(found) if found else 'not found'}")
    return 0
