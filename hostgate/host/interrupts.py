"""The signals that end hostgate while it asks or waits: noted when they come, obeyed between steps.

A handler that raises would lose the signal where the interpreter swallows exceptions (in a
callback of the import system, say), and could raise in the middle of a transaction.
"""

from __future__ import annotations

import os
from _signal import SIG_IGN, getsignal, set_wakeup_fd, signal

from hostgate.host import ENDING, default_endings


class Interrupted(Exception):
    """A signal has asked hostgate to end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.number = number


class Interrupts:
    """Notes the ending signals from its making to :meth:`close`; ignored ones stay ignored."""

    def __init__(self) -> None:
        self._noted: list[int] = []
        self.fd, self._writing = os.pipe()  # readable when a signal has come
        os.set_blocking(self.fd, False)
        os.set_blocking(self._writing, False)
        set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        for number in ENDING:
            if getsignal(number) != SIG_IGN:
                signal(number, self._note)

    def check(self) -> None:
        """Raise :class:`Interrupted` if an ending signal has come; others only woke us."""
        try:
            os.read(self.fd, 512)  # a timer's byte would wake every later wait too
        except BlockingIOError:
            pass
        if self._noted:
            raise Interrupted(self._noted[0])

    def close(self) -> None:
        """Let the signals do again what the system has them do; raise if one came before."""
        set_wakeup_fd(-1)
        default_endings()
        try:
            self.check()
        finally:
            os.close(self.fd)
            os.close(self._writing)

    def _note(self, number: int, frame: object) -> None:
        self._noted.append(number)
