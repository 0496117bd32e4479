"""Where in a command line an agent's hook puts ``hostgate hold ID &&``.

Only where the line stays what it was for whoever takes it apart: agents' permission rules read
the flat form, ``a; hold && make 2>&1 | tail; b``, and see ``make`` in it as before.
"""

from __future__ import annotations

from hostgate.core.lexer import Unreadable, substituted, tokens
from hostgate.core.plain import BEYOND
from hostgate.core.rules import CATEGORIES, DEFAULT, Rules
from hostgate.core.shell import basename, is_assignment
from hostgate.core.summary import SILENT, Operation, operations

OPENING = frozenset("if while until for {".split())
CLOSING = frozenset("fi done }".split())
GOING_ON = frozenset("then else elif do ! time".split())
JOINING = ("&&", "||", "|", "|&")
OTHER_NESTS = ("<(", ">(", "((", "hostgate")
MOST = 16  # substitutions in a line that is read without the parser
# What the command before has left, and a hold in between would change.
LEFT = ("$?", "${?", "$_", "${_", "PIPESTATUS", "pipestatus")


def needy(command: str, rules: Rules = DEFAULT) -> list[Operation]:
    """The operations of a line that need a gate: those that contend by what the whole line is.

    None where it only reads, where a ``hostgate hold`` stands in it already, where
    ``hostgate run`` gates them itself, and where it cannot be read.
    """
    found = operations(command, rules)
    if any(one.words[:2] == ["hostgate", "hold"] for one in found):
        return []
    needing = [one for one in found if _needs(one)]
    if not needing:
        return []
    most = min(CATEGORIES.index(one.summary.category) for one in needing)
    return [one for one in needing if CATEGORIES.index(one.summary.category) == most]


def surely_reads(command: str, rules: Rules = DEFAULT) -> bool:
    """Whether a line can be seen to need no gate without the parser, which is slow to load.

    What stands in ``$(...)`` is read as a line of its own, wherever it stands; in doubt, no.
    """
    texts = [command]
    for text in texts:
        found = operations(text, rules, plainly=True)
        if not found or any(map(_needs, found)) or any(mark in text for mark in OTHER_NESTS):
            return False
        try:
            texts += substituted(text)
        except Unreadable:
            return False
        if len(texts) > MOST:
            return False
    return True


def _needs(one: Operation) -> bool:
    if one.summary.category == "read" or (one.words[0] in SILENT and not one.aims):
        return False
    return "hostgate" not in [basename(word) for word in one.through]


def points(command: str, rules: Rules = DEFAULT) -> list[int] | None:
    """The places in a line where a hold belongs: none if it needs no gate.

    ``None``: it needs one, and no place is safe. Where any two commands of the line's category
    contend, each statement with one has its hold; else the first.
    """
    needing = needy(command, rules)
    if not needing:
        return []
    if needing[0].summary.category not in rules.contend:
        needing = needing[:1]
    try:
        elements = _elements(command)
    except Unreadable:
        return None
    chosen: dict[int, int] = {}
    for element in [_place(elements, one.at) for one in needing]:
        before = chosen.get(element.statement, element.start)
        chosen[element.statement] = min(before, element.start)
    return sorted(chosen.values())


def spliced(command: str, places: list[int], hold: str) -> str:
    """The line with a hold at these places."""
    for at in sorted(places, reverse=True):
        command = f"{command[:at]}{hold} && {command[at:]}"
    return command


class _Element:
    """One pipeline of a list: where it starts, in which statement, and whether behind ``||``."""

    __slots__ = ("after_or", "delicate", "start", "statement")

    def __init__(self, start: int, statement: int, after_or: bool) -> None:
        self.start = start
        self.statement = statement
        self.after_or = after_or
        self.delicate = False  # it asks what the command before it has left


def _place(elements: list[_Element], at: int) -> _Element:
    """The pipeline before which a hold for what stands at ``at`` belongs: its own.

    Behind ``||`` it would stand for the wrong one, so it goes to the start of the statement; and
    in front of what asks for ``$?``, to what ``$?`` is of.
    """
    index = max([i for i, one in enumerate(elements) if one.start <= at], default=0)
    while index:
        here, before = elements[index], elements[index - 1]
        to_begin = here.after_or and before.statement == here.statement
        if not here.delicate and not to_begin:
            break
        index = index - 1 if not to_begin else _first(elements, here.statement)
    return elements[index]


def _first(elements: list[_Element], statement: int) -> int:
    return next(i for i, one in enumerate(elements) if one.statement == statement)


def _elements(text: str) -> list[_Element]:
    """The pipelines of a line that are within nothing else, in order.

    Raises :class:`Unreadable` for what the plain reader does not take.
    """
    found: list[_Element] = []
    depth = statement = 0
    opened = after_or = testing = False
    fresh = True  # a command begins here
    before = ""  # the operator before, if nothing stands between
    for kind, value, at in tokens(text):
        if kind == "operator":
            if testing:
                continue  # [[ -f a && -d b ]]
            if value == "(" and not fresh:
                raise Unreadable("a function")
            if value == "\n" and before in JOINING:
                continue
            before = value
            depth += {"(": 1, ")": -1}.get(value, 0)
            if depth < 0:
                raise Unreadable("a bracket")
            fresh = value != ")"
            if value == "(" and depth == 1 and not opened:
                found.append(_Element(at, statement, after_or))
                opened = True
            if depth or value in ("(", ")", "|", "|&"):
                continue
            opened = False
            after_or = value == "||" or (after_or and value == "&&")
            statement += value not in JOINING
            continue
        before = ""
        if not opened:
            found.append(_Element(_whole_start(text, at, kind), statement, after_or))
            opened = True
        if kind != "word":
            continue
        if fresh and text.startswith(value, at):
            if value in BEYOND:
                raise Unreadable(value)
            depth += (value in OPENING) - (value in CLOSING)
            testing = value == "[["
            fresh = value in GOING_ON or (value in OPENING and value != "for")
            fresh = fresh or is_assignment(value)
        elif testing and value == "]]":
            testing = False
        else:
            fresh = fresh and is_assignment(value)
    if depth or testing:
        raise Unreadable("it is not closed")
    ends = [one.start for one in found[1:]] + [len(text)]
    for one, end in zip(found, ends, strict=True):
        one.delicate = any(mark in text[one.start : end] for mark in LEFT)
    return found


def _whole_start(text: str, at: int, kind: str) -> int:
    """Where a token begins; of a redirection with the descriptor before it: ``2>log make``."""
    if kind != "word":
        while at and text[at - 1].isdigit():
            at -= 1
    return at
