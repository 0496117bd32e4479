"""``hostgate resume``, and that each claim has one owner."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

import pytest
from support import DEADLINE, HOSTGATE, Host, Latch, until


def err_of(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=DEADLINE)[1]


def outcomes(host: Host) -> list[tuple[str, str, int | None]]:
    return [(one["session"], one["outcome"], one["code"]) for one in host.history()]


def killed(host: Host, latch: Latch, *words: str) -> str:
    """The id of a run whose hostgate and command were killed, and whose end somebody noted."""
    run = host.start("run", *words, "--", latch.command, session="A")
    latch.until_started()
    (id,) = [one["id"] for one in host.claims()]
    run.kill()
    run.wait(DEADLINE)
    os.kill(latch.pid(), signal.SIGKILL)
    until(lambda: host.ls() == [])
    return str(id)


def test_an_indeterminate_run_is_run_again_at_once_where_it_was(host: Host) -> None:
    latch = host.latch()
    id = killed(host, latch)
    again = host.start("resume", id, session="B", cwd=host.home)
    latch.until_started(2)
    latch.go(6)
    assert again.wait(DEADLINE) == 6
    assert latch.events() == ["start A", "start B", "end B"]
    assert outcomes(host) == [("A", "indeterminate", None), ("B", "ran", 6)]
    assert host.history()[1]["directory"] == str(host.project)


def test_a_run_id_that_is_indeterminate_is_taken_up_and_answers_again(host: Host) -> None:
    latch = host.latch()
    killed(host, latch, "--run-id", "r1")
    words = ("run", "--run-id", "r1", "--", latch.command)
    assert "hostgate resume" in host.run(*words).stderr
    again = host.start("resume", "r1", session="B")
    latch.until_started(2)
    joined = host.start(*words, session="C")
    latch.go(6)
    assert again.wait(DEADLINE) == joined.wait(DEADLINE) == 6
    assert host.run(*words).returncode == 6
    refused = host.run("resume", "r1")
    assert refused.returncode == 125
    assert "has ended with 6: it was not interrupted" in refused.stderr
    assert len(latch.events()) == 3


def test_the_old_id_of_a_run_that_was_resumed_leads_to_the_new_one(host: Host) -> None:
    latch = host.latch()
    id = killed(host, latch, "--run-id", "r1")
    again = host.start("resume", id, session="B")
    latch.until_started(2)
    latch.go(6)
    assert again.wait(DEADLINE) == 6
    assert host.run("resume", id).returncode == 125
    assert len(latch.events()) == 3


@pytest.mark.parametrize(
    ("options", "how", "code"), [([], "kill $$", 143), (["--timeout", "0.2"], "sleep 60", 124)]
)
def test_what_was_ended_from_outside_is_run_again(
    host: Host, options: list[str], how: str, code: int
) -> None:
    script = f"[ -e once ] || {{ : > once; {how}; }}"
    assert host.run("run", *options, "-c", script).returncode == code
    assert host.run("resume", host.history()[-1]["id"]).returncode == 0


def test_what_came_to_its_end_is_not_run_again(host: Host) -> None:
    host.run("run", "-c", "echo ran >> log; exit 3")
    done = host.run("resume", host.history()[-1]["id"])
    assert done.returncode == 125
    assert "has ended with 3" in done.stderr
    assert (host.project / "log").read_text() == "ran\n"


def test_who_left_the_queue_is_run_again(host: Host, held: Latch) -> None:
    host.run("run", "--wait-timeout", "0", "--", held.command, session="B")
    id = host.history()[-1]["id"]
    again = host.start("resume", id, session="C")
    host.until_claims(running=1, waiting=1, kept=1)  # the place is B's
    held.go()
    held.until_started(2)
    held.go(2)
    assert again.wait(DEADLINE) == 2


def test_a_live_run_is_taken_over_after_one_question_that_names_its_owner(host: Host) -> None:
    latch = host.latch()
    first = host.start("run", "--title", "claude · api", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "--", latch.command, session="W")
    before = host.until_claims(running=1, waiting=1)[0]
    terminal = host.terminal(HOSTGATE, "resume", before["id"], HOSTGATE_SESSION="B")
    shown = terminal.until("[y/N]")
    for fact in ("claude · api", f"pid {first.pid}", "since 20", latch.command):
        assert fact in shown
    terminal.send("y\n")
    latch.until_started(2)
    assert first.wait(DEADLINE) == 128 + signal.SIGTERM
    said = err_of(first)
    assert "was taken over by B" in said
    assert f"pid {terminal.process.pid}" in said
    after, behind = host.until_claims(running=1, waiting=1)
    assert (after["id"], after["session"], behind["session"]) == (before["id"], "B", "W")
    assert after["epoch"] > before["epoch"]
    assert after["owner"]["pid"] == terminal.process.pid
    latch.go(6)
    terminal.rest()
    assert terminal.wait() == 6
    latch.until_started(3)
    latch.go()
    assert waiter.wait(DEADLINE) == 0
    starts = [event for event in latch.events() if event.startswith("start")]
    assert starts == ["start A", "start B", "start W"]
    assert outcomes(host)[:2] == [("A", "taken-over", None), ("B", "ran", 6)]
    terminal.close()


def test_no_is_no(host: Host, held: Latch) -> None:
    terminal = host.terminal(HOSTGATE, "resume", host.claims()[0]["id"], HOSTGATE_SESSION="B")
    terminal.until("[y/N]")
    terminal.send("n\n")
    terminal.rest()
    assert terminal.wait() == 75
    assert [one["session"] for one in host.claims()] == ["A"]
    terminal.close()


def test_where_nobody_can_be_asked_yes_must_be_said(host: Host, held: Latch) -> None:
    id = host.claims()[0]["id"]
    done = host.run("resume", id)
    assert done.returncode == 125
    assert "claude · api" in done.stderr
    assert "--yes" in done.stderr
    assert [one["session"] for one in host.claims()] == ["A"]
    again = host.start("resume", "--yes", id, session="B")
    held.until_started(2)
    held.go(2)
    assert again.wait(DEADLINE) == 2


def test_an_orphan_is_taken_over(host: Host) -> None:
    latch = host.latch()
    run = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    run.kill()
    run.wait(DEADLINE)
    (claim,) = host.ls()
    assert "without its hostgate" in host.run("resume", claim["id"]).stderr
    again = host.start("resume", "--yes", claim["id"], session="B")
    latch.until_started(2)
    latch.go(3)
    assert again.wait(DEADLINE) == 3
    assert host.claims() == []


def test_a_waiter_is_taken_over_in_its_place(host: Host, held: Latch) -> None:
    waiters = []
    for count, name in enumerate(("B", "C"), 1):
        waiters.append(host.start("run", "--", held.command, session=name))
        host.until_claims(running=1, waiting=count)
    id = host.claims()[1]["id"]
    again = host.start("resume", "--yes", id, session="D")
    assert waiters[0].wait(DEADLINE) == 75
    assert f"{id} was taken over by" in err_of(waiters[0])
    assert [one["session"] for one in host.until_claims(running=1, waiting=2)] == ["A", "D", "C"]
    for count in (2, 3):
        held.go()
        held.until_started(count)
    held.go()
    assert again.wait(DEADLINE) == waiters[1].wait(DEADLINE) == 0
    starts = [event for event in held.events() if event.startswith("start")]
    assert starts == ["start A", "start D", "start C"]
    until(lambda: sorted(os.listdir(host.state / "claims")) == [])


def test_of_many_who_take_over_one_run_each_is_its_only_owner_in_turn(host: Host) -> None:
    """Two independent detectors: the starts and ends, and a lock that each command takes."""
    host.latch()
    script = host.project / "x-build.sh"
    script.write_text(
        "#!/bin/sh\nexec 9> lock\nflock -n 9 || echo overlap >> log\n"
        'echo start >> log\ntrap "exit 0" TERM\nread line < build.pipe & wait\n'
    )
    if shutil.which("flock") is None:
        pytest.skip("flock(1) is not installed")
    script.chmod(0o755)
    host.start("run", "--", "./x-build.sh", session="A")
    until((host.project / "log").exists)
    id = host.claims()[0]["id"]
    takers = [host.start("resume", "--yes", id, session=f"T{at}") for at in range(6)]
    (last,) = until(lambda: _alone(takers))
    assert host.until_claims(running=1)[0]["owner"]["pid"] == last.pid
    assert "overlap" not in (host.project / "log").read_text()
    epochs = [one["epoch"] for one in host.history() if one["outcome"] == "taken-over"]
    assert epochs == sorted(set(epochs))


def _alone(takers: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    living = [taker for taker in takers if taker.poll() is None]
    return living if len(living) == 1 else []


def test_a_run_with_a_secret_is_not_run_again_without_it(host: Host) -> None:
    host.run("run", "-c", "kill $$; : --token=abc123secret")
    done = host.run("resume", host.history()[-1]["id"])
    assert done.returncode == 125
    assert "secret" in done.stderr
    assert "abc123secret" not in done.stderr


@pytest.mark.parametrize("words", [["a b", "", "'", '"', "$x", "\n", "*", "é", "\\", "-c"]])
def test_every_argument_arrives_again_as_it_was(host: Host, words: list[str]) -> None:
    script = host.project / "args.sh"
    script.write_text('#!/bin/sh\n[ -e once ] || { : > once; kill -9 $$; }\nprintf "<%s>" "$@"\n')
    script.chmod(0o755)
    assert host.run("run", "--", "./args.sh", *words).returncode == 137
    done = host.run("resume", host.history()[-1]["id"])
    assert done.stdout == "".join(f"<{word}>" for word in words)


def test_lanes_and_a_shell_string_come_again_too(host: Host) -> None:
    host.run("run", "--lane", "l1", "--lane", "l2", "-c", "[ -e once ] || { : > once; kill $$; }")
    assert host.run("resume", host.history()[-1]["id"]).returncode == 0
    assert host.history()[-1]["lanes"] == ["l1", "l2"]


def test_a_directory_that_is_gone_is_one_line(host: Host) -> None:
    folder = host.project / "gone"
    folder.mkdir()
    host.run("run", "-c", "kill $$", cwd=folder)
    folder.rmdir()
    done = host.run("resume", host.history()[-1]["id"])
    assert done.returncode == 125
    assert str(folder) in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("id", ["nosuch", "", "../x", "\x1b[31m"])
def test_an_unknown_id_is_one_line(host: Host, id: str) -> None:
    done = host.run("resume", id)
    assert done.returncode == 125
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_what_a_shell_holds_cannot_be_resumed(host: Host) -> None:
    host.latch()
    shell = host.shell("hostgate hold --run-id r1 -- make; echo held; read line < build.pipe")
    assert shell.stdout is not None
    shell.stdout.readline()
    done = host.run("resume", "r1")
    assert done.returncode == 125
    assert "held for a shell" in done.stderr


def test_a_run_does_not_resume_what_it_is_inside_of(host: Host) -> None:
    done = host.run("run", "-c", "hostgate resume --yes $HOSTGATE_CLAIM")
    assert done.returncode == 125
    assert "it would end itself" in done.stderr


STUBBORN = "exec 9> lock; flock -n 9 || echo overlap >> log; echo start >> log; trap '' TERM; "


@pytest.mark.parametrize("run_id", [[], ["--run-id", "r1"]], ids=["plain", "run-id"])
def test_a_resumer_that_is_killed_before_the_old_run_has_ended_leaves_it_its_slot(
    host: Host, run_id: list[str]
) -> None:
    host.latch()
    script = f"{STUBBORN} ./x-build.sh; read line < build.pipe"
    first = host.start("run", *run_id, "-c", script, session="A")
    until((host.project / "log").exists)
    id = host.claims()[0]["id"]
    taker = host.start("resume", "--yes", id, session="B")
    until(lambda: host.claims()[0]["session"] == "B")
    taker.kill()
    taker.wait(DEADLINE)
    (claim,) = host.ls()
    assert (claim["id"], claim["state"]) == (id, "orphaned")
    assert "without its hostgate" in host.run("resume", id).stderr
    assert host.run("run", "--on-conflict", "cancel", "-c", script, session="C").returncode == 75
    with open(host.project / "build.pipe", "w") as pipe:
        pipe.write("0\n")
    first.wait(DEADLINE)
    until(lambda: host.ls() == [])
    assert (host.project / "log").read_text() == "start\n"


def test_a_resume_that_cannot_write_leaves_the_run_alone(host: Host, held: Latch) -> None:
    id = host.claims()[0]["id"]
    done = host.popen(
        ["bash", "-c", f"ulimit -f 0; exec {HOSTGATE} resume --yes {id}"], None, {}
    ).wait(DEADLINE)
    assert done in (125, 128 + signal.SIGXFSZ)
    (claim,) = host.ls()
    assert (claim["id"], claim["state"], claim["session"]) == (id, "running", "A")
    held.go(7)
    until(lambda: host.history())
    assert outcomes(host) == [("A", "ran", 7)]


def test_a_kept_place_is_not_what_its_run_id_stands_for(host: Host) -> None:
    host.latch()
    holder = host.start("run", "--lane", "l", "-c", "read line < build.pipe", session="A")
    host.until_claims(running=1)
    words = ("--lane", "l", "--run-id", "r1", "-c", "echo ran >> log")
    assert host.run("run", "--wait-timeout", "0", *words, session="B").returncode == 75
    with open(host.project / "build.pipe", "w") as pipe:
        pipe.write("0\n")
    assert holder.wait(DEADLINE) == 0
    assert host.run("run", *words, session="C").returncode == 0
    done = host.run("resume", "r1", session="B")
    assert done.returncode == 125
    assert "has ended with 0" in done.stderr
    (kept,) = host.claims()
    assert host.run("stop", kept["id"]).returncode == 0
    assert host.run("run", *words, session="C").returncode == 0
    assert (host.project / "log").read_text() == "ran\n"


def test_epochs_go_on_from_where_they_were_when_the_registry_is_lost(host: Host) -> None:
    for _ in range(3):
        host.run("run", "--", "true")
    latch = host.latch()
    run = host.start("run", "-c", "echo $HOSTGATE_EPOCH > epoch; ./build.sh", session="A")
    latch.until_started()
    before = int((host.project / "epoch").read_text())
    (host.state / "registry.json").write_text("garbage")
    run.kill()
    os.kill(latch.pid(), signal.SIGKILL)
    run.wait(DEADLINE)
    host.run("run", "-c", "echo $HOSTGATE_EPOCH > epoch2", session="B")
    host.run("run", "-c", "echo $HOSTGATE_EPOCH > epoch2", session="B")
    assert int((host.project / "epoch2").read_text()) > before


def test_an_id_that_is_two_runs_is_refused(host: Host, held: Latch) -> None:
    id = host.claims()[0]["id"]
    other = host.latch("other")
    host.start("run", "--run-id", id, "--", other.command, session="B")
    other.until_started()
    done = host.run("resume", "--yes", id)
    assert done.returncode == 125
    assert "another's run id" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may use another user's state")
def test_root_runs_nothing_that_another_user_could_have_written(host: Host) -> None:
    host.run("run", "-c", "touch ran; kill $$")
    (entry,) = host.history()
    (host.project / "ran").unlink()
    os.chown(host.state, 12345, 12345)
    done = host.run("resume", entry["id"], "--yes")
    assert (done.returncode, done.stderr.count("\n")) == (125, 1)
    assert "not as root" in done.stderr
    assert not (host.project / "ran").exists()
