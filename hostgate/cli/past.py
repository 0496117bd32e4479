"""The commands that look back: history and stats."""

from __future__ import annotations

from time import gmtime, strftime, time

from hostgate.cli.claiming import open_store, warn
from hostgate.cli.options import UsageError
from hostgate.core.durations import parse_duration
from hostgate.core.tally import tally
from hostgate.host import StateError, dumps
from hostgate.host.history import OUTCOMES, Record, entries
from hostgate.host.project import roots_of
from hostgate.host.tidy import tidy


class Wanted:
    """Which lines of the history are wanted; "" and ``None`` are all of them."""

    def __init__(
        self,
        project: str | None = None,
        session: str | None = None,
        outcome: str | None = None,
        since: str | None = None,
    ) -> None:
        """Raises :class:`UsageError` for a ``since`` that is no duration, an unknown outcome."""
        if outcome not in (None, *OUTCOMES):
            raise UsageError(f"--outcome: not one of {', '.join(OUTCOMES)}: {outcome!r}")
        self._session = session
        self._outcome = outcome
        self._roots = {roots_of(project).tree, roots_of(project).repository} if project else None
        self._since = ""
        if since is not None:
            try:
                self._since = _utc(time() - parse_duration(since))
            except (ValueError, OverflowError, OSError):
                raise UsageError(f"--since: not a duration: {since!r} (90, 1h30m, 2d)") from None

    def __call__(self, record: Record) -> bool:
        """Whether a line is wanted."""
        return (
            (self._roots is None or record.get("project") in self._roots)
            and self._session in (None, record.get("session"), record.get("title"))
            and self._outcome in (None, record.get("outcome"))
            and str(record.get("ended_at", "")) >= self._since
        )


def history(as_json: bool, count: int, wanted: Wanted) -> int:
    """Show what has ended, the last ``count`` lines of what is wanted."""
    known = _known()
    records = [record for record in known if wanted(record)][-count:]
    if as_json:
        print(dumps({"schema": 1, "history": records}))
        return 0
    from hostgate.ui import tables

    tables.console().print(tables.history(records) if records else _nothing(known))
    return 0


def stats(as_json: bool, wanted: Wanted) -> int:
    """Show what the history adds up to, by project and by rule."""
    known = _known()
    projects, rules = tally(record for record in known if wanted(record))
    document = {
        "schema": 1,
        "projects": [one.plain() for one in projects],
        "rules": [one.plain() for one in rules],
    }
    if as_json:
        print(dumps(document))
        return 0
    from hostgate.ui import tables

    tables.console().print(tables.stats(document) if projects else _nothing(known))
    return 0


def _known() -> list[Record]:
    """All that has ended, what was killed too."""
    store = open_store()
    try:
        tidy(store, warn)
    except StateError:
        pass  # what is written can be shown all the same
    return list(entries(store.state))


def _nothing(known: list[Record]) -> str:
    return "the history has nothing of that" if known else "nothing has run yet"


def _utc(seconds: float) -> str:
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))
