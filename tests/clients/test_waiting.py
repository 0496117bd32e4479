from __future__ import annotations

from collections.abc import Callable

import pytest
from support import Host, Latch

from clients.driver import Agent, nothing_is_left
from clients.settings import CLIENTS, REWRITING


@pytest.mark.parametrize("name", CLIENTS)
def test_a_build_waits_for_that_of_another_session(
    host: Host, agents: Callable[..., Agent], held: Latch, name: str
) -> None:
    agent = agents(name)
    call = agent.ask("make")
    host.until_claims(running=1, waiting=1)
    assert not (host.project / "made.log").exists()
    held.go()
    told = agent.told(call)
    assert "built by make" in told and "hostgate" not in told
    assert agent.end().code == 0
    nothing_is_left(host)


@pytest.mark.parametrize(
    "names", [("claude", "codex"), ("claude", "claude"), ("gemini", "opencode")], ids=" ".join
)
def test_two_agents_build_one_after_the_other(
    host: Host, agents: Callable[..., Agent], names: tuple[str, str]
) -> None:
    latch = host.latch()
    asked = [(agent, agent.ask(latch.command)) for agent in map(agents, names)]
    latch.until_started()
    host.until_claims(running=1, waiting=1)
    latch.go()
    latch.until_started(2)
    latch.go()
    for agent, call in asked:
        assert "hostgate" not in agent.told(call)
        assert agent.end().code == 0
    assert [line.split()[0] for line in latch.lines()] == ["start", "end"] * 2
    nothing_is_left(host)
    ended = host.history()
    assert [one["outcome"] for one in ended] == ["held", "held"]
    assert sorted(one["title"] for one in ended) == sorted(f"{name} · project" for name in names)
    assert len({one["session"] for one in ended}) == 2


@pytest.mark.parametrize("name", REWRITING)
def test_whose_turn_does_not_come_is_told_so_and_keeps_its_place(
    host: Host, agents: Callable[..., Agent], held: Latch, name: str
) -> None:
    agent = agents(name)
    agent.environment["HOSTGATE_WAIT_TIMEOUT"] = "1s"
    told = agent.run("make")
    for words in (
        "claude · api (session A) is running",
        held.command,
        "Wait and retry the same command",
        "place in the queue is kept",
    ):
        assert words in told
    kept = host.until_claims(running=1, kept=1)[-1]
    assert not (host.project / "made.log").exists()
    held.go()
    assert "built by make" in agent.run("make")
    assert agent.end().code == 0
    nothing_is_left(host)
    assert host.history()[-1]["blockers"] == kept["behind"] != {}  # what it had waited for


def test_a_retry_that_only_waits_gives_up_its_kept_place(
    host: Host, agents: Callable[..., Agent], held: Latch
) -> None:
    agent = agents("qwen")
    agent.environment["HOSTGATE_WAIT_TIMEOUT"] = "1s"
    told = agent.run("make")
    assert "claude · api (session A) is running" in told and "queue is kept" in told
    host.until_claims(running=1, kept=1)
    held.go()
    host.until_claims(kept=1)
    assert "built by make" in agent.run("make")
    assert agent.end().code == 0
    assert host.claims() == []
