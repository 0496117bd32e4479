"""Each call by which hostgate reaches the system fails once: the command runs all the same."""

from __future__ import annotations

import pytest
from scene import Scene, assert_calm, strikes

BUILD = "make it 2> /dev/null; exit 7"
FAILURES = ["ENOSPC", "EIO", "EACCES", "short"]


@pytest.mark.parametrize("kind", FAILURES)
def test_a_run_whose_call_fails_runs_with_its_own_code(scene: Scene, kind: str) -> None:
    for fault in strikes(kind):
        words = ("run", "-c", "echo ran; exit 7")
        done = scene.warm.run(*words, session="V", cwd=scene.apart, fault=fault)
        assert (done.code, done.out) == (7, "ran\n"), done
        assert len(done.err.splitlines()) <= 1, done
        assert_calm(done)
        scene.assert_whole(done.struck)
        if not done.struck:
            break
    scene.assert_ends()


@pytest.mark.parametrize("kind", ["EIO", "short"])
def test_a_waiter_whose_call_fails_runs_or_is_told_to_retry(scene: Scene, kind: str) -> None:
    words = ("run", "--on-conflict", "wait", "--wait-timeout", "0.001")
    for fault in strikes(kind, step=2 if kind == "EIO" else 1):
        done = scene.warm.run(*words, "-c", BUILD, session="V", fault=fault)
        assert done.code in (7, 75), done
        assert_calm(done)
        missed = "running ungated" in done.err or str(scene.host.project) in done.struck
        assert done.code == 75 or missed, done  # where it is cannot be seen, so neither who else is
        scene.assert_whole(done.struck, kept=1)
        if not done.struck:
            assert done.code == 75, done
            break
    scene.assert_ends()


def test_a_recorded_run_whose_call_fails_runs_with_its_own_code(scene: Scene) -> None:
    for fault in strikes("EIO"):
        words = ("run", "--run-id", f"r{fault[1]}", "-c", "exit 7")
        done = scene.warm.run(*words, session="V", cwd=scene.apart, fault=fault)
        assert done.code == 7, done
        assert_calm(done)
        scene.assert_whole(done.struck)
        if not done.struck:
            break
    scene.assert_ends({"runs"})


@pytest.mark.parametrize(("words", "code"), [(("ls",), 0), (("check", "-c", BUILD), 75)])
def test_who_only_reads_says_what_failed_in_one_line(
    scene: Scene, words: tuple[str, ...], code: int
) -> None:
    for fault in strikes("EIO"):
        done = scene.warm.run(*words, session="V", fault=fault)
        assert done.code in (code, 0, 125), done
        assert len(done.err.splitlines()) <= 1, done
        assert_calm(done)
        if not done.struck:
            assert (done.code, done.err) == (code, ""), done
            break
    scene.assert_whole("reading")
