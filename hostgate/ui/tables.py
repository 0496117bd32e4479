"""Tables for people, by rich. Whatever another session wrote is plain, inert text here."""

from __future__ import annotations

import os
import sys

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hostgate.core.durations import say
from hostgate.core.text import inert
from hostgate.host.terminal import width
from hostgate.ui.documents import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Shown = Table | Text

SETTING = 2000  # characters of a setting's value that a table shows
STYLES = {
    "running": "green",
    "waiting": "yellow",
    "reserved": "cyan",
    "orphaned": "red",
    "kept": "dim",
}


def console() -> Console:
    """The console on standard output; a pipe gets the whole width of its lines."""
    columns = None if sys.stdout.isatty() and "COLUMNS" not in os.environ else max(width(), 20)
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        columns = 200
    return Console(width=columns, highlight=False, markup=False, emoji=False)


def claims(document: Document) -> Shown:
    """The table of ``ls``."""
    rows = _items(document["claims"])
    if not rows:
        return Text("nothing is running or waiting")
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = ["ID", "STATE", "FOR", "SESSION", "COMMAND", "PROJECT", "LANES", "WAITS FOR"]
    lanes = any(row["lanes"] for row in rows)
    for name in names if lanes else [name for name in names if name != "LANES"]:
        table.add_column(name, overflow="fold" if name == "COMMAND" else "ellipsis")
    for row in rows:
        state = str(row["state"])
        note = " (stopped)" if row["stopped"] else " (anyway)" if row["override"] else ""
        if row["ahead"]:
            note += f", {row['ahead']} ahead"
        table.add_row(
            str(row["id"]),
            Text(state + note, STYLES.get(state, "")),
            _time(row),
            inert(str(row["title"]), 60),
            inert(str(row["command"])),
            inert(str(row["project"]), 60),
            *([inert(", ".join(_texts(row["lanes"])), 60)] if lanes else []),
            _waits_for(_items(row["blockers"])),
        )
    return table


def _time(row: Document) -> str:
    """For how long, and for a run how long it usually takes."""
    usual = row["usual"]
    so_far = say(_seconds(row["elapsed"]))
    return so_far if usual is None else f"{so_far} (usually {say(_seconds(usual))})"


def history(records: list[Document]) -> Shown:
    """The table of ``history``, oldest first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("ENDED", "ID", "OUTCOME", "CODE", "WAITED", "RAN", "SESSION", "COMMAND"):
        table.add_column(name, overflow="fold" if name == "COMMAND" else "ellipsis")
    for row in records:
        code = row.get("code")
        table.add_row(
            inert(str(row.get("ended_at", "")), 20),
            inert(str(row["id"]), 8),
            inert(str(row.get("outcome", "")), 20) + (" (anyway)" if row.get("override") else ""),
            "" if code is None else inert(str(code), 6),
            say(_seconds(row.get("waited"))),
            say(_seconds(row.get("ran"))),
            inert(str(row.get("title", "")), 60),
            inert(str(row.get("command", ""))),
        )
    return table


def stats(document: Document) -> Shown:
    """The table of ``stats``: the projects, then the rules."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("PROJECT", "RUNS", "CONFLICTS", "RUN ANYWAY", "WAITED", "RAN"):
        table.add_column(name, overflow="fold", justify="left" if name == "PROJECT" else "right")
    for row in _items(document["projects"]):
        table.add_row(*_sums(row))
    rules = _items(document["rules"])
    if rules:
        table.add_section()
        table.add_row(Text("RULE", "bold"))
    for row in rules:
        table.add_row(*_sums(row))
    return table


def _sums(row: Document) -> list[str]:
    counts = [str(row[name]) for name in ("runs", "conflicts", "anyway")]
    times = [say(_seconds(row[name])) for name in ("waited", "ran")]
    return [inert(str(row["name"]), 80), *counts, *times]


def settings(document: Document) -> Shown:
    """The tables of ``config``: the values with their origins, then the files."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("KEY", "VALUE", "FROM"):
        table.add_column(name, overflow="fold")
    for key, entry in _table(document["settings"]).items():
        said = _table(entry)
        value, origins = said["value"], _texts(said["origins"])
        shown = ", ".join(_texts(value)) if isinstance(value, list) else str(value)
        table.add_row(inert(key), inert(shown or "-", SETTING), inert(", ".join(origins), SETTING))
    for file in _items(document["files"]):
        there = "there" if file["exists"] else "not there"
        table.add_row(f"{file['of']}'s file", inert(str(file["path"]), SETTING), there)
    return table


def watch(frames: Iterator[Callable[[], Shown]]) -> None:
    """Show one table after the other in place, until Ctrl-C."""
    with Live(console=console(), auto_refresh=False) as live:
        for frame in frames:
            live.update(frame(), refresh=True)


def _waits_for(blockers: list[Document]) -> str:
    names = [f"{inert(str(one['title']), 40)} [{one['id']}: {one['rule']}]" for one in blockers]
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


def _table(value: object) -> Document:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _items(value: object) -> list[Document]:
    return value if isinstance(value, list) else []


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
