"""What the system knows of a process: does it live, is it stopped, is it the one we mean."""

from __future__ import annotations

import os

PROC = "/proc"  # the fast way; without it (macOS) psutil tells the same


def start_stamp(pid: int) -> str:
    """The kernel's start stamp of a process, or "" where it is not to be had cheaply."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def pid_space() -> str:
    """The pid namespace of this process; "" on systems that have none."""
    try:
        return os.readlink(f"{PROC}/self/ns/pid")
    except OSError:
        return ""


def is_dead(pid: int, start: str) -> bool:
    """Whether the process that had this pid is provably gone; unknown counts as alive.

    ``start`` is its start stamp, where one was to be had: a process with another one is another
    process with the same pid. No clock can prove that, for clocks step.
    """
    if pid < 1:
        return False  # never a process to ask about: 0 and -1 are groups
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass  # it is there, but not ours
    fields = _stat(pid)
    if fields and start:
        return fields[0] in "ZX" or fields[19] != start
    if _is_of_another_space():
        return False
    try:
        import psutil
    except Exception:
        return False  # it is absent, or cannot be loaded
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False


def caller() -> int:
    """The process that started this one; 0 if it is gone, and somebody else took its place.

    Whoever takes in orphans (init, or a supervisor) is in another session than they are, unless
    they have made one of their own.
    """
    parent, session = os.getppid(), os.getsid(0)
    if session == os.getpid():
        return parent if parent != 1 else 0
    try:
        return parent if session == os.getsid(parent) else 0
    except OSError:
        return 0


def ancestors(pid: int) -> list[int]:
    """The processes that a process runs in, the nearest first; it is none of them."""
    found: list[int] = []
    while fields := _stat(pid):
        pid = int(fields[1])
        if pid < 1 or pid in found:
            return found
        found.append(pid)
    if found:
        return found
    if _is_of_another_space():
        return [os.getppid()] if pid == os.getpid() else []
    try:
        import psutil

        return [one.pid for one in psutil.Process(pid).parents()]
    except Exception:
        return []  # psutil is absent, or the process is gone


def holders(path: str) -> list[int]:
    """The processes that :func:`holds`, as far as this user may see them; not this one."""
    import psutil

    return [pid for pid in psutil.pids() if pid != os.getpid() and holds(pid, path)]


def holds(pid: int, path: str) -> bool:
    """Whether a process provably has a file open, as its own or an inherited lock file.

    Who only reads it (a backup, an index) does not count where the system tells. A link in the
    file's place is not followed: what it leads to may be open everywhere.
    """
    folder, name = os.path.split(path)
    real = os.path.join(os.path.realpath(folder), name)
    try:
        return real in _open_files(pid)
    except Exception:
        return False  # it is gone, or another user's, or psutil is absent


def user_of(pid: int) -> int | None:
    """The user whose rights a process has; ``None`` where that cannot be known."""
    try:
        import psutil

        return int(psutil.Process(pid).uids().effective)
    except Exception:
        return None  # it is gone, or psutil is absent


def _open_files(pid: int) -> list[str]:
    folder = f"{PROC}/{pid}/fd"
    if os.path.isdir(folder):  # which names those too whose name is gone
        names = os.listdir(folder)
        links = [_link(f"{folder}/{fd}") for fd in names if _writes(f"{PROC}/{pid}/fdinfo/{fd}")]
        return [link.removesuffix(" (deleted)") for link in links]
    import psutil

    return [file.path for file in psutil.Process(pid).open_files()]


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""  # it has just been closed


def _writes(path: str) -> bool:
    """Whether a descriptor is one to write to, by what /proc tells of it."""
    try:
        with open(path) as file:
            flags = next((line for line in file if line.startswith("flags:")), "flags: 0")
        return int(flags.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, ValueError):
        return False  # it has just been closed


def command_line(pid: int) -> list[str]:
    """The words that a process was started with; none where they cannot be known."""
    try:
        import psutil

        return psutil.Process(pid).cmdline()
    except Exception:
        return []  # psutil is absent, or the process is another user's, or gone


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped, as by Ctrl-Z; unknown counts as running."""
    fields = _stat(pid)
    if fields:
        return fields[0] in "Tt"
    if _is_of_another_space():
        return False
    try:
        import psutil

        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except Exception:
        return False  # psutil is absent, or the process is gone: not stopped, as far as we know


def _is_of_another_space() -> bool:
    """Whether what ``/proc`` calls by a pid is another process: so in Claude Code's sandbox.

    It has a pid namespace within another, whose ``/proc`` it sees.
    """
    try:
        return os.readlink(f"{PROC}/self") != str(os.getpid())
    except OSError:
        return False


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; none where there is no such file."""
    if _is_of_another_space():
        return []
    try:
        fd = os.open(f"{PROC}/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        text = os.read(fd, 1024).decode("ascii", "replace")
    except OSError:
        return []
    finally:
        os.close(fd)
    return text.rpartition(")")[2].split()
