"""The options of ``run``, declared once: for the quick path and for Typer's help and completion.

``argparse`` would cost 10 ms of start-up and Typer 55; this parser costs what it does.
"""

from __future__ import annotations

from hostgate.core import POLICIES as OF_AGENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


POLICIES = (*OF_AGENTS, "join")  # whose hooks have no output to join
RUN_ID_SIZE = 200  # characters


class UsageError(Exception):
    """The command line is wrong; the text is one line that says how."""


class Option:
    """One option: its name, what its value is called, and what it means.

    ``kind`` is ``text``, ``id``, ``duration``, ``policy`` or ``flag``; ``variable`` is the
    environment variable that stands for it, if one does.
    """

    __slots__ = ("help", "kind", "metavar", "name", "repeats", "variable")

    def __init__(
        self,
        name: str,
        kind: str,
        metavar: str,
        help: str,
        variable: str = "",
        repeats: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.metavar = metavar
        self.help = help
        self.variable = variable
        self.repeats = repeats

    @property
    def field(self) -> str:
        """The attribute of :class:`Request` that holds the value."""
        return self.name.replace("-", "_")


SESSION = Option(
    "session", "text", "ID", "Who asks: an id. Default: the agent's own, else the terminal.",
    "HOSTGATE_SESSION",
)  # fmt: skip
TITLE = Option(
    "title", "text", "TEXT", "The session's name, as others see it.", "HOSTGATE_TITLE"
)  # fmt: skip
PROJECT = Option(
    "project", "text", "PATH",
    "The project. Default: the repository that the command works in.", "HOSTGATE_PROJECT",
)  # fmt: skip
LANE = Option(
    "lane", "text", "NAME", "Never overlap with another claim on this lane. Repeatable.",
    repeats=True,
)  # fmt: skip
ON_CONFLICT = Option(
    "on-conflict", "policy", "|".join(POLICIES),
    "What to do when a similar command is running. Default: ask on a terminal, else wait.",
    "HOSTGATE_ON_CONFLICT",
)  # fmt: skip
WAIT_TIMEOUT = Option(
    "wait-timeout", "duration", "DURATION",
    "Leave the queue after that with exit code 75; the place is kept for 10 minutes. "
    "Default: none on a terminal, 90s without one.",
    "HOSTGATE_WAIT_TIMEOUT",
)  # fmt: skip
RUN_ID = Option(
    "run-id", "id", "ID",
    "Run at most once under this id: another call joins that run, or gets its recorded result.",
)  # fmt: skip
STRICT = Option(
    "strict", "flag", "", "Do not run the command when the gate does not work (exit 125)."
)  # fmt: skip
QUIET = Option(
    "quiet", "flag", "", "Say nothing but warnings, errors and why the command is not run."
)  # fmt: skip

OPTIONS = (
    SESSION,
    TITLE,
    PROJECT,
    ON_CONFLICT,
    WAIT_TIMEOUT,
    LANE,
    RUN_ID,
    Option("record", "flag", "", "Keep the output for a day, for who joins this run."),
    Option("timeout", "duration", "DURATION", "End the command after that, with exit code 124."),
    Option(
        "grace", "duration", "DURATION",
        "The time between SIGTERM and SIGKILL when the timeout is over. Default: 10s.",
    ),
    STRICT,
    QUIET,
)  # fmt: skip

JSON = Option("json", "flag", "", "Print a JSON document.")
CHECK = (SESSION, TITLE, PROJECT, LANE, JSON)
HOLD_ID = Option("run-id", "id", "ID", "Hold at most once under this id.")
HOLD = (SESSION, TITLE, PROJECT, ON_CONFLICT, WAIT_TIMEOUT, LANE, HOLD_ID, STRICT, QUIET)


class Request:
    """What ``run`` was asked: its options' values and the command.

    ``text`` is the string of ``-c``, else ``argv`` is the command; ``id`` is the reservation that
    ``hold`` is to take over instead. ``given`` are the options as they were written, to say the
    exact command for another try.
    """

    __slots__ = (
        *("argv", "given", "id", "text", "verb"),
        *[option.field for option in (*OPTIONS, JSON)],
    )

    session: str | None
    title: str | None
    project: str | None
    on_conflict: str | None
    wait_timeout: float | None
    lane: list[str]
    run_id: str | None
    record: bool
    timeout: float | None
    grace: float | None
    strict: bool
    quiet: bool
    json: bool

    def __init__(self, verb: str = "run") -> None:
        self.verb = verb
        self.id = ""
        self.argv: list[str] = []
        self.text: str | None = None
        self.given: list[tuple[Option, str]] = []
        for option in (*OPTIONS, JSON):
            empty: object = False if option.kind == "flag" else [] if option.repeats else None
            setattr(self, option.field, empty)


def parse(
    words: list[str],
    environment: Mapping[str, str],
    options: tuple[Option, ...] = OPTIONS,
    verb: str = "run",
) -> Request:
    """Read the words after the verb. Raises :class:`UsageError`.

    Options stand before ``--``; a flag wins over its environment variable. ``hold`` may have an
    id instead of a command, or neither.
    """
    request = Request(verb)
    for option in options:
        if option.variable and (given := environment.get(option.variable)):
            setattr(request, option.field, _value(option, given, option.variable))
    known = {f"--{option.name}": option for option in options}
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("--", "-c") and not request.id:
            _take_command(request, word, words[at + 1 :], verb)
            return request
        name, equals, value = word.partition("=")
        if name not in known:
            if verb == "hold" and not request.id and not word.startswith("-"):
                request.id = word
                at += 1
                continue
            if not word.startswith("-") or word == "-":
                raise UsageError(f"put -- before the command: hostgate {verb} -- {word} …")
            raise UsageError(f"no such option: {name}")
        option = known[name]
        at += 1
        if option.kind == "flag":
            if equals:
                raise UsageError(f"{name} takes no value")
        elif not equals:
            if at == len(words) or words[at] == "--":
                raise UsageError(f"{name} needs a value ({option.metavar})")
            value = words[at]
            at += 1
        _set(request, option, value, name)
    if verb == "hold":
        return request
    raise UsageError(f"no command: hostgate {verb} [options] -- CMD [ARG...]")


def _take_command(request: Request, opening: str, rest: list[str], verb: str) -> None:
    if opening == "--":
        if not rest:
            raise UsageError(f"no command after --: hostgate {verb} -- CMD [ARG...]")
        request.argv = rest
    elif not rest:
        raise UsageError("-c needs a string")
    elif rest[1:]:
        raise UsageError(f"unexpected word after -c STRING: {rest[1]}")
    else:
        request.text = rest[0]


def _set(request: Request, option: Option, text: str, name: str) -> None:
    value = True if option.kind == "flag" else _value(option, text, name)
    if option.repeats:
        getattr(request, option.field).append(value)
    else:
        setattr(request, option.field, value)
    request.given.append((option, text))


def _value(option: Option, text: str, name: str) -> object:
    if option.kind == "duration":
        from hostgate.core.durations import parse_duration

        try:
            return parse_duration(text)
        except ValueError:
            raise UsageError(f"{name}: not a duration: {text!r} (90, 90s, 1m30s, 2h)") from None
    if option.kind == "policy" and text not in POLICIES:
        raise UsageError(f"{name}: not one of {', '.join(POLICIES)}: {text!r}")
    if not text and option.kind in ("text", "id"):
        raise UsageError(f"{name} is empty")
    if option.kind == "id" and len(text) > RUN_ID_SIZE:
        raise UsageError(f"{name}: longer than {RUN_ID_SIZE} characters")
    return text
