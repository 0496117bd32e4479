"""The manual page says what the program does: its options, codes, variables, files, numbers."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import warnings
from pathlib import Path

import pytest
from support import DEADLINE

import hostgate
from hostgate.cli.claiming import PATIENCE
from hostgate.cli.exits import TABLE
from hostgate.cli.options import CHECK, HOLD, OPTIONS, parse
from hostgate.core import POLICIES, registry, rules, text
from hostgate.core.claims import STATES
from hostgate.core.rules import CATEGORIES
from hostgate.host import child, history, hooklog, project, settingsfile, state
from hostgate.ui import phrases, voice

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # Typer's, of parts of click
    from hostgate.cli.completion import Verb, verbs

ROOT = Path(__file__).parents[1]
PATH = ROOT / "man" / "hostgate.1"
SOURCE = PATH.read_text(encoding="utf-8")


def plain(roff: str) -> str:
    """The words of the page, without its marks, on one line."""
    words = " ".join(_unmarked(line) for line in roff.splitlines())
    words = re.sub(r"\\f[BIRP]|\\&", "", words).replace("\\-", "-").replace("\\(aq", "'")
    return re.sub(r"\s+", " ", words)


def _unmarked(line: str) -> str:
    if re.match(r"\.(PP|RS|RE|PD|nf|fi|br|nh|ad)\b", line):
        return ""
    if re.match(r"\.[BIR]{2} ", line):  # words in two fonts in turn, with no blank between
        return "".join(word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line[4:]))
    return re.sub(r"^\.(B|I|TP|SS|SH|IP)\b ?", "", line)


def section(name: str) -> str:
    """The source of one section."""
    found = re.search(rf'^\.SH "?{re.escape(name)}"?\n(.*?)(?=^\.SH |\Z)', SOURCE, re.M | re.S)
    assert found, f"no section {name}"
    return found[1]


def tags(roff: str) -> list[str]:
    """What stands before the indented paragraphs of a section."""
    found = re.findall(r"^\.TP\n((?:.*\\\n)*.*)\n", roff, re.M)
    return [plain(tag.replace("\\\n", "")).strip() for tag in found]


TEXT = plain(SOURCE)


def test_it_has_the_sections_of_a_manual_page() -> None:
    wanted = """NAME SYNOPSIS DESCRIPTION COMMANDS CONFLICTS CONFIGURATION ENVIRONMENT FILES
        ASSUMPTIONS CAVEATS EXAMPLES""".split()
    for name in [*wanted, "OPTIONS OF RUN", "EXIT STATUS", "SEE ALSO"]:
        assert section(name).strip()


@pytest.mark.parametrize(
    "command",
    [
        ["groff", "-man", "-Tutf8", "-ww"],
        ["man", "--warnings", "-E", "UTF-8", "-l"],
        ["mandoc", "-T", "lint", "-W", "warning"],
    ],
    ids=lambda command: command[0],
)
def test_it_is_formatted_without_a_warning(command: list[str], tmp_path: Path) -> None:
    program = shutil.which(command[0])
    if program is None:
        pytest.skip(f"{command[0]} is not installed")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    if command[0] == "man":
        known = subprocess.run([program, "--version"], env=environment, capture_output=True)
        if b"man " not in known.stdout or known.returncode:
            pytest.skip("this man cannot warn: it is not that of man-db")
    done = subprocess.run(
        [program, *command[1:], PATH],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    if command[0] == "mandoc":
        assert done.stdout == ""
    else:
        assert "hostgate run" in re.sub(r".\x08", "", done.stdout)


def test_it_bears_the_version() -> None:
    assert SOURCE.splitlines()[0].endswith(f'"hostgate {hostgate.__version__}" "User Commands"')


@pytest.mark.parametrize("verb", verbs()[1:], ids=lambda verb: verb.name)
def test_every_command_is_described_with_all_its_options(verb: Verb) -> None:
    assert f"hostgate {verb.name}" in plain(section("SYNOPSIS"))
    parts = re.split(r"^\.TP\n(?=\\fB[a-z]+\\fR|\.B [a-z]+$)", section("COMMANDS"), flags=re.M)
    mine = [plain(part) for part in parts if re.match(rf"(\\fB|\.B ){verb.name}\b", part)]
    assert mine, f"no {verb.name} in COMMANDS"
    described = " ".join(mine) + plain(section("OPTIONS OF RUN")) * (verb.name == "run")
    for option in verb.options:
        for name in option.opts:
            where = described if name != "--help" else plain(section("COMMANDS"))
            assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", where), name


def test_run_s_options_are_described_with_their_values() -> None:
    found = tags(section("OPTIONS OF RUN"))
    assert found == [f"--{one.name} {one.metavar}".strip() for one in OPTIONS] + ["-c STRING"]
    assert "|".join(POLICIES) in TEXT


def test_it_names_no_option_that_hostgate_does_not_have() -> None:
    known = {name for verb in verbs() for option in verb.options for name in option.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", TEXT)) == {
        name for name in known if name.startswith("--")
    }
    short = {name for tag in tags(SOURCE) for name in re.findall(r"(?<![\w-])-[a-z]\b", tag)}
    assert short == {name for name in known if not name.startswith("--")}


def test_the_exit_status_is_the_table_of_the_program() -> None:
    assert sorted(tags(section("EXIT STATUS"))) == sorted(code for code, _ in TABLE)


def test_every_variable_that_the_program_reads_or_sets_is_named() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "hostgate").rglob("*.py")]
    own = set(re.findall(r"\bHOSTGATE_[A-Z_]+\b", "".join(sources)))
    assert set(re.findall(r"\bHOSTGATE_[A-Z_]+\b", TEXT)) == own
    named = plain(section("ENVIRONMENT"))
    agents = {name for _, ids, marks in project.AGENTS for name in f"{ids} {marks}".split()}
    for name in (
        own | agents | {"XDG_STATE_HOME", "XDG_CONFIG_HOME", "SHELL", "NO_COLOR", "COLUMNS", "TERM"}
    ):
        assert re.search(rf"\b{name}\b", named), name


def test_the_agents_stand_in_the_order_in_which_they_are_looked_for() -> None:
    entries = section("ENVIRONMENT").partition(".SS Set by agents\n")[2].split(".TP\n")[1:]
    found = [plain(entry).replace(",", "").replace("(no id)", "").split() for entry in entries]
    wanted = [f"{agent} {ids} ; {marks}".split() for agent, ids, marks in project.AGENTS]
    assert [" ".join(entry).replace(" ;", ";").split() for entry in found] == [
        " ".join(entry).replace(" ;", ";").rstrip(";").split() for entry in wanted
    ]


def test_the_files_of_the_state_directory_are_named() -> None:
    named = tags(section("FILES"))
    assert named == [
        state.REGISTRY,
        f"{state.REGISTRY}.corrupt-N",
        state.LOCK,
        f"{state.CLAIMS}/ID.lock",
        f"{state.CLAIMS}/ID.wake",
        f"{state.RUNS}/NAME.json",
        f"{state.RUNS}/NAME.TOKEN.log",
        state.CONFIG,
        state.HISTORY,
        hooklog.LOG,
        f"hook-AGENT.{hooklog.RAN}, hook-AGENT.{hooklog.HELD}",
        settingsfile.LOCK,
    ]


def test_the_words_of_the_program_are_explained() -> None:
    for word in (
        *STATES,
        *CATEGORIES,
        "identical",
        "both-builds",
        "near-identical",
        "lane",
        "limit",
    ):
        assert re.search(rf"\b{word}\b", TEXT), word


def test_the_signals_that_are_passed_on_are_named() -> None:
    for number in child.PASSED_ON:
        assert signal.Signals(number).name in plain(section("CAVEATS"))


def test_the_numbers_are_those_of_the_program() -> None:
    for number in (
        f"kept for {registry.KEPT_FOR / 60:.0f} minutes",
        f"{PATIENCE:.0f} seconds where there is none",
        f"Default: {child.GRACE:.0f} seconds",
        f"every {voice.BEAT:.0f} seconds",
        f"At least {rules.THRESHOLD:.0%}".replace("%", " percent"),
        f"more than {text.STORED} characters",
        f"Over {history.BOUND >> 20} MiB",
        f"over {hooklog.BOUND >> 10} KiB",
        f"lasts for {registry.RESERVED_FOR:.0f} seconds",
    ):
        assert number in TEXT
    assert phrases.NAMED == 3
    assert "up to three of the sessions" in TEXT


def test_the_examples_are_command_lines_that_hostgate_takes() -> None:
    lines = re.findall(r"^\.nf\n(.*?)^\.fi$", section("EXAMPLES"), re.M | re.S)
    known = {verb.name for verb in verbs()}
    for line in "".join(lines).splitlines():
        words = shlex.split(plain(line))
        assert words[0] == "hostgate"
        assert words[1] in known
        if words[1] in ("run", "check", "hold"):
            options = {"run": OPTIONS, "check": CHECK, "hold": HOLD}[words[1]]
            parse(words[2:], {}, options, words[1])
