"""What a tool's command line means, as a row of a table."""

from __future__ import annotations


class Tool:
    """One tool: what its verbs do, and which of its options change that.

    Every list is a string of words. A verb is a word that is no option and no option's value;
    ``a/b`` is verb ``a`` with its own verb ``b``, ``a/`` is ``a`` with nothing behind it, and
    ``list-*`` every verb that begins so.
    """

    __slots__ = (
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
        named = (("build", build), ("test", test), ("server", server), ("other", other))
        verbs = {word: kind for kind, words in (*named, ("read", read)) for word in words.split()}
        self.patterns = [verb for verb in verbs if "*" in verb]
        self.asking = [pair.split(":", 1) for pair in asking.split()]
        self.nested = {verb: int(n) for verb, _, n in [w.partition(":") for w in nested.split()]}
        self.testing = frozenset(testing.split())
        self.verbs = verbs
        self.category = category
        self.bare = bare or category
        self.values = frozenset(values.split())
        self.harmless = frozenset(harmless.split())
        self.running = frozenset(running.split())
        self.building = building.split()
        self.elsewhere = frozenset(elsewhere.split())
        self.tasks = None if tasks is None else frozenset(tasks.split())
        self.goals = goals
        self.hosts = hosts
        self.same = dict(pair.split("=", 1) for pair in same.split())
        self.tuning = frozenset(tuning.split())
        self.port = port

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
