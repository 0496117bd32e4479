"""A command in two words: which tool, and what kind of thing it does."""

from __future__ import annotations

from hostgate.core import carried
from hostgate.core.carried import positional
from hostgate.core.category import WRITERS, category, program
from hostgate.core.directories import directory_of
from hostgate.core.lexer import Unreadable
from hostgate.core.parser import parse
from hostgate.core.plain import plain
from hostgate.core.rules import CATEGORIES, DEFAULT, Rules
from hostgate.core.shell import Part, basename, within
from hostgate.core.tools import ALIASES, look_up, named
from hostgate.core.unwrap import SHELLS, unwrap

TYPE_CHECKING = False  # of typing, whose import costs 8 ms
if TYPE_CHECKING:
    from collections.abc import Callable

# What changes nothing that matters to the parts around it.
SILENT = frozenset(
    """cd pushd popd export unset set shopt source . echo printf sleep true false : wait
    nvm declare local readonly typeset alias umask ulimit setopt trap read exec [ [[ test exit
    return break continue shift disown fg bg jobs eval wait-on""".split()
)
# Words by which a package manager means the project's own scripts, whatever tool has that name.
SCRIPTS = frozenset("build test dev start serve watch lint format preview deploy check".split())
CONTENDING = frozenset(["build", "test"])
TEXT = 65536  # characters of a text that a shell is to run
DEPTH = 4  # of shells inside shells; deeper ones are data


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

    ``words`` begin with the tool's name; ``through`` are the words that were looked through
    before them. ``aims`` is what it is pointed at beside its words: the file that ``cat`` or
    ``echo`` writes, the program that an interpreter gets in a here-document. ``part`` is the
    simple command that it was found in, ``at`` where in the line that stands, or what carries it;
    ``directory`` is where it works, relative to where the line starts (``None`` where that cannot
    be known).
    """

    __slots__ = ("aims", "at", "directory", "part", "summary", "through", "words")

    def __init__(
        self, words: list[str], summary: Summary, part: Part, through: list[str], aims: str = ""
    ) -> None:
        self.words = words
        self.summary = summary
        self.part = part
        self.at = part.start
        self.directory = directory_of(part.directory, words, through)
        self.through = through
        self.aims = aims


def classify(command: str, rules: Rules = DEFAULT) -> Summary:
    """The word and the category of a command line.

    A compound command is what its most contending part is. What cannot be read is ``other``.
    """
    return summarise(operations(command, rules), command)


def summarise(found: list[Operation], command: str) -> Summary:
    """The summary of a command line whose operations are known."""
    if not found:
        first = command.split()[:1]
        return Summary(basename(first[0]) if first else "", "other" if first else "read")
    return deciding(found).summary


def deciding(found: list[Operation]) -> Operation:
    """The operation that a compound command is called by: the first that contends most."""

    def weight(one: Operation) -> tuple[int, bool]:
        silent = one.words[0] in SILENT and not one.aims
        category = "read" if silent else one.summary.category
        return CATEGORIES.index(category), silent or one.part.nested or one.part.piped

    return min(found, key=weight) if len(found) > 1 else found[0]


def operations(command: str, rules: Rules = DEFAULT, plainly: bool = False) -> list[Operation]:
    """Every operation of a command line, those inside ``bash -c`` too; none if unreadable.

    ``plainly``: without the parser, so that what stands in substitutions is left out.
    """
    return _Look(rules, plain if plainly else parse).operations(command, DEPTH)


class _Look:
    """One look at a command line, by a user's rules, down to a depth of shells in shells."""

    def __init__(self, rules: Rules, parse: Callable[[str], list[Part]]) -> None:
        self.rules = rules
        self.parse = parse

    def operations(self, command: str, depth: int) -> list[Operation]:
        try:
            parts = self.parse(command)
        except Unreadable:
            return []
        found: list[Operation] = []
        for at, part in enumerate(parts):
            fed = part.document or (_printed(parts[at - 1]) if part.piped and at else "")
            for one in self.resolved(part.words, part, fed, [], depth):
                one.at = part.start
                if "watch" in one.through and one.summary.category in CONTENDING:
                    one.summary = Summary("watch", "server")  # watch -n 60 make
                found.append(one)
        return found

    def resolved(
        self, words: list[str], part: Part, fed: str, through: list[str], depth: int
    ) -> list[Operation]:
        """The operations that these words are: one, or those that they carry."""
        words, wrappers = unwrap(words)
        through = through + wrappers
        if depth:
            for text in _texts(words, fed, wrappers):
                if found := self.operations(text[:TEXT], depth - 1):
                    here = directory_of(part.directory, words, through)
                    for one in found:
                        if one.directory is not None:
                            one.directory = within(here, one.directory) if one.directory else here
                        one.through = [*through, *words[:1], *one.through]
                    return found
            at, inner = carried.command(words)
            if inner:
                found = self.resolved(inner, part, fed, through + words[:at], depth - 1)
                for one in found:
                    one.aims += " ".join(positional(words[1:at], frozenset()))
                if any(one.summary.category != "read" for one in found):
                    return found
            if guest := _guest(words):
                aside = words[1 : len(words) - len(guest)]
                found = self.resolved(guest, part, "", through + words[:1], depth - 1)
                for one in found:
                    one.words += aside  # yarn workspace web: another place to run it
                    one.directory = directory_of(one.directory, [*words[:1], *aside], [])
                return found
        return [self.operation(words, part, through)]

    def operation(self, words: list[str], part: Part, through: list[str]) -> Operation:
        name = named(words[0])
        if ran := carried.file(words):  # bash build.sh
            script = named(ran[0])
            if name in SHELLS and "-n" in words[: -len(ran)]:  # bash -n build.sh: its syntax
                return Operation(words, Summary(name, "read"), part, through)
            wrapper = look_up(script)
            if wrapper and wrapper.category == "build" and name in SHELLS:  # sh gradlew check
                return self.operation(ran, part, [*through, words[0]])
            kind = category(script, ran[1:], part, ran[0])
            kind = "other" if kind == "read" and wrapper else kind
            kind = self.rules.category([script, *ran[1:]], ran[0], kind, False)
            if kind != "other" or name in SHELLS:
                said = [ran[0].removeprefix("./"), *ran[1:]]
                return Operation(said, Summary(name, kind), part, through)
        runner = named(through[-2]) if len(through) > 1 else ""
        kind = category(name, words[1:], part, words[0], runner)
        described = look_up(name)
        kind = self.rules.category([name, *words[1:]], words[0], kind, described is not None)
        tool = ALIASES.get(name, name) if described else words[0].removeprefix("./")
        if described and self.rules.stamp:  # python3 x.py is python x.py, and x.py
            kind = self.rules.category([tool, *words[1:]], words[0], kind, True)
            if at := program(tool, words, described.values):
                kind = self.rules.category(words[at:], words[at], kind, False)
        aims = part.writes if name in WRITERS else part.document if kind != "read" else ""
        return Operation([tool, *words[1:]], Summary(name, kind), part, through, aims)


def _printed(part: Part) -> str:
    """What a part prints for certain, for a shell behind a pipe to run."""
    name = basename(part.words[0])
    if name in ("echo", "printf"):
        said = [word for word in part.words[1:] if not word.startswith("-")]
        return " ".join(said).replace("\\n", "\n")
    return part.document if name == "cat" and len(part.words) == 1 else ""


def _texts(words: list[str], fed: str, wrappers: list[str]) -> list[str]:
    """The shell text that a command runs, as one text, if it runs any."""
    if wrappers and " " in words[0]:
        return [words[0]]  # parallel 'cd {} && make'
    texts = carried.texts(words)
    if not texts and fed and basename(words[0]) in SHELLS:
        return [] if carried.file(words) else [fed]
    return ["\n".join(texts)] if texts else []


def _guest(words: list[str]) -> list[str]:
    """The command that a host runs: ``yarn jest``, ``php bin/console``, ``python -m tox``."""
    host = named(words[0])
    described = look_up(host)
    if described is None:
        return []
    if "-m" in words[1:-1] and ALIASES.get(host, host).rstrip("0123456789.") == "python":
        at = words.index("-m")
        return words[at + 1 :] if not positional(words[1:at], described.values) else []
    if not described.hosts:
        return []
    skip, within = False, 0
    for at, word in enumerate(words[1:], 1):
        if skip or word.startswith("-"):
            skip = not skip and word in described.values
        elif at <= within:
            continue
        elif word in described.nested:
            within = at + described.nested[word] - 1
        elif " " in word:
            return []  # perl -ne 'print if /make/'
        elif described.tasks is None:
            guest = named(word).removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")
            known = look_up(guest)
            hosted = known and known.category != "read" and guest != "build"
            return [guest, *words[at + 1 :]] if hosted else []
        elif word == "exec":
            return words[at + 1 :]
        else:  # a package manager: its own verbs and the project's scripts come first
            own = word in described.verbs or word in described.tasks or word in SCRIPTS
            return [] if own or look_up(named(word)) is None else words[at:]
    return []
