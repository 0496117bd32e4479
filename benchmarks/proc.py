"""What /proc tells of processes: which are ours, what they burn, what they occupy."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

MARK = "PEERS_BENCH"  # in the environment of all that a run starts: root, tool, role


def read(path: str) -> str:
    """A file of /proc; empty when its process is gone."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def marked(mark: str) -> list[int]:
    """The processes whose environment was given a mark that starts so."""
    want = f"{MARK}={mark}"
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            environ = read(f"{entry.path}/environ")
            if any(word.startswith(want) for word in environ.split("\0")):
                found.append(int(entry.name))
    return found


def runs(pid: int, stub: str) -> bool:
    """Whether a process is the measured command itself, compiled or a script."""
    words = read(f"/proc/{pid}/cmdline").split("\0")
    return words[0] == stub or words[:2] == ["/bin/sh", stub]


def activity(pids: list[int]) -> tuple[float, int]:
    """CPU ms of processes, their threads and reaped children; wake-ups."""
    cpu, woken = 0.0, 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):  # it may end meanwhile
            stat = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
            cpu += (int(stat[13]) + int(stat[14])) * 1e3 / os.sysconf("SC_CLK_TCK")
            for task in os.listdir(f"/proc/{pid}/task"):
                folder = f"/proc/{pid}/task/{task}"
                cpu += int(read(f"{folder}/schedstat").split()[0]) / 1e6
                woken += sum(_lines(f"{folder}/status", "voluntary_ctxt_switches"))
    return cpu, woken


def memory(pids: list[int]) -> tuple[float, float]:
    """MiB, peak resident and proportional share, summed over processes."""
    peak = sum(sum(_lines(f"/proc/{pid}/status", "VmHWM")) for pid in pids)
    share = sum(sum(_lines(f"/proc/{pid}/smaps_rollup", "Pss")) for pid in pids)
    return peak / 1024, share / 1024


class Opened:
    """How often each of some files is opened from now on, as inotify tells.

    A wake-up opens the waiter's pipe (inotify is not told what is written to one).
    """

    OPEN = 0x20  # IN_OPEN; after each comes an IN_CLOSE_WRITE, so that two are never told as one
    CLOSE_WRITE = 0x8
    OVERFLOW = 0x4000
    EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of a name that follows

    def __init__(self, paths: Iterable[Path]) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        for path in paths:
            mask = self.OPEN | self.CLOSE_WRITE
            if libc.inotify_add_watch(self._fd, os.fsencode(path), mask) < 0:
                raise OSError(ctypes.get_errno(), "inotify", str(path))

    def count(self) -> list[int]:
        """For each file that was opened, how often; ends the watch."""
        found: Counter[int] = Counter()
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._fd, 65536):
                for watch, mask, _, _ in self.EVENT.iter_unpack(data):  # a file has no name here
                    if mask & self.OVERFLOW:
                        raise OSError("inotify has lost events")
                    found[watch] += bool(mask & self.OPEN)
        os.close(self._fd)
        return [count for count in found.values() if count]


def cpu_model() -> str:
    for line in read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown CPU"


def _lines(path: str, key: str) -> list[int]:
    lines = read(path).splitlines()
    return [int(line.split()[1]) for line in lines if line.startswith(f"{key}:")]
