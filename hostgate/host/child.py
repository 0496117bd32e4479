"""Running the command: in the caller's process group, on the caller's terminal, as it is.

The signals that matter are blocked and taken one by one with ``sigwait``: no handler runs at a
bad moment, and none is lost between a look and a wait. ``subprocess`` would cost 14 ms of
start-up and the ``signal`` module 6; ``_signal`` is the C half of the latter.
"""

from __future__ import annotations

import os
from _signal import (
    ITIMER_REAL,
    SIG_BLOCK,
    SIG_DFL,
    SIG_SETMASK,
    SIG_UNBLOCK,
    SIGALRM,
    SIGCHLD,
    SIGCONT,
    SIGHUP,
    SIGINT,
    SIGPIPE,
    SIGQUIT,
    SIGTERM,
    SIGTSTP,
    SIGTTIN,
    SIGTTOU,
    SIGURG,
    SIGUSR1,
    SIGUSR2,
    SIGXFSZ,
    pthread_sigmask,
    setitimer,
    signal,
    sigpending,
    sigwait,
)

from hostgate.core.text import mask, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hostgate.host.tree import Ladder

    Actions = Sequence[tuple[int, int, int]]

# What stops a job on its terminal. SIGTSTP reaches the command too, which may ignore it or tidy up
# first, so hostgate stops when the command has stopped, and not before. A bare SIGSTOP is followed
# in the foreground of a terminal only: elsewhere, whoever sent it to the command would have to
# continue hostgate as well.
JOB_STOPS = (SIGTSTP, SIGTTIN, SIGTTOU)
# Passed on to the command. A Ctrl-C or Ctrl-\ reaches the whole process group anyway, and so
# the command: SIGINT and SIGQUIT are only kept from ending hostgate before it.
PASSED_ON = (SIGTERM, SIGHUP, SIGUSR1, SIGUSR2)
TAKEN = (*PASSED_ON, SIGINT, SIGQUIT, SIGCHLD, SIGCONT, SIGALRM, SIGURG)

NOT_EXECUTABLE, NOT_FOUND = 126, 127  # as of the shell
TIMED_OUT = 124  # as of timeout(1)
GRACE = 10.0  # seconds between SIGTERM and SIGKILL
SOON = 0.02  # seconds after which a command is one that others may come to wait for
TICK = 0.05  # seconds between two looks at what a time limit is ending


class CannotStart(Exception):
    """The command could not be started; ``code`` is 126 or 127, the text says why."""

    def __init__(self, name: str, error: OSError) -> None:
        missing = isinstance(error, FileNotFoundError)
        super().__init__(
            f"{quote(mask(name))}: {'command not found' if missing else error.strerror}"
        )
        self.code = NOT_FOUND if missing else NOT_EXECUTABLE


def run(
    argv: list[str],
    environment: dict[str, str],
    started: Callable[[int], None],
    timeout: float | None = None,
    grace: float = GRACE,
    actions: Actions = (),
    prepare: Callable[[], None] | None = None,
    soon: bool = False,
) -> tuple[str, int]:
    """Run a command to its end. Returns the outcome and the exit code that stands for it.

    The outcome is ``ran`` or ``timeout``. A negative code -N is a death by signal N.
    ``started`` is called with the command's pid; ``actions`` are what else ``posix_spawn`` is to
    do with its descriptors. ``prepare`` is called at each SIGURG, by which a waiter says that it
    is there, and where that is wanted ``soon`` after the start. After ``timeout`` seconds the
    command and all that it started gets SIGTERM, ``grace`` seconds later what is left SIGKILL.
    Raises :class:`CannotStart`.

    What is left to do afterwards is to record the end and to exit: the signals taken here stay
    blocked, so that none of them can come between.
    """
    for number in (SIGCHLD, SIGCONT, SIGURG):
        signal(number, _awake)  # or a BSD drops it, blocked or not
    before = pthread_sigmask(SIG_BLOCK, (*TAKEN, SIGTSTP))
    try:
        pid = spawn(argv, environment, before, actions)
        started(pid)
        if timeout is not None:
            setitimer(ITIMER_REAL, max(timeout, TICK), TICK)  # a zero would disarm it
        return _attend(pid, grace if timeout is not None else None, prepare, soon)
    finally:
        if timeout is not None:
            setitimer(ITIMER_REAL, 0)
            while SIGALRM in sigpending():
                sigwait((SIGALRM,))
        pthread_sigmask(SIG_UNBLOCK, (SIGALRM,))


def spawn(
    argv: list[str], environment: dict[str, str], mask: set[int], actions: Actions = ()
) -> int:
    """Start a command with the given signal mask. Returns its pid; raises :class:`CannotStart`.

    Python ignores SIGPIPE and SIGXFSZ for itself; a command gets them as the system has them.
    """
    defaults = (SIGPIPE, SIGXFSZ)

    # an entry without a name (=x) may be inherited, but posix_spawn takes none
    named = {name: value for name, value in environment.items() if name and "=" not in name}

    def start(words: list[str]) -> int:
        return os.posix_spawnp(
            words[0], words, named, file_actions=actions, setsigmask=mask, setsigdef=defaults
        )

    try:
        if not argv[0]:
            raise FileNotFoundError
        return start(argv)
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError):  # a NUL: no command line can hold one
            raise CannotStart(argv[0], OSError(22, str(error))) from error
        if error.errno == 8:  # ENOEXEC: a script without a first line, which a shell would run
            from shutil import which

            try:
                return start(["/bin/sh", which(argv[0]) or argv[0], *argv[1:]])
            except OSError:
                pass
        raise CannotStart(argv[0], error) from error


def reserve_standard_descriptors() -> None:
    """Keep 0, 1 and 2 from becoming files of hostgate's where the caller has closed them.

    A line for a person must not land in the registry. The command sees them closed all the same.
    """
    try:
        while (fd := os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)) < 3:  # the lowest that is free
            pass
        os.close(fd)
    except OSError:
        pass  # there is no such device: a line may be lost, the command is not


def settle() -> None:
    """After a run: let the ending signals end this process again, but not those of the run."""
    while pending := sigpending().intersection(TAKEN):
        sigwait(pending)
    pthread_sigmask(SIG_UNBLOCK, TAKEN)


def die_by(number: int) -> None:
    """End this process by a signal, so that whoever started it sees that death."""
    signal(number, SIG_DFL)
    pthread_sigmask(SIG_SETMASK, ())
    os.kill(os.getpid(), number)


def _awake(number: int, frame: object) -> None:
    """A handler that does nothing; the signal itself is taken by ``sigwait``."""


def _attend(
    pid: int, grace: float | None, prepare: Callable[[], None] | None, soon: bool
) -> tuple[str, int]:
    """Wait for the command's end, pass signals on, and end it when its time is up.

    Without a ``grace`` there is no time limit, and an alarm is somebody's signal like others.
    """
    code: int | None = None
    ladder: Ladder | None = None
    while True:
        number = _next_signal(soon)
        soon = False
        if number == SIGURG and prepare:
            prepare()
        elif number == SIGALRM and grace is not None:
            if ladder is None:
                from hostgate.host.tree import Ladder

                ladder = Ladder(pid, grace)
            ladder.step()
        elif code is None and number == SIGCHLD:
            code = _reap(pid)
        elif code is None and number not in (SIGINT, SIGQUIT):
            _send(pid, number)
        if code is not None and ladder is None:
            return "ran", code
        if code is not None and ladder is not None and ladder.done():
            return "timeout", TIMED_OUT


def _next_signal(soon: bool) -> int:
    """The next of the signals that matter; a SIGURG after a while where one is to come ``soon``."""
    if not soon:
        return int(sigwait(TAKEN))
    try:
        from _signal import sigtimedwait
    except ImportError:  # macOS
        return int(SIGURG)
    found = sigtimedwait(TAKEN, SOON)
    return int(found.si_signo if found else SIGURG)


def _reap(pid: int) -> int | None:
    """The command's exit code if it has ended; -N for a death by signal N.

    When the command was stopped by its terminal, hostgate stops too, as the shell expects of
    its job.
    """
    found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
    if not found:
        return None
    if not os.WIFSTOPPED(status):
        return os.waitstatus_to_exitcode(status)
    if SIGCONT not in sigpending():  # else the stop is over already
        _stop_too(os.WSTOPSIG(status))
    return None


def _stop_too(number: int) -> None:
    """Stop by the signal that stopped the command, so that whoever waits sees the same."""
    if number not in JOB_STOPS:
        from hostgate.host.terminal import can_ask

        if not can_ask():
            return
    os.kill(os.getpid(), number)  # SIGTSTP is one with the one that the terminal has sent already
    pthread_sigmask(SIG_UNBLOCK, (SIGTSTP,))
    pthread_sigmask(SIG_BLOCK, (SIGTSTP,))


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass  # it has just ended, or is another user's by now (sudo)
