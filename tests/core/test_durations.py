from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.durations import parse_duration, say


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("1m30s", 90), ("2h", 7200), ("1d", 86400), ("0", 0), ("1.5", 1.5),
     ("1h30m", 5400), (".5s", 0.5)],
)  # fmt: skip
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "s", "5x", "-5", "+5", "5 s", "1s1m", "1m1m", "1..5", ".", "1e3", "nan", "inf", "٣s",
     "9" * 400, "5s5", "1m5"],
)  # fmt: skip
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_duration(text)


@given(st.text(max_size=10))
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    try:
        assert 0 <= parse_duration(text) <= 1e9
    except ValueError:
        pass


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (130, "2 min 10 s"), (3900, "1 h 05 min"),
     (90000, "1 d 1 h"), (-3, "0 s")],
)  # fmt: skip
def test_a_span_is_said_as_a_person_says_it(seconds: float, said: str) -> None:
    assert say(seconds) == said
