"""What is in force: the defaults, the user's file and the project's, merged key by key.

A project's file can only make gating stricter or narrower; what it may not say is a problem.
"""

from __future__ import annotations

from hostgate.core import REPO, WORKTREE
from hostgate.core.registry import RESERVED_FOR
from hostgate.core.rules import CATEGORIES, CONTEND, DEFAULT, THRESHOLD, Pattern, Rules
from hostgate.core.text import digest

BY_DEFAULT = "default"
# The agents whose hooks hostgate knows, and what a hook may do where a similar command runs.
AGENTS = ("claude", "codex", "gemini", "copilot", "opencode", "qwen", "cursor", "windsurf")
CORES = "cores"  # as many as these: a limit of the load


class Problem:
    """One thing that is wrong with a file. ``line`` is 0 and ``key`` "" for the file as such."""

    __slots__ = ("key", "line", "path", "text")

    def __init__(self, path: str, line: int, key: str, text: str) -> None:
        self.path = path
        self.line = line
        self.key = key
        self.text = text


class Layer:
    """What one file says, as far as it is right; ``None`` is a key that it does not have.

    ``commands`` are pairs of a category and a pattern, in the order of the file; ``agents`` maps
    an agent to its policy, ``reservation`` is in seconds; ``limits`` holds numbers of commands,
    ``load`` and ``free-memory`` (bytes); ``lines`` tells the line of each dotted
    key.
    """

    __slots__ = (
        "agents",
        "commands",
        "contend",
        "limits",
        "lines",
        "never",
        "path",
        "problems",
        "reservation",
        "scope",
        "threshold",
    )

    def __init__(self, path: str) -> None:
        self.path = path
        self.scope: str | None = None
        self.threshold: float | None = None
        self.contend: list[str] | None = None
        self.never: list[str] | None = None
        self.commands: list[tuple[str, str]] = []
        self.agents: dict[str, str] = {}
        self.reservation: float | None = None
        self.limits: dict[str, object] = {}
        self.lines: dict[str, int] = {}
        self.problems: list[Problem] = []

    def origin(self, key: str) -> str:
        """Where a key stands: ``/home/me/.config/hostgate.toml:3``."""
        return f"{self.path}:{self.lines[key]}" if self.lines.get(key) else self.path


class Settings:
    """The values in force. ``origins`` says for each dotted key where its value comes from."""

    __slots__ = ("agents", "limits", "origins", "problems", "reservation", "rules", "scope")

    def __init__(self) -> None:
        self.scope = REPO
        self.rules = DEFAULT
        self.agents: dict[str, str] = {}
        self.reservation = RESERVED_FOR
        self.limits: dict[str, object] = {}
        self.origins: dict[str, list[str]] = {}
        self.problems: list[Problem] = []

    def values(self) -> dict[str, object]:
        """Every key with its value, as plain data."""
        of: dict[str, list[str]] = {category: [] for category in CATEGORIES}
        for pattern in self.rules.commands:
            of[pattern.category].append(pattern.text)
        return {
            "scope": self.scope,
            "threshold": self.rules.threshold,
            "contend": [name for name in CATEGORIES if name in self.rules.contend],
            "never": list(self.rules.never),
            "reservation": f"{self.reservation:g}s",
            **{f"limits.{name}": value for name, value in self.limits.items()},
            **{f"agents.{agent}": policy for agent, policy in self.agents.items()},
            **{f"commands.{category}": patterns for category, patterns in of.items()},
        }


def merge(user: Layer | None, project: Layer | None) -> Settings:
    """The settings in force where these two files are; ``None`` is a file that is not there."""
    settings = Settings()
    if user is None and project is None:
        return settings
    threshold, contend = THRESHOLD, CONTEND
    never: tuple[str, ...] = ()
    commands: list[Pattern] = []
    if user is not None:
        settings.problems += user.problems
        if user.scope is not None:
            settings.scope = user.scope
            settings.origins["scope"] = [user.origin("scope")]
        if user.threshold is not None:
            threshold = user.threshold
            settings.origins["threshold"] = [user.origin("threshold")]
        if user.contend is not None:
            contend = frozenset(user.contend)
            settings.origins["contend"] = [user.origin("contend")]
        if user.never is not None:
            never = tuple(user.never)
            settings.origins["never"] = [user.origin("never")]
        if user.reservation is not None:
            settings.reservation = user.reservation
            settings.origins["reservation"] = [user.origin("reservation")]
        settings.limits = dict(user.limits)
        for name in user.limits:
            settings.origins[f"limits.{name}"] = [user.origin(f"limits.{name}")]
        settings.agents = dict(user.agents)
        for agent in user.agents:
            settings.origins[f"agents.{agent}"] = [user.origin(f"agents.{agent}")]
        commands = _patterns(settings, user, outright=True)
    if project is not None:
        settings.problems += project.problems
        _narrow(settings, project)
        threshold = _lower(settings, project, threshold)
        if project.contend is not None and not contend.issuperset(project.contend):
            contend = contend.union(project.contend)
            before = settings.origins.get("contend", [BY_DEFAULT])
            settings.origins["contend"] = [*before, project.origin("contend")]
        if project.never is not None:
            _refuse(settings, project, "never", "only the user's file may exempt commands")
        for key in ("reservation", "agents", "limits"):
            if getattr(project, key):
                _refuse(settings, project, key, "only the user's file may say that")
        commands = [*_patterns(settings, project, outright=False), *commands]
    settings.rules = Rules(threshold, contend, tuple(commands), never)
    return settings


def terms(rules: Rules, limits: dict[str, object]) -> str:
    """What tells the rules and limits by which a claim is decided from others; "" by default.

    Who decides by the same may decide for it.
    """
    if rules is DEFAULT and not limits:
        return ""
    said = (rules.threshold, sorted(rules.contend), rules.stamp, sorted(limits.items()))
    return digest(repr(said))[:16] if said != _BY_DEFAULT else ""


_BY_DEFAULT: tuple[object, ...] = (THRESHOLD, sorted(CONTEND), "", [])


def _narrow(settings: Settings, project: Layer) -> None:
    if project.scope is None or project.scope == settings.scope:
        return
    if project.scope != WORKTREE:
        text = f'a project\'s file may only narrow it to "{WORKTREE}" ("{settings.scope}" holds)'
        _refuse(settings, project, "scope", text)
        return
    settings.scope = WORKTREE
    settings.origins["scope"] = [project.origin("scope")]


def _lower(settings: Settings, project: Layer, threshold: float) -> float:
    if project.threshold is None or project.threshold == threshold:
        return threshold
    if project.threshold > threshold:
        text = f"only the user's file may raise it ({threshold:g} holds)"
        _refuse(settings, project, "threshold", text)
        return threshold
    settings.origins["threshold"] = [project.origin("threshold")]
    return project.threshold


def _refuse(settings: Settings, project: Layer, key: str, text: str) -> None:
    settings.problems.append(Problem(project.path, project.lines.get(key, 0), key, text))


def _patterns(settings: Settings, layer: Layer, outright: bool) -> list[Pattern]:
    said = layer.commands
    if not outright and any(category == "read" for category, _ in said):
        _refuse(settings, layer, "commands.read", "only the user's file may exempt commands")
        said = [pair for pair in said if pair[0] != "read"]
    for category, _ in said:
        key = f"commands.{category}"
        origin = layer.origin(key)
        known = settings.origins.setdefault(key, [])
        if origin not in known:
            known.insert(0 if not outright else len(known), origin)
    return [Pattern(text, category, outright) for category, text in said]
