"""The command line: the quick path of ``run``, the Typer app for the rest, the error boundary."""

NOT_RUN = 75  # EX_TEMPFAIL of sysexits.h: cancelled, or waited too long; try again
TROUBLE = 125  # bad usage, a run id without a result, --strict and the gate does not work
SIGNAL = 128  # and the signal's number
