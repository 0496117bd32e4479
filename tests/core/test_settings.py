from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core import SCOPES
from hostgate.core.keylines import Lines
from hostgate.core.registry import RESERVED_FOR
from hostgate.core.rules import CATEGORIES, DEFAULT
from hostgate.core.schema import check
from hostgate.core.settings import Layer, Settings, merge


def layer(text: str, path: str) -> Layer:
    return check(tomllib.loads(text), path, Lines(text).of)


def merged(user: str, project: str) -> Settings:
    return merge(layer(user, "U"), layer(project, "P"))


def problems(settings: Settings) -> list[tuple[str, int, str]]:
    return [(one.path, one.line, one.key) for one in settings.problems]


def test_without_files_the_defaults_hold() -> None:
    settings = merge(None, None)
    assert (settings.scope, settings.problems, settings.origins) == ("repo", [], {})
    assert settings.rules is DEFAULT
    assert settings.values()["contend"] == ["build"]


def test_the_user_s_file_says_what_it_likes() -> None:
    text = (
        'scope = "host"\nthreshold = 0.9\ncontend = []\nnever = ["a"]\nreservation = "1m"\n'
        '[commands]\nread = ["b"]\n[agents]\nclaude = "ask"\n'
    )
    settings = merge(layer(text, "U"), None)
    assert settings.problems == []
    assert settings.values() | {} == {
        "scope": "host",
        "threshold": 0.9,
        "contend": [],
        "never": ["a"],
        "reservation": "60s",
        "agents.claude": "ask",
        "commands.build": [],
        "commands.test": [],
        "commands.server": [],
        "commands.other": [],
        "commands.read": ["b"],
    }
    assert settings.origins == {
        "scope": ["U:1"],
        "threshold": ["U:2"],
        "contend": ["U:3"],
        "never": ["U:4"],
        "reservation": ["U:5"],
        "commands.read": ["U:7"],
        "agents.claude": ["U:9"],
    }
    assert (settings.reservation, settings.agents) == (60.0, {"claude": "ask"})


def test_a_project_s_file_makes_gating_stricter_or_narrower() -> None:
    settings = merged(
        'threshold = 0.8\n[commands]\nbuild = ["u"]\n',
        'scope = "worktree"\nthreshold = 0.5\ncontend = ["test"]\n[commands]\nbuild = ["p"]\n',
    )
    assert settings.problems == []
    values = settings.values()
    assert (values["scope"], values["threshold"]) == ("worktree", 0.5)
    assert values["contend"] == ["build", "test"]
    assert values["commands.build"] == ["p", "u"]
    assert [one.outright for one in settings.rules.commands] == [False, True]
    assert settings.origins["contend"] == ["default", "P:3"]
    assert settings.origins["threshold"] == ["P:2"]
    assert settings.origins["commands.build"] == ["P:5", "U:3"]


def test_what_a_project_s_file_may_not_say_is_a_problem_and_does_not_count() -> None:
    settings = merged(
        'scope = "worktree"\nthreshold = 0.5\n',
        '\nscope = "host"\nthreshold = 0.6\nnever = ["make"]\ncontend = []\nreservation = 1\n'
        '[agents]\nclaude = "run"\n',
    )
    assert problems(settings) == [
        ("P", 2, "scope"),
        ("P", 3, "threshold"),
        ("P", 4, "never"),
        ("P", 6, "reservation"),
        ("P", 7, "agents"),
    ]
    assert (settings.reservation, settings.agents) == (RESERVED_FOR, {})
    assert (settings.scope, settings.rules.threshold) == ("worktree", 0.5)
    assert settings.rules.never == ()
    assert settings.rules.contend == {"build"}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_project_s_file_may_say_what_holds_anyway(scope: str) -> None:
    text = f'scope = "{scope}"\nthreshold = 0.6\n'
    settings = merged(text, text)
    assert settings.problems == []
    assert settings.origins["scope"] == ["U:1"]


DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "scope": st.sampled_from([*SCOPES, "x"]),
        "threshold": st.floats() | st.integers() | st.text(max_size=2),
        "contend": st.lists(st.sampled_from([*CATEGORIES, "x"])),
        "never": st.lists(st.sampled_from(["a", "b c", ""])),
        "commands": st.dictionaries(
            st.sampled_from([*CATEGORIES, "x"]), st.lists(st.sampled_from(["a", "a b", "*"]))
        ),
    },
)


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(CATEGORIES))
def test_a_project_s_file_never_loosens(
    mine: dict[str, object], theirs: dict[str, object], builtin: str
) -> None:
    user, project = (check(one, name, lambda _: 1) for one, name in ((mine, "U"), (theirs, "P")))
    before, after = merge(user, None), merge(user, project)
    assert after.rules.threshold <= before.rules.threshold
    assert after.rules.contend >= before.rules.contend
    assert after.rules.never == before.rules.never
    assert after.scope in (before.scope, "worktree")
    for words in (["a"], ["a", "b"], ["z"]):
        old, new = (
            CATEGORIES.index(one.rules.category(words, words[0], builtin, True))
            for one in (before, after)
        )
        assert new <= old
