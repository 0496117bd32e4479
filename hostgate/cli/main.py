"""The entry point: ``run`` goes the quick way, everything else through Typer."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    words = sys.argv[1:]
    if words[:1] == ["run"]:
        from hostgate.host.interrupts import default_endings

        default_endings()  # first: Python's own way to end at Ctrl-C is a traceback
    if words[:1] == ["run"] and "--help" not in words[1 : _end_of_options(words)]:
        _leave(_run(words[1:]))
    import warnings

    warnings.simplefilter("ignore", DeprecationWarning)  # of Typer's own use of click
    from hostgate.cli.app import main as app

    _leave(app(words))


def _run(words: list[str]) -> int:
    from hostgate.cli.options import UsageError, parse

    disabled = os.environ.get("HOSTGATE_DISABLE", "0") not in ("", "0")
    try:
        request = parse(words, {} if disabled else os.environ)
    except UsageError as error:
        from hostgate.ui.voice import line

        line(f"{error} (hostgate run --help)")
        return 125
    from hostgate.cli.run import run, run_ungated

    return run_ungated(request) if disabled else run(request)


def _end_of_options(words: list[str]) -> int:
    for at, word in enumerate(words):
        if word in ("--", "-c"):
            return at
    return len(words)


def _leave(code: int) -> None:
    """End at once: the interpreter's own way out costs 2 ms and more, and frees nothing of ours.

    A death by SIGINT is passed on as one, so that a shell's loop stops; others become 128+N.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # it is closed
                stream.flush()
        except OSError:
            code = code or 1
    if code == -2:
        from hostgate.host.child import die_by

        die_by(2)
    os._exit(code if code >= 0 else 128 - code)
