"""The completion files: what they say, and what the shells make of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import DEADLINE, Host, Terminal

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # Typer's, of parts of click
    from hostgate.cli.completion import FILES, Verb, verbs


FOLDER = Path(__file__).parents[1] / "completions"
NONE = "''"  # the case of bash before any command
COMMANDS = """run hold release stop resume ls check explain wait history stats config install
    uninstall hook doctor""".split()
WRAPPED = "hgwrapped"  # a program that only these tests have


class Shell:
    """A shell that knows one of the files, and a ``hostgate`` that must not be started."""

    def __init__(self, name: str, host: Host) -> None:
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"{name} is not installed")
        self.path = found
        self.host = host
        programs = host.folder / "bin"
        programs.mkdir()
        self.started = host.folder / "started"
        _script(programs / "hostgate", f"echo yes > {self.started}")
        _script(programs / WRAPPED, "exit 0")
        (host.project / "only-folder").mkdir()
        (host.project / "only-file").touch()
        host.environment |= {"PATH": f"{programs}:/usr/bin:/bin", "TERM": "dumb"}

    def out(self, *arguments: str) -> list[str]:
        """The lines that the shell prints; it must complain about nothing."""
        done = subprocess.run(
            [self.path, *arguments],
            env=self.host.environment,
            cwd=self.host.project,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()


def _script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


@pytest.fixture
def bash(host: Host) -> Iterator[Shell]:
    yield from _shell("bash", host)


@pytest.fixture
def zsh(host: Host) -> Iterator[Shell]:
    yield from _shell("zsh", host)


@pytest.fixture
def fish(host: Host) -> Iterator[Shell]:
    yield from _shell("fish", host)


def _shell(name: str, host: Host) -> Iterator[Shell]:
    shell = Shell(name, host)
    yield shell
    assert not shell.started.exists(), "completing has started hostgate"


# what the files say


def test_the_files_are_what_the_generator_makes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "hostgate.cli.completion", tmp_path], check=True)
    made = {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()}
    assert made == {name: (FOLDER / name).read_text() for name in FILES}


def test_the_generator_knows_every_command() -> None:
    root, *commands = verbs()
    assert root.name == ""
    assert [verb.name for verb in commands] == COMMANDS
    assert [verb.name for verb in commands if verb.wraps] == ["run", "hold", "check", "explain"]


@pytest.mark.parametrize("verb", verbs(), ids=lambda verb: verb.name or "hostgate")
def test_every_command_and_every_option_of_it_stands_in_each_file(verb: Verb) -> None:
    bash, zsh, fish = (_part(name, verb.name) for name in FILES)
    names = [name for option in verb.options for name in option.opts]
    assert "--help" in names
    for name in names:
        assert name in re.split(r"[\s']+", bash)
        assert re.search(rf"\){re.escape(name)}[=\[]|'\*{re.escape(name)}=", zsh), name
        switch = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
        assert f" {switch} " in fish, name


def _part(file: str, verb: str) -> str:
    """The lines of a file that are about one command."""
    text = (FOLDER / file).read_text()
    pattern = {
        "hostgate.bash": rf"^ *{verb or NONE}\) .*offered=.*$",
        "_hostgate": rf"^  \({verb}\)$.*?;;$" if verb else r"^    '.*?^  \)$.*?^  \)$",
        "hostgate.fish": rf"^[^\n]*'__hostgate_at{' ' * bool(verb)}{verb}' .*$",
    }[file]
    return "\n".join(re.findall(pattern, text, re.M | (re.S if file == "_hostgate" else 0)))


def test_every_command_stands_in_each_file_with_its_help_where_the_shell_shows_it() -> None:
    for verb in verbs()[1:]:
        assert f" {verb.name} " in (FOLDER / "hostgate.bash").read_text().replace("'", " ")
        assert f"'{verb.name}:{verb.help}'" in (FOLDER / "_hostgate").read_text()
        assert f" -a {verb.name} -d '{verb.help}'" in (FOLDER / "hostgate.fish").read_text()


def test_the_bash_file_uses_nothing_that_bash_3_2_has_not() -> None:
    text = (FOLDER / "hostgate.bash").read_text()
    later = (
        r"mapfile|readarray|declare -[An]|local -[An]|\[\[ -v|\$\{\w+(,|\^|@)|;;?&|\|&|&>>|\[-\d"
    )
    assert not re.search(later, text)
    assert all("2>/dev/null" in line for line in text.splitlines() if "compopt" in line)


# bash


def _reply(shell: Shell, *words: str, before: str = "") -> list[str]:
    """What the function of the bash file replies for these words, the last one unfinished."""
    script = (
        f'{before}\n. "$0"\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n'
        "_hostgate hostgate\n((${#COMPREPLY[@]})) || exit 0\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    return shell.out("--norc", "-c", script, str(FOLDER / "hostgate.bash"), "hostgate", *words)


OLD = "enable -n compopt 2>/dev/null || :"  # as bash 3.2, which has none


@pytest.mark.parametrize("before", ["", OLD], ids=["this bash", "without compopt"])
def test_bash_completes_commands_options_and_policies(bash: Shell, before: str) -> None:
    assert _reply(bash, "", before=before) == COMMANDS
    assert _reply(bash, "hi", before=before) == ["history"]
    assert _reply(bash, "--v", before=before) == ["--version"]
    assert _reply(bash, "run", "--on", before=before) == ["--on-conflict"]
    assert _reply(bash, "ls", "--j", before=before) == ["--json"]
    assert _reply(bash, "wait", "", before=before) == ["--idle", "--help"]
    policies = _reply(bash, "run", "--on-conflict", "", before=before)
    assert policies == ["ask", "wait", "run", "cancel", "join"]
    assert _reply(bash, "run", "--quiet", "--on-conflict", "w", before=before) == ["wait"]


def test_bash_completes_a_policy_after_an_equals_sign(bash: Shell) -> None:
    assert _reply(bash, "run", "--on-conflict", "=", "c") == ["cancel"]  # three words, from 4 on
    assert len(_reply(bash, "run", "--on-conflict", "=")) == 5
    assert _reply(bash, "run", "--on-conflict=c") == ["cancel"]  # one word: bash 3.2
    whole = _reply(bash, "run", "--on-conflict=c", before="COMP_WORDBREAKS=' '")
    assert whole == ["--on-conflict=cancel"]


def test_bash_offers_no_options_where_a_value_of_the_user_s_own_stands(bash: Shell) -> None:
    for words in (["run", "--session"], ["run", "--timeout"], ["history", "-n"], ["run", "-c"]):
        assert _reply(bash, *words, "") == []


@pytest.mark.parametrize("verb", ["run", "check", "explain"])
def test_bash_completes_the_wrapped_command_s_name(bash: Shell, verb: str) -> None:
    assert _reply(bash, verb, "--", WRAPPED[:-2]) == [WRAPPED]
    assert _reply(bash, verb, "--lane", "a", "--", WRAPPED[:-2], before=OLD) == [WRAPPED]
    assert _reply(bash, verb, "--", WRAPPED, "on") == []  # file names are bash's own default


def test_bash_leaves_the_wrapped_command_to_bash_completion(bash: Shell) -> None:
    for name in ("_comp_command_offset", "_command_offset"):
        before = f'{name}() {{ COMPREPLY=("offset $1 of ${{COMP_WORDS[*]}}"); }}'
        words = ["run", "--strict", "--", "git", "ch"]
        assert _reply(bash, *words, before=before) == [f"offset 4 of hostgate {' '.join(words)}"]
        assert _reply(bash, "ls", "--", "x", before=before) == []


def test_bash_completes_on_a_terminal(bash: Shell) -> None:
    setup = bash.host.folder / "setup"
    setup.write_text(f"PS1='ready: '\n. '{FOLDER}/hostgate.bash'\n{STUB}")
    terminal = bash.host.terminal(bash.path, "--noprofile", "--rcfile", str(setup), "-i")
    assert _typed(terminal, "hi") == ["history"]
    assert _typed(terminal, "run --on-conflict=c") == ["run", "--on-conflict=cancel"]
    assert _typed(terminal, "run --project only-fo") == ["run", "--project", "only-folder/"]
    assert _typed(terminal, f"run -- {WRAPPED[:-1]}") == ["run", "--", WRAPPED]
    assert _typed(terminal, "run -- cat only-fi") == ["run", "--", "cat", "only-file"]
    terminal.close()


STUB = r"""hostgate() { printf 'got:'; printf ' %s' "$@"; printf '\n'; }
"""


def _typed(terminal: Terminal, words: str) -> list[str]:
    """The words that the shell has at the end of a line that was completed with the Tab key."""
    terminal.until("ready: ")
    terminal.send(f"hostgate {words}\t\n")
    terminal.until("got: ")
    return terminal.until("\n").split()


# zsh


def test_the_zsh_file_has_no_syntax_error(zsh: Shell) -> None:
    assert zsh.out("-f", "-n", str(FOLDER / "_hostgate")) == []


def test_zsh_completes_on_a_terminal(zsh: Shell) -> None:
    (zsh.host.home / ".zshrc").write_text(
        "PS1='ready: '\nsetopt nobeep noautomenu nopromptsp nopromptcr\n"
        f"fpath=('{FOLDER}' $fpath)\nautoload -U compinit\ncompinit -u -D\n"
        f"_own() {{ _arguments '--special[x]' }}\ncompdef _own {WRAPPED}\n{STUB}"
    )
    terminal = zsh.host.terminal(zsh.path, "-d", "-i")
    assert _typed(terminal, "hi") == ["history"]
    assert _typed(terminal, "--ver") == ["--version"]
    assert _typed(terminal, "run --on-conf") == ["run", "--on-conflict"]
    assert _typed(terminal, "run --on-conflict w") == ["run", "--on-conflict", "wait"]
    assert _typed(terminal, "run --on-conflict=c") == ["run", "--on-conflict=cancel"]
    assert _typed(terminal, "run --project only-") == ["run", "--project", "only-folder"]
    assert _typed(terminal, "run --strict ") == ["run", "--strict", "--"]
    assert _typed(terminal, "ls --w") == ["ls", "--watch"]
    for verb in ("run", "check", "explain"):
        assert _typed(terminal, f"{verb} -- {WRAPPED[:-1]}") == [verb, "--", WRAPPED]
    words = f"run --lane a -- {WRAPPED} --spe"
    assert _typed(terminal, words) == [*words.split()[:-1], "--special"]
    terminal.close()


# fish


def _listed(shell: Shell, line: str) -> dict[str, str]:
    """What fish offers for a line: the words and their descriptions."""
    script = f"source '{FOLDER}/hostgate.fish'; complete -c {WRAPPED} -f -l special; complete -C "
    found = [one.partition("\t") for one in shell.out("-c", f'{script}"{line}"')]
    return {word: description for word, _, description in found}


def test_the_fish_file_has_no_syntax_error(fish: Shell) -> None:
    assert fish.out("-n", str(FOLDER / "hostgate.fish")) == []


def test_fish_completes_commands_options_and_policies(fish: Shell) -> None:
    assert _listed(fish, "hostgate ") == {verb.name: verb.help for verb in verbs()[1:]}
    assert list(_listed(fish, "hostgate --v")) == ["--version"]
    assert list(_listed(fish, "hostgate run --on")) == ["--on-conflict"]
    policies = ["ask", "cancel", "join", "run", "wait"]
    assert sorted(_listed(fish, "hostgate run --on-conflict ")) == policies
    assert list(_listed(fish, "hostgate run --on-conflict=c")) == ["--on-conflict=cancel"]
    assert list(_listed(fish, "hostgate run --project only-")) == ["only-folder/"]
    assert list(_listed(fish, "hostgate ls --j")) == ["--json"]
    assert list(_listed(fish, "hostgate run --lane x ")) == ["--"]
    assert _listed(fish, "hostgate run --session on") == {}


def test_fish_completes_the_wrapped_command(fish: Shell) -> None:
    for verb in ("run", "check", "explain"):
        assert list(_listed(fish, f"hostgate {verb} -- {WRAPPED[:-1]}")) == [WRAPPED]
    assert list(_listed(fish, f"hostgate run --lane a -- {WRAPPED} --sp")) == ["--special"]
    assert sorted(_listed(fish, "hostgate run -- cat only-")) == ["only-file", "only-folder/"]
    assert list(_listed(fish, "hostgate run -- hostgate run --on-conflict w")) == ["wait"]
    assert _listed(fish, f"hostgate ls -- {WRAPPED[:-1]}") == {}
