"""``hostgate config``: what is in force here, where it comes from, and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hostgate.cli.options import OPTIONS, UsageError, parse
from hostgate.core.settings import BY_DEFAULT, Problem, Settings
from hostgate.host import StateError, dumps
from hostgate.host.config import Config
from hostgate.host.project import project_path, roots_of, tree_here
from hostgate.host.state import locate
from hostgate.ui import phrases
from hostgate.ui.documents import Document

ENVIRONMENT = "environment"  # the file, so to say, in which a variable stands


def config(project: str | None, as_json: bool) -> int:
    """Show the values in force in a project, the files, and every problem; 1 if there is one."""
    tree = roots_of(project).tree if project else tree_here()
    files = Config(None)
    settings = files.settings(tree)
    document = describe(settings, os.environ)
    document["files"] = [
        {"path": path, "of": of, "exists": os.path.lexists(path)}
        for of, path in (("user", files.user_path), ("project", project_path(tree)))
        if path
    ]
    problems = settings.problems + _of_variables(os.environ)
    document["problems"] = [
        {"file": one.path, "line": one.line or None, "key": one.key or None, "problem": one.text}
        for one in problems
    ]
    if as_json:
        print(dumps(document))
    else:
        from hostgate.ui import tables

        tables.console().print(tables.settings(document))
        for one in problems:
            print(phrases.problem(one))
    return 1 if problems else 0


def describe(settings: Settings, environment: Mapping[str, str]) -> Document:
    """Each key with its value and where it comes from, those of the environment too."""
    said: Document = {
        key: {"value": value, "origins": settings.origins.get(key, [BY_DEFAULT])}
        for key, value in settings.values().items()
    }
    for key, variable, value in (
        ("on-conflict", "HOSTGATE_ON_CONFLICT", "ask"),
        ("wait-timeout", "HOSTGATE_WAIT_TIMEOUT", "none on a terminal, else 90s"),
        ("disable", "HOSTGATE_DISABLE", "0"),
    ):
        given = environment.get(variable)
        said[key] = {"value": given or value, "origins": [variable if given else BY_DEFAULT]}
    said["state"] = {"value": _state(), "origins": [_origin_of_state(environment)]}
    return {"schema": 1, "settings": said}


def _state() -> str | None:
    try:
        return locate()
    except StateError:
        return None


def _origin_of_state(environment: Mapping[str, str]) -> str:
    if environment.get("HOSTGATE_HOME"):
        return "HOSTGATE_HOME"
    absolute = environment.get("XDG_STATE_HOME", "").startswith("/")
    return "XDG_STATE_HOME" if absolute else BY_DEFAULT


def _of_variables(environment: Mapping[str, str]) -> list[Problem]:
    """The variables for which ``run`` refuses to start."""
    found: list[Problem] = []
    for option in OPTIONS:
        if value := environment.get(option.variable):
            try:
                parse(["--", "true"], {option.variable: value})
            except UsageError as error:
                text = str(error).removeprefix(f"{option.variable}: ")
                found.append(Problem(ENVIRONMENT, 0, option.variable, text))
    return found
