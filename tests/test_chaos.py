"""Staying power: nothing overlaps, nothing is lost and nothing is left, whatever is done to it."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import median

import pytest
from chaos import Chaos, wait_for_none
from soak import Soak
from support import Host


def test_kills_stops_full_disks_and_a_broken_registry_break_no_promise(
    host: Host, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """40 s of it; ``--chaos SECONDS`` for longer, ``--chaos-seed N`` for the same deeds again."""
    seed = pytestconfig.getoption("--chaos-seed") or random.randrange(1, 1 << 32)
    print(f"--chaos-seed {seed}")
    chaos = Chaos(host, tmp_path / "chaos", seed)
    chaos.go(float(pytestconfig.getoption("--chaos")))
    chaos.finish()
    assert chaos.overlaps() == []
    assert chaos.collisions() == []
    assert chaos.inversions() == []
    assert chaos.miscounted() == []
    assert wait_for_none(chaos) == []
    outside = [run for run in chaos.runs if run.starts and not run.is_gated]
    print(f"{len(chaos.runs)} runs, {len(outside)} not gated")
    assert len(chaos.runs) > 20
    assert len(outside) <= len(chaos.runs) / 4


def test_hours_of_mixed_load_leave_memory_files_and_latency_as_they_were(
    host: Host, pytestconfig: pytest.Config
) -> None:
    """Two hours are ``--soak 7200``. The last quarter is held against the second."""
    seconds = pytestconfig.getoption("--soak")
    if not seconds:
        pytest.skip("a soak is run by option: --soak SECONDS")
    soak = Soak(host)
    samples = soak.go(seconds)
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[3 * quarter :]
    for name in ("start", "memory", "files", "bytes"):
        before, after = (median(one[name] for one in part) for part in (early, late))
        print(f"{name}: {before:.2f}, then {after:.2f}")
        assert after <= before * 1.25 + 1, name
