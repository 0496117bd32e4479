"""What the module of an agent has, and what passes between it and the hook."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from hostgate.agents.files import Edit, Place

    class Agent(Protocol):
        """One agent. Its functions are pure: they are told everything that they need."""

        @property
        def TITLE(self) -> str:
            """How people call it."""

        @property
        def LIMIT(self) -> float:
            """Seconds that its hook may take, as it is installed."""

        def limit(self, hook: dict[str, object]) -> float:
            """Seconds that its hook may take by what its settings say, or do not say, of it."""

        @property
        def REWRITES(self) -> bool:
            """Whether it runs the command that the hook answers with."""

        @property
        def ASKS(self) -> bool:
            """Whether its hook can have a person asked."""

        def call(self, payload: dict[str, object], environment: Mapping[str, str]) -> Call | None:
            """What is about to run; ``None`` where that is no shell command."""

        def rewrite(self, call: Call, command: str) -> Reply:
            """Let this command run in the place of the other."""

        def deny(self, call: Call, reason: str) -> Reply:
            """Do not run it."""

        def ask(self, call: Call, command: str, reason: str) -> Reply:
            """Have a person asked whether this command is to run. Only where it ``ASKS``."""

        def places(self, home: str, environment: Mapping[str, str]) -> Place:
            """Where its settings are."""

        def edits(self, root: str, user: bool, program: str, state: str) -> list[Edit]:
            """What installing the hook changes, in the settings below ``root``."""

        def remaining(self, program: str) -> list[str]:
            """What is left for the person to do once the hook is installed."""


class Call:
    """A shell command that an agent is about to run.

    ``session`` is the conversation's id, and a sub-agent's behind it where there is one;
    ``directory`` is where the command starts ("" where that is not said), ``seconds`` its own
    time limit (0 where none is said). ``given`` is the payload; ``attended`` whether somebody
    can be asked, as far as is known.
    """

    __slots__ = ("attended", "command", "directory", "given", "seconds", "session")

    def __init__(
        self,
        given: dict[str, object],
        session: object,
        command: str,
        directory: object = "",
        seconds: float = 0.0,
        attended: bool = True,
    ) -> None:
        self.given = given
        self.session = str(session or "")
        self.command = command
        self.directory = directory if isinstance(directory, str) else ""
        self.seconds = seconds
        self.attended = attended


class Reply:
    """What the hook answers: a JSON document on standard output, or a text and an exit code."""

    __slots__ = ("code", "document", "error")

    def __init__(
        self, document: dict[str, object] | None = None, error: str = "", code: int = 0
    ) -> None:
        self.document = document
        self.error = error
        self.code = code


def table(value: object) -> dict[str, object]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def seconds(value: object, unit: float = 1.0) -> float:
    """A time in seconds of a JSON number in some unit; 0 for anything else."""
    return value * unit if type(value) in (int, float) and value > 0 else 0.0  # type: ignore[operator]
