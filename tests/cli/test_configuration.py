"""The configuration as commands see it: what it changes, what it warns of, what it shows."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support import Host, Latch


def configure(host: Host, text: str) -> Path:
    """Write the user's file."""
    path = host.home / ".config/hostgate.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def project_file(host: Host, text: str) -> Path:
    path = host.project / ".hostgate.toml"
    path.write_text(text)
    return path


def held_test(host: Host) -> Latch:
    """A command that is no build, which session A is running."""
    latch = host.latch("hold")
    host.start("run", "--", latch.command, "x", session="A")
    latch.until_started()
    return latch


@pytest.mark.parametrize("write", [configure, project_file])
def test_the_threshold_counts(host: Host, write: object) -> None:
    assert callable(write)
    held_test(host)
    other = ["check", "--", "./hold.sh", "x", "y", "z"]
    assert host.run(*other, session="B").returncode == 0
    write(host, "threshold = 0.3\n")
    done = host.run(*other, session="B")
    assert (done.returncode, done.stderr) == (75, "")
    assert "near-identical" in done.stdout


def test_a_category_that_contends_holds_up_a_run_and_ls_says_so(host: Host) -> None:
    project_file(host, 'contend = ["other"]\n')
    held = held_test(host)
    other = host.latch("other")
    waiter = host.start("run", "--", other.command, "y", session="B")
    host.until_claims(running=1, waiting=1)
    assert waiter.poll() is None
    (_, waiting) = host.ls()
    (blocker,) = waiting["blockers"]
    assert blocker["reason"] == "both-builds: hold.sh, other.sh (both other)"
    held.go()
    other.until_started()


def test_builds_need_not_contend(host: Host, held: Latch) -> None:
    assert host.run("check", "--", "make", session="B").returncode == 75
    configure(host, "contend = []\n")
    assert host.run("check", "--", "make", session="B").returncode == 0


def test_the_whole_host_can_be_one_project(host: Host, held: Latch, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    configure(host, 'scope = "host"\n')
    latch = Latch(elsewhere, "build")
    host.start("run", "--", latch.command, session="B", cwd=elsewhere)
    latch.until_started()
    assert [claim["project"] for claim in host.claims()] == [str(host.project), "/"]
    assert host.claims()[1]["title"] == "B · elsewhere"
    assert host.run("check", "--", "make", session="C").returncode == 75
    (elsewhere / ".hostgate.toml").write_text('scope = "worktree"\n')
    assert host.run("check", "--", "make", session="C", cwd=elsewhere).returncode == 0


def test_each_linked_worktree_can_be_a_project_with_a_file_of_its_own(host: Host) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init"], ["commit", "--allow-empty", "-m", "x"], ["worktree", "add", "../w"]):
        subprocess.run(
            ["git", *identity, *words], cwd=host.project, check=True, capture_output=True
        )
    linked = host.folder / "w"
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    assert host.run("check", "--", "make", session="B", cwd=linked).returncode == 75
    (linked / ".hostgate.toml").write_text('scope = "worktree"\n')
    assert host.run("check", "--", "make", session="B", cwd=linked).returncode == 0
    assert host.run("check", "--", "make", session="B").returncode == 75


def test_many_runs_at_once_remember_the_files_whole(host: Host) -> None:
    configure(host, "threshold = 0.7\n")
    project_file(host, 'contend = ["test"]\n')
    runs = [host.start("run", "-c", "true", session=f"s{at}") for at in range(12)]
    assert [run.communicate() and run.returncode for run in runs] == [0] * 12
    known = json.loads((host.state / "config.json").read_text())["files"]
    assert len(known) in (1, 2)  # two that write at once may each know one file
    assert not list(host.state.glob("*.new"))


BROKEN = 'scope = "repro"\nthreshhold = 1\n'


def test_a_broken_file_costs_one_warning_line_and_the_command_runs(host: Host) -> None:
    path = configure(host, BROKEN)
    for _ in range(2):  # also when the file is known
        done = host.run("run", "--quiet", "-c", "echo ran; exit 7")
        assert (done.returncode, done.stdout) == (7, "ran\n")
        assert done.stderr == (
            f"hostgate: warning: configuration: 2 problems, the first: {path}:1: scope: there is "
            'no scope "repro"; did you mean repo?; `hostgate config` shows all\n'
        )
    assert [claim["outcome"] for claim in host.history()] == ["ran", "ran"]
    assert host.run("run", "--strict", "-c", "exit 7").returncode == 7
    assert host.run("run", "-c", "exit 7", HOSTGATE_DISABLE="1").stderr == ""
    for words in (["check", "--json", "--", "true"], ["explain", "--json", "make"]):
        done = host.run(*words)
        assert (done.returncode, done.stderr.count("\n")) == (0, 1)
        assert json.loads(done.stdout)
    assert "odd  configuration: 2 problems" in host.run("doctor").stdout


def test_what_a_file_says_cannot_draw_on_the_terminal(host: Host) -> None:
    project_file(host, '"\\u001b[2J\\n\\u202e" = 1\nscope = "\\u001b]0;x"\n')
    for words in (["run", "-c", "true"], ["config"], ["config", "--json"], ["doctor"]):
        done = host.run(*words)
        assert "\x1b" not in done.stdout + done.stderr
        assert "\u202e" not in done.stdout + done.stderr
        assert "problem" in done.stderr + done.stdout or words == ["config"]


@pytest.mark.parametrize("kind", ["pipe", "directory", "zeros", "deep", "large"])
def test_a_hostile_project_file_neither_stops_a_run_nor_ungates_it(host: Host, kind: str) -> None:
    path = host.project / ".hostgate.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "zeros":
        path.symlink_to("/dev/zero")
    else:
        path.write_text("a = " + "[" * 50_000 if kind == "deep" else "#" * 200_000)
    done = host.run("run", "-c", "exit 7")
    assert done.returncode == 7
    assert done.stderr.count("\n") == 1
    assert "configuration: 1 problem: " in done.stderr
    assert [entry["outcome"] for entry in host.history()] == ["ran"]


def test_config_shows_each_value_with_where_it_comes_from(host: Host) -> None:
    done = host.run("config", COLUMNS="400")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["KEY", "VALUE", "FROM"]
    assert ["scope", "repo", "default"] in lines
    assert ["contend", "build", "default"] in lines
    assert ["state", str(host.state), "HOSTGATE_HOME"] in lines
    assert ["user's", "file", f"{host.home}/.config/hostgate.toml", "not", "there"] in lines
    user = configure(host, 'threshold = 0.7\n[commands]\nbuild = ["x"]\n')
    own = project_file(host, 'contend = ["test"]\n')
    done = host.run("config", HOSTGATE_ON_CONFLICT="wait", COLUMNS="400")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["threshold", "0.7", f"{user}:1"] in lines
    assert ["contend", "build,", "test", "default,", f"{own}:1"] in lines
    assert ["commands.build", "x", f"{user}:3"] in lines
    assert ["on-conflict", "wait", "HOSTGATE_ON_CONFLICT"] in lines
    assert ["project's", "file", str(own), "there"] in lines


def test_config_shows_every_problem_and_exits_with_1(host: Host) -> None:
    user = configure(host, BROKEN)
    own = project_file(host, '\nnever = ["make"]\n')
    done = host.run("config", HOSTGATE_WAIT_TIMEOUT="soon")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-4:] == [
        f'{user}:1: scope: there is no scope "repro"; did you mean repo?',
        f"{user}:2: threshhold: there is no such key; did you mean threshold?",
        f"{own}:2: never: only the user's file may exempt commands",
        "environment: HOSTGATE_WAIT_TIMEOUT: not a duration: 'soon' (90, 90s, 1m30s, 2h)",
    ]


def test_config_json_has_the_documented_form(host: Host) -> None:
    configure(host, "threshold = 0.7\n")
    own = project_file(host, "threshold = 0.8\n")
    done = host.run("config", "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    threshold = {"value": 0.7, "origins": [f"{host.home}/.config/hostgate.toml:1"]}
    assert document["settings"]["threshold"] == threshold
    assert set(document["settings"]) == set(
        """scope threshold contend never reservation commands.build commands.test commands.server
        commands.other commands.read on-conflict wait-timeout disable state""".split()
    )
    assert [file["of"] for file in document["files"]] == ["user", "project"]
    assert [set(file) for file in document["files"]] == [{"of", "path", "exists"}] * 2
    (problem,) = document["problems"]
    assert problem | {"problem": ""} == {
        "file": str(own),
        "line": 1,
        "key": "threshold",
        "problem": "",
    }


def test_config_looks_at_the_project_that_is_named(host: Host, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".hg").mkdir(parents=True)
    (other / "deep").mkdir()
    (other / ".hostgate.toml").write_text("threshold = 0.1\n")
    assert "0.1" in host.run("config", "--project", str(other / "deep")).stdout
    assert "0.1" in host.run("config", HOSTGATE_PROJECT=str(other)).stdout
    assert "0.1" not in host.run("config", COLUMNS="400").stdout


def test_config_needs_neither_state_nor_home_nor_directory(host: Host) -> None:
    host.state.touch()
    assert host.run("config", COLUMNS="400").returncode == 0
    done = host.run("config", HOME="", HOSTGATE_HOME="")
    assert done.returncode == 0
    script = f"mkdir {host.folder}/gone; cd {host.folder}/gone; rmdir ../gone; hostgate config"
    done = subprocess.run(
        ["sh", "-c", script], env=host.environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def blocked(host: Host, command: str) -> bool:
    """Whether a command of another session would have to wait."""
    done = host.run("check", "-c", command, session="B")
    assert done.stderr == ""
    return {0: False, 75: True}[done.returncode]


def test_a_command_that_is_never_gated_runs_beside_a_build(host: Host, held: Latch) -> None:
    assert blocked(host, "make docs")
    configure(host, 'never = ["make docs"]\n')
    for command in ("make docs", "cd x && make docs -j4", "sudo timeout 9 make docs 2>&1 | tail"):
        assert not blocked(host, command)
    for command in ("make", "make docs2", "make docs && make", "bash -c 'make docs; make'"):
        assert blocked(host, command)


@pytest.mark.parametrize(
    ("pattern", "commands"),
    [
        ("mytool", ["mytool", "/opt/bin/mytool x", "FOO=1 mytool --fast"]),
        ("scripts/*-image.sh", ["./scripts/a-image.sh x", "bash scripts/b-image.sh"]),
        ("npm run lint*", ["npm run lint", "npm run lint:all -- --fix"]),
        ("python gen.py", ["python gen.py --all", "python3 gen.py"]),
        ("tools/gen.py", ["python -u tools/gen.py --all", "./tools/gen.py"]),
    ],
)
def test_a_command_can_be_made_a_build(
    host: Host, held: Latch, pattern: str, commands: list[str]
) -> None:
    assert not any(blocked(host, command) for command in commands)
    project_file(host, f'[commands]\nbuild = ["{pattern}"]\n')
    for command in commands:
        assert blocked(host, command), command


def test_a_command_can_be_made_a_test(host: Host) -> None:
    configure(host, '[commands]\ntest = ["./run-checks*"]\n')
    said = host.run("explain", "./run-checks-all --fast && ls").stdout
    assert "test: run-checks-all" in said


def test_a_project_makes_nothing_contend_less_than_it_does(host: Host, held: Latch) -> None:
    project_file(host, '[commands]\nother = ["make"]\ntest = ["./build.*"]\nbuild = ["pytest"]\n')
    assert blocked(host, "make")
    assert blocked(host, "pytest -q")


def test_a_user_makes_anything_what_they_like(host: Host, held: Latch) -> None:
    configure(host, '[commands]\nother = ["make"]\n')
    assert not blocked(host, "make")


def test_a_project_s_file_exempts_nothing(host: Host, held: Latch) -> None:
    project_file(host, '[commands]\nread = ["*"]\n')
    done = host.run("check", "--", held.command, session="B")
    assert done.returncode == 75
    assert "commands.read" in done.stderr


def test_a_running_claim_is_read_by_the_rules_of_now(host: Host) -> None:
    latch = host.latch("mytool")
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    assert not blocked(host, "make")
    configure(host, '[commands]\nbuild = ["mytool*"]\n')
    assert blocked(host, "make")
