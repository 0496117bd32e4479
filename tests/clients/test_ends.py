from __future__ import annotations

from collections.abc import Callable

import pytest
from support import BUILD, DEADLINE, Host

from clients.driver import Agent, nothing_is_left
from clients.settings import REWRITING


@pytest.mark.parametrize("name", REWRITING)
def test_a_killed_agent_s_build_keeps_its_slot_to_its_end(
    host: Host, agents: Callable[..., Agent], name: str
) -> None:
    latch = host.latch()
    agent = agents(name)
    agent.ask(latch.command)
    latch.until_started()
    waiter = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="B")
    host.until_claims(running=1, waiting=1)
    agent.kill()
    if agent.client.orphans:
        assert [one["owner"]["alive"] for one in host.ls()] == [True, True]
        assert waiter.poll() is None
        latch.go()
    assert waiter.wait(DEADLINE) == 0
    nothing_is_left(host)


@pytest.mark.parametrize("name", REWRITING)
def test_the_slot_is_free_when_the_agent_is_killed_with_its_build(
    host: Host, agents: Callable[..., Agent], name: str
) -> None:
    latch = host.latch()
    agent = agents(name)
    agent.ask(f"{latch.command}; echo done")
    latch.until_started()
    waiter = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="B")
    host.until_claims(running=1, waiting=1)
    agent.kill(everything=True)
    assert waiter.wait(DEADLINE) == 0
    nothing_is_left(host)
