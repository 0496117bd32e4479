"""The parser reads what the plain reader reads, and what runs inside something else."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from corpus import commands
from hypothesis import assume, given
from hypothesis import strategies as st

from hostgate.core import grammar, parser
from hostgate.core.lexer import Unreadable
from hostgate.core.plain import plain
from hostgate.core.shell import Part

SIMPLE = [text for text in commands() if not any(mark in text for mark in parser.NESTED)]


def seen(part: Part) -> list[object]:
    """All that a part says. (The grammar swallows a ``-`` before a here-document.)"""
    words = [word for word in part.words if word != "-"]
    said = [part.directory, part.writes, part.reads, part.document, part.start, part.piped]
    return [words, part.assigned, *said]


def test_both_readers_see_the_same_in_the_corpus() -> None:
    assert len(SIMPLE) > 1000
    unread = []
    for text in SIMPLE:
        found = grammar.parts(text)
        try:
            parts = plain(text)
        except Unreadable:
            unread.append(text)
            continue
        assert found is None or [seen(one) for one in parts] == [seen(one) for one in found], text
    assert len(unread) < 0.02 * len(SIMPLE)  # functions and the like


WORDS = st.text("abé=-/.", min_size=1, max_size=5).filter(lambda word: word.strip("=-./"))
QUOTED = st.one_of(
    WORDS,
    st.text("a b|&;é", max_size=5).map(lambda text: f"'{text}'"),
    st.text("a b|&;é'", max_size=5).map(lambda text: f'"{text}"'),
)
SIMPLE_COMMANDS = st.lists(QUOTED, min_size=1, max_size=4).map(lambda words: "x " + " ".join(words))
LINES = st.recursive(
    SIMPLE_COMMANDS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" && ", " || ", " | ", "; ", "\n"]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"{{ {text}; }}"),
        inner.map(lambda text: f"if {text}; then {text}; fi"),
        inner.map(lambda text: f"cd d && {text}"),
        inner.map(lambda text: f"A=1 {text}" if text.startswith("x") else text),
    ),
    max_leaves=6,
)


@given(LINES)
def test_both_readers_see_the_same_in_any_plain_line(text: str) -> None:
    assume(not any(mark in text for mark in parser.NESTED))
    found = grammar.parts(text)
    if found is not None:  # the grammar has its blind spots
        assert [part.words for part in plain(text)] == [part.words for part in found]
        assert [part.directory for part in plain(text)] == [part.directory for part in found]


@given(st.one_of(st.text(max_size=50), st.text("$`\"'(){}<>|&;\\ \n#=~!*?[]aE0-", max_size=60)))
def test_any_text_is_read_or_unreadable(text: str) -> None:
    try:
        parser.parse(text)
    except Unreadable:
        pass


@pytest.mark.parametrize("start", range(0, 0x110000, 0x10000), ids=hex)
def test_no_character_harms_the_grammar(start: int) -> None:
    # isalnum() of one beyond ASCII reads out of its table: 0x4872b ended the process
    for code in range(start, start + 0x10000, 0x101):
        for text in ("echo {} $(make {})", "a{} $(b)", "{{{} $x{}", "$({} <<{}"):
            grammar.parts(text.replace("{}", chr(code)))
    assert [part.words for part in grammar.parts(f"e {chr(start + 99)} $(make)") or []]


def test_words_beyond_ascii_are_those_of_the_text() -> None:
    first, second, third = parser.parse('echo "é 日本 $(make ü)" > "😀 x"; ls 😀')
    assert (first.words, first.writes) == (["echo", "é 日本 $(make ü)"], "😀 x")
    assert (second.words, third.words) == (["make", "ü"], ["ls", "😀"])
    assert third.start == len('echo "é 日本 $(make ü)" > "😀 x"; ')


def test_without_the_grammar_a_line_is_read_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hostgate.core.grammar", None)
    assert [part.words for part in parser.parse("make $(x)")] == [["make", "$(x)"]]
    with pytest.raises(Unreadable):
        parser.parse("case x in x) make;; esac")


def test_a_grammar_that_breaks_is_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(text: str) -> None:
        raise ValueError("an incompatible language version")

    monkeypatch.setattr(grammar, "parts", breaks)
    assert [part.words for part in parser.parse("make $(x)")] == [["make", "$(x)"]]


def test_what_the_grammar_refuses_is_read_plainly() -> None:
    text = "bash <<'EOF' 2>&1 | tail\nmake $(x)\nEOF"
    assert grammar.parts(text) is None
    assert [part.words for part in parser.parse(text)] == [["bash"], ["tail"]]


def test_a_line_beyond_the_bound_never_meets_the_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> None:
        raise AssertionError("a line of 20 KB would take seconds")

    monkeypatch.setattr(grammar, "parts", refuse)
    assert len(parser.parse("a $(b) | " * 3000 + "c")) == 3001
    with pytest.raises(Unreadable):
        parser.parse("f() { x; }; " * 3000)


@pytest.mark.parametrize("shape", ["$(a ", "(a ", "{ a ", "if a; then ", "a | ", "f() { "])
@pytest.mark.parametrize("reader", [parser.parse, plain, grammar.parts])
def test_no_depth_is_too_deep(shape: str, reader: Callable[[str], object]) -> None:
    try:
        reader(shape * 3000)
    except Unreadable:
        pass
