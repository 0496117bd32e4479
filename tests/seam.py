"""A fault at the n-th call by which hostgate reaches the system, put in from outside.

The functions are replaced where hostgate sees them: in the modules that they are of, and in each
module of hostgate that has imported one by its name.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable
from stat import S_ISFIFO
from typing import Any

WRITES = ("write", "pwrite")
LOOKS = ("read", "pread", "fstat", "stat", "lstat", "listdir", "readlink")  # change nothing
SPAWN = "posix_spawnp"
# What does not fail: the start, whose failure is the command's own, and what a sound kernel always
# does with a descriptor that is open. Neither do pipes of one's own.
SURE = (SPAWN, "close", "fstat", "fdopen", "pipe")
OF = {
    os: (
        *(*LOOKS, *WRITES, "open", "fdopen", "close", "ftruncate", "rename", "unlink", "link"),
        *("mkdir", "mkfifo", "chmod", "fchmod", "chown", "fchown", "pipe", SPAWN),
    ),
    fcntl: ("flock", "fcntl"),
}
KILL, TORN, SHORT = "kill", "torn", "short"  # before a call, in a write, a disk that fills up


class Fault:
    """What happens at call number ``at``; ``report`` hears once which call that was.

    ``kind`` is ``kill``: death before the call; ``torn``: death when half is written; ``short``:
    half is written, and the next write finds the disk full; else the name of an error.
    Only writes count for ``torn`` and ``short``. What only looks does not count for ``kill``: a
    death before it is one before the next call.
    """

    def __init__(self, kind: str, at: int, report: Callable[[str], object]) -> None:
        self.kind = kind
        self._left = at
        self._report = report
        self._full = False

    def arm(self) -> None:
        """From now on the calls count."""
        for module, names in OF.items():
            for name in names:
                _replace(module, name, self._wrap(name, getattr(module, name)))

    def _wrap(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if self._full and name in WRITES:
                self._full = False
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if not self._counts(name, given):
                return real(*given, **named)
            self._left -= 1
            if self._left:
                return real(*given, **named)
            self._report(f"{name} {given[0] if given else ''}")
            return self._strike(name, real, given, named)

        return call

    def _counts(self, name: str, given: Any) -> bool:
        if self.kind in (TORN, SHORT):
            return name in WRITES
        if self.kind == KILL:
            return name not in LOOKS
        if name in SURE or given[:1] == (os.devnull,):
            return False
        return name not in ("read", "write") or not _is_pipe(given[0])

    def _strike(self, name: str, real: Callable[..., Any], given: Any, named: Any) -> Any:
        if self.kind in (TORN, SHORT):
            fd, data, *place = given
            written = real(fd, bytes(data)[: len(data) // 2], *place, **named)
            self._full = True
            if self.kind == SHORT:
                return written
        if self.kind in (KILL, TORN):
            os.kill(os.getpid(), signal.SIGKILL)
        number = getattr(errno, self.kind)
        path = given[0] if given and isinstance(given[0], str) else None
        raise OSError(number, os.strerror(number), path)


def _is_pipe(fd: int, look: Callable[[int], os.stat_result] = os.fstat) -> bool:
    return S_ISFIFO(look(fd).st_mode)


def _replace(module: Any, name: str, wrapped: Callable[..., Any]) -> None:
    real = getattr(module, name)
    setattr(module, name, wrapped)
    for known, one in list(sys.modules.items()):
        if known.startswith("hostgate.") and getattr(one, name, None) is real:
            setattr(one, name, wrapped)
