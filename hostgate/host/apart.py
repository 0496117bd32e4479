"""Reading a command in a process of its own, where that may need the parser.

The parser is foreign code, 20 ms and 5 MB of it. The process that stays with the command is to
carry none of that, nor to end with it should it ever crash.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.core.likeness import Reading
    from hostgate.core.rules import Rules
    from hostgate.core.splice import Place

# Seconds that reading may take: of the processor's time, of which the longest line that meets the
# parser takes half a second; and of anybody's, on a machine that is busy with builds.
WORK, LIMIT = 0.8, 1.8


def read(command: str, rules: Rules) -> Reading:
    """The reading of a command, as :func:`hostgate.core.similarity.read` makes it.

    One whose parser ends its process, or takes too long, is read as ``other``.
    """
    from hostgate.core import parser, similarity

    if not parser.may_need_grammar(command):
        return similarity.read(command, rules)
    from hostgate.core.likeness import decode

    try:
        answer = _apart(lambda: similarity.read(command, rules).encode())
    except OSError:  # no more processes
        return similarity.read(command, rules)
    return decode(command, answer, rules) or similarity.unread(command, rules)


def points(command: str, rules: Rules) -> list[Place] | None:
    """Where holds belong in a command, as :func:`hostgate.core.splice.points` finds it.

    One whose parser ends its process, or takes too long, needs none. Raises ``OSError`` where
    there are no more processes.
    """
    from hostgate.core import parser, splice

    if not parser.may_need_grammar(command):
        return splice.points(command, rules)
    if splice.surely_reads(command, rules):
        return []
    found = _apart(lambda: {"points": splice.points(command, rules)})
    places = found.get("points") if isinstance(found, dict) else []
    return None if places is None else [(at, operator) for at, operator in places]


def _apart(work: Callable[[], object]) -> object:
    """What some work returns, plain data, done in a child; ``None`` where it did not get there."""
    from hostgate.host import loads

    try:
        return loads(_answer_of_child(work).decode())
    except ValueError:
        return None


def _answer_of_child(work: Callable[[], object]) -> bytes:
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    if child == 0:
        _child(work, writing)
    os.close(writing)
    pieces = []
    while piece := os.read(reading, 65536):
        pieces.append(piece)
    os.close(reading)
    os.waitpid(child, 0)
    return b"".join(pieces)


def _child(work: Callable[[], object], writing: int) -> None:
    """Do the work, write what it returns and end; never returns, whatever happens."""
    try:
        from _signal import ITIMER_PROF, ITIMER_REAL, SIG_DFL, SIGALRM, SIGPROF, setitimer, signal

        from hostgate.host import default_endings, dumps

        default_endings()
        for number, timer, seconds in (
            (SIGPROF, ITIMER_PROF, WORK),
            (SIGALRM, ITIMER_REAL, LIMIT),
        ):
            signal(number, SIG_DFL)
            setitimer(timer, seconds)
        data = dumps(work()).encode()
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)
