from __future__ import annotations

from collections.abc import Callable

import pytest
from support import Host

from clients.driver import Agent, nothing_is_left
from clients.settings import CLIENTS

SCRIPT = """\
cat > said.txt <<'EOF'
it's "$HOME" \\n && make
EOF
make what='a  "b"'; echo "code $?"
make none 2> error.txt; echo "code $?"
cat said.txt"""
SAID = ('built a  "b" by make', "code 0", "code 2", 'it\'s "$HOME" \\n && make')


@pytest.mark.parametrize("name", CLIENTS)
def test_a_command_means_what_it_meant(host: Host, agents: Callable[..., Agent], name: str) -> None:
    (host.project / "sub").mkdir()
    (host.project / "sub/Makefile").write_text("all:\n\t@echo built below\n")
    agent = agents(name)
    told = agent.run("cd sub && make && pwd")
    assert f"built below\n{host.project}/sub" in told
    command = "(cd sub && make); make -s && pwd | tr a-z A-Z; false; echo code $?"
    told = agent.run(f"cd {host.project} && {command}")
    assert f"built below\nbuilt by make\n{str(host.project).upper()}\ncode 1" in told
    told = agent.run(SCRIPT)
    assert [text for text in SAID if text not in told] == []
    assert agent.end().code == 0
    nothing_is_left(host)
    assert bool(host.history()) == (name != "qwen")


@pytest.mark.parametrize("name", CLIENTS)
def test_what_only_reads_is_left_alone(host: Host, agents: Callable[..., Agent], name: str) -> None:
    agent = agents(name)
    assert "Makefile" in agent.run("ls && cat Makefile | wc -l && git status; make -n")
    assert " hold " not in agent.run("ps -o args= -p $$")
    assert (host.state / f"hook-{name}.ran").exists()
    assert not (host.state / f"hook-{name}.held").exists()
    assert agent.end().code == 0
    nothing_is_left(host)
    assert host.history() == []


@pytest.mark.parametrize("name", CLIENTS)
def test_without_a_registry_the_command_runs(
    host: Host, agents: Callable[..., Agent], name: str
) -> None:
    agent = agents(name)
    file = host.folder / "file"
    file.touch()
    agent.environment["HOSTGATE_HOME"] = str(file)
    assert "built by make" in agent.run("make")
    assert agent.end().code == 0
