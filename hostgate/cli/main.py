"""The entry point: ``run`` goes the quick way, everything else through Typer."""

from __future__ import annotations

import os
import sys

QUICK = ("run", "hold", "hook")  # what agents and people have before every command


def main() -> None:
    """Run the command line and end the process with its exit code."""
    words = sys.argv[1:]
    verb = words[0] if words else ""
    if verb in QUICK:
        from hostgate.host import default_endings

        default_endings()  # first: Python's own way to end at Ctrl-C is a traceback
        if "--help" not in words[1 : _end_of_options(words)]:
            _leave(_quick(verb, words[1:]))
    if words == ["ls", "--json"]:
        from hostgate.cli.listing import listing

        _leave(listing())
    import warnings

    warnings.simplefilter("ignore", DeprecationWarning)  # of Typer's own use of click
    from hostgate.cli.app import main as app

    _leave(app(words))


def _quick(verb: str, words: list[str]) -> int:
    from hostgate.cli.options import UsageError

    disabled = os.environ.get("HOSTGATE_DISABLE", "0") not in ("", "0")
    try:
        if verb == "run":
            return _run(words, disabled)
        if disabled:
            return 0
        if verb == "hook":
            from hostgate.cli.hook import hook

            return hook(words)
        from hostgate.cli.hold import hold

        return hold(words, os.environ)
    except UsageError as error:
        from hostgate.ui.voice import line

        line(f"{error} (hostgate {verb} --help)")
        return 125


def _run(words: list[str], disabled: bool) -> int:
    from hostgate.cli.options import parse
    from hostgate.cli.run import run, run_ungated

    request = parse(words, {} if disabled else os.environ)
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
