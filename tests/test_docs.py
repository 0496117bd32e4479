"""The README, CONTRIBUTING and CHANGELOG say what the program does now."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest
import typer
from support import Host

import hostgate
from hostgate.cli.app import app
from hostgate.cli.exits import TABLE
from hostgate.cli.options import OPTIONS, parse
from hostgate.core.rules import CATEGORIES
from hostgate.core.schema import CHECKS, check

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
LINES = [
    shlex.split(line, comments=True)
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("hostgate ")
]


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_every_command_line_of_the_readme_is_understood(words: list[str]) -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group)
    words = words[: words.index("||")] if "||" in words else words
    if words[1] == "run":
        parse(words[2:], {})
    else:
        group.commands[words[1]].make_context(words[1], words[2:])


def test_the_readme_names_every_command_and_option() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group)
    missing = [verb for verb in group.commands if f"hostgate {verb}" not in README]
    assert missing == []
    for option in OPTIONS:
        said = f"--{option.name}" in README or option.variable.removeprefix("HOSTGATE") in README
        assert said or option.name in ("grace", "quiet"), option.name


def test_the_readme_s_exit_codes_are_the_program_s() -> None:
    for code, when in TABLE:
        if code.isdigit() and code not in ("126", "127"):
            assert f"| {code} | {when}" in README.replace("`", "")


def test_every_option_that_the_readme_names_exists() -> None:
    known = {f"--{option.name}" for option in OPTIONS}
    known |= {"--json", "--watch", "--idle", "--detect", "--project", "--dry-run"}
    known |= {"--all", "--yes", "--since", "--outcome"}
    known |= {"--allow-tool"}  # of Copilot CLI
    known |= {"--compile-bytecode", "--token"}  # of uv, and of the masked example
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known


def test_the_readme_s_configuration_has_every_key_and_no_problem() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    tables = tomllib.loads(text)
    assert check(tables, "README", lambda _: 0).problems == []
    assert set(tables) == set(CHECKS)
    assert set(tables["commands"]) == set(CATEGORIES)


def test_ci_runs_the_readme_s_test_command_word_for_word() -> None:
    script = (ROOT / ".ci/run").read_text()
    (extract,) = re.findall(r"test_command=\$\((.*)\)", script)
    command = subprocess.check_output(["bash", "-c", extract], cwd=ROOT, text=True).strip()
    assert command.startswith("python3 -m venv")
    assert command.endswith("pytest")
    assert f"```sh\n{command}\n```" in README


def test_the_changelog_has_the_version() -> None:
    assert f"## {hostgate.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_nothing_here_names_a_machine_s_path_or_a_registry_s_host() -> None:
    for path in ROOT.rglob("*"):
        hidden = any(
            part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts
        )
        if path.suffix in (".py", ".md", ".toml", ".1") and not hidden and path != Path(__file__):
            text = path.read_text()
            assert not re.search(r"/root/|/work/|pypi\.org|\.pyenv", text), path


def test_the_example_builds_under_hostgate(host: Host) -> None:
    if not shutil.which("make") or not shutil.which("cc"):
        pytest.skip("make or a C compiler is missing")
    shutil.copytree(ROOT / "examples/tally", host.project / "tally", ignore=lambda *_: ["build"])
    done = host.run("run", "--", "make", "-C", "tally", "check")
    assert done.returncode == 0, done.stderr
    assert "2 lines, 3 words\n" in done.stdout
