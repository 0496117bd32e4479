"""hostgate on a terminal: the prompt, the waiting line, Ctrl-C, Ctrl-Z."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator

import psutil
import pytest
from support import HOSTGATE, Host, Latch, Terminal, until


@pytest.fixture
def asked(host: Host, held: Latch) -> Iterator[Terminal]:
    """A terminal on which the question for a second build stands."""
    terminal = host.terminal(HOSTGATE, "run", "--", "./build.sh")
    terminal.until("Cancel")
    yield terminal
    terminal.close()


@pytest.fixture
def shell(host: Host) -> Iterator[Terminal]:
    """An interactive shell with job control."""
    terminal = host.terminal("bash", "--norc", "--noprofile", "-i", PS1="ready$ ")
    terminal.until("ready$ ")
    yield terminal
    terminal.close()


def test_the_prompt_names_the_session_the_command_the_reason_and_the_time(
    host: Host, held: Latch
) -> None:
    terminal = host.terminal(HOSTGATE, "run", "--", "make", "all")
    shown = terminal.until("[c] Cancel")
    for text in ("claude · api", "./build.sh", "running for", "both-builds: build.sh, make"):
        assert text in shown
    assert "[r] Run anyway" in shown
    assert "[w] Wait" in shown
    terminal.close()


def test_while_the_prompt_is_open_nothing_is_registered(host: Host, asked: Terminal) -> None:
    assert [claim["session"] for claim in host.claims()] == ["A"]


def test_r_runs_anyway(host: Host, held: Latch, asked: Terminal) -> None:
    asked.send("r")
    held.until_started(2)
    assert [claim["override"] for claim in host.claims()] == [False, True]
    held.go()
    assert asked.wait() == 0


def test_w_waits_and_starts_by_itself(host: Host, held: Latch, asked: Terminal) -> None:
    asked.send("w")
    line = asked.until("(Ctrl-C leaves the queue)")
    assert "waiting" in line
    assert "claude · api" in line
    host.until_claims(running=1, waiting=1)
    held.go()
    held.until_started(2)
    held.go(4)
    assert "starting `./build.sh`" in asked.rest()
    assert asked.wait() == 4


@pytest.mark.parametrize("key", ["c", "q", "\x04"])
def test_c_cancels_with_75_and_says_what_to_do(host: Host, asked: Terminal, key: str) -> None:
    asked.send(key)
    assert asked.wait() == 75
    shown = asked.rest()
    assert "not run: cancelled" in shown
    assert "wait and retry" in shown
    assert len(host.claims()) == 1


def test_other_keys_and_the_arrows_answer_nothing(host: Host, held: Latch, asked: Terminal) -> None:
    asked.send("x \x1b[A1")
    asked.send("c")
    assert asked.wait() == 75


def test_ctrl_c_at_the_prompt_is_130_and_gives_the_terminal_back(host: Host, held: Latch) -> None:
    terminal = host.terminal(HOSTGATE, "run", "--", "./build.sh")
    modes = termios.tcgetattr(terminal.fd)
    terminal.until("Cancel")
    assert termios.tcgetattr(terminal.fd) != modes
    terminal.send("\x03")
    assert terminal.wait() == -signal.SIGINT
    terminal.rest()
    terminal.close()


@pytest.mark.parametrize("name", ["TERM", "HUP", "KILL"])
def test_no_question_is_left_on_the_terminal_of_a_hostgate_that_was_ended(
    host: Host, shell: Terminal, held: Latch, name: str
) -> None:
    shell.send("hostgate run -- ./build.sh\n")
    shell.until("Cancel")
    (gate,) = psutil.Process(shell.process.pid).children()
    (asking,) = gate.children()
    os.kill(gate.pid, getattr(signal, f"SIG{name}"))
    until(lambda: is_over(asking), "the end of the asking process")
    shell.send("echo still-$((40 + 2))\n")
    shell.until("still-42")


def until_they_go_on(*pids: int) -> None:
    def none_is_stopped() -> bool:
        return all(psutil.Process(pid).status() != psutil.STATUS_STOPPED for pid in pids)

    until(none_is_stopped, "the continuation")


def is_over(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE  # where nobody reaps orphans
    except psutil.NoSuchProcess:
        return True


def test_if_the_way_becomes_clear_while_the_person_thinks_the_command_starts(
    host: Host, held: Latch, asked: Terminal
) -> None:
    held.go()
    asked.until("the way is clear")
    held.until_started(2)
    held.go()
    assert asked.wait() == 0


def test_after_the_prompt_the_terminal_is_as_it_was(
    host: Host, shell: Terminal, held: Latch
) -> None:
    shell.send("stty -a > before; hostgate run --on-conflict ask -- ./build.sh; stty -a > after\n")
    shell.until("Cancel")
    shell.send("c")
    shell.until("ready$ ")
    assert (host.project / "before").read_text() == (host.project / "after").read_text()


def test_the_question_is_on_the_terminal_not_on_the_command_s_input(
    host: Host, shell: Terminal, held: Latch
) -> None:
    (host.project / "build.cat").write_text("#!/bin/sh\ncat > got\n")
    (host.project / "build.cat").chmod(0o755)
    shell.send("echo data | hostgate run -- ./build.cat 2> errors | tee output\n")
    shell.until("Cancel")
    shell.send("r")
    shell.until("ready$ ")
    assert (host.project / "got").read_text() == "data\n"
    assert (host.project / "output").read_text() == ""


def test_a_background_job_does_not_ask_but_waits(host: Host, shell: Terminal, held: Latch) -> None:
    shell.send("hostgate run -- ./build.sh &\n")
    host.until_claims(running=1, waiting=1)
    shell.send("echo still-$((40 + 2))\n")
    shell.until("still-42")
    held.go()
    held.until_started(2)
    held.go()


def test_a_dumb_terminal_gets_plain_lines(host: Host, held: Latch) -> None:
    terminal = host.terminal(
        HOSTGATE, "run", "--on-conflict", "wait", "--", "./build.sh", TERM="dumb"
    )
    terminal.until("do not kill it")
    held.go()
    held.until_started(2)
    held.go()
    assert terminal.wait() == 0
    terminal.close()


def test_no_color_is_honoured_by_the_prompt(host: Host, held: Latch) -> None:
    plain = host.terminal(HOSTGATE, "run", "--", "./build.sh", NO_COLOR="1")
    coloured = host.terminal(HOSTGATE, "run", "--", "./build.sh")
    colours = []
    for terminal in (plain, coloured):
        raw = b""
        while b"Cancel" not in raw:
            raw += os.read(terminal.fd, 4096)
        colours.append(b"\x1b[33m" in raw or b"\x1b[1;33m" in raw)
        terminal.close()
    assert colours == [False, True]


def test_ctrl_c_reaches_the_command_once(host: Host, shell: Terminal) -> None:
    script = host.project / "catch.py"
    script.write_text(
        "import signal, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "print('armed', flush=True)\n"
        "while not seen: signal.pause()\n"
        "deadline = time.monotonic() + 0.5\n"
        "while time.monotonic() < deadline: time.sleep(0.01)  # a second one would come now\n"
        "print('interrupts:', len(seen), flush=True)\n"
        "raise SystemExit(9)\n"
    )
    shell.send(f"hostgate run -- {sys.executable} catch.py; echo code-$?\n")
    shell.until("armed")
    shell.send("\x03")
    shell.until("interrupts: 1")
    shell.until("code-9")


def test_ctrl_c_ends_the_command_and_a_shell_s_loop_and_frees_the_slot(
    host: Host, shell: Terminal
) -> None:
    shell.send("for i in 1 2 3; do hostgate run -- sleep 1000; done; echo af''ter\n")
    host.until_claims(running=1)
    until(lambda: host.ls()[0]["child"], "the command's start")
    shell.send("\x03")
    shell.until("ready$ ")
    assert host.claims() == []
    assert len(host.history()) == 1
    shell.send("echo $?\n")
    assert "after" not in shell.until("130")


def test_ctrl_c_leaves_the_queue(host: Host, shell: Terminal, held: Latch) -> None:
    shell.send("hostgate run --on-conflict wait -- ./build.sh\n")
    shell.until("leaves the queue")
    shell.send("\x03")
    shell.until("left the queue")
    shell.until("ready$ ")
    assert [claim["session"] for claim in host.claims()] == ["A"]


@pytest.mark.parametrize("columns", ["1", "20", "79"])
def test_the_waiting_line_fits_on_one_line(host: Host, held: Latch, columns: str) -> None:
    terminal = host.terminal(
        HOSTGATE, "run", "--on-conflict", "wait", "--", "./build.sh", COLUMNS=columns
    )
    terminal.until("\r")
    line = terminal.until("\r").rstrip("\r")
    assert len(line) < max(int(columns), 2)
    terminal.close()


def test_ctrl_z_and_fg_work_as_without_hostgate(host: Host, shell: Terminal) -> None:
    latch = host.latch()
    shell.send("hostgate run -- ./build.sh; echo code-$?\n")
    latch.until_started()
    for _ in range(2):
        shell.send("\x1a")
        shell.until("Stopped")
        shell.until("ready$ ")
        assert [claim["state"] for claim in host.ls()] == ["running"]
        shell.send("fg\n")
        shell.until("./build.sh")
        until_they_go_on(latch.pid(), host.claims()[0]["owner"]["pid"])
    latch.go(5)
    shell.send("wait; jobs; echo done-$((1 + 1))\n")
    shell.until("done-2")
    assert host.history()[-1]["code"] == 5


def test_ctrl_z_and_fg_work_through_nested_hostgates(host: Host, shell: Terminal) -> None:
    latch = host.latch()
    shell.send(f"hostgate run -- hostgate run -- {latch.command}\n")
    latch.until_started()
    shell.send("\x1a")
    shell.until("Stopped")
    shell.until("ready$ ")
    shell.send("echo code-$?; fg\n")
    shell.until(f"code-{128 + signal.SIGTSTP}")
    shell.until(latch.command)
    latch.go(5)
    until(lambda: [entry["code"] for entry in host.history()] == [5, 5], "both ends")


@pytest.mark.parametrize("name", ["TSTP", "STOP"])
def test_a_command_that_stops_itself_stops_its_job(host: Host, shell: Terminal, name: str) -> None:
    shell.send(f"hostgate run -c 'kill -{name} $$; echo went-on'\n")
    shell.until("Stopped")
    shell.until("ready$ ")
    shell.send("fg\n")
    shell.until("went-on\r\n")
    shell.until("ready$ ")
    assert host.claims() == []


def test_a_command_that_ignores_ctrl_z_goes_on_in_the_foreground(
    host: Host, shell: Terminal
) -> None:
    shell.send("hostgate run -c 'trap \"\" TSTP; echo ar''med; read x; echo got-$x'\n")
    shell.until("armed")
    shell.send("\x1a")
    shell.send("word\n")
    shell.until("got-word")
    shell.until("ready$ ")


@pytest.mark.parametrize("key", ["\x1a", "\x1c"])
def test_ctrl_z_and_ctrl_backslash_do_nothing_at_the_prompt(
    host: Host, asked: Terminal, key: str
) -> None:
    asked.send(key)
    asked.send("c")
    assert asked.wait() == 75


def test_one_question_at_a_time_stands_on_a_terminal(
    host: Host, held: Latch, shell: Terminal
) -> None:
    quiet = "< /dev/null > /dev/null 2> words"
    shell.send(f"sh -c 'hostgate run -- ./build.sh & hostgate run -- make {quiet}; wait'\n")
    shell.until("Cancel")
    host.until_claims(running=1, waiting=1)
    shell.send("c")
    host.until_claims(running=1, waiting=1)
    shell.send("\x03")
    shell.until("ready$ ")


def test_closing_the_terminal_at_the_prompt_runs_nothing(
    host: Host, held: Latch, asked: Terminal
) -> None:
    asked.close()
    assert asked.wait() == 128 + signal.SIGHUP
    assert held.events() == ["start A"]


def test_closing_the_terminal_of_a_nohup_runs_nothing_either(host: Host, held: Latch) -> None:
    terminal = host.terminal("sh", "-c", f"trap '' HUP; exec {HOSTGATE} run -- ./build.sh")
    terminal.until("Cancel")
    terminal.close()
    assert terminal.wait() == 75
    assert held.events() == ["start A"]


@pytest.mark.parametrize("what", ["garbage", "a directory"])
def test_a_registry_that_breaks_at_the_prompt_is_no_answer(
    host: Host, held: Latch, asked: Terminal, what: str
) -> None:
    registry = host.state / "registry.json"
    aside = registry.rename(host.folder / "aside")
    if what == "garbage":
        registry.write_text("garbage")
    else:
        registry.mkdir()
    asked.send("x")  # no answer
    with pytest.raises(subprocess.TimeoutExpired):
        asked.process.wait(2.5)  # two looks of the prompt
    registry.rmdir() if registry.is_dir() else registry.unlink()
    aside.rename(registry)
    asked.send("c")
    assert asked.wait() == 75
    assert held.events() == ["start A"]


def test_the_command_has_the_terminal(host: Host, shell: Terminal) -> None:
    shell.send(
        "hostgate run -c 'test -t 0 && test -t 1 && test -t 2 && echo is-a-tty; "
        "read x < /dev/tty; echo got-$x'\n"
    )
    shell.until("is-a-tty\r\n")
    shell.send("word\n")
    shell.until("got-word\r\n")


@pytest.mark.parametrize("name", ["TERM", "HUP", "USR1"])
def test_a_signal_to_hostgate_is_passed_on(host: Host, name: str) -> None:
    script = (
        f"trap 'echo caught {name}; exit 3' {name}; echo armed > armed; "
        "while :; do sleep 0.05; done"
    )
    process = host.start("run", "-c", script)
    until((host.project / "armed").exists, "the trap")
    process.send_signal(getattr(signal, f"SIG{name}"))
    out, _ = process.communicate()
    assert (out, process.returncode) == (f"caught {name}\n", 3)
    assert host.claims() == []
