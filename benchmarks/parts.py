"""The parts: each measures every tool and adds its samples to the results.

Within a part every round visits the tools in a fresh random order, so that a change of the
machine's speed falls on all of them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import proc
from bench import Bench, Queue
from tools import Tool, bare_python

WARM_UP = 3  # rounds that do not count
BARE = "bare command"
ROLES = ("holder", "waiter", "server")
NO_CLAIM, OTHERS, SAME = "no other claim", "{} claims of other projects", "1 claim of the project"

Samples = list[float]
Results = dict[str, dict[str, Samples]]  # tool -> figure -> samples
Run = tuple[list[str], Tool | None]


@dataclass(frozen=True)
class Settings:
    """How much is measured; the command line's options of the same names."""

    rounds: int
    trials: int
    drains: int
    waiters: int
    stagger: float
    settle: float
    claims: int
    idle: float


def overhead(bench: Bench, settings: Settings, out: Results) -> None:
    """Wall time of a command that is free to run, and whether its exit status survives."""
    runs: dict[str, Run] = {BARE: (["true"], None)}
    for tool in bench.tools:
        runs[tool.name] = (tool.wrap(["true"], ""), tool)
        runs |= _floor(tool)
    _interleave(bench, settings.rounds, runs, "overhead", out)
    for tool in bench.tools:
        code = bench.wait(bench.spawn(tool.wrap(["sh", "-c", "exit 7"], ""), tool))
        out[tool.name]["exit 7"] = [code]


def load(bench: Bench, settings: Settings, out: Results) -> None:
    """hostgate's overhead while others are in the registry; a state directory for each case."""
    runs: dict[str, Run] = {}
    held: list[Queue] = []
    for tool in [tool for tool in bench.tools if "HOSTGATE_HOME" in tool.env]:
        runs |= _floor(tool)
        cases = {NO_CLAIM: 0, OTHERS.format(settings.claims): settings.claims, SAME: 1}
        for case, claims in cases.items():
            apart = _with(tool, HOSTGATE_HOME=f"{tool.env['HOSTGATE_HOME']}-{len(runs)}")
            held += [_hold(bench, apart, elsewhere=case != SAME) for _ in range(claims)]
            runs[f"{tool.name}, {case}"] = (apart.wrap(["true"], ""), apart)
    _interleave(bench, settings.rounds, runs, "load", out)
    for queue in held:
        queue.release()


def handoff(bench: Bench, settings: Settings, out: Results) -> None:
    """From the holder's last act to the waiter's first."""
    for _ in range(settings.trials):
        for tool in bench.shuffled():
            queue = Queue(bench, tool)
            queue.add_waiter()
            # For a random time, so that a tool that polls is met at any phase.
            time.sleep(bench.random.uniform(settings.settle, 2 * settings.settle))
            holder, waiter = queue.release()
            gap = (waiter["start"] - holder["end"]) / 1e6
            out[tool.name].setdefault("handoff", []).append(gap)


def fairness(bench: Bench, settings: Settings, out: Results) -> None:
    """Waiters that arrive one by one: how long they take, in which order they run."""
    for _ in range(settings.drains):
        for tool in bench.shuffled():
            queue = Queue(bench, tool)
            for _ in range(settings.waiters):
                queue.add_waiter()
                time.sleep(settings.stagger)
            time.sleep(settings.settle)
            for figure, value in _drained(queue.release()).items():
                out[tool.name].setdefault(figure, []).append(value)


def _drained(runs: list[dict[str, int]]) -> dict[str, float]:
    pairs = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1 :]]
    return {
        "drain": (max(run["end"] for run in runs) - runs[0]["end"]) / 1e6,
        "disorder": sum(b["start"] < a["start"] for a, b in pairs),
        "together": sum(a["start"] < b["end"] and b["start"] < a["end"] for a, b in pairs),
    }


def idle(bench: Bench, settings: Settings, out: Results) -> None:
    """What waiting itself costs: all tools wait at once, and are watched."""
    queues = _resting(bench, settings)
    watched = {
        tool.name: _wrappers(bench, tool, "waiter") + _wrappers(bench, tool, "server")
        for tool in bench.tools
    }
    before = {name: proc.activity(group) for name, group in watched.items()}
    time.sleep(settings.idle)
    for name, group in watched.items():
        cpu, woken = proc.activity(group)
        out[name]["cpu"] = [cpu - before[name][0]]
        out[name]["wake-ups"] = [woken - before[name][1]]
    for queue in queues:
        queue.release()


def rss(bench: Bench, settings: Settings, out: Results) -> None:
    """Memory of the wrapper, not of the command, while holding and waiting."""
    queues = _resting(bench, settings)
    floors = [bare_python(tool) for tool in bench.tools if tool.python]
    queues += [Queue(bench, tool) for tool in floors]
    for tool in (*bench.tools, *floors):
        figures = out.setdefault(tool.name, {})
        for role in ROLES:
            peak, share = proc.memory(_wrappers(bench, tool, role))
            figures[f"peak {role}"], figures[f"share {role}"] = [peak], [share]
    for queue in queues:
        queue.release()


PARTS: dict[str, Callable[[Bench, Settings, Results], None]] = {
    "overhead": overhead,
    "load": load,
    "handoff": handoff,
    "fairness": fairness,
    "idle": idle,
    "rss": rss,
}


def _floor(tool: Tool) -> dict[str, Run]:
    return {tool.floor: ([*tool.python, "-c", "pass"], None)} if tool.python else {}


def _interleave(bench: Bench, rounds: int, runs: dict[str, Run], figure: str, out: Results) -> None:
    """Time each of the runs once a round."""
    samples: dict[str, Samples] = {name: [] for name in runs}
    for i in range(-WARM_UP, rounds):
        for name in bench.random.sample(list(runs), len(runs)):
            ms = bench.time_ms(*runs[name])
            if i >= 0:
                samples[name].append(ms)
    for name, values in samples.items():
        out.setdefault(name, {})[figure] = values


def _with(tool: Tool, **env: str) -> Tool:
    """The same tool with other variables in its environment."""
    return replace(tool, env=tool.env | env)


def _hold(bench: Bench, tool: Tool, elsewhere: bool) -> Queue:
    """A live claim of hostgate, of a project of its own or of the one that is measured."""
    if elsewhere:
        tool = _with(tool, HOSTGATE_PROJECT=str(bench.project(f"project{bench.number()}")))
    return Queue(bench, tool)


def _resting(bench: Bench, settings: Settings) -> list[Queue]:
    """One holder and one waiter of every tool, all at rest."""
    queues = []
    for tool in bench.shuffled():
        queues.append(Queue(bench, tool))
        queues[-1].add_waiter()
    time.sleep(1 + settings.settle)
    return queues


def _wrappers(bench: Bench, tool: Tool, role: str) -> list[int]:
    """The tool's processes in a role, without the measured command itself."""
    pids = proc.marked(bench.mark(tool, role))
    return [pid for pid in pids if not proc.runs(pid, bench.stub)]
