"""Where in a command line an agent's hook puts ``hostgate hold ID &&``.

Only where the line stays what it was for whoever takes it apart: agents' permission rules read
the flat form, ``a; hold && make 2>&1 | tail; b``, and see ``make`` in it as before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from hostgate.core.lexer import Unreadable, substituted, tokens
from hostgate.core.plain import BEYOND, PIPES
from hostgate.core.rules import CATEGORIES, DEFAULT, Rules
from hostgate.core.shell import basename, is_assignment
from hostgate.core.summary import SILENT, Operation, operations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Where a hold belongs, and what stands between it and the command: ``&&`` or ``;``.
Place = tuple[int, str]

OPENING = frozenset("if while until for {".split())
CLOSING = frozenset("fi done }".split())
GOING_ON = frozenset("then else elif do ! time".split())
JOINING = ("&&", "||", *PIPES)
OTHER_NESTS = ("<(", ">(", "((", "hostgate")
MOST = 16  # substitutions in a line that is read without the parser
JOBS = ("$!", "${!", "%", "jobs", "kill", "fg", "bg", "disown")  # what asks for a background job
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


def points(command: str, rules: Rules = DEFAULT) -> list[Place] | None:
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
        elements = _Elements(command).found
    except Unreadable:
        return None
    chosen: dict[int, _Element] = {}
    for element in [_place(elements, one.at) for one in needing]:
        known = chosen.setdefault(element.statement, element)
        if element.start < known.start:
            chosen[element.statement] = element
    return [(one.start, ";" if one.apart else "&&") for one in chosen.values()]


def spliced(command: str, places: Sequence[Place], hold: str) -> str:
    """The line with a hold at these places."""
    for at, operator in sorted(places, reverse=True):
        joined = f"{hold}; " if operator == ";" else f"{hold} && "
        command = command[:at] + joined + command[at:]
    return command


class _Element:
    """One pipeline of a list: where it starts, in which statement, and whether behind ``||``.

    ``end`` is where its first command ends. ``delicate``: that asks what the command before it has
    left; ``anchor`` is where the last one is that does not. ``apart``: a hold in its statement
    must be a command of its own.
    """

    __slots__ = (
        "after_or",
        "anchor",
        "apart",
        "background",
        "delicate",
        "end",
        "start",
        "statement",
    )

    def __init__(self, start: int, statement: int, after_or: bool, apart: bool) -> None:
        self.start = start
        self.statement = statement
        self.after_or = after_or
        self.apart = apart
        self.delicate = self.background = False
        self.anchor = 0
        self.end = -1


def _place(elements: list[_Element], at: int) -> _Element:
    """The pipeline before which a hold for what stands at ``at`` belongs: its own.

    Behind ``||`` it would stand for the wrong one, so it goes to the start of the statement; and
    in front of what asks for ``$?``, to what ``$?`` is of.
    """
    index = max(bisect_right(elements, at, key=lambda one: one.start) - 1, 0)
    while index:
        here, before = elements[index], elements[index - 1]
        if before.statement == here.statement and (here.after_or or here.apart):
            index = bisect_left(elements, here.statement, key=lambda one: one.statement)
        elif here.delicate:
            index = here.anchor
        else:
            break
    return elements[index]


class _Elements:
    """The pipelines of a line that are within nothing else, in order: ``found``.

    Under ``set -e`` a hold that fails must end the shell, as what it stands for would: a list
    with ``&&`` does not. And a list in the background is a shell of its own, which is not what
    ``kill $!`` is to end.
    """

    def __init__(self, text: str) -> None:
        """Raises :class:`Unreadable` for what the plain reader does not take."""
        self.text = text
        self.found: list[_Element] = []
        self.statement = self.depth = 0
        self.opened = self.after_or = self.testing = False
        self.errexit = False  # set -e stands before
        self.apart = False  # and before the present statement
        self.fresh = True  # a command begins here
        self.before = ""  # the operator before, if nothing stands between
        self.words: list[str] = []  # of the present command
        self.last_job = max(text.rfind(mark) for mark in JOBS)
        for kind, value, at in tokens(text):
            if kind == "operator":
                if not self.testing:  # [[ -f a && -d b ]]
                    self.operator(value, at)
                continue
            self.open(_whole_start(text, at, kind))
            if kind == "word":
                self.word(value, at)
        if self.depth or self.testing:
            raise Unreadable("it is not closed")
        anchor = 0
        for at, one in enumerate(self.found):
            asked = _expanded(text, one.start, one.end if one.end >= 0 else len(text))
            after_job = at > 0 and self.found[at - 1].background  # which leaves a 0, as a hold does
            one.delicate = not after_job and any(mark in asked for mark in LEFT)
            anchor = anchor if one.delicate else at
            one.anchor = anchor

    def open(self, at: int) -> None:
        self.before = ""
        if not self.opened:
            element = _Element(at, self.statement, self.after_or, self.apart)
            self.found.append(element)
            self.opened = True

    def operator(self, value: str, at: int) -> None:
        if value == "(" and not self.fresh:
            raise Unreadable("a function")
        if value == "\n" and self.before in JOINING:
            return
        if value == "(" and not self.depth:
            self.open(at)
        self.before = value
        if self.words and self.found[-1].end < 0:
            self.found[-1].end = at
        self.depth += {"(": 1, ")": -1}.get(value, 0)
        if self.depth < 0:
            raise Unreadable("a bracket")
        if self.words[:1] == ["set"] and value not in PIPES and self.is_certain():
            self.errexit = _errexit(self.words[1:], self.errexit)
        self.words = []
        self.fresh = value != ")"
        if self.depth or value in ("(", ")", *PIPES):
            return
        self.opened = False
        self.after_or = value == "||" or (self.after_or and value == "&&")
        if value == "&":
            for one in reversed(self.found):
                if one.statement != self.statement:
                    break
                one.background = True
                one.apart = one.apart or at < self.last_job
        if value not in JOINING:
            self.statement += 1
            if value != "&":  # what a list in the background sets is its own
                self.apart = self.errexit
            self.errexit = self.apart

    def is_certain(self) -> bool:
        """Whether the present command runs whatever became of those before it."""
        last = self.found[-1]
        first = len(self.found) < 2 or self.found[-2].statement != last.statement
        return first and self.depth == 0 and self.text.startswith("set", last.start)

    def word(self, value: str, at: int) -> None:
        self.words.append(value)
        if self.fresh and self.text.startswith(value, at):
            if value in BEYOND:
                raise Unreadable(value)
            self.depth += (value in OPENING) - (value in CLOSING)
            self.testing = value == "[["
            going_on = value in GOING_ON or (value in OPENING and value != "for")
            self.fresh = going_on or is_assignment(value)
            if going_on:
                self.words = []
        elif self.testing and value == "]]":
            self.testing = False
        else:
            self.fresh = self.fresh and is_assignment(value)


def _errexit(words: list[str], before: bool) -> bool:
    """Whether the shell ends where a command fails, after a ``set`` with these words."""
    for at, word in enumerate(words):
        if word[:1] not in ("-", "+") or word[:2] == "--":
            break
        named = "o" in word and words[at + 1 : at + 2] == ["errexit"]
        if "e" in word or named:
            before = word[0] == "-"
    return before


def _expanded(text: str, at: int, end: int) -> str:
    """The part of a text that the shell puts values into: what single quotes keep is left out."""
    kept = []
    doubly = False
    while at < end:
        char = text[at]
        if char == "'" and not doubly:
            at = text.find("'", at + 1)
            if at < 0:
                break
        elif char == "\\":
            at += 1
        else:
            doubly = doubly != (char == '"')
            kept.append(char)
        at += 1
    return "".join(kept)


def _whole_start(text: str, at: int, kind: str) -> int:
    """Where a token begins; of a redirection with the descriptor before it: ``2>log make``."""
    if kind != "word":
        while at and text[at - 1].isdigit():
            at -= 1
    return at
