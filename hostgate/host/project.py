"""Which project a command works in: the repository around it, found without starting git."""

from __future__ import annotations

import os

from hostgate.core.place import place
from hostgate.core.settings import HOST, REPO, WORKTREE
from hostgate.host.liveness import read_lines

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
    path = place(command)
    return os.path.join(directory, os.path.expanduser(path)) if path else directory


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
