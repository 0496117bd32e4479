"""Where a command says that it works: ``cd DIR &&``, ``make -C DIR``, ``npm --prefix DIR``."""

from __future__ import annotations

from hostgate.core import HINTS


def place(command: str) -> str | None:
    """The path that a command works in: a directory, or a file in it, relative to its start.

    ``""`` is where it starts; ``None`` where that cannot be known (``cd "$DIR"``). Where its
    parts work in several places, that of the deciding part counts.
    """
    if not any(hint in command for hint in HINTS):
        return ""
    from hostgate.core.carried import command as command_in
    from hostgate.core.carried import texts
    from hostgate.core.directories import directory_of
    from hostgate.core.lexer import Unreadable
    from hostgate.core.plain import plain, reached
    from hostgate.core.shell import basename
    from hostgate.core.unwrap import SHELLS, unwrap

    try:
        parts = plain(command)
    except Unreadable:
        return reached(command)
    found = set()
    for part in parts:
        words, through = unwrap(part.words)
        if texts(words) or command_in(words)[1] or basename(words[0]) in SHELLS:
            break
        found.add(directory_of(part.directory, words, through))
    else:
        if len(found) < 2:
            return found.pop() if found else ""
    from hostgate.core.summary import deciding, operations  # 5 ms, for who is in several places

    several = operations(command, plainly=True)
    return deciding(several).directory if several else ""
