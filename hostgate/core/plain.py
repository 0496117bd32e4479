"""The plain reader of command lines: in microseconds, without a parser.

It takes quotes, operators, redirections, here-documents, comments, ``cd`` and the shell's
reserved words. What runs inside something else (substitutions, functions, ``case``) is for
:mod:`hostgate.core.parser`.
"""

from __future__ import annotations

from hostgate.core.lexer import Unreadable, tokens
from hostgate.core.shell import (
    CHANGES,
    CLOSING,
    SPREAD,
    Part,
    bind,
    changed,
    commanded,
    expanded,
    is_assignment,
)
from hostgate.core.text import PLAIN

RESERVED = frozenset("if then elif else while until do ! {".split())
BEYOND = frozenset("case function select coproc".split())  # for the parser
KEYWORDS = RESERVED | CLOSING | BEYOND | {*CHANGES, "for"}
SIMPLE = PLAIN | {" "}
PIPES = ("|", "|&")
ENDS = frozenset([";", "\n", "&", "("])  # of a list of commands
LOOKS = 8  # at the beginnings of a line


def plain(text: str) -> list[Part]:
    """The simple commands of a command line, in order; a substitution is a word like any other.

    Raises :class:`hostgate.core.lexer.Unreadable` for an open quote, and for what needs the
    parser.
    """
    if SIMPLE.issuperset(text):  # the usual command, in a tenth of the time
        words = text.split()
        if words and words[0] not in KEYWORDS and "=" not in words[0]:
            return [Part(words, "", len(text) - len(text.lstrip()))]
    parts: list[Part] = []
    part = Part([])
    where = _Whereabouts()
    bound: dict[str, list[str]] = {}
    exported: list[str] = []
    for kind, value, at in [*tokens(text), ("operator", "\n", len(text))]:
        if kind == "word":
            part.start = part.start if part.words else at
            part.words.append(value)
            if part.words == [value] and value in RESERVED:
                part.words = []
        elif kind == "document":
            part.document = value
        elif kind != "operator":
            part.redirect(kind, value)
        elif part.words[:1] == ["[["] and "]]" not in part.words and value != "\n":
            part.words.append(value)  # [[ -f a && -d b ]]
        else:
            if value == "(" and part.words:
                raise Unreadable("a function")
            bind(bound, part.words)
            part.assigned, command = commanded(expanded(part, part.words, bound))
            if command[:1] and command[0] in BEYOND:
                raise Unreadable(command[0])
            if command and command[0] in CHANGES:
                where.change(command, value)
            elif command:
                part.words, part.directory = command, where.directory
                part.assigned += exported
                parts.append(part)
                if command[0] == "export":
                    exported = [*exported, *filter(is_assignment, command[1:])][:SPREAD]
            where.go_on(value)
            piped = value in PIPES or (part.piped and value == "(")
            part = Part([])
            part.piped = piped
    return parts


class _Whereabouts:
    """Where a line has come: what ``cd`` changes, and what subshells take back."""

    def __init__(self) -> None:
        self.directory: str | None = ""
        self._begun: str | None = ""  # where the present and-or list began
        self._outer: list[tuple[str | None, str | None]] = []  # of the subshells around
        self._before = ""  # the operator before the present command

    def change(self, command: list[str], after: str) -> None:
        """Follow a ``cd`` that stands before an operator."""
        aside = self._before in PIPES or after in (*PIPES, "&")  # those run in a subshell
        if not aside and self._before != "||":  # cd a || cd b: the first one will do
            self.directory = changed(self.directory, command)

    def go_on(self, operator: str) -> None:
        """Pass an operator. Raises :class:`Unreadable` for a bracket that nothing opened."""
        if operator == "&":
            self.directory = self._begun  # all of "a && b &" is a subshell
        elif operator == "(":
            self._outer.append((self.directory, self._begun))
        elif operator == ")":
            if not self._outer:
                raise Unreadable("a bracket")
            self.directory, self._begun = self._outer.pop()
        if operator in ENDS:
            self._begun = self.directory
        self._before = operator


def reached(text: str) -> str | None:
    """Where a line that cannot be read to its end has come as far as it can be read."""
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
