"""What has ended: one JSON line a claim, bounded by size."""

from __future__ import annotations

import os

from hostgate.core.claims import KEPT, LIMIT, RESERVED, RUNNING, Claim
from hostgate.core.registry import Now
from hostgate.host import because, dumps, loads
from hostgate.host.state import HISTORY, State, write_all

BOUND = 1 << 20  # bytes; over it the older half goes
RECENT = 1 << 15  # bytes of the history's end
SAMPLES = 9  # of a command's last successful runs, whose median is what it usually takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OUTCOMES = (
    *("ran", "timeout", "not-started", "left", "held", "lapsed"),
    *("taken-over", "indeterminate"),
)

TEXTS = (
    *("session", "title", "project", "command", "outcome"),
    *("directory", "form", "run_id"),
)

GOOD = (("ran", 0), ("held", 0), ("held", None))  # ends whose time is a usual one

Record = dict[str, object]


def record(
    claim: Claim, outcome: str, code: int | None, waited: float, ran: float, ended_at: str
) -> Record:
    """The history's line on a claim that ended. ``waited`` and ``ran`` are seconds.

    ``outcome`` is ``ran``, ``timeout``, ``not-started``, ``left`` (the queue), ``held`` (by a
    shell, to its end), ``lapsed`` (a reservation that nobody came for), ``taken-over`` (it goes on
    under another owner) or ``indeterminate`` (nobody recorded how it ended); ``code`` is what
    hostgate exited with, where it knows.
    """
    return {
        "id": claim.id,
        "epoch": claim.epoch,
        "session": claim.session,
        "title": claim.title,
        "project": claim.project,
        "command": claim.command,
        "directory": claim.directory,
        "form": claim.form,
        "run_id": claim.run_id,
        "lanes": claim.lanes,
        "outcome": outcome,
        "code": code,
        "waited": round(waited, 3),
        "ran": round(ran, 3),
        "blockers": claim.behind,
        "override": claim.override,
        "enqueued_at": claim.enqueued_at,
        "started_at": claim.started_at,
        "ended_at": ended_at,
    }


def handed_on(former: Claim, moment: Now) -> Record:
    """The line on a claim that goes on under another owner."""
    running = former.state in (RUNNING, RESERVED)
    waited = (former.since if running else moment.uptime) - former.enqueued
    ran = moment.uptime - former.since if running else 0.0
    return record(former, "taken-over", None, waited, ran, moment.utc)


def lost(dropped: list[Claim], moment: Now) -> list[Record]:
    """The lines on claims whose owner is gone without having recorded an end.

    A kept place has no owner, and its end is no news.
    """
    records = []
    for claim in dropped:
        if claim.state == KEPT:
            continue
        running = claim.state == RUNNING
        waited = (claim.since if running else moment.uptime) - claim.enqueued
        ran = moment.uptime - claim.since if running else 0.0
        outcome = "lapsed" if claim.state == RESERVED else "held" if claim.held else "indeterminate"
        records.append(record(claim, outcome, None, waited, ran, moment.utc))
    return records


def remember(state: State, records: list[Record], warn: Callable[[str], None]) -> None:
    """Add lines; a history that cannot be written is a warning and stops nothing."""
    if not records:
        return
    try:
        append(state, records)
    except OSError as error:
        warn(f"the history cannot be written: {because(error)}")


def is_recorded(state: State, claim: Claim) -> bool:
    """Whether the end of a claim, under its present owner, stands among the last lines.

    A keeper in an agent's sandbox may be killed between that and the registry.
    """
    try:
        fd = os.open(state.file(HISTORY), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        size = os.fstat(fd).st_size
        start = f'"id":"{claim.id}","epoch":{claim.epoch},'
        return start.encode() in os.pread(fd, RECENT, max(0, size - RECENT))
    finally:
        os.close(fd)


def last_epoch(state: State) -> int:
    """The greatest epoch among the last lines, or 0: a lost registry is to go on from there."""
    epochs = [entry.get("epoch") for entry in entries(state)]
    return max([one for one in epochs if isinstance(one, int) and 0 <= one < LIMIT], default=0)


def append(state: State, records: list[Record]) -> None:
    """Add lines. Under the registry's lock, so that lines never mix. Raises ``OSError``."""
    path = state.file(HISTORY)
    fd = state.create(path, os.O_RDWR | os.O_APPEND)
    try:
        size = os.fstat(fd).st_size
        torn = size and os.pread(fd, 1, size - 1) != b"\n"  # the disk was full, or it was killed
        lines = "".join([dumps(entry) + "\n" for entry in records])
        write_all(fd, ("\n" * bool(torn) + lines).encode())
        size = os.fstat(fd).st_size
        if size > BOUND:
            tail = os.pread(fd, size, size - BOUND // 2)
            state.replace(path, tail[tail.find(b"\n") + 1 :])
    finally:
        os.close(fd)


def entries(state: State) -> Iterator[Record]:
    """All lines, oldest first; what is no line of a history is passed over."""
    try:
        fd = os.open(state.file(HISTORY), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        with os.fdopen(fd, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    value = loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(value, dict) and is_record(value):
                    yield value
    except OSError:
        return  # it is a directory, or cannot be read


def is_record(value: Record) -> bool:
    """Whether a JSON object is a line of a history, with numbers that can be used."""
    code = value.get("code")
    times = [value.get(name) for name in ("waited", "ran")]
    texts = [value.get(name, "") for name in TEXTS]
    return (
        isinstance(value.get("id"), str)
        and all(isinstance(text, str) for text in texts)
        and (code is None or (isinstance(code, int) and 0 <= code <= 255))
        and all(isinstance(time, (int, float)) and 0 <= time < 1e12 for time in times)
    )


class Usual:
    """How long commands usually take; the history is read at most once for each project."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._times: dict[str, dict[str, list[float]]] = {}

    def __call__(self, claim: Claim) -> float | None:
        """The median time in seconds of the last good runs of the claim's command, if any."""
        from hostgate.core.likeness import fold

        if claim.project not in self._times:
            self._times[claim.project] = self._read(claim.project)
        times = self._times[claim.project].get(fold(claim.command), [])[-SAMPLES:]
        return sorted(times)[len(times) // 2] if times else None

    def _read(self, project: str) -> dict[str, list[float]]:
        from hostgate.core.likeness import fold

        found: dict[str, list[float]] = {}
        for entry in entries(self._state):
            # of what an agent's shell held nobody knows the code
            good = (entry.get("outcome"), entry.get("code")) in GOOD
            if good and entry.get("project") == project:
                times = found.setdefault(fold(str(entry.get("command"))), [])
                times.append(float(str(entry["ran"])))
        return found
