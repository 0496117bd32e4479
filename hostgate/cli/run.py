"""``hostgate run``: the quick path. On a clear way nothing heavy is imported."""

from __future__ import annotations

import os

from hostgate.cli import SIGNAL, TROUBLE
from hostgate.cli.claiming import enter, make_gate, warn
from hostgate.cli.options import Request
from hostgate.gate import Gate
from hostgate.host import StateError, because, child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hostgate.host.recorder import Recorder


def run(request: Request, again_in: str = "", repeats: str = "") -> int:
    """Gate a command, run it, and return the exit code; -N is to die by signal N.

    ``again_in`` is the project of what it repeats, ``repeats`` the token of that execution of its
    run id.
    """
    child.reserve_standard_descriptors()
    try:
        gate = make_gate(request)
        if again_in:
            gate.claim.project, gate.repeats = again_in, repeats
        policy = request.on_conflict or "ask"
        found = enter(gate, policy)
    except (StateError, OSError) as error:
        return _ungated(request, str(error))
    except Exception as error:  # a defect of hostgate must not cost the user the command
        return _ungated(request, f"internal error: {type(error).__name__}: {error}")
    if found:
        from hostgate.cli.admission import pass_by

        code = pass_by(gate, request, policy, found)
        if code is not None:
            return code
    if gate.earlier or gate.joins:
        from hostgate.cli.joining import answer

        return answer(gate, request)
    return execute(request, gate)


def run_ungated(request: Request) -> int:
    """Run a command as if there were no gate (``HOSTGATE_DISABLE``)."""
    return execute(request, None)


def _ungated(request: Request, why: str) -> int:
    """The gate does not work: one line, and the command runs all the same, but for --strict."""
    if request.strict:
        _say(f"not run: {why} (--strict)")
        return TROUBLE
    warn(f"{why}; running ungated")
    return execute(request, None)


def execute(request: Request, gate: Gate | None) -> int:
    """Run the command, gated or not, and return its exit code; -N is a death by signal N."""
    environment = dict(os.environ)
    if request.text is not None:
        argv = [environment.get("SHELL") or "/bin/sh", "-c", request.text]
    else:
        argv = request.argv
    grace = child.GRACE if request.grace is None else request.grace
    recorder = _recorder(gate) if gate and gate.claim.digest else None
    try:
        outcome, code = child.run(
            argv,
            gate.environment(environment) if gate else environment,
            _sure(gate.started) if gate else _nothing,
            request.timeout,
            grace,
            recorder.actions if recorder else (),
            _sure(gate.prepare) if gate else None,
            bool(gate and gate.told),
        )
    except child.CannotStart as error:
        _say(str(error))
        outcome, code = "not-started", error.code
    whole = recorder is not None and recorder.finish()
    if gate:
        _sure(gate.end)(outcome, code if code >= 0 else SIGNAL - code, whole)
    if recorder:
        child.settle()
        recorder.shown()
    return code


def _sure(act: Callable[..., None]) -> Callable[..., None]:
    """Something beside the command: whatever it raises costs a warning, and not the command."""

    def surely(*given: object) -> None:
        try:
            act(*given)
        except Exception as error:
            warn(f"internal error: {type(error).__name__}: {error}")

    return surely


def _recorder(gate: Gate) -> Recorder | None:
    from hostgate.host.recorder import Recorder

    try:
        return Recorder(gate.store.records.create_log(gate.claim), warn)
    except OSError as error:
        warn(f"the output cannot be recorded: {because(error)}")
        return None


def _nothing(pid: int) -> None:
    """An ungated command's pid concerns nobody."""


def _say(text: str) -> None:
    from hostgate.ui.voice import line

    line(text)
