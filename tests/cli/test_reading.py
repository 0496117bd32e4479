"""ls, check, explain, wait, history, doctor, help: the commands that read."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from support import BUILD, DEADLINE, Host, Latch, until

import hostgate


def test_ls_shows_who_runs_and_who_waits_for_whom(host: Host, held: Latch) -> None:
    host.start("run", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    table = host.run("ls", COLUMNS="200").stdout
    head, first, second = table.splitlines()
    assert head.split() == "ID STATE FOR SESSION COMMAND PROJECT WAITS FOR".split()
    for text in ("running", "claude · api", "./build.sh", str(host.project)[:20]):
        assert text in first
    assert re.search(r"waiting .* claude · api \[\w+: identical\]", second)


def test_ls_json_has_the_documented_form(host: Host, held: Latch) -> None:
    for name in ("B", "C"):
        host.start("run", "--", held.command, session=name)
        host.until_claims(running=1, waiting="BC".index(name) + 1)
    document = json.loads(host.run("ls", "--json").stdout)
    assert document["schema"] == 1
    assert document["epoch"] == 3
    running, first, second = document["claims"]
    assert set(running) == set(
        """id state session title project command category lanes run_id epoch owner child
        enqueued_at started_at elapsed usual override stopped ahead blockers""".split()
    )
    assert set(running["owner"]) == {"host", "pid", "alive"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", running["started_at"])
    assert (running["ahead"], running["blockers"]) == (0, [])
    assert (first["ahead"], [one["id"] for one in first["blockers"]]) == (0, [running["id"]])
    assert first["started_at"] is None
    assert second["ahead"] == 1
    assert [one["id"] for one in second["blockers"]] == [running["id"], first["id"]]
    assert second["blockers"][0]["rule"] == "identical"


def test_ls_on_an_idle_host_says_so(host: Host) -> None:
    assert host.run("ls").stdout == "nothing is running or waiting\n"
    assert json.loads(host.run("ls", "--json").stdout)["claims"] == []


def test_ls_never_blocks_on_the_registry_s_lock(host: Host, held: Latch) -> None:
    with open(host.state / "registry.lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert len(host.ls()) == 1


def test_ls_watch_follows_the_changes(host: Host, held: Latch) -> None:
    watcher = host.start("ls", "--watch", "--json")
    assert watcher.stdout is not None
    assert len(json.loads(watcher.stdout.readline())["claims"]) == 1
    held.go()
    assert json.loads(watcher.stdout.readline())["claims"] == []


def test_ls_watch_draws_on_a_terminal_until_ctrl_c(host: Host, held: Latch) -> None:
    terminal = host.terminal("hostgate", "ls", "--watch")
    terminal.until("./build.sh")
    held.go()
    terminal.until("nothing is running or waiting")
    terminal.send("\x03")
    assert terminal.wait() == -2
    terminal.close()


def test_check_is_0_on_a_clear_way_and_75_on_a_blocked_one(host: Host, held: Latch) -> None:
    assert host.run("check", "--", "ls", session="B").stdout == "clear\n"
    assert host.run("check", "--", "make", session="A").returncode == 0
    done = host.run("check", "--", "make", session="B")
    assert done.returncode == 75
    assert "claude · api (session A) is running `./build.sh`" in done.stdout
    done = host.run("check", "--json", "-c", "cd . && make", session="B")
    assert done.returncode == 75
    document = json.loads(done.stdout)
    assert document["clear"] is False
    (blocker,) = document["blockers"]
    assert set(blocker) == set("id state session title command rule reason since".split())
    assert blocker["reason"] == "both-builds: build.sh, make"


def test_check_registers_nothing(host: Host, held: Latch) -> None:
    before = (host.state / "registry.json").read_bytes()
    host.run("check", "--", "make", session="B")
    assert (host.state / "registry.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["swift build"], "build: swift"),
        (["--", "git", "commit", "-m", "make it"], "other: git"),
        (["-c", "cd x && npm ci"], "build: npm"),
        (["swift build", "cargo test"], "similar: both-builds: cargo, swift"),
        (["swift build", "ls"], "not similar"),
        (["ls", "make", "--json"], '"similar":false'),
    ],
)
def test_explain_says_how_a_command_is_read(host: Host, words: list[str], text: str) -> None:
    done = host.run("explain", *words)
    assert done.returncode == 0, done.stderr
    assert text in done.stdout


def test_explain_shows_the_parts_and_what_was_looked_through(host: Host) -> None:
    text = "cd app && FOO=1 timeout 600 ./gradlew build 2>&1 | tail -20"
    shown = host.run("explain", "-c", text).stdout.splitlines()
    assert shown[0] == text
    assert shown[1:3] == ["  build: gradlew", f"  project: {host.project}"]
    assert shown[3] == "  * build  gradlew build   (in app, through FOO=1 timeout 600)"
    assert shown[4].split() == ["read", "tail", "-20", "(in", "app)"]


def test_explain_shows_the_rule_the_score_and_the_differing_words(host: Host) -> None:
    said = host.run("explain", "pytest -q tests/a", "uv run pytest tests/a").stdout
    assert "similar: near-identical: 66 % alike, differs in --quiet" in said
    assert "66 % of the words alike, differing in: --quiet" in said
    said = host.run("explain", "pytest tests/a", "pytest tests/b").stdout
    assert "not similar\n  33 % of the words alike, differing in: tests/a tests/b" in said


def test_explain_shows_the_project_that_the_command_names(host: Host) -> None:
    other = host.project.parent / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    document = json.loads(host.run("explain", "--json", f"cd {other} && make").stdout)
    assert document["project"] == str(other)


def test_explain_shows_another_s_text_inert(host: Host) -> None:
    said = host.run("explain", "-c", "make \x1b[31m; cd 'a\x07' && make").stdout
    assert "\x1b" not in said and "\x07" not in said


@pytest.mark.parametrize(
    "words", [["make --token=hunter2"], ["--", "make", "--password", "hunter2"],
              ["-c", "TOKEN=hunter2 make"], ["TOKEN=hunter2 make", "make DB_PASSWORD=hunter2"]]
)  # fmt: skip
def test_explain_shows_no_secret_and_reads_as_the_gate_does(host: Host, words: list[str]) -> None:
    for options in ([], ["--json"]):
        done = host.run("explain", *options, *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert "***" in done.stdout and "hunter2" not in done.stdout
        assert "build" in done.stdout


def test_explain_says_what_no_shell_would_read(host: Host) -> None:
    assert "no shell would read it so" in host.run("explain", "-c", "make 'x").stdout


def test_explain_json_has_the_documented_form(host: Host) -> None:
    done = host.run("explain", "--json", "swift build", "cargo test")
    document = json.loads(done.stdout)
    assert document["similar"] is True
    assert document["rule"] == "both-builds"
    assert document["reason"] == "both-builds: cargo, swift"
    assert (document["a"]["word"], document["b"]["category"]) == ("swift", "build")
    assert (document["score"], document["differs"]) == (0, ["build", "cargo", "swift", "test"])
    (part,) = document["a"]["parts"]
    assert (part["words"], part["decides"]) == (["swift", "build"], True)
    document = json.loads(host.run("explain", "--json", "ls", "ls").stdout)
    assert (document["similar"], document["rule"], document["reason"]) == (False, None, None)


@pytest.mark.parametrize("words", [[], ["a", "b", "c"], ["-c", "a", "b"], ["--frob"]])
def test_explain_refuses_other_forms(host: Host, words: list[str]) -> None:
    assert_one_line(host.run("explain", *words))


def test_wait_gives_the_code_of_the_run_it_waited_for(host: Host, held: Latch) -> None:
    (claim,) = host.ls()
    waiter = host.start("wait", claim["id"])
    held.go(9)
    assert waiter.wait(DEADLINE) == 9
    assert host.run("wait", claim["id"]).returncode == 9  # also afterwards


def test_wait_tells_that_nobody_recorded_the_end(host: Host, held: Latch) -> None:
    (claim,) = host.ls()
    waiter = host.start("wait", claim["id"])
    os.killpg(host.processes[0].pid, signal.SIGKILL)
    _, err = waiter.communicate(timeout=DEADLINE)
    assert waiter.returncode == 125
    assert "indeterminate" in err
    assert host.claims() == []


def test_wait_idle_ends_when_nothing_runs_or_waits(host: Host, held: Latch) -> None:
    waiter = host.start("wait", "--idle")
    held.go()
    assert waiter.wait(DEADLINE) == 0


@pytest.mark.parametrize("words", [["zzzz"], [], ["zzzz", "--idle"], ["../x"]])
def test_wait_refuses_an_unknown_id_and_other_forms(host: Host, words: list[str]) -> None:
    assert_one_line(host.run("wait", *words))


def test_history_shows_what_has_ended(host: Host) -> None:
    host.run("run", "--title", "me", "-c", "exit 3", session="s")
    host.run("run", "-c", "true")
    table = host.run("history", COLUMNS="200").stdout
    assert re.search(r"ran +3 +0 s +0 s +me +exit 3", table)
    document = json.loads(host.run("history", "--json", "-n", "1").stdout)
    assert document["schema"] == 1
    assert [entry["command"] for entry in document["history"]] == ["true"]


def test_history_is_bounded_by_size(host: Host) -> None:
    host.run("run", "-c", "true")
    path = host.state / "history.jsonl"
    path.write_text(path.read_text() * 3000)
    host.run("run", "-c", "exit 9")
    assert path.stat().st_size < 600_000
    assert all(json.loads(line) for line in path.read_text().splitlines())
    assert host.history()[-1]["code"] == 9


def test_the_usual_time_of_a_command_is_told_to_who_waits_for_it(host: Host) -> None:
    latch = host.latch()
    runner = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    latch.go()
    runner.wait(DEADLINE)
    path = host.state / "history.jsonl"
    entry = json.loads(path.read_text())
    path.write_text(json.dumps(entry | {"ran": 3600.0}) + "\nno line\n")
    host.start("run", "--", latch.command, session="A")
    latch.until_started(2)
    done = host.run("run", "--wait-timeout", "0", "--", latch.command, session="B")
    assert "usually 1 h 00 min, so about 59 min" in done.stderr


def test_doctor_finds_a_healthy_host_healthy(host: Host) -> None:
    done = host.run("doctor")
    assert done.returncode == 0
    assert all(line.startswith("ok ") for line in done.stdout.splitlines()), done.stdout
    assert list(host.state.glob("doctor*")) == []


def test_doctor_names_what_holds_the_registry_s_lock(host: Host) -> None:
    host.run("run", "-c", "true")
    script = (
        "import fcntl, time; f = open('registry.lock', 'r+'); fcntl.flock(f, fcntl.LOCK_EX); "
        "print('held', flush=True); time.sleep(1000)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script], cwd=host.state, stdout=subprocess.PIPE, text=True
    )
    host.processes.append(holder)
    assert holder.stdout is not None
    holder.stdout.readline()
    assert f"held by pid {holder.pid}" in host.run("doctor").stdout


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_doctor_writes_into_nothing_that_stands_in_its_way(
    host: Host, link: Callable[[str, str], None]
) -> None:
    host.run("run", "-c", "true")
    theirs = host.folder / "theirs"
    theirs.write_text("mine")
    for name in ("doctor.probe", "doctor.lock", "doctor.wake"):
        link(str(theirs), str(host.state / name))
    os.mkfifo(host.state / "hook.log")
    done = host.run("doctor")
    assert done.returncode == 0, done.stdout
    assert "named pipes work" in done.stdout
    assert theirs.read_text() == "mine"
    assert list(host.state.glob("doctor*")) == []


def test_doctor_says_what_is_wrong_and_what_to_do(host: Host) -> None:
    host.state.touch()
    done = host.run("doctor")
    assert done.returncode == 1
    assert "bad  state directory" in done.stdout
    assert "set HOSTGATE_HOME" in done.stdout


@pytest.mark.parametrize(
    "verb", ["ls", "history", "config", "doctor", "wait", "check", "explain", "run"]
)
def test_every_command_has_help(host: Host, verb: str) -> None:
    done = host.run(verb, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: hostgate {verb}")


def test_the_version_and_the_bare_command(host: Host) -> None:
    assert host.run("--version").stdout == f"hostgate {hostgate.__version__}\n"
    assert host.run().stdout.startswith("Usage: hostgate")


@pytest.mark.parametrize(
    "words",
    [
        ["frob"],
        ["--frob"],
        ["ls", "--frob"],
        ["ls", "x"],
        ["check", "make"],
        ["history", "-n", "x"],
    ],
)
def test_bad_usage_is_one_line(host: Host, words: list[str]) -> None:
    assert_one_line(host.run(*words))


@pytest.mark.parametrize("verb", ["ls", "history", "wait zzzz", "check -- make"])
def test_an_unusable_state_directory_is_one_line(host: Host, verb: str) -> None:
    host.state.touch()
    assert_one_line(host.run(*verb.split()))


def test_a_reader_that_goes_away_early_is_no_error(host: Host) -> None:
    for _ in range(3):
        host.run("run", "-c", "true")
    done = subprocess.run(
        ["bash", "-c", "hostgate history --json | true; hostgate ls | head -1"],
        env=host.environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""


def test_a_locale_without_our_characters_loses_only_those(host: Host) -> None:
    host.run("run", "--title", "claude · api", "-c", "true")
    done = host.run("history", PYTHONIOENCODING="ascii", LANG="C")
    assert (done.returncode, done.stderr) == (0, "")
    assert "claude ? api" in done.stdout


def test_a_closed_or_full_standard_output_is_no_internal_error(host: Host) -> None:
    for redirection in (">&-", "> /dev/full"):
        if redirection.endswith("full") and not os.path.exists("/dev/full"):
            continue
        done = subprocess.run(
            ["sh", "-c", f"hostgate ls --json {redirection}"],
            env=host.environment, capture_output=True, text=True,
        )  # fmt: skip
        assert "internal error" not in done.stderr
        assert done.stderr.count("\n") <= 1


def test_python_s_warnings_as_errors_do_no_harm(host: Host) -> None:
    assert host.run("ls", PYTHONWARNINGS="error").returncode == 0


def assert_one_line(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 125
    assert done.stdout == ""
    assert done.stderr.startswith("hostgate: ")
    assert done.stderr.count("\n") == 1


def test_until_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.DEADLINE", 0.0)
    with pytest.raises(AssertionError):
        until(lambda: False)


def test_a_kept_place_keeps_nobody_waiting_for_idleness(host: Host, held: Latch) -> None:
    host.run("run", "--wait-timeout", "0", "--", held.command, session="B")
    held.go()
    until(lambda: [claim["state"] for claim in host.claims()] == ["kept"], "the end of A")
    assert host.run("wait", "--idle").returncode == 0


def test_a_place_that_was_kept_long_enough_is_listed_no_more(host: Host, held: Latch) -> None:
    host.run("run", "--wait-timeout", "0", "--", held.command, session="B")
    path = host.state / "registry.json"
    document = json.loads(path.read_text())
    document["claims"][1]["since"] -= 601
    path.write_text(json.dumps(document))
    assert [claim["session"] for claim in host.ls()] == ["A"]


def test_the_history_can_be_asked_for_less(host: Host) -> None:
    (host.folder / "q").mkdir()
    host.run("run", "--", "true", session="A")
    host.run("run", "--title", "Bee", "--", "false", session="B", cwd=host.folder / "q")
    host.run("run", "--", "./missing", session="A")

    def commands(*words: str) -> list[str]:
        done = host.run("history", "--json", *words)
        assert done.returncode == 0, done.stderr
        return [entry["command"] for entry in json.loads(done.stdout)["history"]]

    assert commands("--session", "A") == ["true", "./missing"]
    assert commands("--session", "Bee") == commands("--project", str(host.folder / "q"))
    assert commands("--session", "Bee") == ["false"]
    assert commands("--outcome", "not-started") == ["./missing"]
    assert commands("--since", "1h", "-n", "2") == ["false", "./missing"]
    path = host.state / "history.jsonl"
    path.write_text(path.read_text().replace('"ended_at":"20', '"ended_at":"19'))
    assert commands("--since", "1h") == []
    assert host.run("history", "--since", "1h").stdout == "the history has nothing of that\n"
    assert host.run("stats", "--since", "1h").stdout == "the history has nothing of that\n"
    path.unlink()
    assert host.run("history").stdout == host.run("stats").stdout == "nothing has run yet\n"
    assert host.run("history", "--outcome", "foo").returncode == 125
    done = host.run("history", "--since", "soon")
    assert done.returncode == 125 and "--since" in done.stderr


def test_stats_add_up_runs_conflicts_and_overrides(host: Host, held: Latch) -> None:
    assert host.run("run", "--on-conflict", "run", "-c", BUILD, session="B").returncode == 0
    host.run("run", "--wait-timeout", "0", "-c", BUILD, session="C")
    document = json.loads(host.run("stats", "--json").stdout)
    (project,) = document["projects"]
    assert (project["name"], project["runs"]) == (str(host.project.resolve()), 1)
    assert (project["conflicts"], project["anyway"]) == (2, 1)
    (rule,) = document["rules"]
    assert (rule["name"], rule["conflicts"], rule["anyway"]) == ("both-builds", 2, 1)
    table = host.run("stats", COLUMNS="200").stdout
    assert "RUN ANYWAY" in table and "both-builds" in table
    assert json.loads(host.run("stats", "--json", "--project", "/").stdout)["projects"] == []


def test_ls_tells_the_usual_time_the_lanes_and_how_many_are_ahead(host: Host) -> None:
    latch = host.latch()
    for count in (1, 2):
        host.start("run", "--lane", "blue", "--", latch.command, session="A")
        latch.until_started(count)
        if count == 1:
            assert host.ls()[0]["usual"] is None
            latch.go()
            host.until_claims()
    for session in "BC":
        host.start("run", "--lane", "blue", "--on-conflict", "wait", "-c", BUILD, session=session)
        host.until_claims(running=1, waiting=1 + (session == "C"))
    rows = host.ls()
    assert rows[0]["usual"] >= 0 and rows[1]["usual"] is None
    assert [row["ahead"] for row in rows] == [0, 0, 1]
    table = host.run("ls", COLUMNS="250").stdout
    assert "LANES" in table and "waiting, 1 ahead" in table and "(usually" in table
