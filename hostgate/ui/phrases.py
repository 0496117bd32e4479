"""What hostgate says, in a person's words. Text of other sessions is shown inert."""

from __future__ import annotations

from hostgate.core.admit import Blocker
from hostgate.core.claims import ACTIVE, RESERVED, RUNNING, Claim
from hostgate.core.durations import say
from hostgate.core.settings import Problem
from hostgate.core.text import inert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STATES = {RUNNING: "running", RESERVED: "about to run"}
NAMED = 3  # blockers that one message names; the rest are counted


def who(claim: Claim) -> str:
    """The session: its title, and its id where the title does not tell it."""
    title, session = inert(claim.title, 60), inert(claim.session, 60)
    if not title or session in title.split() or claim.session.startswith("terminal:"):
        return title or session
    return f"{title} (session {session})"


def what(claim: Claim) -> str:
    """The command between quotes that a shell does not mind."""
    return f"`{inert(claim.command)}`"


def doing(claim: Claim, uptime: float) -> str:
    """Whether the claim runs or waits, and for how long."""
    return f"{STATES.get(claim.state, 'waiting')} for {say(uptime - claim.since)}"


def expected(claim: Claim, uptime: float, usual: float | None) -> str:
    """What is known of the end of a run: ``, usually 4 min, so about 2 min more``; or nothing."""
    if usual is None or claim.state not in ACTIVE:
        return ""
    left = usual - (uptime - claim.since)
    more = f", so about {say(left)} more" if left >= 1 else ""
    return f", usually {say(usual)}{more}"


def blocker(found: Blocker, uptime: float, usual: float | None = None) -> str:
    """One blocker in one line: who, what, for how long, and why it is in the way."""
    claim = found.claim
    verb = f"is {STATES.get(claim.state, 'waiting to run')}"
    tail = expected(claim, uptime, usual)
    time = say(uptime - claim.since)
    return f"{who(claim)} {verb} {what(claim)}, for {time}{tail} [{claim.id}; {found.reason}]"


def blocked_by(found: list[Blocker]) -> str:
    """The sessions in the way, in a few words: ``claude · api and 2 more``."""
    names = list(dict.fromkeys(who(one.claim) for one in found))
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"


def ahead(found: list[Blocker]) -> str:
    """How many waiters stand ahead."""
    count = sum(1 for one in found if one.claim.state not in ACTIVE)
    return f", {count} ahead in the queue" if count else ""


def waiting(found: list[Blocker], waited: float, uptime: float, usual: float | None) -> str:
    """The state of a wait in one line, without advice."""
    first = found[0].claim
    return (
        f"waiting {say(waited)} for {blocked_by(found)}: {what(first)}, "
        f"{doing(first, uptime)}{expected(first, uptime, usual)}{ahead(found)}"
    )


def advice(anyway: str) -> str:
    """What an impatient reader of a wait has to know; ``anyway`` runs it now, if something does."""
    tail = f"; to run now anyway: {anyway}" if anyway else ""
    return (
        "It starts by itself: do not kill it, nor what it waits for. "
        f"`hostgate ls` shows the queue{tail}"
    )


def refusal(found: list[Blocker], uptime: float, why: str, again: str, kept: bool) -> list[str]:
    """Why the command was not run, who is in the way, and what to do."""
    lines = [f"not run: {why}"]
    lines += [blocker(one, uptime) for one in found[:NAMED]]
    if len(found) > NAMED:
        lines.append(f"and {len(found) - NAMED} more: hostgate ls")
    place = " (your place in the queue is kept for 10 min)" if kept else ""
    lines.append(f"wait and retry{place}; do not kill the other command. Run: {again}")
    return lines


def reason(
    found: list[Blocker],
    uptime: float,
    usual: Callable[[Claim], float | None],
    what: str,
    kept: bool | None,
) -> str:
    """Why an agent's command waits or is not run, in one text that its model reads.

    ``kept`` says whether its place is kept; ``None`` is a question, without advice.
    """
    lines = [f"hostgate: {what}"]
    lines += [blocker(one, uptime, usual(one.claim)) for one in found[:NAMED]]
    if len(found) > NAMED:
        lines.append(f"and {len(found) - NAMED} more")
    if kept is not None:
        place = "; your place in the queue is kept for 10 min" if kept else ""
        lines.append(f"Wait and retry the same command{place}. Do not kill the other command")
    return " ".join([text if text.endswith("?") else f"{text}." for text in lines])


def problem(found: Problem) -> str:
    """One problem of the configuration in one line: ``FILE:3: scope: no such scope``."""
    line = f":{found.line}" if found.line else ""
    key = f" {inert(found.key, 60)}:" if found.key else ""
    return f"{inert(found.path, 200)}{line}:{key} {inert(found.text, 200)}"


def misconfigured(problems: list[Problem]) -> str:
    """That the configuration has problems: how many, and the first of them."""
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems, the first"
    return f"configuration: {count}: {problem(problems[0])}; `hostgate config` shows all"
