"""The detector's rules: when two commands contend, and which category a user gave a command.

A user's file says what it likes. A project's file comes with a checkout, so it can only teach
commands that the tables do not know, or make one contend more than it does.
"""

from __future__ import annotations

from hostgate.core.text import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    RulesOf = Callable[[str], "Rules"]  # the rules that hold in a project

# From the one that contends most to the one that never does.
CATEGORIES = ("build", "test", "server", "other", "read")
THRESHOLD = 0.6  # the token-set Jaccard score from which on two commands are near-identical
CONTEND = frozenset(["build"])
GLOB = "*?["


class Pattern:
    """Commands that were given a category: blank-divided glob words, matched as a prefix.

    ``outright``: it is the user's own, so it decides alone.
    """

    __slots__ = ("category", "outright", "text")

    def __init__(self, text: str, category: str, outright: bool) -> None:
        self.text = text
        self.category = category
        self.outright = outright


class Rules:
    """What decides beside the tables. A value: it does not change once it is made.

    ``contend`` are the categories of which any two commands contend, ``commands`` the patterns
    in the order in which they count, ``never`` those of commands that are never gated.
    """

    __slots__ = ("_stamp", "commands", "contend", "never", "threshold")

    def __init__(
        self,
        threshold: float = THRESHOLD,
        contend: frozenset[str] = CONTEND,
        commands: tuple[Pattern, ...] = (),
        never: tuple[str, ...] = (),
    ) -> None:
        self.threshold = threshold
        self.contend = contend
        self.commands = commands
        self.never = never
        self._stamp: str | None = None

    @property
    def stamp(self) -> str:
        """What tells the readings made by these rules from others; "" where nothing differs.

        Only what changes a reading counts: the threshold and ``contend`` are of the comparison.
        """
        if self._stamp is None:
            self._stamp = ""
            if self.commands or self.never:
                said = [(one.text, one.category, one.outright) for one in self.commands]
                self._stamp = digest(repr((said, self.never)))[:16]
        return self._stamp

    def category(self, words: list[str], written: str, builtin: str, known: bool) -> str:
        """The category of one operation.

        ``words[0]`` is the tool's name and ``written`` that word as it was written, with its
        path; ``builtin`` is the category that the tables give, ``known`` whether they know the
        tool. A user's pattern decides outright, a project's where it contends more than what
        stands, or where nobody else knows the tool: then that is ``other`` at first.
        """
        if any(matches(pattern, words, written) for pattern in self.never):
            return "read"
        stands = self._best(words, written, outright=True)
        known = known or stands is not None or builtin != "other"
        stands = stands or builtin
        theirs = self._best(words, written, outright=False)
        if theirs and (not known or CATEGORIES.index(theirs) < CATEGORIES.index(stands)):
            return theirs
        return stands

    def _best(self, words: list[str], written: str, outright: bool) -> str | None:
        """The category of the matching pattern with most words, the first of equals."""
        found, most = None, 0
        for pattern in self.commands:
            if pattern.outright == outright:
                count = matches(pattern.text, words, written)
                if count > most:
                    found, most = pattern.category, count
        return found


def matches(pattern: str, words: list[str], written: str) -> int:
    """How many words a pattern has, if it matches an operation's first ones; else 0.

    Its first word is compared with the tool's name, or, where it has a slash, with the path as
    ``written``; a leading ``./`` counts on neither side.
    """
    wanted = pattern.split()
    if not wanted or len(wanted) > len(words):
        return 0
    given = list(words)
    if "/" in wanted[0]:
        wanted[0] = wanted[0].removeprefix("./")
        given[0] = written.removeprefix("./")
    return len(wanted) if all(map(_like, given, wanted)) else 0


def _like(word: str, pattern: str) -> bool:
    if not any(char in pattern for char in GLOB):
        return word == pattern
    from fnmatch import fnmatchcase  # 5 ms, and only for who has globs

    return fnmatchcase(word, pattern)


DEFAULT = Rules()


def default_rules(project: str) -> Rules:
    """The :data:`RulesOf` of a host without configuration."""
    return DEFAULT
