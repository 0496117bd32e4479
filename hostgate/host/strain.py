"""How busy the machine is: its load, and the memory that is free."""

from __future__ import annotations

import os

from hostgate.core.settings import CORES
from hostgate.core.sizes import say_size

MEMORY = "/proc/meminfo"  # the fast way; without it (macOS) psutil tells the same


def strain(load: object, free_memory: object) -> str:
    """Why nothing more should start now, in a person's words; "" where nothing speaks against it.

    ``load`` is the load average of a minute from which on that is so, or ``cores`` for one that is
    as many as these; ``free_memory`` is the least memory in bytes. ``None`` is no limit.
    """
    if load is not None:
        most = float(cores()) if load == CORES else float(str(load))
        now = os.getloadavg()[0]
        if now >= most:
            return f"the load of this host is {now:.1f}, the limit is {most:g}"
    if isinstance(free_memory, int):
        free = available_memory()
        if free < free_memory:
            return f"{say_size(free)} of memory are free, the limit is {say_size(free_memory)}"
    return ""


def available_memory() -> int:
    """The bytes that a new program could have without swapping."""
    try:
        with open(MEMORY) as file:  # 20 ms less than psutil takes, under the registry's lock
            (line,) = [line for line in file if line.startswith("MemAvailable:")]
        return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        import psutil

        return int(psutil.virtual_memory().available)


def cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
