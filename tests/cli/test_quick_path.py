"""What the clear path of ``run`` imports, proved in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support import Host, until

HEAVY = set(
    """typer click rich psutil filelock rapidfuzz tree_sitter pydantic dataclasses typing pathlib
    subprocess asyncio re json signal enum collections contextlib shlex argparse datetime tempfile
    hashlib threading functools tomllib fnmatch difflib""".split()
)
# The launcher that an installer writes may import re; what counts is what hostgate adds to it.
SCRIPT = """
import sys, os
before = set(sys.modules)
leave = os._exit
def note(code):
    with open("modules", "w") as file:
        file.write("\\n".join(sorted(set(sys.modules) - before)))
    leave(code)
os._exit = note
sys.argv[0] = "hostgate"
from hostgate.cli.main import main
main()
"""


def imported(host: Host, *words: str, session: str = "Z", given: str = "") -> set[str]:
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path = {sys.path!r}\n{SCRIPT}",
            *words,
        ],
        env=host.environment | {"HOSTGATE_SESSION": session},
        cwd=host.project,
        capture_output=True,
        text=True,
        input=given,
    )
    assert done.stderr == ""
    return set((host.project / "modules").read_text().split())


def test_the_clear_path_imports_nothing_heavy(host: Host) -> None:
    modules = imported(host, "run", "--", "true")
    assert not HEAVY.intersection(name.partition(".")[0] for name in modules)
    assert "hostgate.core.summary" not in modules
    assert "hostgate.ui" not in modules
    assert "hostgate.core.schema" not in modules


def test_neither_does_it_with_claims_of_other_projects_and_quoted_arguments(host: Host) -> None:
    latch = host.latch()
    host.start("run", "--project", str(host.folder), "--", latch.command, session="A")
    latch.until_started()
    modules = imported(host, "run", "--title", "x y", "-c", "cd . && true 'a b' | cat")
    assert not HEAVY.intersection(name.partition(".")[0] for name in modules)
    assert "hostgate.core.summary" not in modules


def test_configuration_files_are_parsed_once_and_then_cost_no_import(host: Host) -> None:
    parsing = {"tomllib", "re", "fnmatch", "difflib"}
    user = host.home / ".config/hostgate.toml"
    user.parent.mkdir()
    user.write_text('threshold = 0.7\nnever = ["make docs*"]\n[commands]\nbuild = ["x-*"]\n')
    (host.project / ".hostgate.toml").write_text('contend = ["test"]\n')
    assert "tomllib" in imported(host, "run", "--", "true")
    modules = imported(host, "run", "--", "true")
    assert not (HEAVY | parsing).intersection(name.partition(".")[0] for name in modules)
    assert "hostgate.core.keylines" not in modules
    user.write_text("threshold = 0.8\n")
    assert "tomllib" in imported(host, "run", "--", "true")


def test_the_detector_is_loaded_when_another_claim_of_the_project_exists(host: Host) -> None:
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    assert "hostgate.core.summary" in imported(host, "run", "--", "true")


def test_a_stored_reading_saves_the_next_one_from_loading_the_detector(host: Host) -> None:
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    host.start("run", "--", latch.command, session="B")
    claims = host.until_claims(running=1, waiting=1)
    assert all(claim["reading"] for claim in claims)


def test_a_resident_hostgate_is_small(host: Host) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the peak memory of another process is read from Linux's /proc")
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "--", latch.command, session="B")
    host.until_claims(running=1, waiting=1)
    for process in (holder, waiter):
        with open(f"/proc/{process.pid}/status") as file:
            (peak,) = [line for line in file if line.startswith("VmHWM")]
        assert int(peak.split()[1]) < 14 * 1024, json.dumps(peak)


def payload(command: str) -> str:
    return json.dumps({"session_id": "S", "tool_name": "Bash", "tool_input": {"command": command}})


@pytest.mark.parametrize(
    "command", ["ls -la", "git log | head", "cat $(git ls-files)", "hostgate ls"]
)
def test_a_hook_with_nothing_to_gate_loads_neither_the_parser_nor_the_registry(
    host: Host, command: str
) -> None:
    modules = imported(host, "hook", "claude", given=payload(command))
    assert not HEAVY.intersection(name.partition(".")[0] for name in modules)
    for part in ("cli.reserving", "gate", "core.grammar", "core.similarity", "ui", "agents.codex"):
        assert f"hostgate.{part}" not in modules


def test_a_hook_that_reserves_on_a_clear_way_and_a_hold_load_nothing_heavy(host: Host) -> None:
    modules = imported(host, "hook", "claude", given=payload("cd . && make 2>&1 | tail"))
    assert not HEAVY.intersection(name.partition(".")[0] for name in modules)
    (claim,) = host.claims()
    modules = imported(host, "hold", claim["id"])
    assert not HEAVY.intersection(name.partition(".")[0] for name in modules)
    assert "hostgate.core.summary" not in modules


def test_a_keeper_is_small(host: Host) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the peak memory of another process is read from Linux's /proc")
    latch = host.latch()
    host.shell(f"hostgate hold -- make && {latch.command}", session="A")
    latch.until_started()
    keeper = host.claims()[0]["owner"]["pid"]
    with open(f"/proc/{keeper}/status") as file:
        (peak,) = [line for line in file if line.startswith("VmHWM")]
    assert int(peak.split()[1]) < 14 * 1024, peak
    latch.go()
    until(lambda: not host.claims(), "the end of the keeper")
