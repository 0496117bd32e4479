"""Where this hostgate's program is: what agents' settings and rewritten commands name."""

from __future__ import annotations

import os
import sys

NAME = "hostgate"


def program() -> str:
    """The absolute path of the program, as it was called: a link is not followed.

    Installers (pipx, uv) point a link at each new release, and agents trust the path.
    """
    called = os.path.abspath(sys.argv[0])
    if os.path.basename(called) == NAME and os.access(called, os.X_OK):
        return called
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), NAME)
    if os.access(beside, os.X_OK):
        return beside
    from shutil import which

    return which(NAME) or NAME
