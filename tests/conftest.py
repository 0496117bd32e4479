from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from scene import Scene
from support import Host, Latch
from warm import Warm

REAL_STATE = Path.home() / ".local/state/hostgate"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hostgate")
    group.addoption("--chaos", default="40", metavar="SECONDS", help="how long the chaos lasts")
    group.addoption("--chaos-seed", type=int, metavar="N", help="the same deeds again")
    group.addoption("--soak", type=float, metavar="SECONDS", help="run the soak, for so long")
    group.addoption("--growth", default="300", metavar="N", help="real runs of the growth test")


@pytest.fixture(autouse=True)
def _the_real_home_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    before = REAL_STATE.exists()  # where it is there already, others may be using it
    for name in [name for name in os.environ if name.startswith(("HOSTGATE_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HOSTGATE_HOME", str(tmp_path / "state"))
    yield
    assert REAL_STATE.exists() == before, "this test touched the real home"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path / "host")
    yield host
    host.end()


@pytest.fixture
def held(host: Host) -> Latch:
    """A build that session A, whose title is "claude · api", is running."""
    latch = host.latch()
    host.start("run", "--title", "claude · api", "--", latch.command, session="A")
    latch.until_started()
    return latch


@pytest.fixture
def warm(host: Host) -> Iterator[Warm]:
    """A warm interpreter of this host, for many short runs."""
    warm = Warm(host)
    yield warm
    warm.close()


@pytest.fixture
def scene(host: Host, warm: Warm) -> Scene:
    """A build that runs and one that waits for it, beside whom others die or fail."""
    return Scene(host, warm)
