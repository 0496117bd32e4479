"""A command and all that it started, to be ended together. psutil knows the tree everywhere."""

from __future__ import annotations

import os
from _signal import SIGINT
from collections.abc import Callable
from functools import partial
from time import monotonic, sleep

import psutil

INTERRUPTED = 3.0  # seconds that a command on a terminal has to end as at Ctrl-C
TICK = 0.05  # seconds between two looks at what is being ended
STUBBORN = 2.0  # seconds that what cannot be killed (another user's) is waited for


class Ladder:
    """Ending a tree: SIGTERM, a grace, SIGKILL to what is left of it."""

    def __init__(self, pid: int, grace: float) -> None:
        self._tree = Tree(pid)
        self._deadline = monotonic() + grace
        self._tree.terminate()

    def step(self) -> None:
        """Go on to SIGKILL when the grace is over. Called again and again."""
        if monotonic() >= self._deadline:
            self._tree.kill()

    def done(self) -> bool:
        """Whether nothing is left, or nothing that can be ended."""
        return monotonic() >= self._deadline + STUBBORN or not self._tree.alive()


def end(pid: int, grace: float) -> bool:
    """End a process and all that it started; ``grace`` is between SIGTERM and SIGKILL.

    What has a terminal is first interrupted, as by Ctrl-C there. Returns whether all has ended.
    """
    tree = Tree(pid)
    if _on_terminal(pid):
        tree.interrupt()
        tree.wait(INTERRUPTED)
    if tree.alive():
        tree.terminate()
        tree.wait(grace)
    deadline = monotonic() + STUBBORN
    while tree.alive() and monotonic() < deadline:
        tree.kill()  # again and again: it may start others meanwhile
        tree.wait(TICK)
    return not tree.alive()


def _on_terminal(pid: int) -> bool:
    try:
        return psutil.Process(pid).terminal() is not None
    except psutil.Error:
        return False


class Tree:
    """The processes below one, as they are now; what they start later is found again."""

    def __init__(self, pid: int) -> None:
        self._processes: dict[tuple[int, float], psutil.Process] = {}
        try:
            self._add(psutil.Process(pid))
        except psutil.NoSuchProcess:
            pass
        self._look()

    def interrupt(self) -> None:
        """Do what Ctrl-C does."""
        for process in self._living():
            _quietly(partial(process.send_signal, SIGINT))
            _quietly(process.resume)

    def wait(self, seconds: float) -> None:
        """Wait until no process is left, at most so long."""
        deadline = monotonic() + seconds
        while self.alive() and monotonic() < deadline:
            self._look()
            sleep(TICK)

    def terminate(self) -> None:
        """Ask every process to end, and let stopped ones go on so that they can."""
        for process in self._living():
            _quietly(process.terminate)
            _quietly(process.resume)

    def kill(self) -> None:
        """End every process that is left."""
        self._look()
        for process in self._living():
            _quietly(process.kill)

    def alive(self) -> bool:
        """Whether any process is left."""
        return bool(self._living())

    def _look(self) -> None:
        for process in self._living():
            try:
                for child in process.children(recursive=True):
                    self._add(child)
            except psutil.Error:
                continue

    def _add(self, process: psutil.Process) -> None:
        if process.pid != os.getpid():
            self._processes[process.pid, process.create_time()] = process

    def _living(self) -> list[psutil.Process]:
        return [process for process in self._processes.values() if _lives(process)]


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def _quietly(action: Callable[[], None]) -> None:
    try:
        action()
    except psutil.Error:
        pass  # it has ended, or is another user's
