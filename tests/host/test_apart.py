from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from hostgate.core import grammar, similarity
from hostgate.core.rules import DEFAULT, Pattern, Rules
from hostgate.host import apart

LINES = [
    "make",
    "cd x && make -j$(nproc)",
    "f() { cargo test; }; f",
    "npm run dev",
    "a 'b",
    "",
    "é $(ü)",
]


@pytest.mark.parametrize("command", LINES)
@pytest.mark.parametrize("rules", [DEFAULT, Rules(commands=(Pattern("make", "other", True),))])
def test_a_command_is_read_as_it_is_in_one_process(command: str, rules: Rules) -> None:
    assert apart.read(command, rules).encode() == similarity.read(command, rules).encode()


def test_the_parser_stays_out_of_the_process_that_asks() -> None:
    script = (
        "import sys; from hostgate.core.rules import DEFAULT; from hostgate.host import apart; "
        "print(apart.read('make $(x)', DEFAULT).category, 'tree_sitter' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("build False\n", "")


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_parser_that_ends_its_process_costs_only_the_reading(
    monkeypatch: pytest.MonkeyPatch, end: signal.Signals
) -> None:
    monkeypatch.setattr(grammar, "parts", lambda text: os.kill(os.getpid(), end))
    found = apart.read("make $(x)", DEFAULT)
    assert (found.word, found.category, found.tokens) == ("make", "other", ["make", "$(x)"])


def spin(text: str) -> None:
    while True:
        pass


@pytest.mark.parametrize("hang", [spin, lambda text: signal.pause()], ids=["busy", "idle"])
def test_a_parser_that_never_ends_is_ended(
    monkeypatch: pytest.MonkeyPatch, hang: Callable[[str], None]
) -> None:
    monkeypatch.setattr(grammar, "parts", hang)
    assert apart.read("make $(x)", DEFAULT).category == "other"


def test_without_processes_it_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    before = os.listdir("/dev/fd")
    assert apart.read("make $(x)", DEFAULT).category == "build"
    assert os.listdir("/dev/fd") == before


def test_nothing_is_left_open_or_unwaited_for() -> None:
    before = os.listdir("/dev/fd")
    for _ in range(3):
        apart.read("make $(x)", DEFAULT)
    assert os.listdir("/dev/fd") == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
