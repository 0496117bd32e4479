"""From a request to a claim: who asks, where, and what the registry keeps of the command."""

from __future__ import annotations

import os

from hostgate.cli.options import Request
from hostgate.core.text import STORED, bounded, inert, join, mask, mask_arguments
from hostgate.gate import Gate
from hostgate.host import StateError, project
from hostgate.host.state import locate
from hostgate.host.store import FileStore

SHOWN = 1000  # characters of a command line that a message quotes
PATIENCE = 90.0  # seconds of waiting without a terminal: agents' own limits begin at 120
MEASURED = ("load", "free-memory")  # the limits that are no numbers of commands
BOUND = 16 * 4096  # characters of a command that are looked at, for secrets and by the detector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.core.admit import Blocker, Limits
    from hostgate.core.settings import Problem, Settings


def make_gate(request: Request, who: str = "") -> Gate:
    """The gate of a request, with a claim that is in no registry yet.

    ``who`` is the name of the session in its title, where the request names one. What is wrong
    with the configuration is told in one line, and stops nothing. Raises :class:`StateError`
    where the state cannot be used.
    """
    store = FileStore(locate())
    text, form = whole(request)
    try:
        here = os.getcwd()
        path = request.project or project.place_of(text, here)
        roots = project.roots_of(path)
    except OSError as error:
        raise StateError(f"the working directory: {error.strerror}") from error
    where = configure(store, roots)
    if request.session:
        id, who = request.session, who or request.session
    else:
        id, who = project.default_session(dict(os.environ))
    title = request.title or project.title(who, roots.project())
    lanes = [bounded(lane, 256) for lane in request.lane]
    claim = store.new_claim(bounded(id, 256), bounded(title, 256), where, text, lanes)
    claim.terms = store.terms_of(where) or ""
    claim.directory, claim.form = here, form if request.verb == "run" else ""
    if request.run_id or request.record:
        from hostgate.host.records import digest

        claim.run_id = request.run_id or ""
        claim.digest = digest(claim, request.verb)
    return Gate(store, claim, chain(), warn)


def configure(store: FileStore, roots: project.Roots) -> str:
    """Have a store decide as the configuration says. Returns the project's path."""
    if not project.is_configured(roots.tree):
        store.terms_of = lambda project: ""
        return roots.project()
    from hostgate.core.settings import terms
    from hostgate.host.config import Config

    config = Config(store.state)
    settings = config.settings(roots.tree)
    warn_of(settings.problems)
    where = roots.project(settings.scope)
    store.rules_of = rules_of = config.rules_near(where, settings.rules)
    store.limits = limits_of(settings)
    store.terms_of = lambda project: terms(rules_of(project), settings.limits)
    return where


def open_store(every_project: bool = False) -> FileStore:
    """The registry with the user's rules and limits, for who has no claim of a project's.

    ``every_project`` has each project's own rules looked at. Raises :class:`StateError`.
    """
    store = FileStore(locate())
    if not every_project and not project.is_configured(""):
        return store
    from hostgate.host.config import Config

    config = Config(store.state)
    store.rules_of = config.rules_of if every_project else config.rules_near("")
    store.limits = limits_of(config.settings(""))
    return store


def limits_of(settings: Settings) -> Limits | None:
    """The limits of the host, as the user's file has them, if it has any."""
    said = settings.limits
    if not said:
        return None
    from hostgate.core.admit import Limits

    load, memory = (said.get(name) for name in MEASURED)
    most = {
        name: count
        for name, count in said.items()
        if isinstance(count, int) and name not in MEASURED
    }

    def strained() -> str:
        from hostgate.host.strain import strain

        return strain(load, memory)

    return Limits(most, strained if load is not None or memory else None)


def chain() -> list[str]:
    """The ids of the claims that this process says it runs inside, outermost first."""
    return [part for part in os.environ.get("HOSTGATE_CLAIM", "").split(",") if part]


def enter(gate: Gate, policy: str) -> list[Blocker]:
    """Start, or stand in the queue where the policy is to wait. Returns what blocks.

    Raises :class:`StateError`.
    """
    if policy == "run":
        gate.begin(override=True)
        return []
    return gate.enqueue() if policy == "wait" else gate.begin()


def whole(request: Request) -> tuple[str, str]:
    """The command as one line of shell, secrets masked, of any length that people write.

    Also in which form it was given, if that is all that it takes to run it again.
    """
    if request.text is not None:
        text = mask(bounded(request.text, BOUND))
        return text, "shell" if text == request.text and len(text) <= STORED else ""
    argv = [word if len(word) <= BOUND else bounded(word, BOUND) for word in request.argv[:1000]]
    masked = mask_arguments(argv)
    line = join(masked)
    form = "argv" if masked == request.argv and len(line) <= STORED else ""
    if len(request.argv) > 1000:
        rest = bounded("\0".join(request.argv[1000:]), 0)  # its length and digest
        line += f" [and {len(request.argv) - 1000} more:{rest}]"
    return bounded(line, BOUND), form


def again(request: Request, policy: str = "") -> str:
    """The command line of this request once more, with another policy if one is given."""
    if request.id and policy != "run":
        return "the same command again"
    words = ["hostgate", request.verb]
    for option, value in request.given:
        if not policy or option.name != "on-conflict":
            words += [f"--{option.name}", value] if value else [f"--{option.name}"]
    if policy:
        words += ["--on-conflict", policy]
    if request.text is not None:
        words += ["-c", request.text]
    elif request.argv:
        words += ["--", *request.argv[:200]]
    elif request.id:
        words.append(request.id)
    return inert(join(mask_arguments([word[:SHOWN] for word in words])), SHOWN)


def warn_of(problems: list[Problem]) -> None:
    """Tell in one line that the configuration has problems, if it has any."""
    if problems:
        from hostgate.ui.phrases import misconfigured

        warn(misconfigured(problems))


def warn(text: str) -> None:
    """One warning line; the voice is imported when there is something to say."""
    from hostgate.ui.voice import warn

    warn(text)
