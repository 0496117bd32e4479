"""hostgate's lines on standard error: warnings, the wait, the verdict."""

from __future__ import annotations

import os
from select import PIPE_BUF, select

from hostgate.core.admit import Blocker
from hostgate.core.claims import Claim
from hostgate.core.text import cells, fit, inert
from hostgate.host import now, terminal
from hostgate.ui import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ROOM = PIPE_BUF  # bytes that a pipe takes without blocking once it is writable at all
PATIENCE = 0.5  # seconds that a line waits for a slow reader
BEAT = 30.0  # seconds between two plain lines while nothing changes


def line(text: str) -> None:
    """One inert, bounded line on standard error; none where that is closed or nobody reads it."""
    _put(f"hostgate: {inert(text, ROOM)}\n", PATIENCE)


def warn(text: str) -> None:
    """Something broke, and the command runs all the same."""
    line(f"warning: {text}")


class Waiting:
    """The view of one wait: a line that is drawn over on a terminal, else plain lines.

    ``usual`` tells how long the command of a claim usually takes; ``anyway`` is the command that
    runs it now ("" where none does). ``plain``: somebody else draws on this terminal, so no line is
    drawn over.
    """

    def __init__(
        self,
        since: float,
        anyway: str,
        usual: Callable[[Claim], float | None],
        quiet: bool,
        plain: bool,
    ) -> None:
        self._since = since
        self._anyway = anyway
        self._usual = usual
        self._quiet = quiet
        self._plain = plain
        self._drawn = False
        self._said: list[object] = []
        self._next = 0.0

    def tell(self, found: list[Blocker]) -> None:
        """Show what blocks now."""
        if self._quiet:
            return
        uptime = now().uptime
        waited = uptime - self._since
        if terminal.in_foreground() and not terminal.is_dumb() and not self._plain:
            text = phrases.waiting(found, waited, uptime, self._usual(found[0].claim))
            self._draw(text)
            return
        facts = [(one.claim.id, one.claim.state) for one in found]
        if facts == self._said and uptime < self._next:
            return
        self._said, self._next = list(facts), uptime + BEAT
        text = phrases.waiting(found, waited, uptime, self._usual(found[0].claim))
        line(f"{text} [{found[0].reason}]. {phrases.advice(self._anyway)}")

    def close(self, verdict: str) -> None:
        """The end of the wait, in one line; none where what follows says it."""
        if self._drawn:
            _put("\r\x1b[K")
        if verdict and not self._quiet:
            line(verdict)

    def _draw(self, text: str) -> None:
        self._drawn = True
        hint = " (Ctrl-C leaves the queue)"  # where there is room for it
        room = max(terminal.width() - 1, 1)
        shown = fit(inert(f"hostgate: {text}", room), room)
        if cells(shown) + len(hint) <= room:
            shown += hint
        _put(f"\r{shown}\x1b[K")


def _put(text: str, patience: float = 0.0) -> None:
    try:
        if not select([], [2], [], patience)[1]:
            return  # a full pipe must not hold up the queue
        data = text.encode("utf-8", "replace")
        os.write(2, data if len(data) <= ROOM else data[: ROOM - 4] + b"...\n")
    except (OSError, ValueError):
        pass  # nobody can be told, and the command matters more
