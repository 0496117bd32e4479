from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hostgate.core import SCOPES
from hostgate.host.project import place_of, roots_of


def root_of(path: str) -> str:
    return roots_of(path).project()


def project_of(command: str, directory: str) -> str:
    return root_of(place_of(command, directory))


def git(*words: str, cwd: Path) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *identity, *words], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    path = tmp_path / "repository"
    (path / "src/deep").mkdir(parents=True)
    git("init", cwd=path)
    git("commit", "--allow-empty", "-m", "first", cwd=path)
    return path


def test_a_directory_of_a_repository_belongs_to_the_repository(repository: Path) -> None:
    assert root_of(str(repository / "src/deep")) == str(repository)


def test_linked_worktrees_are_one_project_with_the_main_one(repository: Path) -> None:
    git("worktree", "add", "../linked", "-b", "other", cwd=repository)
    assert root_of(str(repository.parent / "linked")) == str(repository)


def test_by_scope_each_linked_worktree_is_a_project_or_the_whole_host_is(repository: Path) -> None:
    git("worktree", "add", "../linked", "-b", "other", cwd=repository)
    linked = repository.parent / "linked"
    (linked / "deep").mkdir()
    roots = roots_of(str(linked / "deep"))
    assert roots.tree == str(linked)
    assert [roots.project(scope) for scope in SCOPES] == [str(repository), str(linked), "/"]
    assert roots_of(str(repository)).project("worktree") == str(repository)


def test_worktrees_of_a_bare_repository_are_one_project(repository: Path) -> None:
    bare = repository.parent / "bare.git"
    git("clone", "--bare", str(repository), str(bare), cwd=repository)
    git("worktree", "add", "../one", "-b", "one", cwd=bare)
    git("worktree", "add", "../two", "-b", "two", cwd=bare)
    roots = {root_of(str(bare.parent / name)) for name in ("one", "two")}
    assert roots == {str(bare)}


def test_a_submodule_is_a_project_of_its_own(repository: Path) -> None:
    allow = ["-c", "protocol.file.allow=always"]
    git(*allow, "submodule", "add", str(repository), "vendor", cwd=repository)
    assert root_of(str(repository / "vendor")) == str(repository / "vendor")


def test_a_symbolic_link_and_its_target_are_one_project(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert root_of(str(tmp_path / "link")) == root_of(str(tmp_path / "real"))


@pytest.mark.parametrize("marker", [".hg", ".svn", ".jj", "_darcs"])
def test_another_version_control_s_marker_is_a_root(tmp_path: Path, marker: str) -> None:
    (tmp_path / "p" / marker).mkdir(parents=True)
    (tmp_path / "p/a/b").mkdir(parents=True)
    assert root_of(str(tmp_path / "p/a/b")) == str(tmp_path / "p")


def test_without_any_marker_the_directory_is_the_project(tmp_path: Path) -> None:
    assert root_of(str(tmp_path)) == str(tmp_path)


@pytest.mark.parametrize("content", ["", "gitdir: /nowhere/at/all\n", "nonsense", "\0"])
def test_a_broken_git_file_is_no_root(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert root_of(str(tmp_path)) == str(tmp_path)


def test_a_git_file_that_cannot_be_read_is_no_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").write_text("gitdir: x\n")
    monkeypatch.setattr("hostgate.host.project.read_lines", lambda _: [])
    assert root_of(str(tmp_path)) == str(tmp_path)


@pytest.mark.parametrize("kind", ["nul", "zeros", "pipe", "loop", "long", "bytes"])
def test_a_hostile_worktree_is_a_project_of_its_own(tmp_path: Path, kind: str) -> None:
    """Its ``.git`` came with an archive; were this an error, its commands would run ungated."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private/HEAD").touch()
    (tmp_path / ".git").write_text("gitdir: private\n")
    common = tmp_path / "private/commondir"
    if kind == "zeros":
        common.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(common)
    elif kind == "loop":
        common.symlink_to("commondir")
    else:
        common.write_bytes({"nul": b"a\0b\n", "long": b"a/" * 200_000, "bytes": b"\xff\n"}[kind])
    root = root_of(str(tmp_path))
    assert root == str(tmp_path) or (kind in ("long", "bytes") and root.startswith(str(tmp_path)))


def test_an_empty_git_directory_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    assert root_of(str(tmp_path / "a")) == str(tmp_path / "a")


def test_the_command_s_own_directory_decides(tmp_path: Path) -> None:
    for name in ("here", "other"):
        (tmp_path / name / ".hg").mkdir(parents=True)
    here, other = str(tmp_path / "here"), str(tmp_path / "other")
    assert project_of("make", here) == here
    assert project_of(f"cd {other} && make", here) == other
    assert project_of("make -C ../other", here) == other
    assert project_of("cd $SOMEWHERE && make", here) == here
    (tmp_path / "other/Cargo.toml").touch()
    assert project_of("cargo build --manifest-path ../other/Cargo.toml", here) == other


def test_a_directory_that_does_not_exist_yet_belongs_to_the_one_above(tmp_path: Path) -> None:
    assert project_of("mkdir -p build && cd build && cmake ..", str(tmp_path)) == str(tmp_path)


def test_a_tilde_is_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert project_of("cd ~/x && make", "/") == str(tmp_path / "x")
