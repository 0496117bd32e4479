"""Death at system calls of a real hostgate, as the kernel sees them."""

from __future__ import annotations

import random
import re
import shutil
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from scene import Scene
from support import DEADLINE, HOSTGATE

# What changes something; the start of the interpreter does none of these.
CHANGES = "rename,renameat,renameat2,unlink,unlinkat,link,linkat,flock,ftruncate,pwrite64,write"
POINTS = 12  # of each transaction, so that all take some seconds


def traced(scene: Scene, options: list[str], words: list[str], cwd: Path) -> int:
    """Run hostgate below strace; the exit code, -N for a death by signal N."""
    argv = ["strace", "-qq", "-e", f"trace={CHANGES}", *options, HOSTGATE, *words]
    process = scene.host.popen(argv, cwd, {"HOSTGATE_SESSION": "V"})
    process.communicate(timeout=DEADLINE)
    return process.returncode


def calls_of(scene: Scene, log: Path, words: list[str], cwd: Path) -> list[tuple[str, int]]:
    """The calls of a run, by name and by which of that name they are."""
    if traced(scene, ["-o", str(log)], words, cwd) not in (7, 75):
        pytest.skip("this user may not trace processes (ptrace)")
    counts: Counter[str] = Counter()
    found = []
    for name in re.findall(r"^(\w+)\(", log.read_text(), re.MULTILINE):
        counts[name] += 1
        found.append((name, counts[name]))
    return found


@pytest.fixture
def _strace() -> None:
    if not shutil.which("strace"):
        pytest.skip("strace is missing")
    inject = ["strace", "-qq", "-o", "/dev/null", "-e", "inject=write:signal=KILL:when=1"]
    if subprocess.run([*inject, "echo"], stdout=subprocess.DEVNULL).returncode != -signal.SIGKILL:
        pytest.skip("this strace cannot kill at a call, or this user may not trace (ptrace)")


@pytest.mark.usefixtures("_strace")
@pytest.mark.parametrize("waits", [False, True], ids=["clear", "queue"])
def test_a_real_run_that_dies_at_a_system_call_harms_nobody(
    scene: Scene, tmp_path: Path, waits: bool
) -> None:
    words, cwd = ["run", "-c", "exit 7"], scene.apart
    if waits:
        words = ["run", "--on-conflict", "wait", "--wait-timeout", "0.01", "-c", "make it"]
        cwd = scene.host.project
    calls = calls_of(scene, tmp_path / "trace", words, cwd)
    step = len(calls) / POINTS
    assert step > 1
    offset = random.random() * step
    died = 0
    for number in range(POINTS):
        name, when = calls[int(offset + number * step)]
        kill = ["-o", "/dev/null", "-e", f"inject={name}:signal=KILL:when={when}"]
        died += traced(scene, kill, words, cwd) < 0
        scene.assert_whole(f"{name} number {when}", kept=1)
    assert died > POINTS // 2  # a queue does not always make the same calls
    scene.assert_ends()
