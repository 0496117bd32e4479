"""``hostgate hook AGENT``: what an agent asks before it runs a shell command.

It waits and reserves; the rewritten command then holds. Whatever goes wrong, the agent hears
nothing and its command runs: one line in a log says what it was.
"""

from __future__ import annotations

import os
from select import select

from hostgate.agents import AGENTS, load
from hostgate.cli.options import UsageError
from hostgate.host import StateError, apart, dumps, hooklog, loads, now, project
from hostgate.host.config import Config
from hostgate.host.state import State, locate, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.agents.agent import Reply

LARGEST = 32 << 20  # bytes of a payload
SLOW = 5.0  # seconds without a byte after which a payload has come to its end


def hook(words: list[str]) -> int:
    """Answer one payload on standard input. Returns 0, but for the one form that needs a code.

    Raises :class:`UsageError` for a person's mistake; an agent makes none.
    """
    since = now().uptime
    if len(words) != 1 or words[0] not in AGENTS:
        raise UsageError(f"hostgate hook AGENT, where that is one of {', '.join(AGENTS)}")
    if os.isatty(0):
        raise UsageError("a hook reads what its agent is about to run from standard input")
    state = None
    try:
        state = State(locate())
        hooklog.note(state, words[0], hooklog.RAN)
        return _answer(words[0], state, since)
    except Exception as error:
        told = isinstance(error, (StateError, Unclear))
        _complain(state, words[0], str(error) if told else f"{type(error).__name__}: {error}")
        return 0


class Unclear(Exception):
    """The payload is not what the agent is known to send."""


def _answer(name: str, state: State, since: float) -> int:
    agent = load(name)
    call = agent.call(_payload(), os.environ)
    if call is None:
        return 0
    if call.directory:
        os.chdir(call.directory)
    config = Config(state)
    settings = config.settings(project.roots_of(project.place_of(call.command, os.getcwd())).tree)
    places = apart.points(call.command, settings.rules)
    if places == []:
        return 0
    from hostgate.cli.reserving import Reservation

    def complain(text: str) -> None:
        _complain(state, name, text)

    reservation = Reservation(name, agent, call, places, settings, complain)
    reply = reservation.reply(since)
    if reply is None:
        return 0
    try:
        _say(reply)
    except BaseException:
        reservation.withdraw()  # nobody listens, or it is no answer
        raise
    if reservation.made:
        hooklog.note(state, name, hooklog.HELD)
        reservation.see_through()
    return reply.code


def _say(reply: Reply) -> None:
    """Answer the agent. Raises ``OSError``."""
    if reply.document is not None:
        write_all(1, dumps(reply.document).encode())
    if reply.error:
        write_all(2, f"{reply.error}\n".encode("utf-8", "replace"))


def _payload() -> dict[str, object]:
    """What the agent writes, up to its end. Raises :class:`Unclear`."""
    pieces = []
    size = 0
    while select([0], [], [], SLOW)[0] and (piece := os.read(0, 1 << 16)):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise Unclear(f"a payload of more than {LARGEST >> 20} MiB")
    try:
        document = loads(b"".join(pieces).decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        raise Unclear("the payload is no JSON") from None
    if not isinstance(document, dict):
        raise Unclear("the payload is no JSON object")
    return document


def _complain(state: State | None, agent: str, text: str) -> None:
    try:
        if state is not None:
            hooklog.complain(state, agent, text)
    except OSError:
        pass  # there is nowhere to say it
