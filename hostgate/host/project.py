"""Which project a command works in: the repository around it, found without starting git."""

from __future__ import annotations

import os

from hostgate.core.place import place
from hostgate.host.liveness import read_lines

OTHER_MARKERS = (".jj", ".hg", ".svn", ".sl", ".bzr", "_darcs", ".pijul", ".fslckout")


def project_of(command: str, directory: str) -> str:
    """The project of a command that starts in a directory: a real path.

    That of the place the command names (``cd DIR &&``, ``make -C DIR``) where there is one.
    """
    path = place(command)
    if path is None:
        return root_of(directory)
    return root_of(os.path.join(directory, os.path.expanduser(path)) if path else directory)


def root_of(path: str) -> str:
    """The root of the repository around a path, else its directory; always a real path.

    The nearest marker counts. The linked worktrees of a git repository are one project, which
    bears the name of the main worktree (of the repository, where that one is bare).
    """
    start = os.path.realpath(path)
    while not os.path.isdir(start):
        start = os.path.dirname(start)
    here = start
    while True:
        if found := _git_root(here):
            return found
        if any(os.path.lexists(f"{here}/{marker}") for marker in OTHER_MARKERS):
            return here
        parent = os.path.dirname(here)
        if parent == here:
            return start
        here = parent


def _git_root(directory: str) -> str:
    """The project of a directory that holds a ``.git``; "" if it holds none."""
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
    shared = os.path.realpath(os.path.join(private, common[0].strip()))
    head, name = os.path.split(shared)
    return head if name == ".git" else shared
