"""A command in two words: which tool, and what kind of thing it does."""

from __future__ import annotations

from hostgate.core import tools
from hostgate.core.lexer import Unreadable
from hostgate.core.shell import Part, parse
from hostgate.core.unwrap import basename, shell_text, unwrap

# From the one that contends most to the one that never does.
CATEGORIES = ("build", "test", "server", "other", "read")
DEPTH = 4  # of shells inside shells; deeper ones are data

_ALWAYS = {tool: kind for kind, names in tools.ALWAYS.items() for tool in names.split()}


class Summary:
    """What a command is: its ``word`` (``swift``) and its ``category`` (one of CATEGORIES)."""

    __slots__ = ("category", "word")

    def __init__(self, word: str, category: str) -> None:
        self.word = word
        self.category = category

    def __repr__(self) -> str:
        return f"Summary(word={self.word!r}, category={self.category!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and (self.word, self.category) == (
            other.word,
            other.category,
        )

    def __hash__(self) -> int:
        return hash((self.word, self.category))


class Operation:
    """One operation of a command line: its words after the look-through, and its summary."""

    __slots__ = ("summary", "words")

    def __init__(self, words: list[str], summary: Summary) -> None:
        self.words = words
        self.summary = summary


def classify(command: str) -> Summary:
    """The word and the category of a command line.

    A compound command is what its most contending part is. What cannot be read is ``other``.
    """
    return summarise(operations(command), command)


def summarise(found: list[Operation], command: str) -> Summary:
    """The summary of a command line whose operations are known."""
    if not found:
        first = command.split()[:1]
        return Summary(basename(first[0]) if first else "", "other" if first else "read")
    weighty = [one for one in found if one.words[0] not in tools.SILENT] or found
    return min(weighty, key=lambda one: CATEGORIES.index(one.summary.category)).summary


def operations(command: str, depth: int = DEPTH) -> list[Operation]:
    """Every operation of a command line, those inside ``bash -c`` too; none if unreadable."""
    try:
        parts = parse(command)
    except Unreadable:
        return []
    found: list[Operation] = []
    for part in parts:
        words = unwrap(part.words)
        text = shell_text(words) if depth else None
        inner = operations(text, depth - 1) if text else []
        found += inner or [_operation(words, part)]
    return found


def _operation(words: list[str], part: Part) -> Operation:
    name = _name(words[0])
    if name == "python" and "-m" in words[1:-1]:  # python -m pytest
        at = words.index("-m")
        words = words[at + 1 :]
        name = _name(words[0])
    tool = tools.ALIASES.get(name, name)
    return Operation([name, *words[1:]], Summary(name, _category(tool, words[1:], part)))


def _name(word: str) -> str:
    name = basename(word)
    for ending in (".exe", ".bat", ".cmd"):
        name = name.removesuffix(ending)
    return name


def _category(tool: str, words: list[str], part: Part) -> str:
    """The category of one operation: its harmless and long-running forms first."""
    flags = words[: words.index("--")] if "--" in words else words
    if tools.HARMLESS.intersection(flags):
        return "read"
    if set(tools.HARMLESS_OF.get(tool, "").split()).intersection(flags):
        return "read"
    if tools.LONG_RUNNING.intersection(flags):
        return "server"
    kind = _kind(tool, _verbs(tool, words), flags)
    if kind == "read" and _writes(tool, words, part):
        return "other"
    return kind


def _kind(tool: str, verbs: list[str], flags: list[str]) -> str:
    if tool in tools.TASKS and (kind := _task(tool, verbs)):
        return kind
    if tool in tools.EXCEPTIONS and (kind := _verb(tools.EXCEPTIONS[tool], verbs or flags)):
        return kind
    if tool in _ALWAYS:
        return _ALWAYS[tool]
    if tool in tools.VERBS:
        if tool == "docker" and "--build" in flags:
            return "build"
        return _verb(tools.VERBS[tool], verbs) or ("build" if tool == "yarn" else "other")
    if tool.startswith(("build.", "build-", "build_")):
        return "build"
    return _ALWAYS.get(tool.rpartition("-")[2], "other")  # arm-none-eabi-gcc


def _verb(table: dict[str, str], verbs: list[str]) -> str:
    """The category that a tool's table gives its verbs; "" where it says nothing."""
    wanted = ["/".join(verbs[:2]), *verbs[:1], "*"] if verbs else [""]
    for verb in wanted:
        for kind, names in table.items():
            if verb in names.split():
                return kind
    return ""


def _verbs(tool: str, words: list[str]) -> list[str]:
    """The words that say what to do: no options, no values of options, no toolchain."""
    with_value = tools.VALUE_OPTIONS.get(tool, "").split()
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == "--":
            break
        elif word.startswith("-"):
            skip = word in with_value
            if tool == "node" and word == "--test":
                found.append(word)
        elif not word.startswith("+"):
            found.append(basename(word) if word.endswith(".py") else word)
    return found


def _task(tool: str, verbs: list[str]) -> str:
    """The category of ``npm run build`` and its like, by the task's name; "" if it is none."""
    openings = tools.TASKS[tool]
    if verbs and verbs[0] in openings:
        names = verbs[1:]
    elif "" in openings:
        names = verbs
    else:
        return ""
    for kind, known in tools.TASK_WORDS.items():
        for name in names[:1] if tool != "turbo" else names:
            if set(known.split()).intersection(name.replace("-", ":").replace(".", ":").split(":")):
                return kind
    return "other"


def _writes(tool: str, words: list[str], part: Part) -> bool:
    """Whether a tool that reads was told to write: into a file, in place, through -exec."""
    if part.writes and tool in ("echo", "printf", "cat"):
        return True
    if tool == "sed":
        return any(word.startswith("-i") or word == "--in-place" for word in words)
    if tool == "find":
        return bool({"-exec", "-execdir", "-delete", "-ok"}.intersection(words))
    return False
