"""A command line as simple commands: what stands in command position, and where it works.

This reads plain command lines: quotes, operators, redirections, here-documents, comments,
``cd`` and the shell's reserved words. What it cannot read is :class:`Unreadable`.
"""

from __future__ import annotations

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")
RESERVED = frozenset("if then elif else while until do ! { time coproc".split())
CLOSING = frozenset("fi done } esac".split())


class Part:
    """One simple command of a command line.

    ``words`` are unquoted and without assignments and redirections. ``directory`` is where it
    works, relative to where the line starts (``None`` where that cannot be known); ``writes`` is
    the file that its output goes to, ``document`` the body of its here-document, if any.
    """

    __slots__ = ("directory", "document", "words", "writes")

    def __init__(
        self, words: list[str], directory: str | None, writes: str = "", document: str = ""
    ) -> None:
        self.words = words
        self.directory = directory
        self.writes = writes
        self.document = document


def quote(word: str) -> str:
    """The word as a POSIX shell reads it back. (``shlex`` costs 7.8 ms of start-up.)"""
    if word and PLAIN.issuperset(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def join(argv: list[str]) -> str:
    """The argument list as one command line that a shell takes apart to the same list."""
    return " ".join([quote(word) for word in argv])


def parse(text: str) -> list[Part]:
    """The simple commands of a command line, in order.

    Raises :class:`Unreadable` for an open quote, an open substitution or a ``case``.
    """
    from hostgate.core.lexer import tokens  # run needs only join

    parts: list[Part] = []
    directory: str | None = ""
    outer: list[str | None] = []  # the directories that the subshells around this return to
    words: list[str] = []
    writes = document = ""
    for kind, value in [*tokens(text), ("operator", "\n")]:
        if kind == "word":
            words.append(value)
            continue
        if kind == "redirection":
            writes = writes if value in ("/dev/null", "&1", "&2") else value
            continue
        if kind == "document":
            document = value
            continue
        command = _command(words)
        if command and command[0] in ("cd", "pushd"):
            directory = _changed(directory, command)
        elif command:
            parts.append(Part(command, directory, writes, document))
        words, writes, document = [], "", ""
        if value == "(":
            outer.append(directory)
        elif value == ")" and outer:
            directory = outer.pop()
    return parts


def within(directory: str | None, path: str) -> str | None:
    """Where ``path`` leads from ``directory``; ``None`` where a variable hides it."""
    if "$" in path or "`" in path or path == "-":
        return None
    if path.startswith(("/", "~")):
        return path
    if directory is None:
        return None
    return f"{directory}/{path}" if directory else path


def _changed(directory: str | None, command: list[str]) -> str | None:
    targets = [word for word in command[1:] if word == "-" or not word.startswith("-")]
    return within(directory, targets[0] if targets else "~")


def _command(words: list[str]) -> list[str]:
    """The words from the command's name on: no reserved words, no assignments."""
    at = 0
    while at < len(words) and (words[at] in RESERVED or is_assignment(words[at])):
        at += 1
    rest = words[at:]
    if not rest or rest[0] in CLOSING or rest[0] in ("for", "select", "function"):
        return []
    if rest[0] == "case":
        from hostgate.core.lexer import Unreadable

        raise Unreadable("case")
    return rest


def is_assignment(word: str) -> bool:
    """Whether a word before the command's name sets a variable, as in ``CC=clang make``."""
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()
