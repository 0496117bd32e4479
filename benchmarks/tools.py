"""The tools that are compared: hostgate and its peers, each with what it needs to run."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

# A command, and the session that asks -> the command under the tool. Only hostgate knows
# sessions; "" is whatever it takes by default.
Wrap = Callable[[list[str], str], list[str]]

BARE_PYTHON = "import os, sys; os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)"


@dataclass(frozen=True)
class Tool:
    name: str
    wrap: Wrap
    needs: str  # the executable
    package: str = ""  # where to get it
    env: dict[str, str] = field(default_factory=dict)
    start: tuple[str, ...] = ()  # run once before: starts a server
    stop: tuple[str, ...] = ()  # run once after
    python: tuple[str, ...] = ()  # the interpreter that its launcher names
    slow: bool = False  # it has fewer rounds than the others
    apart: bool = False  # every holder and waiter is in a project of its own

    @property
    def is_hostgate(self) -> bool:
        return "HOSTGATE_HOME" in self.env

    @property
    def floor(self) -> str:
        """The name under which the tool's interpreter is measured; "" if it has none."""
        return f"python -c pass ({self.name})" if self.python else ""


def peers(root: Path) -> list[Tool]:
    """Everything that hostgate is measured beside, whether it is installed or not."""

    def prefix(*words: str) -> Wrap:
        return lambda command, _: [*words, *command]

    def lock(name: str) -> str:
        return str(root / f"{name}.lock")

    tq = python_program("tq")
    return [
        Tool("flock", prefix("flock", lock("flock")), "flock", "Debian: util-linux"),
        # Replaces itself by the command: no resident parent.
        Tool("flock -F", prefix("flock", "-F", lock("exec")), "flock", "Debian: util-linux"),
        Tool("lckdo", prefix("lckdo", "-w", lock("lckdo")), "lckdo", "Debian: moreutils"),
        Tool(
            "sem",
            prefix("sem", "--fg", "-q", "--id", "peers"),
            "sem",
            "Debian: parallel",
            slow=True,
        ),
        Tool(
            "tsp",
            prefix("tsp", "-n", "-f"),
            "tsp",
            "Debian: task-spooler",
            env={"TS_SOCKET": str(root / "tsp.socket"), "TS_SLOTS": "1"},
            start=("tsp", "-n", "-f", "true"),
            stop=("tsp", "-K"),
        ),
        Tool(
            "nq",  # only queues; waiting is a second step, and loses the exit status
            prefix("sh", "-c", 'id=$(nq -c "$@") && nq -w "$id"', "nq"),
            "nq",
            "Debian: nq",
            env={"NQDIR": str(root / "nq")},
        ),
        Tool(
            "tq",  # looks once a second whether it is its turn
            prefix(tq, "run"),
            tq,
            "PyPI: agent-task-queue",
            env={"TASK_QUEUE_DATA_DIR": str(root / "tq")},
            slow=True,
        ),
    ]


def hostgate(path: str, name: str, root: Path) -> Tool:
    """A hostgate. Asked by a session, its runs wait for each other by the detector's rule.

    They have one command text and one project, so the rule is ``identical``: the way that a
    second build takes too. No lane is involved.
    """

    def wrap(command: list[str], session: str) -> list[str]:
        words = ["--session", session, "--on-conflict", "wait", "--wait-timeout", "10m"]
        words.append("--strict")  # not gated would be fast
        return [path, "run", *(words if session else []), "--", *command]

    env = {"HOSTGATE_HOME": str(root / f"state-{name}")}
    return Tool(name, wrap, path, env=env, python=interpreter(path))


def candidate(spec: str, taken: Iterable[str], root: Path) -> Tool | None:
    """The hostgate of the command line: ``PATH`` or ``NAME=PATH``. ``None`` if there is none."""
    name, named, path = spec.partition("=")
    if not named:
        name, path = "", spec
    found = shutil.which(path)
    if found is None:
        return None
    name = name or os.path.basename(path)
    while name in taken:
        name += "'"
    return hostgate(os.path.abspath(found), name, root)


def python_program(name: str) -> str:
    """The first program of a name on ``PATH`` that is Python's, or "": nq has a ``tq`` too."""
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK) and interpreter(path):
            return path
    return ""


def interpreter(path: str) -> tuple[str, ...]:
    """The Python that a launcher's first lines name, with its flags; or nothing."""
    with open(path, "rb") as file:
        lines = file.read(4096).decode(errors="replace").splitlines()
    if not lines or not lines[0].startswith("#!"):
        return ()
    words = shlex.split(lines[0][2:])
    if words == ["/bin/sh"] and lines[1:2] and lines[1].startswith("'''exec' "):
        words = shlex.split(lines[1])[1:-2]  # how pip writes a path too long for a first line
    return tuple(words) if any("python" in word for word in words) else ()


def with_env(tool: Tool, **env: str) -> Tool:
    """The same tool with other variables in its environment."""
    return replace(tool, env=tool.env | env)


def on_terminal(tool: Tool) -> Tool:
    """A hostgate that asks on its terminal, with a state of its own."""

    def wrap(command: list[str], session: str) -> list[str]:
        words = ["--session", session, "--on-conflict", "ask", "--strict"]
        return [tool.needs, "run", *words, "--", *command]

    env = tool.env | {"HOSTGATE_HOME": f"{tool.env['HOSTGATE_HOME']}-terminal"}
    return replace(tool, name=f"{tool.name} on a terminal", wrap=wrap, env=env)


def limited(tool: Tool, root: Path) -> Tool:
    """A hostgate whose runs, each in a project of its own, wait for the host's only build."""
    folder = root / f"limits-{tool.name}"
    folder.mkdir()
    (folder / "hostgate.toml").write_text('[limits]\nbuild = 1\n[commands]\nbuild = ["stub"]\n')
    home = f"{tool.env['HOSTGATE_HOME']}-limits"
    found = with_env(tool, XDG_CONFIG_HOME=str(folder), HOSTGATE_HOME=home)
    return replace(found, name=f"{tool.name}, by a limit", apart=True)


def bare_python(tool: Tool) -> Tool:
    """The tool's interpreter as a wrapper that only starts a command and waits for its end."""
    words = [*tool.python, "-c", BARE_PYTHON]
    return Tool(tool.floor.replace("pass", "…"), lambda command, _: [*words, *command], words[0])
