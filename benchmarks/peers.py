#!/usr/bin/env python3
"""Compare hostgate with its peers: flock, flock -F, lckdo, sem, tsp, nq, tq.

    benchmarks/peers.py                         the hostgate on PATH
    benchmarks/peers.py VENV/bin/hostgate       that one
    benchmarks/peers.py old=A/bin/hostgate new=B/bin/hostgate

A peer that is not on PATH is named as absent. README.md describes the parts.

Nothing is written outside a temporary directory, which is also HOME, TMPDIR
and the XDG directories of every tool; PYTHON* variables are not handed on.
Linux; standard library only; a C compiler is used when there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, fields
from pathlib import Path

import proc
from bench import Bench, Stuck
from parts import PARTS
from settings import Settings
from table import Table, show
from tools import Tool, candidate, peers

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(argv: list[str] | None = None) -> int:
    args = _parse(argv)
    for number in STOPPING:
        signal.signal(number, _stop)
    settings = Settings(**{field.name: getattr(args, field.name) for field in fields(Settings)})
    with tempfile.TemporaryDirectory(prefix="peers.") as folder:
        root = Path(folder)
        tools = _tools(root, args.hostgate or ["hostgate"], args.skip)
        bench = Bench(root, tools, args.seed)
        _tell_machine(bench)
        tables: dict[str, Table] = {}
        try:
            bench.servers()
            for name, part in PARTS.items():
                if name in args.only:
                    tables[name] = part.measure(bench, settings)
                    show(part.title, tables[name])
            bench.servers(stopping=True)
        except Stuck as error:
            print(f"peers.py: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            return 130
        finally:
            bench.end_all()
    if args.json:
        kept = {
            part: {name: asdict(row) for name, row in table.items()}
            for part, table in tables.items()
        }
        args.json.write_text(json.dumps({"settings": asdict(settings), "parts": kept}))
    return 0


def _stop(number: int, frame: object) -> None:
    """End the benchmark, once: a second signal must not stop it from ending what it started."""
    for other in STOPPING:
        signal.signal(other, signal.SIG_IGN)
    raise KeyboardInterrupt


def _tools(root: Path, specs: list[str], skip: list[str]) -> list[Tool]:
    """The peers that are here, then the hostgates that were named; the absent ones are told."""
    tools = []
    for tool in peers(root):
        if tool.name in skip:
            continue
        if shutil.which(tool.needs):
            tools.append(tool)
        else:
            print(f"{tool.name}: absent ({tool.package})")
    for spec in specs:
        found = candidate(spec, [tool.name for tool in tools], root)
        if found is None:
            sys.exit(f"peers.py: no such command: {spec}")
        tools.append(found)
    return tools


def _tell_machine(bench: Bench) -> None:
    print(
        f"{platform.system()} {platform.release()}, {os.cpu_count()} x {proc.cpu_model()},"
        f" load {os.getloadavg()[0]:.2f}, {bench.stub_kind}"
    )
    for tool in bench.tools:
        if tool.is_hostgate:
            python = _version(bench, [*tool.python, "-V"]) if tool.python else "no Python named"
            print(f"{tool.name}: {_version(bench, [tool.needs, '--version'])}, {python}")


def _version(bench: Bench, argv: list[str]) -> str:
    done = subprocess.run(argv, env=bench.env, capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    return lines[0] if lines else "version unknown"


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("hostgate", nargs="*", help="PATH or NAME=PATH (default: the hostgate on PATH)")
    add("--only", type=_words, default=[*PARTS], help="parts to run, comma separated")
    add("--skip", type=_words, default=[], help="peers to leave out, comma separated")
    add("--rounds", type=int, default=40, help="overhead, load, calls: rounds (%(default)s)")
    add("--storms", type=int, default=6, help="storm: rounds (%(default)s)")
    add("--starts", type=int, default=200, help="storm: starts at once (%(default)s)")
    add("--trials", type=int, default=30, help="handoff, killed: rounds (%(default)s)")
    add(
        "--drains",
        type=_numbers,
        default="20:9,200:3",
        help="fairness: waiters and, for so many, rounds (%(default)s)",
    )
    add("--stagger", type=float, default=0.05, help="fairness: s between arrivals (%(default)s)")
    add("--settle", type=float, default=0.4, help="s for a waiter to queue up (%(default)s)")
    add("--claims", type=int, default=20, help="load, calls: others' claims (%(default)s)")
    add("--idle", type=float, default=10, help="idle: s to watch (%(default)s)")
    add("--rests", type=int, default=3, help="idle, memory: rounds (%(default)s)")
    add("--seed", type=int, default=1, help="of the random order (%(default)s)")
    add("--json", type=Path, help="also write every sample to this file")
    args = parser.parse_args(argv)
    if unknown := [part for part in args.only if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)} (there are {', '.join(PARTS)})")
    if args.json:
        args.json = args.json.absolute()  # the benchmark changes its directory
    return args


def _numbers(text: str) -> dict[int, int]:
    pairs = [word.split(":") for word in _words(text)]
    return {int(first): int(second) for first, second in pairs}


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


if __name__ == "__main__":
    sys.exit(main())
