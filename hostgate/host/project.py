"""Who asks, and in which project: the caller's session, and the repository around the command.

The session is an agent's conversation where the environment names one, else the terminal; the
repository is found without starting git. And which files configure it.
"""

from __future__ import annotations

import os

from hostgate.core import HINTS, HOST, REPO, WORKTREE
from hostgate.host import process
from hostgate.host.state import read_lines

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

USER_FILE = "hostgate.toml"
PROJECT_FILE = ".hostgate.toml"
OTHER_MARKERS = (".jj", ".hg", ".svn", ".sl", ".bzr", "_darcs", ".pijul", ".fslckout")


class Roots:
    """Where a path belongs: the root of its working tree, and its repository's. Real paths.

    They differ in a linked worktree of git; without a repository both are the directory.
    """

    __slots__ = ("repository", "tree")

    def __init__(self, tree: str, repository: str) -> None:
        self.tree = tree
        self.repository = repository

    def project(self, scope: str = REPO) -> str:
        """The project, where ``scope`` (one of SCOPES) says what one project is."""
        return {REPO: self.repository, WORKTREE: self.tree, HOST: "/"}[scope]


def place_of(command: str, directory: str) -> str:
    """Where a command that starts in a directory works.

    That is the place the command names (``cd DIR &&``, ``make -C DIR``) where there is one.
    """
    if not any(hint in command for hint in HINTS):
        return directory
    from hostgate.core.place import place

    path = place(command)
    return os.path.join(directory, os.path.expanduser(path)) if path else directory


def user_path() -> str:
    """The path of the user's file, which need not be there; "" for a user without a home."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    if not folder.startswith("/"):  # a relative one is to be ignored, says the XDG specification
        folder = os.path.expanduser("~/.config")
    return f"{folder}/{USER_FILE}" if folder.startswith("/") else ""


def project_path(tree: str) -> str:
    """The path of the file of a working tree, which need not be there; "" for no tree."""
    return f"{tree.rstrip('/')}/{PROJECT_FILE}" if tree else ""


def is_configured(tree: str) -> bool:
    """Whether there may be a file to read: where there is none, all that reads them stays unread.

    That is 0.5 ms of a start.
    """
    for path in (user_path(), project_path(tree)):
        try:
            if path:
                os.stat(path)
                return True
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            return True  # whoever reads it will say what is wrong
    return False


def tree_here() -> str:
    """The root of the working tree around the working directory; "" where that is gone."""
    try:
        return roots_of(os.getcwd()).tree
    except OSError:
        return ""


def roots_of(path: str) -> Roots:
    """The roots of the repository around a path, else its directory.

    The nearest marker counts. The linked worktrees of a git repository have one repository, which
    bears the name of the main worktree (its own name, where it is bare).
    """
    start = os.path.realpath(path)
    while not os.path.isdir(start):
        start = os.path.dirname(start)
    here = start
    while True:
        if found := _git_root(here):
            return Roots(here, found)
        if any(os.path.lexists(f"{here}/{marker}") for marker in OTHER_MARKERS):
            return Roots(here, here)
        parent = os.path.dirname(here)
        if parent == here:
            return Roots(start, start)
        here = parent


def _git_root(directory: str) -> str:
    """The repository of a directory that holds a ``.git``; "" if it holds none."""
    marker = f"{directory}/.git" if directory != "/" else "/.git"
    if os.path.exists(f"{marker}/HEAD"):
        return directory
    if not os.path.isfile(marker):
        return ""
    lines = read_lines(marker)
    if not lines or not lines[0].startswith("gitdir: "):
        return ""
    private = os.path.join(directory, lines[0].removeprefix("gitdir: ").strip())
    if not os.path.exists(f"{private}/HEAD"):
        return ""
    common = read_lines(f"{private}/commondir")
    if not common or not common[0]:
        return directory  # a submodule, or a repository whose .git lies elsewhere
    if "\0" in common[0]:
        return directory  # a hostile checkout's; no path holds a NUL
    shared = os.path.realpath(os.path.join(private, common[0].strip()))
    head, name = os.path.split(shared)
    return head if name == ".git" else shared


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
