"""The exit codes of hostgate itself, in one table."""

from __future__ import annotations

from hostgate.cli import NOT_RUN, TROUBLE
from hostgate.host.child import NOT_EXECUTABLE, NOT_FOUND, TIMED_OUT

TABLE = (
    ("the command's own", "it ran"),
    ("128+N", "it died by signal N; 130 also for Ctrl-C while hostgate waits or asks"),
    (str(TIMED_OUT), "--timeout ended it"),
    (str(NOT_RUN), "not run: cancelled, or --wait-timeout is over; wait and retry"),
    (str(TROUBLE), "bad usage, a run id without a result, or --strict and the gate does not work"),
    (str(NOT_EXECUTABLE), "the command cannot be executed"),
    (str(NOT_FOUND), "the command is not found"),
)
