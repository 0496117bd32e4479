from __future__ import annotations

import os

import psutil
import pytest

from hostgate.host import strain as module
from hostgate.host.strain import available_memory, cores, strain


def test_no_limit_is_never_reached() -> None:
    assert strain(None, None) == ""


def test_a_load_over_the_limit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (9.26, 0.0, 0.0))
    assert strain(8, None) == "the load of this host is 9.3, the limit is 8"
    assert strain(10.5, None) == ""
    monkeypatch.setattr(module, "cores", lambda: 4)
    assert strain("cores", None) == "the load of this host is 9.3, the limit is 4"


def test_too_little_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "available_memory", lambda: 1_500_000_000)
    assert strain(None, 2 * 10**9) == "1.5 GB of memory are free, the limit is 2.0 GB"
    assert strain(None, 10**9) == ""


@pytest.mark.parametrize("file", [module.MEMORY, "/nonexistent", os.devnull])
def test_the_free_memory_is_known_with_and_without_proc(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MEMORY", file)
    found, total = available_memory(), psutil.virtual_memory().total
    assert 0 < found <= total
    assert abs(found - psutil.virtual_memory().available) < total / 4


def test_there_is_a_core() -> None:
    assert cores() >= 1
