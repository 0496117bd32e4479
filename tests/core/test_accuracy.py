"""How well the detector does on the labelled corpus: floors that no change may go below."""

from __future__ import annotations

from corpus import commands, rows, spelt
from hypothesis import given
from hypothesis import strategies as st

from hostgate import classify, similarity

COMMANDS = rows("commands.tsv")
PAIRS = rows("pairs.tsv")
CATEGORY = WORD = 0.97
BUILD_PRECISION, BUILD_RECALL = 0.99, 0.98
PAIR_PRECISION, PAIR_RECALL = 0.97, 0.95


def ratio(part: int, whole: int) -> float:
    assert whole
    return part / whole


def test_the_corpus_is_there() -> None:
    assert (len(COMMANDS) > 500, len(PAIRS) > 500) == (True, True)
    assert all(len(row) == 4 for row in COMMANDS) and all(len(row) == 5 for row in PAIRS)


def test_categories_and_words() -> None:
    found = [classify(row[0]) for row in COMMANDS]
    right = [one.category == row[1] for one, row in zip(found, COMMANDS, strict=True)]
    assert ratio(sum(right), len(right)) >= CATEGORY
    words = [spelt(one.word) == spelt(row[2]) for one, row in zip(found, COMMANDS, strict=True)]
    assert ratio(sum(words), len(words)) >= WORD
    builds = {row[0] for row in COMMANDS if row[1] == "build"}
    called = {row[0] for one, row in zip(found, COMMANDS, strict=True) if one.category == "build"}
    assert ratio(len(builds & called), len(called)) >= BUILD_PRECISION
    assert ratio(len(builds & called), len(builds)) >= BUILD_RECALL


def test_pairs() -> None:
    flagged = {(row[0], row[1]): similarity(row[0], row[1]) for row in PAIRS}
    contend = {(row[0], row[1]): row[3] for row in PAIRS if row[2] == "yes"}
    named = [pair for pair, reason in flagged.items() if reason]
    assert ratio(sum(pair in contend for pair in named), len(named)) >= PAIR_PRECISION
    assert ratio(sum(bool(flagged[pair]) for pair in contend), len(contend)) >= PAIR_RECALL
    rules = [flagged[pair] for pair in contend if flagged[pair]]
    assert all(reason.partition(":")[0] in contend.values() for reason in rules if reason)


def test_pairs_are_symmetric() -> None:
    lopsided = [row for row in PAIRS if similarity(row[0], row[1]) != similarity(row[1], row[0])]
    assert lopsided == []


@given(st.sampled_from(commands()), st.sampled_from(commands()))
def test_any_two_commands_are_symmetric(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
