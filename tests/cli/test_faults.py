"""What breaks inside hostgate costs one warning line; the command still runs with its own code."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import BUILD, DEADLINE, HOSTGATE, Host, Latch

from hostgate.cli.run import _sure
from hostgate.host import child


def assert_ran_ungated(done: subprocess.CompletedProcess[str], code: int = 7) -> None:
    assert done.returncode == code, done.stderr
    assert done.stdout == "ran\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("hostgate: warning: ")
    assert line.endswith("; running ungated")


@pytest.fixture
def small_disk(host: Host) -> Iterator[Path]:
    """A file system of 64 KiB, which root can mount; as the state directory."""
    host.state.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "hostgate-test", host.state],
        capture_output=True,
    ) if shutil.which("mount") and os.geteuid() == 0 else None  # fmt: skip
    if done is None or done.returncode:
        pytest.skip("this user cannot mount a small file system")
    yield host.state
    host.end()
    subprocess.run(["umount", "-l", host.state], check=True)


@pytest.mark.parametrize("where", ["/dev/null/below/a/device", "a file", "no right to it"])
def test_an_unusable_state_directory_costs_one_warning(host: Host, where: str) -> None:
    if where == "a file":
        host.state.touch()
    elif where == "no right to it":
        if os.geteuid() == 0:
            pytest.skip("root has a right to every directory")
        host.home.chmod(0o500)
        host.environment["HOSTGATE_HOME"] = str(host.home / "state")
    else:
        host.environment["HOSTGATE_HOME"] = where
    assert_ran_ungated(host.run("run", "-c", "echo ran; exit 7"))
    strict = host.run("run", "--strict", "-c", "echo ran; exit 7")
    assert (strict.returncode, strict.stdout) == (125, "")
    assert strict.stderr.startswith("hostgate: not run: ")


def test_a_read_only_state_directory_costs_one_warning(host: Host, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert_ran_ungated(host.run("run", "-c", "echo ran; exit 7"))


def test_without_any_home_the_command_runs(host: Host) -> None:
    done = host.run("run", "-c", "echo ran; exit 7", HOSTGATE_HOME="", HOME="relative")
    assert_ran_ungated(done)


def test_a_full_disk_costs_one_warning_and_leaves_the_registry_whole(
    host: Host, small_disk: Path
) -> None:
    latch = host.latch()
    host.start("run", "--", latch.command, session="A")
    latch.until_started()
    before = (host.state / "registry.json").read_text()
    fill(small_disk)
    assert_ran_ungated(host.run("run", "-c", "echo ran; exit 7", session="B"))
    assert (host.state / "registry.json").read_text() == before
    assert not (host.state / "registry.json.new").exists()
    assert [claim["session"] for claim in host.ls()] == ["A"]


def test_a_disk_that_fills_up_during_the_run_frees_the_slot_all_the_same(
    host: Host, small_disk: Path
) -> None:
    latch = host.latch()
    first = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    fill(small_disk)
    latch.go(5)
    _, err = first.communicate(timeout=DEADLINE)
    assert first.returncode == 5
    assert "No space left" in err
    assert host.ls() == []
    (small_disk / "filling").unlink()
    assert (
        host.run("run", "--on-conflict", "cancel", "-c", "true make", session="B").returncode == 0
    )


def test_a_waiter_that_cannot_write_its_turn_says_so_once_and_does_not_jump_the_queue(
    host: Host,
) -> None:
    if not hasattr(resource, "prlimit"):
        pytest.skip("only Linux can bound the writes of a process that runs")
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "--", latch.command, session="B")
    host.until_claims(running=1, waiting=1)
    host.settled(waiter)
    hard = resource.prlimit(waiter.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(waiter.pid, resource.RLIMIT_FSIZE, (16, hard))
    os.killpg(holder.pid, signal.SIGKILL)  # or it would let the waiter in
    assert waiter.stderr is not None
    assert "staying in the queue" in waiter.stderr.readline()
    later = host.start("run", "--", latch.command, session="C")
    host.until_claims(running=1, waiting=1)  # who can write lets it in
    resource.prlimit(waiter.pid, resource.RLIMIT_FSIZE, (hard, hard))
    for count in (2, 3):
        latch.until_started(count)
        latch.go()
    assert waiter.wait(DEADLINE) == later.wait(DEADLINE) == 0
    assert latch.events() == ["start A", "start B", "end B", "start C", "end C"]


def fill(disk: Path) -> None:
    with open(disk / "filling", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError:
            pass


def test_a_bound_on_file_sizes_is_like_a_full_disk(host: Host) -> None:
    done = subprocess.run(
        [HOSTGATE, "run", "-c", "echo ran; exit 7"],
        env=host.environment,
        cwd=host.project,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)),
    )
    assert_ran_ungated(done)


def test_a_directory_that_was_taken_away_costs_one_warning(host: Host) -> None:
    gone = host.folder / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", f"rmdir ../gone; exec {HOSTGATE} run -c 'echo ran; exit 7'"],
        env=host.environment, cwd=gone, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 7
    assert "warning: the working directory" in done.stderr


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"schema": 1}', "\0\0\0", '{"schema":1,"epoch":1,"claims":[{}]}',
     '{"schema":1,"epoch":1,"claims":[{"id":"x","owner":{"pid":0}}]}', "[" * 100_000,
     '{"schema":1,"epoch":NaN,"claims":[]}', '{"schema":1,"epoch":1e400,"claims":[]}',
     b"\xff\xfe".decode("latin-1")],
)  # fmt: skip
def test_a_broken_registry_is_set_aside_and_the_command_runs(host: Host, content: str) -> None:
    host.state.mkdir(mode=0o700)
    (host.state / "registry.json").write_text(content, encoding="latin-1")
    assert_ran_ungated(host.run("run", "-c", "echo ran; exit 7"))
    (aside,) = host.state.glob("registry.json.corrupt-*")
    assert aside.read_text(encoding="latin-1") == content
    again = host.run("run", "-c", "exit 7")
    assert (again.returncode, again.stderr) == (7, "")


def test_a_broken_registry_stops_a_strict_run_once(host: Host) -> None:
    host.state.mkdir(mode=0o700)
    (host.state / "registry.json").write_text("{")
    assert host.run("run", "--strict", "-c", "exit 7").returncode == 125
    assert host.run("run", "--strict", "-c", "exit 7").returncode == 7


def test_after_a_registry_was_truncated_the_living_are_found_again(host: Host) -> None:
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "--", latch.command, session="B")
    host.until_claims(running=1, waiting=1)
    (host.state / "registry.json").write_text("")
    host.run("run", "-c", "true", session="C")
    assert [(c["session"], c["state"]) for c in host.ls()] == [("A", "running"), ("B", "waiting")]
    latch.go()
    latch.until_started(2)
    latch.go()
    assert holder.wait(DEADLINE) == waiter.wait(DEADLINE) == 0
    assert latch.events() == ["start A", "end A", "start B", "end B"]


@pytest.mark.parametrize("what", ["registry.json", "claims", "."])
def test_taking_state_away_under_running_commands_breaks_none_of_them(
    host: Host, what: str
) -> None:
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "--", latch.command, session="B")
    host.until_claims(running=1, waiting=1)
    (host.state / what).resolve().rename(host.folder / "taken")
    latch.go(3)
    latch.until_started(2)
    latch.go(4)
    assert (holder.wait(DEADLINE), waiter.wait(DEADLINE)) == (3, 4)


def test_a_newer_registry_is_left_alone(host: Host) -> None:
    host.state.mkdir(mode=0o700)
    text = json.dumps({"schema": 99, "claims": "of another kind"})
    (host.state / "registry.json").write_text(text)
    done = host.run("run", "-c", "echo ran; exit 7")
    assert_ran_ungated(done)
    assert "newer" in done.stderr
    assert (host.state / "registry.json").read_text() == text
    assert host.run("run", "--strict", "-c", "true").returncode == 125
    assert host.run("ls").returncode == 125


def test_a_registry_that_is_locked_for_ever_is_given_up_with_one_warning(host: Host) -> None:
    host.run("run", "-c", "true")
    with open(host.state / "registry.lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = host.run("run", "-c", "echo ran; exit 7")
        listed = host.run("ls", "--json")
    assert_ran_ungated(done)
    assert listed.returncode == 0


def test_a_waiter_that_cannot_look_stays_in_the_queue(host: Host) -> None:
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    waiter = host.start("run", "--", latch.command, session="B")
    host.until_claims(running=1, waiting=1)
    with open(host.state / "registry.lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        latch.go()
        assert holder.wait(DEADLINE) == 0  # its slot is free though nobody could record it
        assert waiter.poll() is None
        assert latch.events() == ["start A", "end A"]
    latch.until_started(2)
    latch.go()
    assert waiter.wait(DEADLINE) == 0


def test_a_claim_whose_end_could_not_be_recorded_is_proved_over_to_every_namespace(
    host: Host,
) -> None:
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    with open(host.state / "registry.lock") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        latch.go()
        holder.wait(DEADLINE)
    path = host.state / "registry.json"
    document = json.loads(path.read_text())
    document["claims"][0]["owner"]["space"] = "pid:[1]"  # as another container sees it
    path.write_text(json.dumps(document))
    assert host.ls() == []
    done = host.run("run", "--on-conflict", "cancel", "-c", "make --nothing", session="B")
    assert done.returncode == 2  # make's own


@pytest.mark.parametrize(
    "line", ['"code": 99999999999999', '"code": -5', '"ran": NaN', '"ran": 1e999', '"id": 5']
)
def test_a_line_of_the_history_that_is_none_is_passed_over(host: Host, line: str) -> None:
    host.run("run", "-c", "exit 3")
    path = host.state / "history.jsonl"
    good = json.loads(path.read_text())
    name = line.partition(":")[0].strip('"')
    rest = {key: value for key, value in good.items() if key != name}
    path.write_text(path.read_text() + json.dumps(rest)[:-1] + f", {line}}}\n")
    assert host.run("history").returncode == 0
    assert host.run("wait", good["id"]).returncode == 3


# kill -9


@pytest.fixture
def orphan(host: Host) -> Iterator[Latch]:
    """A build whose hostgate was killed."""
    latch = host.latch()
    holder = host.start("run", "--title", "lost", "--", latch.command, session="A")
    latch.until_started()
    holder.kill()
    holder.wait()
    yield latch


def test_a_killed_hostgate_s_command_is_an_orphan_that_holds_its_slot(
    host: Host, orphan: Latch
) -> None:
    (claim,) = host.ls()
    assert (claim["state"], claim["owner"]["alive"]) == ("orphaned", False)
    assert claim["child"] == orphan.pid()
    done = host.run("run", "--on-conflict", "cancel", "--", orphan.command, session="B")
    assert done.returncode == 75
    assert "orphan" in host.run("doctor").stdout


def test_when_the_orphan_is_killed_the_queue_moves_on(host: Host, orphan: Latch) -> None:
    waiter = host.start("run", "--", orphan.command, session="B")
    host.until_claims(running=1, waiting=1)
    os.kill(orphan.pid(), signal.SIGKILL)
    orphan.until_started(2)
    orphan.go()
    assert waiter.wait(DEADLINE) == 0
    outcomes = {entry["session"]: entry["outcome"] for entry in host.history()}
    assert outcomes == {"A": "indeterminate", "B": "ran"}


def test_when_the_orphan_ends_the_queue_moves_on(host: Host, orphan: Latch) -> None:
    waiter = host.start("run", "--", orphan.command, session="B")
    host.until_claims(running=1, waiting=1)
    orphan.go()
    orphan.until_started(2)
    orphan.go()
    assert waiter.wait(DEADLINE) == 0


def test_a_killed_command_frees_the_slot_at_once(host: Host) -> None:
    latch = host.latch()
    holder = host.start("run", "--", latch.command, session="A")
    latch.until_started()
    os.kill(latch.pid(), signal.SIGKILL)
    assert holder.wait(DEADLINE) == 128 + signal.SIGKILL
    assert host.claims() == []


def test_a_daemon_that_the_command_left_holds_nothing(host: Host) -> None:
    (host.project / "build.daemon").write_text(
        "#!/bin/sh\n(trap '' HUP; exec sleep 1000) > /dev/null 2>&1 &\necho $! > daemon\n"
    )
    (host.project / "build.daemon").chmod(0o755)
    assert host.run("run", "--", "./build.daemon", session="A").returncode == 0
    daemon = int((host.project / "daemon").read_text())
    try:
        os.kill(daemon, 0)
        done = host.run("run", "--on-conflict", "cancel", "-c", f"{BUILD}; exit 4", session="B")
        assert done.returncode == 4
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_a_daemon_of_a_command_whose_hostgate_was_killed_holds_nothing_either(host: Host) -> None:
    latch = host.latch()
    script = host.project / "build.both"
    script.write_text(
        f"#!/bin/sh\n(trap '' HUP; exec sleep 1000) > /dev/null 2>&1 &\necho $! > daemon\n"
        f"{latch.command}\n"
    )
    script.chmod(0o755)
    holder = host.start("run", "--", "./build.both", session="A")
    latch.until_started()
    try:
        (claim,) = host.ls()
        holder.kill()
        holder.wait()
        assert host.ls()[0]["state"] == "orphaned"
        os.kill(latch.pid(), signal.SIGKILL)
        os.kill(claim["child"], signal.SIGKILL)
        done = host.run("run", "--on-conflict", "cancel", "-c", f"{BUILD}; exit 4", session="B")
        assert done.returncode == 4
    finally:
        os.kill(int((host.project / "daemon").read_text()), signal.SIGKILL)


def test_what_a_killed_hostgate_left_is_swept_away(host: Host) -> None:
    for _ in range(3):
        latch = host.latch(f"build.{os.urandom(3).hex()}")
        victim = host.start("run", "--on-conflict", "run", "--", latch.command, session="A")
        latch.until_started()
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
    stale = host.state / "claims" / "stale.lock"
    stale.touch()
    host.run("run", "-c", "true", session="B")
    assert host.claims() == []
    assert os.listdir(host.state / "claims") == []


def test_several_waiters_recover_one_dead_claim_and_never_overlap(host: Host) -> None:
    latch = host.latch()
    for turn in range(3):
        started = sum(line.startswith("start") for line in latch.lines())
        victim = host.start("run", "--", latch.command, session="victim")
        latch.until_started(started + 1)
        waiters = [
            host.start("run", "--quiet", "--", latch.command, session=f"w{turn}{number}")
            for number in range(4)
        ]
        host.until_claims(running=1, waiting=4)
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
        for number in range(4):
            latch.until_started(started + number + 2)
            live = sum(claim["state"] == "running" for claim in host.claims())
            assert live == 1
            latch.go()
        assert [waiter.wait(DEADLINE) for waiter in waiters] == [0] * 4
    kinds = [line.split()[0] for line in latch.lines() if "victim" not in line]
    assert kinds == ["start", "end"] * 12


def test_twenty_processes_of_many_claims_lose_none_and_readers_see_no_broken_registry(
    host: Host,
) -> None:
    loop = "for i in $(seq 10); do hostgate run --strict -- true || exit 1; done"
    writers = [
        subprocess.Popen(
            ["sh", "-c", loop],
            env=host.environment | {"HOSTGATE_SESSION": f"s{number}"},
            cwd=host.project,
            start_new_session=True,
        )
        for number in range(20)
    ]
    host.processes += writers  # type: ignore[arg-type]
    looks = 0
    while any(writer.poll() is None for writer in writers):
        host.claims()  # raises where the file is broken or empty
        looks += 1
    assert [writer.returncode for writer in writers] == [0] * 20
    assert len(host.history()) == 200
    assert host.claims() == []
    assert looks


def test_an_internal_error_costs_one_warning_line(host: Host) -> None:
    broken = host.folder / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import hostgate.host.project as p\ndef fail(*_): raise RuntimeError('a defect')\n"
        "p.roots_of = fail\n"
    )
    done = host.run("run", "-c", "echo ran; exit 7", PYTHONPATH=str(broken))
    assert_ran_ungated(done)
    assert "a defect" in done.stderr


def test_a_waiter_that_inherits_more_descriptors_than_select_knows_waits_all_the_same(
    host: Host, held: Latch
) -> None:
    script = (
        "import os, resource, sys\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2048), hard))\n"
        "for fd in range(3, 1200): os.dup2(0, fd)\n"
        "os.execv(sys.argv[1], sys.argv[1:])\n"
    )
    if 0 <= resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2048:
        pytest.skip("this user may not have so many descriptors")
    words = [HOSTGATE, "run", "--on-conflict", "wait", "--", held.command]
    waiter = host.popen([sys.executable, "-c", script, *words], None, {"HOSTGATE_SESSION": "B"})
    host.until_claims(running=1, waiting=1)
    held.go()
    held.until_started(2)
    held.go()
    assert waiter.wait(DEADLINE) == 0


def test_a_line_that_a_full_disk_cut_off_takes_no_other_with_it(host: Host) -> None:
    host.run("run", "--", "true", session="A")
    with (host.state / "history.jsonl").open("a") as file:
        file.write('{"id":"half')
    host.run("run", "--", "true", session="B")
    host.run("run", "--", "true", session="C")
    done = host.run("history", "--json").stdout
    assert all(f'"session":"{one}"' in done for one in "ABC"), done


def test_a_history_that_cannot_be_read_stops_no_waiter(host: Host, held: Latch) -> None:
    (host.state / "history.jsonl").mkdir()
    waiter = host.start("run", "--on-conflict", "wait", "--", held.command, session="B")
    host.until_claims(running=1, waiting=1)
    held.go()
    held.until_started(2)
    held.go()
    assert waiter.wait(DEADLINE) == 0


def test_without_a_null_device_nothing_is_reserved(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*given: object) -> int:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "open", missing)
    child.reserve_standard_descriptors()


def test_what_breaks_beside_a_command_costs_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    def breaks() -> None:
        raise ValueError("odd")

    _sure(breaks)()
    assert capfd.readouterr().err == "hostgate: warning: internal error: ValueError: odd\n"


def test_what_a_killed_writer_of_the_remembered_configuration_left_goes_with_the_next(
    host: Host,
) -> None:
    (host.home / ".config").mkdir()
    (host.home / ".config/hostgate.toml").write_text("threshold = 0.7\n")
    host.run("run", "--", "true")
    (host.state / "config.json.123.new").write_text("half")
    (host.home / ".config/hostgate.toml").write_text("threshold = 0.75\n")
    host.run("run", "--", "true")
    assert not list(host.state.glob("*.new"))


def test_what_was_recorded_of_a_killed_run_goes_after_its_day_and_a_run_id_stays(
    host: Host,
) -> None:
    latch = host.latch()
    for count, words in enumerate(([], ["--run-id", "once"]), 1):
        killed = host.start("run", "--record", *words, "--", latch.command, session="A")
        latch.until_started(count)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        host.run("history")  # which notes it
    for path in (host.state / "runs").iterdir():
        os.utime(path, (0, 0))
    host.run("run", "--record", "--", "true", session="B")
    kept = {path.name.partition(".")[0] for path in (host.state / "runs").iterdir()}
    assert len(kept) == 2  # the run id, which is not to run twice, and the new one
