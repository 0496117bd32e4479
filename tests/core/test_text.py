from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.text import SHOWN, STORED, bounded, cells, fit, inert


@given(st.text(max_size=300), st.integers(1, 200))
def test_shown_text_is_one_printable_line_of_bounded_length(text: str, limit: int) -> None:
    shown = inert(text, limit)
    assert len(shown) <= limit
    assert shown.isprintable()


def test_control_characters_do_nothing() -> None:
    assert inert("a\x1b[31mb\nc\rd\u202ee") == "a?[31mb c d?e"


def test_what_nobody_sees_is_shown_as_hidden() -> None:
    tags = "".join(chr(0xE0000 + ord(char)) for char in "rm")
    selectors = "".join(chr(0xE0100 + ord(char)) for char in "rm")
    for hidden in (tags, selectors, "\u200b\u2060", "\u202e\u2066", "\u3164\u115f", "\u00ad\ufeff"):
        assert inert(f"a{hidden}b") == "a??b"
    assert inert("\u2764\ufe0f") == "\u2764\ufe0f"  # an emoji is as it is


def test_lone_surrogates_are_no_text() -> None:
    assert inert("a\udce4b") == "a?b"


def test_short_text_is_kept_as_it_is() -> None:
    assert bounded("make") == "make"
    assert inert("make -j8 Größe") == "make -j8 Größe"


def test_two_long_commands_that_differ_at_the_end_stay_different() -> None:
    one, two = "x" * STORED + "a", "x" * STORED + "b"
    assert bounded(one) != bounded(two)
    assert len(bounded(one)) < STORED + 80
    assert len(inert(one)) == SHOWN


@given(st.text(max_size=60), st.integers(0, 80))
def test_text_is_fitted_by_columns_not_by_characters(text: str, columns: int) -> None:
    fitted = fit(text, columns)
    assert text.startswith(fitted)
    assert cells(fitted) <= columns
    assert cells("日本") == 4
    assert cells("e\u0301") == 1
