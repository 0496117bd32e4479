"""The exit codes of hostgate itself, in one table."""

from __future__ import annotations

from hostgate.host.child import NOT_EXECUTABLE, NOT_FOUND, TIMED_OUT

NOT_RUN = 75  # EX_TEMPFAIL of sysexits.h: cancelled, or waited too long; try again
TROUBLE = 125  # bad usage, a run id without a result, --strict and the gate does not work
SIGNAL = 128  # and the signal's number

TABLE = (
    ("the command's own", "it ran"),
    ("128+N", "it died by signal N; 130 also for Ctrl-C while hostgate waits or asks"),
    (str(TIMED_OUT), "--timeout ended it"),
    (str(NOT_RUN), "not run: cancelled, or --wait-timeout is over; wait and retry"),
    (str(TROUBLE), "bad usage, a run id without a result, or --strict and the gate does not work"),
    (str(NOT_EXECUTABLE), "the command cannot be executed"),
    (str(NOT_FOUND), "the command is not found"),
)
