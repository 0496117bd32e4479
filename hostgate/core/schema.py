"""Whether a configuration file says what it may: every problem at once, good keys kept.

To add a key, add a check to :data:`CHECKS` and a field to :class:`hostgate.core.settings.Layer`.
"""

from __future__ import annotations

from hostgate.core import POLICIES, SCOPES
from hostgate.core.durations import parse_duration
from hostgate.core.rules import CATEGORIES
from hostgate.core.settings import AGENTS, CORES, Layer, Problem
from hostgate.core.sizes import parse_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Path = tuple[str | int, ...]  # the names of a key, then perhaps the place in an array
    LineOf = Callable[[Path], int]

MOST_PROBLEMS = 100  # of one file that are told
MOST_PATTERNS = 256  # of one file that count: each is tried on each command
LONGEST = 256  # characters of a pattern
LONGEST_RESERVATION = 3600.0  # seconds


class Reader:
    """The file that is being checked: where its keys stand, and what is wrong with them."""

    def __init__(self, path: str, line_of: LineOf) -> None:
        self.layer = Layer(path)
        self.line_of = line_of
        self.patterns = 0

    def report(self, path: Path, text: str) -> None:
        """Note what is wrong with a key, or with one item of it."""
        problems = self.layer.problems
        if len(problems) < MOST_PROBLEMS:
            key = ".".join([part for part in path if isinstance(part, str)])[:LONGEST]
            problems.append(Problem(self.layer.path, self.line_of(path), key, text))
        elif len(problems) == MOST_PROBLEMS:
            problems.append(Problem(self.layer.path, self.line_of(path), "", "and more"))

    def unknown(self, path: Path, name: object, what: str, known: Iterable[str]) -> None:
        """Report a name that is none of those known, with the one that may be meant."""
        names = list(known)
        text = f"{what}; there are {', '.join(names)}"
        if len(self.layer.problems) < MOST_PROBLEMS:
            from difflib import get_close_matches  # 8 ms, and only for a name that is wrong

            close = get_close_matches(str(name)[:LONGEST], names, 1)
            text = f"{what}; did you mean {close[0]}?" if close else text
        self.report(path, text)


def check(tables: Mapping[str, object], path: str, line_of: LineOf) -> Layer:
    """What a file says, from its tables. Never raises, whatever these are.

    ``line_of`` tells the line of a key or of an item of its array; 0 is a line that is not known.
    """
    reader = Reader(path, line_of)
    for key, value in tables.items():
        if key in CHECKS:
            reader.layer.lines[key] = line_of((key,))
            CHECKS[key](reader, value)
        else:
            reader.unknown((key,), key, "there is no such key", CHECKS)
    return reader.layer


def plain(layer: Layer) -> dict[str, object]:
    """What the file says and is right, as the tables that :func:`check` takes."""
    commands: dict[str, list[str]] = {}
    for category, pattern in layer.commands:
        commands.setdefault(category, []).append(pattern)
    said = {
        "scope": layer.scope,
        "threshold": layer.threshold,
        "contend": layer.contend,
        "never": layer.never,
        "commands": commands or None,
        "agents": layer.agents or None,
        "reservation": layer.reservation,
        "limits": layer.limits or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _scope(reader: Reader, value: object) -> None:
    if not isinstance(value, str):
        reader.report(("scope",), f"must be a string, one of {', '.join(SCOPES)}")
    elif value not in SCOPES:
        reader.unknown(("scope",), value, f"there is no scope {_quote(value)}", SCOPES)
    else:
        reader.layer.scope = value


def _threshold(reader: Reader, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        reader.report(("threshold",), "must be a number above 0 and at most 1")
    elif not 0 < value <= 1:
        reader.report(("threshold",), "must be above 0 and at most 1")
    else:
        reader.layer.threshold = float(value)


def _contend(reader: Reader, value: object) -> None:
    """The key counts as a whole: with one name misspelt, the others may not be what is meant."""
    before = len(reader.layer.problems)
    names: list[str] = []
    for at, name in _items(reader, ("contend",), value):
        if name in names:
            continue
        if name == "read":
            reader.report(("contend", at), "commands that only read never contend")
        elif name not in CATEGORIES:
            what = f"there is no category {_quote(name)}"
            reader.unknown(("contend", at), name, what, CATEGORIES[:-1])
        names.append(name)
    if len(reader.layer.problems) == before:
        reader.layer.contend = names


def _never(reader: Reader, value: object) -> None:
    reader.layer.never = [text for _, text in _patterns(reader, ("never",), value)]


def _commands(reader: Reader, value: object) -> None:
    if not isinstance(value, dict):
        reader.report(("commands",), "must be a table of categories, each with its patterns")
        return
    given: dict[str, str] = {}
    for category, patterns in value.items():
        path = ("commands", str(category))
        if category not in CATEGORIES:
            if category in CHECKS:
                reader.report(path, "stands in [commands]; put it before the first table")
            else:
                reader.unknown(path, category, "there is no such category", CATEGORIES)
            continue
        reader.layer.lines[f"commands.{category}"] = reader.line_of(path)
        for at, text in _patterns(reader, path, patterns):
            if given.setdefault(text, category) != category:
                reader.report((*path, at), f"{_quote(text)} is {given[text]} already")
            else:
                reader.layer.commands.append((category, text))


def _agents(reader: Reader, value: object) -> None:
    if not isinstance(value, dict):
        reader.report(("agents",), "must be a table of agents, each with its policy")
        return
    for agent, policy in value.items():
        path = ("agents", str(agent))
        if agent not in AGENTS:
            reader.unknown(path, agent, "there is no such agent", AGENTS)
        elif policy not in POLICIES:
            reader.report(path, f"must be one of {', '.join(POLICIES)}")
        else:
            reader.layer.lines[f"agents.{agent}"] = reader.line_of(path)
            reader.layer.agents[agent] = policy


def _reservation(reader: Reader, value: object) -> None:
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError
        seconds = parse_duration(str(value))
    except ValueError:
        seconds = 0.0
    if 1 <= seconds <= LONGEST_RESERVATION:
        reader.layer.reservation = seconds
    else:
        reader.report(("reservation",), 'must be a duration from "1s" to "1h", as "2m"')


def _limits(reader: Reader, value: object) -> None:
    if not isinstance(value, dict):
        reader.report(("limits",), "must be a table of limits")
        return
    counted = ("total", *CATEGORIES[:-1])
    for name, most in value.items():
        path = ("limits", str(name))
        found: object = None
        if name in counted:
            found = most if type(most) is int and most > 0 else None
            wanted = "a whole number above 0"
        elif name == "load":
            number = type(most) in (int, float) and 0 < most < 1e6
            found = most if number or most == CORES else None
            wanted = f'a number above 0, or "{CORES}"'
        elif name == "free-memory":
            found = _size(most)
            wanted = 'an amount, as "2GB"'
        else:
            reader.unknown(path, name, "there is no such limit", (*counted, "load", "free-memory"))
            continue
        if found is None:
            reader.report(path, f"must be {wanted}")
        else:
            reader.layer.lines[f"limits.{name}"] = reader.line_of(path)
            reader.layer.limits[str(name)] = found


def _size(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    try:
        size = parse_size(str(value))
    except ValueError:
        return None
    return size if 0 < size < 2**60 else None


def _patterns(reader: Reader, path: Path, value: object) -> list[tuple[int, str]]:
    """The good ones of an array of patterns, each with its place; blanks are folded."""
    found: list[tuple[int, str]] = []
    for at, item in _items(reader, path, value):
        text = " ".join(item.split())
        if not text:
            reader.report((*path, at), "an empty pattern matches nothing")
        elif len(text) > LONGEST:
            reader.report((*path, at), f"a pattern has at most {LONGEST} characters")
        elif reader.patterns == MOST_PATTERNS:
            reader.report((*path, at), f"a file has at most {MOST_PATTERNS} patterns")
            break
        else:
            reader.patterns += 1
            found.append((at, text))
    return found


def _items(reader: Reader, path: Path, value: object) -> list[tuple[int, str]]:
    """The strings of an array, each with its place."""
    if not isinstance(value, list):
        reader.report(path, "must be an array of strings")
        return []
    found: list[tuple[int, str]] = []
    for at, item in enumerate(value):
        if isinstance(item, str):
            found.append((at, item))
        else:
            reader.report((*path, at), "must be an array of strings")
    return found


def _quote(name: object) -> str:
    text = str(name)
    return f'"{text if len(text) <= 60 else text[:59] + "…"}"'


CHECKS: dict[str, Callable[[Reader, object], None]] = {
    "scope": _scope,
    "threshold": _threshold,
    "contend": _contend,
    "never": _never,
    "commands": _commands,
    "agents": _agents,
    "reservation": _reservation,
    "limits": _limits,
}
