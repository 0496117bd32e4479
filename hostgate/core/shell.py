"""A command line as simple commands, read plainly: in microseconds, without a parser.

This takes quotes, operators, redirections, here-documents, comments, ``cd`` and the shell's
reserved words. What runs inside something else (substitutions, functions, ``case``) is for
:mod:`hostgate.core.parser`.
"""

from __future__ import annotations

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")
RESERVED = frozenset("if then elif else while until do ! {".split())
CLOSING = frozenset("fi done } esac".split())
BEYOND = frozenset("case function select coproc".split())  # for the parser
# What is put in for variables is bounded: characters of a word, and values of a loop.
LONGEST, SPREAD = 4096, 32
ENDS = frozenset([";", "\n", "&", "("])  # of a list of commands
LOOKS = 8  # at the beginnings of a line
SIMPLE = PLAIN | {" "}
CHANGES = ("cd", "pushd", "popd")  # of the directory
KEYWORDS = RESERVED | CLOSING | BEYOND | {*CHANGES, "for"}


class Part:
    """One simple command of a command line.

    ``words`` are unquoted and without assignments and redirections; variables that the line
    itself set are put in. ``directory`` is where it works, relative to where the line starts
    (``None`` where that cannot be known); ``start`` is where it begins in the text, its
    assignments (``assigned``) included. ``writes`` is the file that its output goes to,
    ``reads`` the one that its input comes from, ``document`` what a here-document gives it to
    read. ``piped`` says that it reads what the part before it prints, ``nested`` that it stands
    inside a substitution; ``spread`` are the values of the loop's variables in its words.
    """

    __slots__ = (
        "assigned",
        "directory",
        "document",
        "nested",
        "piped",
        "reads",
        "spread",
        "start",
        "words",
        "writes",
    )

    def __init__(self, words: list[str], directory: str | None = "", start: int = 0) -> None:
        self.words = words
        self.directory = directory
        self.start = start
        self.assigned: list[str] = []
        self.spread: list[str] = []
        self.writes = self.reads = self.document = ""
        self.piped = self.nested = False

    def redirect(self, operator: str, target: str) -> None:
        """Note one more redirection: of the input (``<``), or of the output (``>``)."""
        if operator == "<":
            self.reads = target
        elif target not in ("/dev/null", "&1", "&2", "-"):
            self.writes = target


def quote(word: str) -> str:
    """The word as a POSIX shell reads it back. (``shlex`` costs 7.8 ms of start-up.)"""
    if word and PLAIN.issuperset(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def join(argv: list[str]) -> str:
    """The argument list as one command line that a shell takes apart to the same list."""
    return " ".join([quote(word) for word in argv])


def plain(text: str) -> list[Part]:
    """The simple commands of a command line, in order; a substitution is a word like any other.

    Raises :class:`hostgate.core.lexer.Unreadable` for an open quote, and for what needs the
    parser.
    """
    from hostgate.core.lexer import Unreadable, tokens  # run needs only join

    if SIMPLE.issuperset(text):  # the usual command, in a tenth of the time
        words = text.split()
        if words and words[0] not in KEYWORDS and "=" not in words[0]:
            return [Part(words, "", len(text) - len(text.lstrip()))]
    parts: list[Part] = []
    part = Part([])
    directory: str | None = ""
    begun = directory  # where the present and-or list began: "a && b &" is a subshell
    before = ""  # the operator before the present command
    outer: list[tuple[str | None, str | None]] = []  # what the subshells around this return to
    bound: dict[str, list[str]] = {}
    exported: list[str] = []
    for kind, value, at in [*tokens(text), ("operator", "\n", len(text))]:
        if kind == "word":
            part.start = part.start if part.words else at
            part.words.append(value)
            if part.words == [value] and value in RESERVED:
                part.words = []
            continue
        if kind == "document":
            part.document = value
            continue
        if kind != "operator":
            part.redirect(kind, value)
            continue
        if part.words[:1] == ["[["] and "]]" not in part.words and value != "\n":
            part.words.append(value)  # [[ -f a && -d b ]]
            continue
        if value == "(" and part.words:
            raise Unreadable("a function")
        bind(bound, part.words)
        part.assigned, command = commanded(expanded(part, part.words, bound))
        if command[:1] and command[0] in BEYOND:
            raise Unreadable(command[0])
        if command and command[0] in CHANGES:
            aside = before in ("|", "|&") or value in ("|", "|&", "&")  # those run in a subshell
            if not aside and before != "||":  # cd a || cd b: the first one will do
                directory = changed(directory, command)
        elif command:
            part.words, part.directory = command, directory
            part.assigned += exported
            parts.append(part)
            if command[0] == "export":
                exported = [*exported, *filter(is_assignment, command[1:])][:SPREAD]
        if value == "&":
            directory = begun
        before = value
        piped = value in ("|", "|&") or (part.piped and value == "(")
        part = Part([])
        part.piped = piped
        if value == "(":
            outer.append((directory, begun))
        elif value == ")":
            if not outer:
                raise Unreadable("a bracket")
            directory, begun = outer.pop()
        if value in ENDS:
            begun = directory
    return parts


def reached(text: str) -> str | None:
    """Where a line that cannot be read to its end has come as far as it can be read."""
    from hostgate.core.lexer import Unreadable

    directory: str | None = ""
    at = 0
    for _ in range(LOOKS):
        ends = [end for mark in ("&&", ";", "\n") if (end := text.find(mark, at)) >= 0]
        if not ends:
            break
        at = min(ends)
        try:
            parts = plain(f"{text[:at]}\n:")
        except Unreadable:
            break
        if parts:  # else it all stands in a here-document
            directory = parts[-1].directory
        at += 2
    return directory


def bind(bound: dict[str, list[str]], words: list[str]) -> None:
    """Note the values of a variable that a line sets: ``for f in a b``, ``DIR=web``."""
    if words[:1] == ["for"] and words[2:3] == ["in"]:
        bound[words[1]] = words[3:]
    elif words and all(is_assignment(word) for word in words[words[0] == "export" :]):
        for word in words[words[0] == "export" :]:
            name, _, value = word.partition("=")
            bound[name] = [homely(value)]


def expanded(part: Part, words: list[str], bound: dict[str, list[str]]) -> list[str]:
    """The words with the variables that the line itself set to one value put in.

    The values of a loop's variable are noted in the part: which of them it is changes.
    """
    if not any("$" in word for word in words) or not (bound or words[0].startswith("${")):
        return words
    found: list[str] = []
    for at, word in enumerate(words):
        name = word.partition("$")[2].lstrip("{").partition("}")[0].partition("/")[0]
        mark = f"${{{name}}}" if f"${{{name}}}" in word else f"${name}"
        values = bound.get(name, [])
        if any("$" in value or "`" in value for value in values):
            values = []
        if len(values) == 1 and len(word) * len(values[0]) <= LONGEST:
            value = word.replace(mark, values[0])
            found += value.split() if at == 0 else [value]  # CMD="make all"; $CMD
            continue
        if at == 0 and word.startswith("${") and ":-" in word and name not in bound:
            word = word.partition(":-")[2].rstrip("}")  # ${MAKE:-make} all
        elif values and values[0] not in part.spread:
            part.spread += [value[:LONGEST] for value in values[:SPREAD]]
        found.append(word)
    return found


def homely(path: str) -> str:
    """The path with the home spelt as ``~``, and what the line is in as ``.``."""
    for home in ("$HOME", "${HOME}"):
        if path == home or path.startswith(f"{home}/"):
            return f"~{path[len(home) :]}"
    for here in ("$PWD", "${PWD}", "$(pwd)", "`pwd`"):
        if path == here or path.startswith(f"{here}/"):
            return f".{path[len(here) :]}"
    return path


def within(directory: str | None, path: str) -> str | None:
    """Where ``path`` leads from ``directory``; ``None`` where a variable hides it."""
    path = homely(path)
    if any(mark in path for mark in "$`*{") or path == "-":
        return None
    if path.startswith(("/", "~")):
        return path
    if directory is None:
        return None
    return f"{directory}/{path}" if directory else path


def changed(directory: str | None, command: list[str]) -> str | None:
    """Where a ``cd``, ``pushd`` or ``popd`` leads from ``directory``."""
    targets = [word for word in command[1:] if word == "-" or not word.startswith("-")]
    if command[0] == "popd" or len(targets) > 1:
        return None
    return within(directory, targets[0] if targets else "~")


def commanded(words: list[str]) -> tuple[list[str], list[str]]:
    """The assignments before a command, and its words from its name on."""
    at = 0
    while at < len(words) and is_assignment(words[at]):
        at += 1
    rest = words[at:]
    if not rest or rest[0] in CLOSING or rest[0] == "for":
        return words[:at], []
    return words[:at], rest


def basename(word: str) -> str:
    """The command's name in a path to it: ``make`` for ``/usr/bin/make``."""
    return word.rstrip("/").rpartition("/")[2] if "/" in word else word


def is_assignment(word: str) -> bool:
    """Whether a word before the command's name sets a variable, as in ``CC=clang make``."""
    name, equals, _ = word.partition("=")
    return bool(equals) and name.removesuffix("+").isidentifier()
