"""A command in two words: which tool, and what kind of thing it does."""

from __future__ import annotations

from hostgate.core import tools
from hostgate.core.lexer import Unreadable
from hostgate.core.shell import Part, parse
from hostgate.core.unwrap import SHELLS, basename, carried, script, shell_text, unwrap

# From the one that contends most to the one that never does.
CATEGORIES = ("build", "test", "server", "other", "read")
WRITERS = ("echo", "printf", "cat")  # they read, unless what they print goes to a file
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
    """One operation of a command line: its words after the look-through, and its summary.

    ``aims`` is what it is pointed at beside its words: the file that ``cat`` or ``echo`` writes,
    the program that an interpreter gets in a here-document.
    """

    __slots__ = ("aims", "summary", "words")

    def __init__(self, words: list[str], summary: Summary, aims: str = "") -> None:
        self.words = words
        self.summary = summary
        self.aims = aims


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
        if text is None and depth and part.document and basename(words[0]) in SHELLS:
            text = part.document
        inner = operations(text, depth - 1) if text else []
        found += inner or [_operation(words, part)]
    return found


def _operation(words: list[str], part: Part) -> Operation:
    name = _name(words[0])
    inner = carried(words)
    if inner and (found := _operation(unwrap(inner), part)).summary.category != "read":
        return found
    if file := script(words):
        file = [basename(file[0]), *file[1:]]
        return Operation(file, Summary(name, _operation(file, part).summary.category))
    if tools.ALIASES.get(name, name) == "python" and "-m" in words[1:-1]:  # python -m pytest
        at = words.index("-m")
        words = words[at + 1 :]
        name = _name(words[0])
    tool = tools.ALIASES.get(name, name)
    if tool in tools.HOSTS and (guest := _guest(tool, words[1:])):
        found = _operation(guest, part)
        aside = words[1 : len(words) - len(guest)]  # yarn --cwd web: another place to run it
        return Operation([*found.words, *aside], found.summary, found.aims)
    category = _category(tool, words[1:], part)
    aims = part.writes if tool in WRITERS else part.document if category != "read" else ""
    return Operation([name, *words[1:]], Summary(name, category), aims)


def _guest(host: str, words: list[str]) -> list[str]:
    """The tool that a host runs, with its words: of ``yarn jest``, ``php vendor/bin/phpunit``."""
    with_value = tools.VALUE_OPTIONS.get(host, "").split()
    skip = False
    for at, word in enumerate(words):
        if skip or word.startswith("-"):
            skip = not skip and word in with_value
        elif word == "exec":
            return unwrap(words[at + 1 :])
        else:
            name = _name(word)
            own = any(name in verbs.split() for verbs in tools.VERBS.get(host, {}).values())
            task = any(name in known_words.split() for known_words in tools.TASK_WORDS.values())
            known = _ALWAYS.get(name, "read") != "read" or name in tools.TASKS
            return words[at:] if known and not own and not task else []
    return []


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
    harmless = set(tools.HARMLESS_OF.get(tool, "").split())
    if harmless.intersection(_single(flags) if tool in tools.CLUSTERED else flags):
        return "read"
    long_running = tools.LONG_RUNNING.union(tools.LONG_RUNNING_OF.get(tool, "").split())
    if long_running.intersection(flags):
        return "server"
    if set(tools.ELSEWHERE.get(tool, "").split()).intersection(flags):
        return "other"
    kind = _kind(tool, _verbs(tool, words), flags)
    if kind == "read" and _writes(tool, words, part):
        return "other"
    return kind


def _single(flags: list[str]) -> list[str]:
    """The options with short ones that stand together taken apart: ``-avn`` is ``-a -v -n``."""
    found: list[str] = []
    for flag in flags:
        cluster = flag.startswith("-") and flag[1:].isalpha()
        found += [f"-{letter}" for letter in flag[1:]] if cluster else [flag]
    return found


def _kind(tool: str, verbs: list[str], flags: list[str]) -> str:
    for depth in (1, 2):
        if tools.BUILDS_WITH.get((tool, "/".join(verbs[:depth]))) in flags:
            return "build"
    if tool in tools.TASKS and (kind := _task(tool, verbs)):
        return kind
    if tool in tools.EXCEPTIONS and (kind := _verb(tools.EXCEPTIONS[tool], verbs or flags)):
        return kind
    if tool in _ALWAYS:
        return _ALWAYS[tool]
    if tool in tools.VERBS:
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
    return found[2:] if tool == "yarn" and found[:1] == ["workspace"] else found


def _task(tool: str, verbs: list[str]) -> str:
    """The category of ``npm run build`` and its like, by the task's name; "" if it is none."""
    openings = tools.TASKS[tool]
    if verbs and verbs[0] in openings:
        names = verbs[1:]
    elif "" in openings:
        names = verbs
    else:
        return ""
    several = tool in ("turbo", "nx", "lerna")  # turbo run lint build, nx affected -t lint,build
    names = [name for word in names for name in word.split(",")]
    for kind, known in tools.TASK_WORDS.items():
        for name in names if several else names[:1]:
            if set(known.split()).intersection(name.replace("-", ":").replace(".", ":").split(":")):
                return kind
    return "other"


def _writes(tool: str, words: list[str], part: Part) -> bool:
    """Whether a tool that reads was told to write: into a file, in place, through -exec."""
    if part.writes and tool in WRITERS:
        return True
    if tool == "sed":
        return any(word.startswith("-i") or word == "--in-place" for word in words)
    if tool == "find":
        return "-delete" in words  # -exec is as its command is
    return False
