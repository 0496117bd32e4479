"""A queue with live members, beside whom somebody dies or fails."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Set

from crashsteps import SITTER
from support import DEADLINE, Host, Latch, until
from warm import Done, Warm

from hostgate.core.claims import KEPT, decode_registry

MOST = 400  # calls of one transaction; more is a loop
FILES = {"claims", "history.jsonl", "registry.json", "registry.lock"}


class Scene:
    """A build that runs, one that waits for it, and whoever dies beside them."""

    def __init__(self, host: Host, warm: Warm) -> None:
        self.host = host
        self.warm = warm
        self.latch: Latch = host.latch()
        self.holder = host.start("run", "--", self.latch.command, session="H")
        self.latch.until_started()
        self.waiter = host.start("run", "--", self.latch.command, session="W")
        host.until_claims(running=1, waiting=1)
        host.settled(self.waiter)
        self.standing = [claim["id"] for claim in host.claims()]
        self.apart = host.folder / "apart"
        self.apart.mkdir()
        os.mkfifo(self.apart / SITTER)
        for project in (host.project, host.home, self.apart):  # or its parents are looked at too
            (project / ".git").mkdir()
            (project / ".git/HEAD").touch()
        assert self.look().code == 3

    def step(self, name: str, fault: tuple[str, int]) -> Done:
        """A transaction of the victim's, from ``crashsteps``."""
        return self.warm.run(str(self.apart), step=f"crashsteps:{name}", session="V", fault=fault)

    def look(self) -> Done:
        """Another hostgate's transactions, which nothing may be wrong with."""
        elsewhere = self.host.home
        return self.warm.run("run", "--strict", "-c", "exit 3", session="L", cwd=elsewhere)

    def assert_whole(self, what: str, kept: int = 0) -> None:
        """Nothing is damaged, and who lives stands where it stood; who is dead is dropped."""

        def dropped() -> bool:
            done = self.look()
            assert (done.code, done.err) == (3, ""), f"after {what}"
            document = json.loads((self.host.state / "registry.json").read_text())
            ids = [claim.id for claim in decode_registry(document).claims]
            assert ids[:2] == self.standing, f"after {what}"
            rest = document["claims"][2:]
            return len(rest) <= kept and all(claim["state"] == KEPT for claim in rest)

        until(dropped, f"the dropping of what died in {what}")  # an orphan has its slot to its end
        assert not list(self.host.state.glob("*.corrupt-*")), f"after {what}"

    def assert_ends(self, more: Set[str] = frozenset()) -> None:
        """All come to their ends in order, and leave nothing behind."""
        self.latch.go(4)
        self.latch.until_started(2)
        self.latch.go(5)
        assert (self.holder.wait(DEADLINE), self.waiter.wait(DEADLINE)) == (4, 5)
        assert self.latch.events() == ["start H", "end H", "start W", "end W"]
        for claim in self.host.ls():
            self.host.run("stop", claim["id"])  # a kept place
        command = ("run", "--strict", "--on-conflict", "cancel", "-c", "make it; exit 6")
        fresh = self.warm.run(*command, session="F")
        assert (fresh.code, fresh.err.count("hostgate")) == (6, 0)
        assert self.host.claims() == []
        assert os.listdir(self.host.state / "claims") == []
        assert set(os.listdir(self.host.state)) == FILES | more

    def assert_ended_once(self, kind: str) -> None:
        """No end stands in the history twice, as far as its lines are whole."""
        if kind == "torn":
            return
        ended = [one for one in self.host.history() if one["outcome"] != "taken-over"]
        counts = Counter((one["id"], one["epoch"]) for one in ended)
        assert [one for one, count in counts.items() if count > 1] == []


def strikes(kind: str, step: int = 1) -> Iterator[tuple[str, int]]:
    """A fault at call 1, 2, 3 ... for who breaks off when nothing was struck any more.

    A greater ``step`` takes some of the calls, others each time.
    """
    for at in range(random.randint(1, step), MOST, step):
        yield kind, at
    raise AssertionError(f"more than {MOST} calls")


def assert_calm(done: Done) -> None:
    """At most one warning line, and neither a traceback nor a defect's name."""
    warnings = [line for line in done.err.splitlines() if "warning" in line]
    assert len(warnings) <= 1, done
    assert all(line.startswith("hostgate: ") for line in done.err.splitlines()), done
    assert "internal error" not in done.err, done
