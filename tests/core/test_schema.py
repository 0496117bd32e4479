from __future__ import annotations

import datetime
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.keylines import Lines
from hostgate.core.schema import CHECKS, MOST_PATTERNS, MOST_PROBLEMS, check, plain
from hostgate.core.settings import Layer

NAMES = st.sampled_from([*CHECKS, "build", "test", "read", "bild", "x", "", "worktree", "host"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | NAMES
    | st.just(datetime.date(2026, 1, 1))
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4)
)
TABLES = st.dictionaries(NAMES | st.text(max_size=5), VALUES, max_size=6)


def layer(text: str) -> Layer:
    return check(tomllib.loads(text), "f", Lines(text).of)


def problems(text: str) -> list[tuple[int, str, str]]:
    return [(one.line, one.key, one.text) for one in layer(text).problems]


def test_a_file_says_what_it_says() -> None:
    found = layer(
        'scope = "host"\nthreshold = 1\ncontend = ["test", "build", "test"]\nnever = [" a  b "]\n'
        '[commands]\nbuild = ["x", "y"]\nserver = []\nread = ["z"]\n'
    )
    assert found.problems == []
    assert (found.scope, found.threshold, found.never) == ("host", 1.0, ["a b"])
    assert found.contend == ["test", "build"]
    assert found.commands == [("build", "x"), ("build", "y"), ("read", "z")]
    assert found.lines["commands.read"] == 8


def test_every_problem_is_told_at_once_and_what_is_good_counts() -> None:
    text = (
        'scop = "repo"\nscope = "worktre"\nthreshold = 1.5\ncontend = ["build", "tests"]\n'
        'never = [\n  "ok",\n  "",\n  3,\n]\n[commands]\nbuild = ["x"]\ntest = ["x", "y"]\n'
        'sever = ["z"]\nthreshold = 1\n'
    )
    assert problems(text) == [
        (1, "scop", "there is no such key; did you mean scope?"),
        (2, "scope", 'there is no scope "worktre"; did you mean worktree?'),
        (3, "threshold", "must be above 0 and at most 1"),
        (4, "contend", 'there is no category "tests"; did you mean test?'),
        (8, "never", "must be an array of strings"),
        (7, "never", "an empty pattern matches nothing"),
        (12, "commands.test", '"x" is build already'),
        (13, "commands.sever", "there is no such category; did you mean server?"),
        (14, "commands.threshold", "stands in [commands]; put it before the first table"),
    ]
    found = layer(text)
    assert (found.scope, found.threshold, found.contend) == (None, None, None)
    assert found.never == ["ok"]
    assert found.commands == [("build", "x"), ("test", "y")]


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("zzzz = 1", "zzzz", "there are scope, threshold"),
        ("scope = 1", "scope", "must be a string"),
        ("threshold = true", "threshold", "must be a number"),
        ("threshold = nan", "threshold", "must be above 0"),
        ("threshold = 0", "threshold", "must be above 0"),
        ('threshold = "0.5"', "threshold", "must be a number"),
        ('contend = ["read"]', "contend", "never contend"),
        ('contend = "build"', "contend", "must be an array"),
        ("contend = [1]", "contend", "must be an array"),
        ('never = "make"', "never", "must be an array"),
        ("commands = 1", "commands", "must be a table"),
        ("[[commands]]", "commands", "must be a table"),
        ('commands.build = "x"', "commands.build", "must be an array"),
        ('[commands.build]\nx = "y"', "commands.build", "must be an array"),
        (f'never = ["{"x" * 300}"]', "never", "at most 256 characters"),
    ],
)
def test_what_is_wrong_is_named_by_its_key(text: str, key: str, said: str) -> None:
    ((line, found, why),) = problems(text)
    assert (line, found) == (1, key)
    assert said in why


def test_the_patterns_and_the_problems_of_a_file_are_bounded() -> None:
    many = ", ".join(f'"p{at}"' for at in range(400))
    found = layer(f"never = [{many}]\n[commands]\nbuild = [{many}]\n")
    assert len(found.never or []) + len(found.commands) == MOST_PATTERNS
    assert len(found.problems) == 2
    found = layer("".join(f"k{at} = 1\n" for at in range(5000)))
    assert len(found.problems) == MOST_PROBLEMS + 1
    assert found.problems[-1].text == "and more"


@given(TABLES)
def test_no_tree_of_values_is_too_strange(tables: dict[str, object]) -> None:
    found = check(tables, "f", lambda path: len(path))
    again = check(plain(found), "f", lambda _: 0)
    assert again.problems == []
    for name in ("scope", "threshold", "contend", "never", "commands"):
        assert getattr(again, name) == getattr(found, name), name


def test_what_a_hook_does_is_checked_agent_by_agent() -> None:
    found = layer('[agents]\nclaude = "ask"\ncodex = "wait"\n')
    assert (found.problems, found.agents) == ([], {"claude": "ask", "codex": "wait"})
    assert problems('[agents]\nclaud = "ask"\ncodex = "maybe"\nqwen = 1\n') == [
        (2, "agents.claud", "there is no such agent; did you mean claude?"),
        (3, "agents.codex", "must be one of ask, wait, run, cancel"),
        (4, "agents.qwen", "must be one of ask, wait, run, cancel"),
    ]
    assert problems("agents = 1")[0][1:] == (
        "agents",
        "must be a table of agents, each with its policy",
    )


@pytest.mark.parametrize(("text", "seconds"), [("90", 90.0), ('"2m"', 120.0), ("1.5", 1.5)])
def test_a_reservation_is_a_duration(text: str, seconds: float) -> None:
    assert layer(f"reservation = {text}").reservation == seconds


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "true", '"2h"', '"soon"', "[]", '""'])
def test_a_reservation_is_neither_for_ever_nor_for_nothing(text: str) -> None:
    assert [(line, key) for line, key, _ in problems(f"reservation = {text}")] == [
        (1, "reservation")
    ]


def test_limits_are_numbers_a_load_and_an_amount_of_memory() -> None:
    text = '[limits]\ntotal = 5\nbuild = 2\nload = "cores"\nfree-memory = "2GB"\n'
    assert problems(text) == []
    assert layer(text).limits == {"total": 5, "build": 2, "load": "cores", "free-memory": 2 * 10**9}
    assert check(plain(layer(text)), "f", lambda _: 0).limits == layer(text).limits
    assert layer("[limits]\nload = 1.5").limits == {"load": 1.5}


@pytest.mark.parametrize(
    "text",
    [
        "total = 0", "build = -1", "test = 1.5", "other = true", 'total = "5"', "load = 0",
        'load = "core"', "load = nan", 'free-memory = "much"', "free-memory = -1",
        "free-memory = true", "read = 1", "builds = 1", 'free-memory = "1.2.3GB"',
    ],
)  # fmt: skip
def test_what_is_no_limit_is_a_problem(text: str) -> None:
    assert layer(f"[limits]\n{text}").limits == {}
    ((line, key, _),) = problems(f"[limits]\n{text}")
    assert (line, key) == (2, f"limits.{text.partition(' ')[0]}")
