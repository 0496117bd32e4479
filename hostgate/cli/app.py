"""The Typer app: every command's help and completion, and all commands but ``run``."""

from __future__ import annotations

import inspect
import io
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import click
import typer

from hostgate import __version__
from hostgate.cli import TROUBLE, verbs
from hostgate.cli.options import (
    CHECK,
    HOLD,
    JSON,
    OPTIONS,
    POLICIES,
    PROJECT,
    Option,
    Request,
    UsageError,
    parse,
)
from hostgate.cli.run import run
from hostgate.core.settings import AGENTS
from hostgate.host import StateError
from hostgate.host.history import OUTCOMES
from hostgate.ui.voice import line

app = typer.Typer(
    name="hostgate",
    help="Ask, before a command runs, whether a similar one is already running on this host.",
    epilog="hostgate run -- swift build",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help"]},
)


def main(words: list[str]) -> int:
    """Run one command line and return its exit code: the one error boundary of the app."""
    command = typer.main.get_command(app)
    if sys.stdout is None:  # it is closed
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  for the rest of the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a C locale has no · and no …
    try:
        with command.make_context("hostgate", words or ["--help"], obj=words) as context:
            code: int = command.invoke(context)
        sys.stdout.flush()
        return code
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        help = f" ({error.ctx.command_path} --help)" if error.ctx else ""
        line(f"{error.format_message().rstrip('.')}{help}")
    except (UsageError, StateError, click.ClickException) as error:
        line(str(error))
    except (KeyboardInterrupt, click.Abort):
        return -2
    except BrokenPipeError:
        return -13
    except OSError as error:
        line(f"cannot write: {error.strerror}")
    except Exception as error:  # a defect: one line all the same
        line(f"internal error: {type(error).__name__}: {error}")
    return TROUBLE


def _declared(
    verb: str,
    help: str,
    options: tuple[Option, ...],
    action: Callable[[Request], int],
    usage: str = "-- CMD [ARG]...",
) -> None:
    """Add a command whose options are declared for the quick path, and which takes CMD.

    Typer gives it help and completion; its words are then read as the quick path reads them.
    """

    def command(**values: Any) -> int:
        words: list[str] = click.get_current_context().obj
        return action(parse(words[1:], os.environ, options, verb))

    parameters = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        for name, default, annotation in (
            *((option.field, *_typed(option)) for option in options),
            ("text", None, Annotated[str | None, _text_option()]),
            ("argv", None, Annotated[list[str] | None, typer.Argument(metavar=usage)]),
        )
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    settings = {"allow_interspersed_args": False}
    app.command(verb, help=help, context_settings=settings)(command)


def _typed(option: Option) -> tuple[object, object]:
    """The default and the annotation by which Typer knows an option."""
    declared = _option(option)
    if option.kind == "flag":
        return False, Annotated[bool, declared]
    if option.repeats:
        return None, Annotated[list[str] | None, declared]
    if option.kind == "policy":
        choice = click.Choice(POLICIES)
        declared.click_type = choice
    return None, Annotated[str | None, declared]


def _option(option: Option) -> Any:
    return typer.Option(
        f"--{option.name}",
        metavar=option.metavar or None,
        help=option.help,
        envvar=option.variable or None,
        show_default=False,
    )


def _text_option() -> Any:
    return typer.Option("-c", metavar="STRING", help="The command as a shell string.")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hostgate {__version__}")
        raise typer.Exit


Json = Annotated[bool, typer.Option("--json", help=JSON.help)]


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


_declared(
    "run",
    "Run a command, unless a similar one runs already.\n\n"
    "Exits with the command's code; 75: not run, wait and retry; 124: timeout; 125: bad usage.",
    OPTIONS,
    run,
)


def _is_quick(request: Request) -> int:
    raise AssertionError("goes the quick way, in main")


_declared(
    "hold",
    "Hold a slot as long as the calling shell lives: hostgate hold -- make && make.\n\n"
    "Takes over the reservation ID that an agent's hook made, or asks for a slot as run does. "
    "Exits with 0 once it is held; 75: not held, wait and retry; 125: bad usage.",
    HOLD,
    _is_quick,
    "[ID | -- CMD [ARG]...]",
)


@app.command()
def release(
    words: Annotated[list[str] | None, typer.Argument(metavar="[ID] [CODE]")] = None,
) -> int:
    """End what is held for this shell, or the held or reserved slot ID, and record its code."""
    from hostgate.cli.hold import release as let_go

    return let_go(words or [])


@app.command()
def stop(
    id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    every: Annotated[bool, typer.Option("--all", help="Everything on this host.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --all.")] = False,
) -> int:
    """End a run and all that it started, or take a waiter out of the queue."""
    from hostgate.cli.stop import stop as end

    return end(id, every, yes)


@app.command()
def resume(
    id: Annotated[str, typer.Argument(metavar="ID")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before it is ended.")] = False,
) -> int:
    """Run again, here, what was interrupted; what seems alive is ended first."""
    from hostgate.cli.resume import resume as again

    return again(id, yes)


@app.command()
def ls(
    json: Json = False,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the changes.")] = False,
) -> int:
    """List what runs and waits on this host."""
    return verbs.ls(json, watch)


_declared("check", "Tell whether a command would run now: exit 0 or 75.", CHECK, verbs.check)


@app.command()
def explain(
    commands: Annotated[
        list[str] | None, typer.Argument(metavar="'A' ['B'] | -- CMD [ARG]...")
    ] = None,
    text: Annotated[str | None, _text_option()] = None,
    json: Json = False,
) -> int:
    """Tell how commands are read and compared."""
    words: list[str] = click.get_current_context().obj
    return verbs.explain(verbs.commands_of(commands or [], text, "--" in words), json)


@app.command()
def wait(
    id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    idle: Annotated[bool, typer.Option("--idle", help="Until nothing runs or waits.")] = False,
) -> int:
    """Wait for the end of a run, and exit with its code."""
    return verbs.wait(id, idle)


Project = Annotated[str | None, typer.Option("--project", metavar="PATH", help="Of this project.")]
Whose = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Of this session, by id or title.")
]
Outcome = Annotated[
    str | None,
    typer.Option("--outcome", metavar="NAME", help=f"One of {', '.join(OUTCOMES)}."),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DURATION", help="Ended in this last time.")
]


@app.command()
def history(
    json: Json = False,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, metavar="N", help="The last N runs.")
    ] = 20,
    project: Project = None,
    session: Whose = None,
    outcome: Outcome = None,
    since: Since = None,
) -> int:
    """Show what has ended."""
    from hostgate.cli.past import Wanted
    from hostgate.cli.past import history as show

    return show(json, count, Wanted(project, session, outcome, since))


@app.command()
def stats(json: Json = False, project: Project = None, since: Since = None) -> int:
    """Add up runs, conflicts and waits, by project and by rule."""
    from hostgate.cli.past import Wanted
    from hostgate.cli.past import stats as show

    return show(json, Wanted(project, since=since))


@app.command()
def config(
    project: Annotated[str | None, _option(PROJECT)] = None,
    json: Json = False,
) -> int:
    """Show the settings in force here, and where each comes from."""
    from hostgate.cli.config import config as show

    return show(project, json)


Agent = Annotated[str | None, typer.Argument(metavar="AGENT", help=f"One of {', '.join(AGENTS)}.")]
User = Annotated[bool, typer.Option("--user", help="In your own settings. The default.")]
InProject = Annotated[bool, typer.Option("--project", help="In the project's settings.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")]


@app.command()
def install(
    agent: Agent = None,
    user: User = False,
    project: InProject = False,
    dry_run: DryRun = False,
    detect: Annotated[bool, typer.Option("--detect", help="List the agents found.")] = False,
) -> int:
    """Put the gate into an agent: its hook, and what that needs."""
    from hostgate.cli.install import install as put

    return put(agent, _in_project(user, project), dry_run, detect)


@app.command()
def uninstall(
    agent: Agent = None, user: User = False, project: InProject = False, dry_run: DryRun = False
) -> int:
    """Take the gate out of an agent again, and nothing else."""
    from hostgate.cli.install import uninstall as take

    return take(agent, _in_project(user, project), dry_run)


def _in_project(user: bool, project: bool) -> bool:
    if user and project:
        raise UsageError("--user or --project, not both")
    return project


_hook = typer.Argument(metavar="AGENT", help=f"One of {', '.join(AGENTS)}.")


@app.command()
def hook(agent: Annotated[str, _hook]) -> int:
    """Answer the hook of an agent; what it is about to run comes on standard input."""
    raise AssertionError("goes the quick way, in main")


@app.command()
def doctor() -> int:
    """Check what hostgate depends on, a line each with the remedy."""
    from hostgate.cli.doctor import doctor as diagnose

    return diagnose()
