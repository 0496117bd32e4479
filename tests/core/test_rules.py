from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.likeness import compare, decode
from hostgate.core.rules import CATEGORIES, DEFAULT, Pattern, Rules, matches
from hostgate.core.similarity import read, similarity

WORDS = st.lists(st.text(max_size=8) | st.sampled_from("make * [ ./x ? [z-a] [!".split()))


def mine(*pairs: tuple[str, str]) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, category, outright=True) for category, text in pairs)


def theirs(*pairs: tuple[str, str]) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, category, outright=False) for category, text in pairs)


def category(rules: Rules, command: str, builtin: str = "other", known: bool = True) -> str:
    first, *rest = command.split()
    return rules.category([first.rpartition("/")[2], *rest], first, builtin, known)


@pytest.mark.parametrize(
    ("pattern", "command", "count"),
    [
        ("npm run lint", "npm run lint -- --fix", 3),
        ("npm run lint", "npm run", 0),
        ("npm run lint*", "npm run lint:css", 3),
        ("npm", "/usr/bin/npm ci", 1),
        ("NPM", "npm ci", 0),
        ("scripts/*-image.sh", "./scripts/boot-image.sh now", 1),
        ("scripts/*-image.sh", "/elsewhere/scripts/boot-image.sh", 0),
        ("./run-checks*", "./run-checks.sh", 1),
        ("./run-checks*", "run-checks", 1),
        ("./run-checks*", "tools/run-checks", 0),
        ("run-checks", "tools/run-checks", 1),
        ("m[ai]ke ?", "make x", 2),
        ("m[z-a]ke", "make", 0),
        ("make [", "make [", 2),
        ("", "make", 0),
    ],
)
def test_a_pattern_matches_the_first_words(pattern: str, command: str, count: int) -> None:
    first, *rest = command.split()
    assert matches(pattern, [first.rpartition("/")[2], *rest], first) == count


@given(st.text(max_size=30), WORDS.filter(bool), st.text(max_size=8))
def test_any_pattern_can_be_compared_with_any_words(
    pattern: str, words: list[str], written: str
) -> None:
    assert matches(pattern, words, written) in (0, len(pattern.split()))


def test_a_pattern_of_many_stars_is_compared_in_no_time() -> None:
    assert matches("*a" * 120 + "b", ["a" * 4000], "x") == 0


def test_the_user_s_pattern_decides_outright() -> None:
    rules = Rules(commands=mine(("read", "make"), ("build", "mytool")))
    assert category(rules, "make all", "build") == "read"
    assert category(rules, "mytool", "other", known=False) == "build"
    assert category(rules, "cargo build", "build") == "build"


def test_the_pattern_with_most_words_decides_then_the_first() -> None:
    rules = Rules(
        commands=mine(("build", "x"), ("test", "x *"), ("read", "x check"), ("read", "x"))
    )
    assert category(rules, "x") == "build"
    assert category(rules, "x check") == "test"
    assert category(rules, "x check all") == "test"


def test_the_project_s_pattern_can_only_make_a_known_command_contend_more() -> None:
    rules = Rules(commands=theirs(("read", "make"), ("build", "pytest"), ("test", "lint")))
    assert category(rules, "make", "build") == "build"
    assert category(rules, "pytest", "test") == "build"
    assert category(rules, "lint", "other", known=False) == "test"


def test_the_project_s_pattern_decides_over_an_unknown_tool_but_not_over_the_user() -> None:
    given = theirs(("read", "mytool"))
    assert category(Rules(commands=given), "mytool", "other", known=False) == "read"
    assert category(Rules(commands=given), "mytool", "server", known=False) == "server"
    both = Rules(commands=(*given, *mine(("test", "mytool"))))
    assert category(both, "mytool", "other", known=False) == "test"


def test_what_is_never_gated_only_reads_whatever_else_matches() -> None:
    rules = Rules(commands=theirs(("build", "make")), never=("make docs",))
    assert category(rules, "make docs", "build") == "read"
    assert category(rules, "make all", "build") == "build"


@given(
    st.lists(st.tuples(st.sampled_from(CATEGORIES), st.sampled_from("a b a* *".split()))),
    st.sampled_from(CATEGORIES),
    st.sampled_from(["a", "b"]),
)
def test_a_project_never_makes_a_known_command_contend_less(
    given: list[tuple[str, str]], builtin: str, command: str
) -> None:
    found = category(Rules(commands=theirs(*given)), command, builtin)
    assert CATEGORIES.index(found) <= CATEGORIES.index(builtin)


def test_the_stamp_is_that_of_what_changes_a_reading() -> None:
    assert DEFAULT.stamp == Rules(threshold=0.1, contend=frozenset(["test"])).stamp == ""
    stamps = [
        Rules(commands=mine(("build", "a"))).stamp,
        Rules(commands=theirs(("build", "a"))).stamp,
        Rules(commands=mine(("test", "a"))).stamp,
        Rules(never=("a",)).stamp,
        "",
    ]
    assert len(set(stamps)) == len(stamps)
    assert Rules(never=("a",)).stamp == Rules(never=("a",)).stamp


def test_a_reading_of_other_rules_is_read_again() -> None:
    rules = Rules(never=("a",))
    assert decode("make", read("make").encode(), rules) is None
    assert decode("make", read("make", rules).encode(), rules) is not None
    assert decode("make", read("make", rules).encode()) is None


def test_the_threshold_decides_what_is_near_identical() -> None:
    a, b = "deploy --fast one two three", "deploy --fast one two three four"
    assert similarity(a, b) is not None
    assert similarity(a, b, Rules(threshold=0.95)) is None


def test_any_two_commands_of_a_category_that_contends_contend() -> None:
    rules = Rules(contend=frozenset(["build", "test"]))
    assert similarity("pytest a", "jest b", rules) == "both-builds: jest, pytest (both test)"
    assert similarity("make", "cargo build", rules) == "both-builds: cargo, make"
    assert similarity("make", "cargo build", Rules(contend=frozenset())) is None
    assert compare(read("ls"), read("ls x"), rules) is None
