"""The tables: every row says what it means, and no tool stands in two of them."""

from __future__ import annotations

from collections import Counter

import pytest

from hostgate import classify
from hostgate.core import tools
from hostgate.core.rules import CATEGORIES

ROWS = {name: tool.ready() for name, tool in tools.TOOLS.items()}


def test_a_tool_stands_in_one_family() -> None:
    names = Counter(name for family in tools.FAMILIES for name in family.TOOLS)
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("family", tools.FAMILIES, ids=lambda family: family.__name__)
def test_rows_name_categories_verbs_and_options(family: object) -> None:
    for name in vars(family)["TOOLS"]:
        tool = ROWS[name]
        assert {tool.category, tool.bare, *tool.verbs.values()} <= set(CATEGORIES), name
        options = tool.harmless | tool.running | tool.testing | tool.elsewhere | tool.tuning
        assert all(word.startswith(("-", "+")) or tool.harmless for word in options), name
        assert all(word.startswith("-") for word in tool.values), name
        assert all(option.startswith("-") for _, option in tool.asking), name
        assert all(word[0] == "-" or ":-" in word for word in tool.building), name


def test_a_row_of_several_names_is_one_tool() -> None:
    assert tools.look_up("gcc") is tools.look_up("clang++")


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("gcc-13", "gcc"),
        ("clang++-17", "clang++"),
        ("arm-none-eabi-gcc", "gcc"),
        ("x86_64-linux-gnu-g++-12", "g++"),
        ("python3.12", "python"),
        ("pip3.11", "pip"),
        ("MSBuild", "msbuild"),
    ],
)
def test_a_version_or_a_target_in_the_name_is_the_same_tool(name: str, like: str) -> None:
    assert tools.look_up(name) is tools.look_up(like)


@pytest.mark.parametrize("name", ["", "x", "no-such-tool", "7", "-", "a-b-9", "gcc-wrapper-x"])
def test_other_names_are_unknown(name: str) -> None:
    assert tools.look_up(name) is None


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("/usr/bin/make", "make"),
        ("./gradlew", "gradlew"),
        ("msbuild.exe", "msbuild"),
        (".\\\\gradlew.bat", "gradlew"),
        ("tsc@5.4", "tsc"),
        ("vercel@latest", "vercel"),
        ("@angular/cli@17", "ng"),
        ("@biomejs/biome@1.9", "biome"),
        ("user@host", "user@host"),
        ("x.exe", "x"),
        (".exe", ".exe"),
    ],
)
def test_the_name_of_a_tool(word: str, name: str) -> None:
    assert tools.named(word.replace("\\\\", "\\")) == name


@pytest.mark.parametrize("option", ["--help", "--version"])
@pytest.mark.parametrize("name", ["swift", "make", "cargo", "npm", "gradle", "docker", "pytest"])
def test_asking_a_tool_for_its_help_or_version_reads(name: str, option: str) -> None:
    assert classify(f"{name} {option}").category == "read"
    assert classify(f"cd x && {name} build {option} | head").category == "read"
