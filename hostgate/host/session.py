"""Who asks: an agent's conversation where the environment names one, else the terminal."""

from __future__ import annotations

import os

from hostgate.host import process

# An agent: the variables that hold its conversation's id, and those that only tell it is there.
# Claude Code, Codex, Qwen Code and Copilot CLI put the id into the environment of the commands
# they start; opencode gives the pid of its server; Gemini CLI and Cursor only say who they are.
AGENTS: tuple[tuple[str, str, str], ...] = (
    ("claude", "CLAUDE_CODE_SESSION_ID", "CLAUDECODE"),
    ("codex", "CODEX_SESSION_ID CODEX_THREAD_ID", ""),
    ("qwen", "QWEN_CODE_SESSION_ID", "QWEN_CODE"),
    ("copilot", "COPILOT_AGENT_SESSION_ID", ""),
    ("opencode", "OPENCODE_SESSION_ID OPENCODE_PID", "OPENCODE"),
    ("gemini", "GEMINI_SESSION_ID", "GEMINI_CLI"),
    ("cursor", "", "CURSOR_AGENT"),
)


def default_session(environment: dict[str, str]) -> tuple[str, str]:
    """The id of the session that asks, and its name in words that a person recognises.

    An agent's own id where its environment has one, else the terminal (the kernel's session).
    """
    for agent, ids, marks in AGENTS:
        for variable in ids.split():
            if value := environment.get(variable):
                return (f"{agent}:{value}" if variable.endswith("_PID") else value), agent
        if any(environment.get(mark) for mark in marks.split()):
            return f"{agent}:{_kernel_session()}", agent
    return _kernel_session(), f"terminal {name}" if (name := _terminal()) else f"pid {_leader()}"


def title(who: str, project: str) -> str:
    """The name of a session with where it works: ``terminal pts/3 · api``."""
    return f"{who} · {os.path.basename(project) or project}"


def _leader() -> int:
    leader = os.getsid(0)
    return leader if leader > 0 else os.getpid()  # 0: it lives in an outer pid namespace


def _kernel_session() -> str:
    """The kernel's session as an id that no other one has, also after its pid is used again."""
    leader = _leader()
    space = "".join([char for char in process.pid_space() if char.isdigit()])
    return f"terminal:{leader}:{process.start_stamp(leader)}:{space}"


def _terminal() -> str:
    for fd in (0, 1, 2):
        try:
            return os.ttyname(fd).removeprefix("/dev/")
        except OSError:
            continue
    return ""
