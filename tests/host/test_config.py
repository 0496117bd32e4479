from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import pytest

from hostgate.core.rules import DEFAULT
from hostgate.core.settings import Settings
from hostgate.host import config
from hostgate.host.config import BOUND, FILES, LARGEST, Config
from hostgate.host.project import user_path
from hostgate.host.state import State


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "tree"
    path.mkdir()
    return path


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(str(tmp_path / "state"))


def read(tree: Path, state: State | None = None) -> Settings:
    return Config(state).settings(str(tree))


def said(tree: Path, content: bytes | str) -> list[tuple[int, str]]:
    """What is wrong with a project's file of this content."""
    data = content.encode() if isinstance(content, str) else content
    (tree / ".hostgate.toml").write_bytes(data)
    return [(one.line, one.text) for one in read(tree).problems]


def test_the_user_s_file_is_in_the_configuration_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert user_path() == f"{tmp_path}/.config/hostgate.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "/etc/xdg")
    assert user_path() == "/etc/xdg/hostgate.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert user_path() == f"{tmp_path}/.config/hostgate.toml"
    monkeypatch.setenv("HOME", "relative")
    assert user_path() == ""
    assert Config(None).user is None


def test_both_files_count(tmp_path: Path, tree: Path) -> None:
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config/hostgate.toml").write_text("threshold = 0.8\n")
    (tree / ".hostgate.toml").write_text('contend = ["test"]\n')
    settings = read(tree)
    assert settings.rules.threshold == 0.8
    assert settings.rules.contend == {"build", "test"}
    assert settings.origins["threshold"] == [f"{tmp_path}/.config/hostgate.toml:1"]
    assert read(tmp_path).rules.contend == {"build"}


def test_no_file_is_no_problem(tree: Path) -> None:
    assert read(tree).rules is DEFAULT
    (tree / ".hostgate.toml").symlink_to("nowhere")
    assert read(tree).problems == []
    assert Config(None).settings("").problems == []
    assert Config(None).settings("/dev/null").problems == []


@pytest.mark.parametrize(
    ("content", "line", "text"),
    [
        ("a = \n", 1, "no TOML: Invalid value"),
        ("\n\n[commands\n", 3, "no TOML: Expected ']'"),
        ("a = [", 0, "no TOML: "),
        ("scope = 'repo'\nscope = 'repo'\n", 2, "no TOML: Cannot overwrite"),
        (b"\nscope = '\xff'\n", 2, "is not UTF-8"),
        (b"\xff\xfes\0c\0o\0p\0e\0", 1, "is not UTF-8"),
        ("\0", 1, "no TOML"),
        ("a = " + "[" * 50_000, 0, "is nested too deeply"),
        ("a = " + "{a=" * 20_000, 0, "is nested too deeply"),
        ("a = " + "9" * 50_000, 0, "no TOML: Exceeds the limit"),
        ("a" + ".a" * 30_000 + " = 1", 0, "has more than 500 dots"),
        ("#" * (LARGEST + 1), 0, "is larger than 64 KiB"),
    ],
)
def test_a_file_that_is_no_toml_is_one_problem_and_counts_not_at_all(
    tree: Path, content: bytes | str, line: int, text: str
) -> None:
    ((found, why),) = said(tree, content)
    assert found == line
    assert why.startswith(text)
    assert read(tree).rules is not None


def test_a_byte_order_mark_and_dos_line_ends_are_no_problem(tree: Path) -> None:
    assert said(tree, b"\xef\xbb\xbfthreshold = 0.5\r\ncontend = [\r\n  'test']\r\n") == []
    settings = read(tree)
    assert settings.rules.threshold == 0.5
    assert settings.origins["contend"][-1].endswith(":2")


def test_only_a_regular_file_is_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tree / ".hostgate.toml"
    path.mkdir()
    assert [one.text for one in read(tree).problems] == ["is no regular file"]
    path.rmdir()
    os.mkfifo(path)
    assert [one.text for one in read(tree).problems] == ["is no regular file"]
    path.unlink()
    path.symlink_to("/dev/zero")
    assert [one.text for one in read(tree).problems] == ["is no regular file"]
    path.unlink()
    path.symlink_to(".hostgate.toml")
    (problem,) = read(tree).problems
    assert problem.text.startswith("cannot be read: Too many")
    path.unlink()
    monkeypatch.chdir(tree)  # a socket's name is short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(".hostgate.toml")
        assert [one.text for one in read(tree).problems] == ["is no regular file"]


def test_a_pipe_that_takes_the_file_s_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        config._contents(str(tmp_path / "pipe"))


def test_a_file_without_the_right_to_read_it_is_a_problem(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(config, "_contents", refuse)
    assert said(tree, "") == [(0, "cannot be read: Permission denied")]


def test_what_a_file_makes_of_the_parser_never_comes_through(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tomllib.loads", lambda text: 1 / 0)
    assert said(tree, "a = 1") == [(0, "cannot be read as TOML (ZeroDivisionError)")]


# what is remembered


def cache(state: State) -> Path:
    return Path(state.file("config.json"))


CONTENT = 'threshold = 0.5\ncontend = ["test"]\nbad = 1\n[commands]\nbuild = ["x"]\n'


def test_an_unchanged_file_is_known_with_its_problems(
    tree: Path, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / ".hostgate.toml").write_text(CONTENT)
    first = read(tree, state)
    assert cache(state).stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(state.path)) == ["claims", "config.json"]
    monkeypatch.setitem(sys.modules, "tomllib", None)  # from here on nothing can be parsed
    again = read(tree, state)
    assert again.values() == first.values()
    assert again.origins == first.origins
    assert [(one.line, one.key, one.text) for one in again.problems] == [
        (one.line, one.key, one.text) for one in first.problems
    ]


def test_a_changed_file_is_read_again(tree: Path, state: State) -> None:
    path = tree / ".hostgate.toml"
    path.write_text("threshold = 0.5\n")
    assert read(tree, state).rules.threshold == 0.5
    before = path.stat()
    path.write_text("threshold = 0.4\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as tools do that keep times
    assert read(tree, state).rules.threshold == 0.4
    path.unlink()
    assert read(tree, state).rules.threshold == 0.6


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "[]",
        lambda text: text[:-9],
        lambda text: text.replace('"form"', '"from"'),
        lambda text: text.replace("0.5", '"x"'),
        lambda text: text.replace("0.5", "7"),
        lambda text: text.replace('"lines":{', '"lines":0,"x":{'),
        lambda text: text.replace('"problems":[[3', '"problems":[["3"'),
        lambda text: text.replace('"problems":[[3', '"problems":[3,[3'),
        lambda text: '{"form":' * 99_999,
        lambda text: "\0" * BOUND,
        lambda text: json.dumps({**json.loads(text), "files": []}),
        lambda text: json.dumps({**json.loads(text), "files": {"x": 1}}),
    ],
)
def test_what_is_remembered_and_broken_is_ignored(tree: Path, state: State, damage: object) -> None:
    assert callable(damage)
    (tree / ".hostgate.toml").write_text(CONTENT)
    first = read(tree, state)
    cache(state).write_text(damage(cache(state).read_text()))
    again = read(tree, state)
    assert again.values() == first.values()
    assert len(again.problems) == len(first.problems)
    assert json.loads(cache(state).read_text())["files"]


def test_what_is_remembered_is_bounded(tmp_path: Path, state: State) -> None:
    trees = [tmp_path / f"t{at}" for at in range(FILES + 3)]
    for tree in trees:
        tree.mkdir()
        (tree / ".hostgate.toml").write_text("threshold = 0.5\n")
        read(tree, state)
    known = json.loads(cache(state).read_text())["files"]
    assert list(known) == [f"{tree}/.hostgate.toml" for tree in trees[3:]]
    pattern = "x" * 200
    for tree in trees[:8]:
        many = ", ".join(f'"{at}{pattern}"' for at in range(250))
        (tree / ".hostgate.toml").write_text(f"commands.build = [{many}]\n")
        read(tree, state)
    assert 100_000 < cache(state).stat().st_size <= BOUND


def test_where_nothing_can_be_remembered_all_works(
    tree: Path, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / ".hostgate.toml").write_text("threshold = 0.5\n")
    cache(state).mkdir()
    assert read(tree, state).rules.threshold == 0.5
    assert sorted(os.listdir(state.path)) == ["claims", "config.json"]
    cache(state).rmdir()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(State, "replace", full)
    assert read(tree, state).rules.threshold == 0.5
    assert os.listdir(state.path) == ["claims"]


def test_a_file_that_changes_while_it_is_read_is_not_remembered(
    tree: Path, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / ".hostgate.toml").write_text("threshold = 0.5\n")
    monkeypatch.setattr(config, "_contents", lambda path: (b"threshold = 0.4\n", [0]))
    assert read(tree, state).rules.threshold == 0.4
    assert not cache(state).exists()


# the rules of other projects


def test_who_looks_at_all_projects_knows_the_rules_of_each(tmp_path: Path, tree: Path) -> None:
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config/hostgate.toml").write_text("threshold = 0.8\n")
    (tree / ".hostgate.toml").write_text("threshold = 0.5\n")
    found = Config(None)
    assert found.rules_of(str(tree)).threshold == 0.5
    assert found.rules_of(str(tmp_path)).threshold == 0.8
    assert found.rules_of(str(tree)) is found.rules_of(str(tree))


def test_who_changes_the_registry_opens_no_other_project_s_file(tmp_path: Path, tree: Path) -> None:
    (tree / ".hostgate.toml").write_text("threshold = 0.5\n")
    found = Config(None)
    mine = found.settings(str(tree)).rules
    near = found.rules_near(str(tree), mine)
    assert near(str(tree)) is mine
    assert near("/elsewhere") is DEFAULT
    elsewhere = found.rules_near(str(tmp_path), found.settings(str(tmp_path)).rules)
    assert elsewhere(str(tree)) is DEFAULT
