"""The parts, and those of them in which nobody waits: each returns its table."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import waits
from bench import Bench, Run, Stuck
from queues import Queue
from settings import Settings
from table import Table, interleave
from tools import Tool, with_env

BARE, ALONE = "bare command", "no other claim"
REFUSED = 125  # hostgate's exit code where it would have run ungated, but for --strict

USER = """
threshold = 0.7
contend = ["build", "server"]
never = ["make docs"]
[agents]
claude = "ask"
[commands]
build = ["mytool", "scripts/*-image.sh"]
test = ["./run-checks*"]
"""
LIMITED = USER + "[limits]\ntotal = 64\nbuild = 8\n"
PROJECT = """
threshold = 0.5
contend = ["test"]
[commands]
build = ["./compile*"]
"""

HOOKS = {
    "hook, nothing to gate: ": [
        "ls -la",
        "git status && rg -n main src | head -20",
        "sed -n '1,80p' $(git ls-files | head -1)",
    ],
    "hook, reserves: ": ["make", "cd sub && make -j4 2>&1 | tail -5"],
}


class Part(NamedTuple):
    title: str
    measure: Callable[[Bench, Settings], Table]


def overhead(bench: Bench, settings: Settings) -> Table:
    """Wall time of a command that is free to run, and whether its exit status survives."""
    runs = {BARE: Run(["true"])}
    for tool in bench.tools:
        runs[tool.name] = Run(tool.wrap(["true"], ""), tool)
        runs |= _floor(tool)
    table = _timed(bench, settings, runs)
    for row in table.values():
        row.against["flock"] = "flock"
    for tool in bench.tools:
        if tool.floor:
            table[tool.name].against["its python"] = tool.floor
        code = bench.wait(bench.spawn(tool.wrap(["sh", "-c", "exit 7"], ""), tool))
        table[tool.name].facts["exit status kept"] = "yes" if code == 7 else f"no: {code}"
    return table


def load(bench: Bench, settings: Settings) -> Table:
    """``hostgate run -- true`` beside others' claims, and with configuration files."""
    runs: dict[str, Run] = {}
    held: list[Queue] = []
    configured = bench.project("configured")
    (configured / ".hostgate.toml").write_text(PROJECT)
    others, same = f"{settings.claims} claims of other projects", "1 claim of the project"
    for tool in bench.hostgates():
        runs |= _floor(tool)
        for case, user, place in (
            (ALONE, "", None),
            (others, "", None),
            (same, "", None),
            ("user's file", USER, None),
            ("user's file with limits", LIMITED, None),
            ("user's and project's file", USER, configured),
        ):
            number = bench.number()
            config = bench.project(f"config{number}")
            if user:
                (config / "hostgate.toml").write_text(user)
            home = f"{tool.env['HOSTGATE_HOME']}-{number}"
            apart = with_env(tool, HOSTGATE_HOME=home, XDG_CONFIG_HOME=str(config))
            if case == others:
                held += _others(bench, apart, settings)
            if case == same:
                held.append(Queue(bench, apart))
            runs[f"{tool.name}, {case}"] = Run(apart.wrap(["true"], ""), apart, place)
    table = _timed(bench, settings, runs)
    _against(bench, table, ALONE)
    for queue in held:
        queue.release()
    return table


def calls(bench: Bench, settings: Settings) -> Table:
    """What else is called often: the hook in front of each of an agent's commands, and ``ls``."""
    runs: dict[str, Run] = {}
    held: list[Queue] = []
    for tool in bench.hostgates():
        home = tool.env["HOSTGATE_HOME"]
        apart = with_env(tool, HOSTGATE_HOME=f"{home}-calls")
        clear = partial(_clear, bench, apart)
        runs |= _floor(tool)
        for kind, commands in HOOKS.items():
            for command in commands:
                given = bench.root / f"payload{bench.number()}"
                given.write_text(_payload(command, bench.work))
                argv = [tool.needs, "hook", "claude"]
                runs[f"{tool.name}, {kind}{command}"] = Run(argv, apart, given=given, after=clear)
        hold = ["sh", "-c", f"{tool.needs} hold -- make; :"]
        runs[f"{tool.name}, sh -c 'hostgate hold -- make'"] = Run(hold, apart, after=clear)
        full = with_env(tool, HOSTGATE_HOME=f"{home}-full")
        held += _others(bench, full, settings)
        ls = [tool.needs, "ls", "--json"]
        runs[f"{tool.name}, ls --json"] = Run(ls, with_env(tool, HOSTGATE_HOME=f"{home}-empty"))
        runs[f"{tool.name}, ls --json of {settings.claims} claims"] = Run(ls, full)
    table = _timed(bench, settings, runs)
    _against(bench, table)
    for queue in held:
        queue.release()
    return table


def storm(bench: Bench, settings: Settings) -> Table:
    """Many starts at the same time, each in a project of its own."""
    places = [bench.project(f"storm{number}") for number in range(settings.starts)]
    runs: dict[str, list[Run]] = {}
    for tool in bench.tools:
        for name, run in _floor(tool).items():
            runs[name] = [run._replace(place=place) for place in places]
        if tool.name == "flock":
            runs[tool.name] = [Run(["flock", "lock", "true"], tool, place) for place in places]
        if tool.is_hostgate:
            runs[tool.name] = [
                Run(tool.wrap(["true"], f"s{bench.number()}"), tool, place) for place in places
            ]
    refused = dict.fromkeys(runs, 0)

    def once(name: str) -> float:
        begin = time.perf_counter()
        codes = _all(bench, runs[name])
        seconds = time.perf_counter() - begin
        refused[name] += codes.count(REFUSED)
        if not set(codes) <= {0, REFUSED}:
            raise Stuck(f"{name}: exit codes {set(codes)}")
        return seconds

    measures = {name: partial(once, name) for name in runs}
    table = interleave(settings.storms, measures, order=bench.random, warm_up=0)
    for row in table.values():
        row.against["flock"] = "flock"
    _against(bench, table)
    for tool in bench.hostgates():
        of = settings.starts * settings.storms
        table[tool.name].facts["failed open"] = f"{refused[tool.name]} of {of}"
    return table


PARTS = {
    "overhead": Part("Overhead: ms for TOOL true", overhead),
    "load": Part("Load: ms for hostgate run -- true", load),
    "calls": Part("Other calls: ms", calls),
    "storm": Part("Storm: seconds for all of many simultaneous starts", storm),
    "handoff": Part("Hand-off: ms from the holder's end to the waiter's start", waits.handoff),
    "killed": Part("Killed: seconds from the holder's SIGKILL to the waiter's start", waits.killed),
    "fairness": Part("Fairness: ms for all of so many waiters", waits.fairness),
    "idle": Part("Idle: CPU ms of a waiter (and the tool's server)", waits.idle),
    "memory": Part("Memory: peak MiB of the wrapper", waits.memory),
}


def _floor(tool: Tool) -> dict[str, Run]:
    return {tool.floor: Run([*tool.python, "-c", "pass"])} if tool.python else {}


def _timed(bench: Bench, settings: Settings, runs: dict[str, Run]) -> Table:
    slow = [tool.name for tool in bench.tools if tool.slow]
    measures = {name: partial(bench.run, run) for name, run in runs.items()}
    return interleave(settings.rounds, measures, slow, bench.random)


def _against(bench: Bench, table: Table, case: str = "") -> None:
    """Compare the rows of each hostgate with its interpreter, and with one of its own cases."""
    for tool in bench.hostgates():
        for name, row in table.items():
            if name == tool.name or name.startswith(f"{tool.name}, "):
                row.against["its python"] = tool.floor
                if case:
                    row.against[case] = f"{tool.name}, {case}"


def _others(bench: Bench, tool: Tool, settings: Settings) -> list[Queue]:
    """Live claims of hostgate, each of a project of its own."""
    apart = replace(tool, apart=True)
    return [Queue(bench, apart) for _ in range(settings.claims)]


def _all(bench: Bench, runs: list[Run]) -> list[int]:
    """Start all of them, then wait for all; their exit codes."""
    pids = []
    for run in runs:
        os.chdir(run.place or bench.work)
        pids.append(bench.spawn(run.argv, run.tool))
    os.chdir(bench.work)
    return [bench.wait(pid) for pid in pids]


def _payload(command: str, place: Path) -> str:
    tool = {"tool_name": "Bash", "tool_input": {"command": command}}
    return json.dumps({"session_id": "S", "cwd": str(place), **tool})


def _clear(bench: Bench, tool: Tool) -> None:
    """Release what is reserved, and wait until nothing holds a slot."""
    registry = Path(tool.env["HOSTGATE_HOME"]) / "registry.json"
    while registry.exists() and (claims := json.loads(registry.read_text())["claims"]):
        for claim in claims:
            if claim["state"] == "reserved":
                bench.wait(bench.spawn([tool.needs, "release", claim["id"]], tool))
        time.sleep(0.005)
