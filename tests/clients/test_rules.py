"""What the user allows and denies by the agent's own rules stays allowed and denied."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

import pytest
from support import DEADLINE, Host, until

from clients.driver import Agent, nothing_is_left
from clients.settings import CLIENTS, REWRITING


@pytest.fixture
def ruled(host: Host, agents: Callable[..., Agent]) -> Callable[..., Agent]:
    """Makes agents with rules, whose reservations lapse soon where a rule denies the command."""

    def make(name: str, **rules: list[str]) -> Agent:
        agent = agents(name, **rules)
        (agent.home / ".config").mkdir(exist_ok=True)
        (agent.home / ".config/hostgate.toml").write_text('reservation = "1s"\n')
        if name == "copilot" and "allow" in rules:  # what the installer has left to the person
            (options,) = re.findall(r"add (--allow-tool.*)", agent.installed)
            agent.arguments += shlex.split(options)
        return agent

    return make


@pytest.mark.parametrize("name", REWRITING)
def test_what_the_user_allows_runs_without_a_prompt_and_nothing_else_does(
    host: Host, ruled: Callable[..., Agent], name: str
) -> None:
    """Codex runs the rest in its sandbox, which is read-only here."""
    (host.project / "build.sh").write_text("#!/bin/sh\necho built >> other.log\n")
    (host.project / "build.sh").chmod(0o755)
    agent = ruled(name, allow=["make"])
    assert "built by make" in agent.run("make")
    call = agent.ask("./build.sh")
    until(lambda: call.done or agent.process.poll() is not None, "an answer, or the agent's end")
    agent.model.end()
    agent.process.wait(DEADLINE)
    assert not (host.project / "other.log").exists()
    nothing_is_left(host)


@pytest.mark.parametrize("name", CLIENTS)
def test_what_the_user_denies_does_not_run(
    host: Host, ruled: Callable[..., Agent], name: str
) -> None:
    agent = ruled(name, deny=["make"])
    assert "built by make" not in agent.run("make")
    assert "built by make" not in agent.run("cd . && make")
    assert not (host.project / "made.log").exists()
    assert agent.end().code == 0
    nothing_is_left(host)
