"""What a tool's command line means, as a row of a table."""

from __future__ import annotations

# The verbs of each category; lists of options; lists of pairs; the verbs before tasks.
_Said = tuple[tuple[tuple[str, str], ...], tuple[str, ...], tuple[str, ...], str | None]


class Tool:
    """One tool: what its verbs do, and which of its options change that.

    Every list is a string of words. A verb is a word that is no option and no option's value;
    ``a/b`` is verb ``a`` with its own verb ``b``, ``a/`` is ``a`` with nothing behind it, and
    ``list-*`` every verb that begins so.
    """

    __slots__ = (
        "_said",
        "asking",
        "bare",
        "building",
        "category",
        "elsewhere",
        "goals",
        "harmless",
        "hosts",
        "nested",
        "patterns",
        "port",
        "running",
        "same",
        "tasks",
        "testing",
        "tuning",
        "values",
        "verbs",
    )

    def __init__(
        self,
        category: str = "other",
        *,
        build: str = "",
        test: str = "",
        server: str = "",
        other: str = "",
        read: str = "",
        bare: str = "",
        values: str = "",
        harmless: str = "",
        asking: str = "",
        running: str = "",
        testing: str = "",
        building: str = "",
        elsewhere: str = "",
        tasks: str | None = None,
        goals: bool = False,
        hosts: bool = False,
        nested: str = "",
        same: str = "",
        tuning: str = "",
        port: str = "",
    ) -> None:
        """Describe a tool.

        ``category`` is that of a verb which no list names, ``bare`` that of no verb at all (by
        default the same); ``build`` to ``read`` are the verbs of each category. ``values`` are
        the options that take a value, ``harmless`` those that only tell something (``asking``
        lists such as do for one verb only, ``tag:-l``), ``running`` those that go on until they
        are stopped, ``testing`` those that test, ``building`` those that build (``up:--build``
        for one verb only), ``elsewhere`` those that leave the project. ``tasks`` are the verbs
        before a task of the user's own name (``run``; ``-`` for none), ``goals`` says that the
        verbs are goals of which the most contending decides, ``hosts`` that the first verb may
        be another tool, ``nested`` names verbs before another command line of the tool, with how
        many words they take (``workspace:2``). ``same`` lists spellings (``s=server``),
        ``tuning`` the options whose value does not matter, ``port`` the port that a server takes
        by itself.
        """
        self._said: _Said | None = (
            (
                ("build", build),
                ("test", test),
                ("server", server),
                ("other", other),
                ("read", read),
            ),
            (values, harmless, running, testing, elsewhere, tuning),
            (asking, building, nested, same),
            tasks,
        )
        self.category = category
        self.bare = bare or category
        self.goals = goals
        self.hosts = hosts
        self.port = port

    def ready(self) -> Tool:
        """The tool with its lists taken apart: done when it is first asked for.

        (Taking all of them apart costs 4 ms, as much as everything else that the detector needs.)
        """
        if self._said is None:
            return self
        verbs, options, pairs, tasks = self._said
        self.verbs = {word: kind for kind, words in verbs for word in words.split()}
        self.patterns = [verb for verb in self.verbs if "*" in verb]
        (
            self.values,
            self.harmless,
            self.running,
            self.testing,
            self.elsewhere,
            self.tuning,
        ) = [frozenset(words.split()) for words in options]
        asking, building, nested, same = [words.split() for words in pairs]
        self.asking = [word.split(":", 1) for word in asking]
        self.building = building
        self.nested = {verb: int(n) for verb, _, n in [word.partition(":") for word in nested]}
        self.same = dict(pair.split("=", 1) for pair in same)
        self.tasks = None if tasks is None else frozenset(tasks.split())
        self._said = None
        return self

    def verb(self, verbs: list[str]) -> str:
        """The category that the table gives these verbs; "" where it says nothing."""
        if len(verbs) == 1 and (kind := self.verbs.get(f"{verbs[0]}/")):
            return kind
        for depth in (3, 2):
            if depth <= len(verbs) and (kind := self.verbs.get("/".join(verbs[:depth]))):
                return kind
        for pattern in self.patterns:
            if _matches(pattern, verbs):
                return self.verbs[pattern]
        return self.verbs.get(verbs[0], "") if verbs else ""


def _matches(pattern: str, verbs: list[str]) -> bool:
    pieces = pattern.removesuffix("/").split("/")
    if pattern.endswith("/") and len(pieces) != len(verbs):
        return False
    return len(pieces) <= len(verbs) and all(map(_fits, pieces, verbs))


def _fits(pattern: str, verb: str) -> bool:
    """Whether a verb is as in ``list-*`` or ``*@*``."""
    first, *rest = pattern.split("*")
    if not rest:
        return verb == pattern
    *between, last = rest
    return verb.startswith(first) and verb.endswith(last) and all(one in verb for one in between)


def table(rows: dict[str, Tool]) -> dict[str, Tool]:
    """The rows by each name of a tool: one row may describe several (``"gcc g++ cc"``)."""
    return {name: tool for names, tool in rows.items() for name in names.split()}
