"""How the detector reads a command, told in words and as data."""

from __future__ import annotations

from hostgate.core.likeness import Likeness, compare
from hostgate.core.rules import Rules
from hostgate.core.similarity import read
from hostgate.core.summary import Operation, deciding, operations
from hostgate.core.text import cells, inert, join
from hostgate.ui.documents import Document

WIDTH = 100  # characters of one part that are shown


class Explained:
    """A command with all that the detector sees in it, and the project that it works in."""

    def __init__(self, command: str, project: str, rules: Rules) -> None:
        self.command = command
        self.project = project
        self.reading = read(command, rules)
        self.parts = operations(command, rules)
        self.decides = deciding(self.parts) if self.parts else None

    def document(self) -> Document:
        return {
            "word": self.reading.word,
            "category": self.reading.category,
            "project": self.project,
            "tokens": self.reading.tokens,
            "aims": self.reading.aims,
            "parts": [
                {
                    "words": one.words,
                    "word": one.summary.word,
                    "category": one.summary.category,
                    "through": [*one.part.assigned, *one.through],
                    "directory": one.directory,
                    "decides": one is self.decides,
                }
                for one in self.parts
            ],
        }


def explanation(a: Explained, b: Explained | None, rules: Rules) -> Document:
    """How one command is read, and for two whether and why they are similar.

    ``score`` is from 0 to 1; ``differs`` are the words that only one of the two has.
    """
    if b is None:
        return a.document()
    reason = compare(a.reading, b.reading, rules)
    likeness = Likeness(a.reading, b.reading)
    return {
        "similar": reason is not None,
        "rule": reason.partition(":")[0] if reason else None,
        "reason": reason,
        "score": int(likeness.score * 100) / 100,  # as the reason tells it
        "differs": likeness.differ,
        "a": a.document(),
        "b": b.document(),
    }


def lines(one: Explained) -> list[str]:
    """The command, what it is, where, and its parts, the one that decides marked with ``*``."""
    reading = one.reading
    said = [inert(one.command), f"  {reading.category}: {inert(reading.word)}"]
    said.append(f"  project: {inert(one.project)}")
    if not one.parts and one.command.strip():
        said.append("  no shell would read it so, or hostgate does not: it is taken as one word")
    shown = [inert(join(part.words), WIDTH) for part in one.parts]
    width = max(map(cells, shown), default=0)
    for part, words in zip(one.parts, shown, strict=True):
        mark = "*" if part is one.decides else " "
        aside = _aside(part)
        padding = " " * (width - cells(words)) if aside else ""
        said.append(f"  {mark} {part.summary.category:6} {words}{padding}{aside}")
    return said


def compared(document: Document) -> list[str]:
    """Whether two commands are similar, by which rule, and how near they are."""
    said = [f"similar: {document['reason']}" if document["similar"] else "not similar"]
    score, differs = document["score"], document["differs"]
    assert isinstance(score, float) and isinstance(differs, list)
    words = f", differing in: {inert(join(differs), WIDTH)}" if differs else ""
    said.append(f"  {round(score * 100)} % of the words alike{words}")
    return said


def _aside(part: Operation) -> str:
    """Where a part works, and what was looked through before it."""
    said = []
    if part.directory:
        said.append(f"in {inert(part.directory, WIDTH)}")
    if through := [*part.part.assigned, *part.through]:
        said.append(f"through {inert(join(through), WIDTH)}")
    if part.part.writes:
        said.append(f"into {inert(part.part.writes, WIDTH)}")
    return f"   ({', '.join(said)})" if said else ""
