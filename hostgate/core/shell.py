"""What a shell's command line is made of: simple commands, and the words in them."""

from __future__ import annotations

CLOSING = frozenset("fi done } esac".split())
CHANGES = ("cd", "pushd", "popd")  # of the directory
# What is put in for variables is bounded: characters of a word, and values of a loop.
LONGEST, SPREAD = 4096, 32


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
        elif operator == ">" and target not in ("/dev/null", "&1", "&2", "-"):
            self.writes = target


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
