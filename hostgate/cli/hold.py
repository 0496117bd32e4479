"""``hostgate hold`` and ``release``: a slot for the shell that calls, not for one command."""

from __future__ import annotations

import os

from hostgate.cli import TROUBLE
from hostgate.cli.claiming import chain, enter, make_gate, open_store, warn
from hostgate.cli.options import HOLD, Request, UsageError, parse
from hostgate.core.claims import RESERVED
from hostgate.core.registry import RESERVED_FOR
from hostgate.gate import Gate
from hostgate.host import StateError, child, process
from hostgate.host.history import entries
from hostgate.host.store import FileStore
from hostgate.keeper import HELD, keep
from hostgate.keeper import release as let_go

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hostgate.core.claims import Claim


def hold(words: list[str], environment: Mapping[str, str]) -> int:
    """Hold a slot as long as the calling shell lives. Returns 0, or why there is none.

    Raises :class:`UsageError`.
    """
    child.reserve_standard_descriptors()
    shell = process.caller()
    caller = (shell, process.start_stamp(shell))
    request = parse(words, environment, HOLD, "hold")
    try:
        if not shell:
            _give_back(request.id)
            return _ungated(request, "the shell that called is gone, or in another session")
        if request.id:
            store = open_store()
            if keep(store, request.id, caller) == HELD:
                return 0
            claim = _remembered(store, request.id)
            if claim is None:
                return _unknown(request)
            gate = Gate(store, claim, chain(), warn)
        else:
            if request.text is None and not request.argv:
                request.argv = process.command_line(shell) or ["hostgate", "hold"]
            gate = make_gate(request)
        gate.claim.lasts = RESERVED_FOR
        code = _reserve(request, gate)
        if code is None and keep(gate.store, gate.claim.id, caller) != HELD:
            return _ungated(request, "the slot could not be held")
        return code or 0
    except UsageError:
        raise
    except (StateError, OSError) as error:
        return _ungated(request, str(error))
    except Exception as error:  # a defect of hostgate must not cost the user the command
        return _ungated(request, f"internal error: {type(error).__name__}: {error}")


def _unknown(request: Request) -> int:
    """An id that nobody knows: that of a lost registry, or a command without its dashes.

    Raises :class:`UsageError` for the latter.
    """
    from shutil import which

    if which(request.id):
        raise UsageError(f"put -- before the command: hostgate hold -- {request.id}")
    return _ungated(request, f"no reservation {request.id} is known")


def _give_back(id: str) -> None:
    """End a reservation for which there is no shell."""
    store = open_store()
    claim = store.read().find(id)
    if claim is not None and claim.state == RESERVED:
        let_go(store, claim, warn)


def _reserve(request: Request, gate: Gate) -> int | None:
    """Get a reservation: ``None`` once there is one, else the exit code."""
    policy = request.on_conflict or "ask"
    try:
        found = enter(gate, policy)
    except StateError as error:
        from hostgate.cli.admission import look_only

        # in a sandbox, say, where the state can be read and not written
        refused = look_only(gate, request)
        return _ungated(request, str(error)) if refused is None else refused
    code: int | None = None
    if found:
        from hostgate.cli.admission import pass_by

        code = pass_by(gate, request, policy, found)
    if code is None and gate.earlier:
        from hostgate.cli.joining import answer

        code = answer(gate, request)
    return code


def _ungated(request: Request, why: str) -> int:
    """The gate does not work: one line, and the command runs all the same, but for --strict."""
    if request.strict:
        from hostgate.ui.voice import line

        line(f"not run: {why} (--strict)")
        return TROUBLE
    warn(f"{why}; running ungated")
    return 0


def _remembered(store: FileStore, id: str) -> Claim | None:
    """A fresh claim for what a reservation was for that has lapsed, or that somebody else took."""
    known = store.read().find(id)
    if known is not None:
        of = {name: getattr(known, name) for name in _ASKED}
    else:
        ended = [one for one in entries(store.state) if one["id"] == id]
        if not ended:
            return None
        of = {name: ended[-1].get(name) for name in _ASKED}
    session, title, project, command = (str(of[name]) for name in _ASKED[:4])
    lanes = of["lanes"] if isinstance(of["lanes"], list) else []
    return store.new_claim(session, title, project, command, [str(lane) for lane in lanes])


_ASKED = ("session", "title", "project", "command", "lanes")


def release(words: list[str]) -> int:
    """End what is held for the calling shell, or a reservation or a held slot by its id.

    A number up to 255 is its exit code, to be recorded; ids are longer. Raises
    :class:`UsageError` for an id that is none of these.
    """
    from hostgate.ui.voice import line

    codes = [int(word) for word in words if _is_code(word)]
    ids = [word for word in words if not _is_code(word)]
    if len(codes) > 1 or len(ids) > 1:
        raise UsageError("release takes an id and an exit code: hostgate release [ID] [CODE]")
    id, code = next(iter(ids), None), next(iter(codes), None)
    store = open_store()
    claims = store.read().claims
    if id is None:
        shell = [process.caller(), os.getpid()]  # which the shell may have become, to end with it
        found = [one for one in claims if one.held and store.liveness.is_child_among(one, shell)]
        if not found:
            line("nothing is held for this shell")
    else:
        found = [one for one in claims if one.id == id and (one.held or one.lasts)]
        if not found:
            raise UsageError(f"nothing is held or reserved as {id}: hostgate ls")
    for claim in found:
        let_go(store, claim, warn, code)
    return 0


def _is_code(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 3 and int(word) <= 255
