"""A command line as simple commands: what stands in command position, and where it works.

The plain reader (:mod:`hostgate.core.plain`) comes first. The parser (tree-sitter, 20 ms to load:
twice the interpreter's own start) is for lines with something inside something else.
"""

from __future__ import annotations

from hostgate.core.lexer import Unreadable
from hostgate.core.plain import plain
from hostgate.core.shell import Part

# Characters. The grammar is quadratic on some lines: 0.1 s for 10 KB of "a | a | ", 20 s for 100;
# 0.3 s for 4 KB of nested "$(", 1.7 s for 10.
BOUND = 8192
WORDS = ("()", "case", "function", "select", "coproc", "[[")
NESTED = ("$(", "`", "<(", ">(", "((")


def may_need_grammar(text: str) -> bool:
    """Whether the parser may be loaded for a line, or for a shell's text within it."""
    return any(mark in text for mark in (*NESTED, *WORDS))


def parse(text: str) -> list[Part]:
    """The simple commands of a command line, in order, those inside substitutions too.

    Raises :class:`hostgate.core.lexer.Unreadable` for what no reader takes.
    """
    if not any(mark in text for mark in NESTED) or len(text) > BOUND:
        try:
            return plain(text)
        except Unreadable:
            if len(text) > BOUND:
                raise
    try:
        from hostgate.core.grammar import parts

        found = parts(text)
    except Exception:  # no build of it for this machine, or one that does not work
        return plain(text)
    # tree-sitter refuses some lines that every shell takes, as ``cat <<EOF 2>&1 | tail``
    return plain(text) if found is None else found
