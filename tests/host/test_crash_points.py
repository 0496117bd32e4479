"""Death at every call of a transaction: the registry is whole, and no one else is harmed."""

from __future__ import annotations

import os
from functools import partial

import pytest
from crashsteps import let_go
from scene import FILES, Scene, strikes
from support import Host, until
from warm import Warm

EXPECTED = {  # the least by which a run changes the state
    "kill": set("open flock pwrite ftruncate write rename close posix_spawnp unlink".split()),
    "torn": {"pwrite", "write"},
}


@pytest.mark.parametrize("kind", ["kill", "torn"])
def test_a_run_that_dies_at_any_call_harms_nobody(scene: Scene, kind: str) -> None:
    struck = set()
    for fault in strikes(kind):
        words = ("run", "-c", "exit 7")
        done = scene.warm.run(*words, session="V", cwd=scene.apart, fault=fault)
        if not done.struck:
            assert (done.code, done.err) == (7, "")
            break
        assert (done.code, done.err) == (-9, ""), f"at {done.struck}"
        struck.add(done.struck.partition(" ")[0])
        scene.assert_whole(done.struck)
    assert struck >= EXPECTED[kind]
    scene.assert_ended_once(kind)
    scene.assert_ends()


@pytest.mark.parametrize("kind", ["kill", "torn"])
@pytest.mark.parametrize("step", ["enqueue", "leave", "keep_place", "turn", "prune", "hold"])
def test_a_transaction_that_dies_at_any_call_harms_nobody(
    scene: Scene, step: str, kind: str
) -> None:
    for fault in strikes(kind):
        done = scene.step(step, fault)
        scene.assert_whole(f"{step}: {done.struck}", kept=step == "keep_place")
        if not done.struck:
            assert (done.code, done.err) == (0, "")
            break
        died = (-9, 0) if step == "hold" else (-9,)  # the keeper may, in the place of its maker
        assert done.code in died, f"{step}: {done}"
    scene.assert_ended_once(kind)
    scene.assert_ends()


@pytest.mark.parametrize("kind", ["kill", "torn"])
def test_who_dies_while_it_takes_over_leaves_the_slot_to_what_still_runs(
    scene: Scene, kind: str
) -> None:
    for fault in strikes(kind):
        done = scene.step("take_over", fault)
        if not done.struck:
            assert done.code == 0, done
            assert "was taken over by" in done.err
            break
        assert done.code == -9, done
        command = ("run", "--on-conflict", "cancel", "-c", "make it")
        other = scene.warm.run(*command, session="C", cwd=scene.apart)
        if let_go(str(scene.apart)):
            assert other.code == 75, f"after {done.struck} beside what still runs: {other}"
        scene.assert_whole(f"take_over: {done.struck}")
    scene.assert_ended_once(kind)
    scene.assert_ends()


def test_a_run_id_runs_at_most_once_wherever_it_died(scene: Scene) -> None:
    for fault in strikes("kill"):
        id = f"r{fault[1]}"
        log = scene.apart / id
        words = ("run", "--run-id", id, "-c", f"echo ran >> {id}")
        done = scene.warm.run(*words, session="V", cwd=scene.apart, fault=fault)
        scene.assert_whole(done.struck)
        before = log.exists()
        again = scene.warm.run(*words, session="V", cwd=scene.apart)
        assert again.code in (0, 125), again  # what nobody knows is said
        assert log.exists() == (before or again.code == 0), f"after {done.struck}"
        assert not log.exists() or log.read_text() == "ran\n", f"after {done.struck}"
        if not done.struck:
            assert (done.code, again.code) == (0, 0)
            break
    scene.assert_ended_once("kill")
    scene.assert_ends({"runs"})


@pytest.mark.parametrize("kind", ["kill", "torn"])
def test_who_dies_alone_is_swept_away_by_the_next(host: Host, warm: Warm, kind: str) -> None:
    assert warm.run("run", "-c", "true").code == 0
    for fault in strikes(kind):
        done = warm.run("run", "-c", "exit 7", session="V", fault=fault)
        until(partial(is_swept, host, warm), f"the sweeping after {done.struck}")
        assert set(os.listdir(host.state)) == FILES, f"after {done.struck}"
        if not done.struck:
            break


def is_swept(host: Host, warm: Warm) -> bool:
    look = warm.run("run", "--strict", "-c", "exit 3", session="L")
    assert (look.code, look.err) == (3, "")
    return not os.listdir(host.state / "claims")
