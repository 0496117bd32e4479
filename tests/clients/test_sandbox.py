"""Claude Code and Codex with their sandboxes, where hostgate's state can be written, and not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest
import tomlkit
from support import BUILD, DEADLINE, Host

from clients.driver import Agent, nothing_is_left

Sandboxed = Callable[[str, bool], Agent]
CASES = [(name, writable) for name in ("claude", "codex") for writable in (True, False)]
every = pytest.mark.parametrize(("name", "writable"), CASES)


@pytest.fixture
def sandboxed(agents: Callable[..., Agent]) -> Sandboxed:
    """Makes agents in their sandboxes; without ``writable``, without the way to the state."""

    def make(name: str, writable: bool) -> Agent:
        agent = _codex(agents, writable) if name == "codex" else _claude(agents, writable)
        told = agent.run(f"test -w {agent.host.state} && echo writable; pwd")
        assert ("writable" in told) == writable, told
        return agent

    return make


def _claude(agents: Callable[..., Agent], writable: bool) -> Agent:
    missing = [name for name in ("bwrap", "socat") if not shutil.which(name)]
    if missing:
        pytest.skip(f"Claude Code's sandbox needs {' and '.join(missing)}")
    settings = {"sandbox": {"enabled": True, "autoAllowBashIfSandboxed": True}}
    agent = agents("claude", extra=settings)
    if not writable:
        path = agent.home / ".claude/settings.json"
        document: dict[str, Any] = json.loads(path.read_text())
        del document["sandbox"]["filesystem"]["allowWrite"]
        path.write_text(json.dumps(document))
    return agent


def _codex(agents: Callable[..., Agent], writable: bool) -> Agent:
    agent = agents("codex")
    agent.arguments[agent.arguments.index("-s") + 1] = "workspace-write"
    if not writable:
        path = agent.home / ".codex/config.toml"
        document: Any = tomlkit.parse(path.read_text())
        del document["sandbox_workspace_write"]["writable_roots"]
        path.write_text(tomlkit.dumps(document))
    return agent


def _ended(host: Host) -> list[str]:
    """How each claim ended."""
    return [str(one["outcome"]) for one in host.history()]


@every
def test_in_a_sandbox_the_build_is_seen_by_others(
    host: Host, sandboxed: Sandboxed, name: str, writable: bool
) -> None:
    latch = host.latch()
    agent = sandboxed(name, writable)
    call = agent.ask(f"{latch.command}; echo done")
    latch.until_started()
    waiter = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="B")
    host.until_claims(running=1, waiting=1)
    assert [one["owner"]["alive"] for one in host.ls()] == [True, True]
    latch.go()
    assert "done" in agent.told(call)
    assert waiter.wait(DEADLINE) == 0
    host.until_claims()
    assert agent.end().code == 0
    nothing_is_left(host)
    assert _ended(host) == ["held", "ran"]


@every
def test_in_a_sandbox_the_slot_is_free_as_soon_as_the_build_has_ended(
    host: Host, sandboxed: Sandboxed, name: str, writable: bool
) -> None:
    agent = sandboxed(name, writable)
    told = agent.run("make")
    assert "built by make" in told and "hostgate" not in told
    host.until_claims()
    assert "built again by make" in agent.run("make what=again")
    assert agent.end().code == 0
    nothing_is_left(host)
    assert _ended(host) == ["held", "held"]


@every
def test_in_a_sandbox_the_agent_is_killed_and_the_slot_is_free(
    host: Host, sandboxed: Sandboxed, name: str, writable: bool
) -> None:
    latch = host.latch()
    agent = sandboxed(name, writable)
    agent.ask(f"{latch.command}; echo done")
    latch.until_started()
    waiter = host.start("run", "--on-conflict", "wait", "-c", BUILD, session="B")
    host.until_claims(running=1, waiting=1)
    agent.kill()  # which ends all that is in the sandbox
    assert waiter.wait(DEADLINE) == 0
    nothing_is_left(host)


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_in_a_sandbox_each_end_is_noted_once(host: Host, sandboxed: Sandboxed, name: str) -> None:
    agent = sandboxed(name, True)
    for number in range(20):
        agent.run(f"make what={number}")
        host.until_claims()
    assert len(host.history()) == 20
