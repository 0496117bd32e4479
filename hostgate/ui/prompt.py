"""The question on the terminal: run anyway, wait, join the same run, or cancel.

It is asked by a child process, so that rich (12 MB) is not in the process that stays with the
command, and so that the question can be taken back when the way becomes clear.
"""

from __future__ import annotations

import os
from _signal import SIGKILL
from select import select

from hostgate.core.admit import Blocker
from hostgate.core.claims import Claim
from hostgate.core.text import inert
from hostgate.host import ENDING, default_endings, now, terminal
from hostgate.host.interrupts import Interrupted
from hostgate.ui import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from hostgate.host.interrupts import Interrupts

RUN, WAIT, CANCEL, JOIN, CLEAR = "run", "wait", "cancel", "join", "clear"
BROKEN, BUSY = "broken", "busy"
KEYS = {"r": RUN, "w": WAIT, "c": CANCEL, "q": CANCEL, "\r": WAIT, "\n": WAIT, "\x04": CANCEL}
CODES = {RUN: 10, WAIT: 11, CANCEL: 12, JOIN: 13}
LABELS = {RUN: "Run anyway", WAIT: "Wait", JOIN: "Join", CANCEL: "Cancel"}
LOOK = 1.0  # seconds between two looks whether the way is clear


def ask(
    command: str,
    found: list[Blocker],
    usual: Callable[[Claim], float | None],
    can_join: bool,
    is_clear: Callable[[], bool],
    interrupts: Interrupts,
    lock: int,
) -> str:
    """Ask on the terminal. Returns ``run``, ``wait``, ``cancel``, or what came in between.

    ``can_join`` offers ``join`` too: what is in the way is this very command, and recorded.
    ``clear``: the way became clear while the person was thinking. ``broken``: the question could
    not be shown. ``busy``: another one stands on this terminal, or it is gone. ``lock`` is the
    terminal's question lock, which is closed in the end.
    Raises :class:`hostgate.host.interrupts.Interrupted` at Ctrl-C.
    """
    tty = terminal.open_terminal()
    if tty < 0:
        os.close(lock)
        return BROKEN
    try:
        keys = terminal.Keys(tty, lock)
    except OSError:
        os.close(tty)
        return BUSY
    reading, writing = os.pipe()
    child = 0
    try:
        child = os.fork()
        if child == 0:
            os.close(reading)
            _child(tty, keys, command, found, usual, can_join)
        os.close(writing)
        while reading not in select([reading, interrupts.fd], [], [], LOOK)[0]:
            interrupts.check()
            if is_clear():
                os.kill(child, SIGKILL)
                break
        _, status = os.waitpid(child, 0)
        child = 0
        code = os.waitstatus_to_exitcode(status)
        if code == -SIGKILL:
            os.write(tty, b"\n")
            return CLEAR  # and no answer had come before
        if -code in ENDING:  # Ctrl-C reaches the whole job, and may reach hostgate second
            raise Interrupted(-code)
        return next((answer for answer, number in CODES.items() if number == code), BROKEN)
    finally:
        if child:
            _end(child)
        keys.close()
        os.close(reading)
        os.close(tty)


def _end(child: int) -> None:
    try:
        os.kill(child, SIGKILL)
        os.waitpid(child, 0)
    except OSError:
        pass  # it has ended, and was waited for


def _child(
    tty: int,
    keys: terminal.Keys,
    command: str,
    found: list[Blocker],
    usual: Callable[[Claim], float | None],
    can_join: bool,
) -> None:
    """Show the question and end with the answer's code; never returns, whatever happens.

    Should the parent be killed, the child gives the terminal back and goes.
    """
    code = 1
    try:
        default_endings()
        parent = os.getppid()
        with os.fdopen(os.dup(tty), "w", encoding="utf-8", errors="replace") as screen:
            code = CODES[_show(screen, parent, command, found, usual, can_join)]
        if os.getppid() != parent:
            keys.close()
    finally:
        os._exit(code)


def _show(
    screen: TextIO,
    parent: int,
    command: str,
    found: list[Blocker],
    usual: Callable[[Claim], float | None],
    can_join: bool,
) -> str:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    keys = terminal.pressed(lambda: os.getppid() == parent)
    console = Console(file=screen, force_terminal=not terminal.is_dumb(), highlight=False)
    uptime = now().uptime
    limited = all(one.rule == "limit" for one in found)
    why = "this is over a limit" if limited else "a similar command is running in another session"
    head = Text("hostgate: ", "bold yellow").append(why, "bold")
    console.print(head)
    for one in found[: phrases.NAMED]:
        claim = one.claim
        times = phrases.doing(claim, uptime) + phrases.expected(claim, uptime, usual(claim))
        text = Text(phrases.who(claim), "cyan").append("  ").append(inert(claim.command), "bold")
        console.print(Padding(text, (0, 2), expand=False))
        console.print(Padding(Text(f"{times}  [{one.reason}]", "dim"), (0, 4), expand=False))
    if len(found) > phrases.NAMED:
        console.print(
            Padding(
                Text(f"and {len(found) - phrases.NAMED} more (hostgate ls)"), (0, 2), expand=False
            )
        )
    console.print(Text("you asked for  ").append(inert(command), "bold"))
    question = Text()
    known = {**KEYS, "j": JOIN} if can_join else KEYS
    for answer, label in LABELS.items():
        if can_join or answer != JOIN:
            question.append(f"[{label[0].lower()}] ", "bold yellow").append(f"{label}   ")
    console.print(question, end="")
    for key in keys:
        if answer := known.get(key.lower(), ""):
            console.print(Text(LABELS[answer].lower(), "bold"))
            return answer
    return CANCEL
