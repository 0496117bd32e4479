"""The layers of the code: imports go downwards only, without cycles, and the core is pure."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hostgate

ROOT = Path(hostgate.__file__).parent
LAYERS = [
    "core",
    "host",
    "gate",
    "keeper",
    "waiting",
    "ui",
    "agents",
    "cli",
]  # each may use those before it
IMPURE = set(
    """os sys time json subprocess signal _signal socket select threading pathlib shutil tempfile
    fcntl random datetime logging psutil filelock rich typer click""".split()
)
MODULES = sorted(ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(["hostgate", *path.relative_to(ROOT).with_suffix("").parts])


def imports(path: Path) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def layer(name: str) -> int:
    parts = name.split(".")
    return (
        LAYERS.index(parts[1])
        if parts[0] == "hostgate" and parts[1:] and parts[1] in LAYERS
        else -1
    )


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_uses_only_its_own_layer_and_those_below(path: Path) -> None:
    own = layer(name_of(path))
    if own >= 0:
        assert [name for name in imports(path) if layer(name) > own] == []


@pytest.mark.parametrize("path", sorted((ROOT / "core").rglob("*.py")), ids=name_of)
def test_the_core_has_no_clock_no_files_no_environment_no_processes(path: Path) -> None:
    assert IMPURE.isdisjoint(name.partition(".")[0] for name in imports(path))


def test_there_are_no_cycles() -> None:
    names = {name_of(path): path for path in MODULES}
    uses = {
        name: {
            other
            for found in imports(path)
            for other in (found, found.rpartition(".")[0])
            if other in names and other != name
        }
        for name, path in names.items()
    }
    seen: dict[str, int] = {}

    def visit(name: str, trail: list[str]) -> None:
        assert name not in trail, " -> ".join([*trail, name])
        if name not in seen:
            for other in uses[name]:
                visit(other, [*trail, name])
            seen[name] = 1

    for name in names:
        visit(name, [])


def test_a_module_fits_in_a_head() -> None:
    long = {name_of(p): n for p in MODULES if (n := len(p.read_text().splitlines())) > 350}
    assert long == {}
