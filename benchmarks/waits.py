"""The parts in which somebody waits: each measures every tool and returns its table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import proc
from bench import Bench, Stuck
from queues import Queue
from settings import Settings
from table import SELDOM, Row, Table, interleave, short
from tools import Tool, bare_python, limited, on_terminal

MANY = 50  # so many waiters are left to the tools that are not slow
SLOWLY = 4  # times as long until the waiter of a slow tool stands in its queue


def handoff(bench: Bench, settings: Settings) -> Table:
    """From the holder's last act to the waiter's first."""

    def once(tool: Tool) -> float:
        queue = _pair(bench, tool, settings)
        holder, waiter = queue.release()
        if waiter["start"] < holder["end"]:
            raise Stuck(f"{tool.name}: the waiter did not wait")
        return (waiter["start"] - holder["end"]) / 1e6

    tools = [*bench.tools, *(limited(tool, bench.root) for tool in bench.hostgates())]
    return _one_by_one(bench, settings, tools, once)


def killed(bench: Bench, settings: Settings) -> Table:
    """From the SIGKILL of the holder and its command to the waiter's first act."""

    def once(tool: Tool) -> float:
        return _pair(bench, tool, settings).kill()

    return _one_by_one(bench, settings, bench.tools, once)


def _one_by_one(
    bench: Bench, settings: Settings, tools: list[Tool], once: Callable[[Tool], float]
) -> Table:
    measures = {tool.name: partial(once, tool) for tool in tools}
    slow = [tool.name for tool in tools if tool.slow]
    table = interleave(settings.trials, measures, slow, bench.random, warm_up=0)
    for row in table.values():
        row.against["flock"] = "flock"
    return table


def _pair(bench: Bench, tool: Tool, settings: Settings) -> Queue:
    """A holder and a waiter, which has waited for a random time: so that a tool that looks once
    a second is met at any moment of it.
    """
    queue = Queue(bench, tool)
    queue.add_waiter()
    time.sleep(settings.settle + bench.random.random())
    return queue


def fairness(bench: Bench, settings: Settings) -> Table:
    """Waiters that arrive one by one: how long they take, in which order they run, and how often
    each is woken.
    """
    table: Table = {}
    for waiters, drains in settings.drains.items():
        runs: dict[str, list[dict[str, float]]] = {}
        for tool in bench.tools:
            if not (tool.slow and waiters > MANY):
                table[f"{tool.name}, {waiters}"] = Row(against={"flock": f"flock, {waiters}"})
        for number in range(drains):
            for tool in bench.random.sample(bench.tools, len(bench.tools)):
                name = f"{tool.name}, {waiters}"
                if name not in table or (tool.slow and number % SELDOM):
                    continue
                found = _drain(bench, tool, waiters, settings)
                table[name].samples[number] = found["ms"]
                runs.setdefault(name, []).append(found)
        for name, all_found in runs.items():
            table[name].facts = _facts(all_found, waiters)
    return table


def _drain(bench: Bench, tool: Tool, waiters: int, settings: Settings) -> dict[str, float]:
    queue = Queue(bench, tool)
    for _ in range(waiters):
        queue.add_waiting(settings.stagger * (SLOWLY if tool.slow else 1))
    time.sleep(1 + settings.settle)  # until the last of them does nothing but wait
    pipes = Path(tool.env.get("HOSTGATE_HOME", "")).glob("claims/*.wake")
    watch = proc.Opened(pipes) if tool.is_hostgate else None
    runs = queue.release()
    pairs = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
    found: dict[str, float] = {
        "ms": (max(run["end"] for run in runs) - runs[0]["end"]) / 1e6,
        "out of order": sum(b["start"] < a["start"] for a, b in pairs),
        "ran together": sum(a["start"] < b["end"] and b["start"] < a["end"] for a, b in pairs),
    }
    if watch:
        woken = watch.count()
        found |= {"woken": len(woken), "wake-ups": sum(woken)}
    return found


def _facts(runs: list[dict[str, float]], waiters: int) -> dict[str, str]:
    def total(name: str) -> str:
        return f"{sum(run[name] for run in runs):.0f}"

    facts = {"ms each": short(statistics.median(run["ms"] for run in runs) / waiters)}
    facts |= {name: total(name) for name in ("out of order", "ran together")}
    if "woken" in runs[0]:
        facts["wake-ups"] = f"{total('wake-ups')} for {waiters * len(runs)}"
        facts["woken"] = f"{total('woken')} of {waiters * len(runs)}"
    return facts


def idle(bench: Bench, settings: Settings) -> Table:
    """What waiting itself costs: all tools wait at once, and are watched."""
    table: Table = {}
    woken: dict[str, list[int]] = {}
    for number in range(settings.rests):
        queues = _resting(bench, settings)
        groups = {
            queue.tool.name: [
                pid for role in ("waiter", "server") for pid in _wrappers(bench, queue.tool, role)
            ]
            for queue in queues
        }
        before = {name: proc.activity(group) for name, group in groups.items()}
        time.sleep(settings.idle)
        for name, group in groups.items():
            cpu, wakes = proc.activity(group)
            table.setdefault(name, Row()).samples[number] = cpu - before[name][0]
            woken.setdefault(name, []).append(wakes - before[name][1])
        for queue in queues:
            queue.release()
    for name, row in table.items():
        row.facts["wake-ups"] = f"{statistics.median(woken[name]):.0f}"
    return table


def memory(bench: Bench, settings: Settings) -> Table:
    """Memory of the wrapper, not of the command, while it runs one and while it waits."""
    table: Table = {}
    for number in range(settings.rests):
        queues = _resting(bench, settings)
        floors = {tool.python: bare_python(tool) for tool in bench.tools if tool.python}
        queues += [Queue(bench, floor) for floor in floors.values()]
        for queue in queues:
            for role in ("holder", "waiter", "server"):
                pids = _wrappers(bench, queue.tool, role)
                if not pids:
                    continue
                row = table.setdefault(f"{queue.tool.name}: {role}", Row())
                row.samples[number], share = proc.memory(pids)
                row.facts["share"] = short(share)
                row.against["flock"] = f"flock: {role}"
                if floor := floors.get(queue.tool.python):
                    row.against["its python"] = f"{floor.name}: holder"
        for queue in queues:
            queue.release()
    return table


def _resting(bench: Bench, settings: Settings) -> list[Queue]:
    """One holder and one waiter of every tool, and of hostgate also one on a terminal, at rest."""
    queues = []
    for tool in bench.tools:
        queues.append(Queue(bench, tool))
        queues[-1].add_waiter()
        if tool.is_hostgate:
            queues.append(Queue(bench, on_terminal(tool)))
            queues[-1].add_asked()
    time.sleep(1 + settings.settle)
    return queues


def _wrappers(bench: Bench, tool: Tool, role: str) -> list[int]:
    """The tool's processes in a role, without the measured command itself."""
    pids = proc.marked(bench.mark(tool, role))
    return [pid for pid in pids if not proc.runs(pid, bench.stub)]
