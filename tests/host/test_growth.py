"""After a thousand runs in one directory nothing has grown.

``--growth N`` is how many real processes are started; a usual run of the tests has 300.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from support import Host

from hostgate.host import history

FILES = {"claims", "history.jsonl", "registry.json", "registry.lock"}
SIDES = 2  # who runs one after the other, beside each other
SCRIPT = Path(__file__).parent.parent / "manyclaims.py"


def test_a_thousand_claims_and_waits_leave_a_process_as_it_was(host: Host) -> None:
    process = host.popen([sys.executable, str(SCRIPT)], None, {})
    out, err = process.communicate(timeout=120)  # a slow machine's; it takes 4 s
    assert process.returncode == 0, err
    before, after = json.loads(out)
    assert after == before
    assert set(before["files"]) == FILES
    assert (before["threads"], before["children"]) == (1, 0)
    assert (host.state / "history.jsonl").stat().st_size <= 64 << 10
    assert host.claims() == []


def test_hundreds_of_real_runs_leave_nothing_but_a_bounded_history(
    host: Host, request: pytest.FixtureRequest
) -> None:
    count = int(request.config.getoption("--growth")) // SIDES
    loop = f"for i in $(seq {count}); do hostgate run --strict -- true || exit 1; done"
    assert host.run("run", "-c", "true").returncode == 0
    registry = (host.state / "registry.json").stat().st_size
    shells = [host.shell(loop, session=f"s{side}") for side in range(SIDES)]
    codes = [shell.wait(60 + count) for shell in shells]
    assert codes == [0] * SIDES, [shell.stderr and shell.stderr.read() for shell in shells]
    assert host.claims() == []
    assert os.listdir(host.state / "claims") == []
    assert set(os.listdir(host.state)) == FILES
    assert (host.state / "registry.json").stat().st_size - registry < 8  # digits of the epoch
    assert len(host.history()) == count * SIDES + 1 or count * SIDES > 2000
    assert (host.state / "history.jsonl").stat().st_size <= history.BOUND
