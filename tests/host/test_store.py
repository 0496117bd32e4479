"""The registry's text: a claim a line, read again only where a line has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.claims import (
    RUNNING,
    SCHEMA,
    STATES,
    Claim,
    Registry,
    decode_registry,
    encode_claim,
)
from hostgate.host import StateError
from hostgate.host.store import FileStore

TEXTS = st.text(max_size=12) | st.sampled_from(
    ["\n]}\n", '"claims":[\n', ",\n", '"id":"x","state":']
)
CHANGES: dict[str, Any] = {
    "state": st.sampled_from(STATES),
    "epoch": st.integers(0, 2**40),
    "since": st.floats(0, 1e9),
    "started_at": TEXTS,
    "session": TEXTS,
    "lanes": st.lists(TEXTS, max_size=2),
    "within": st.lists(TEXTS, max_size=2),
    "behind": st.dictionaries(TEXTS, TEXTS, max_size=2),
    "held": st.booleans(),
    "lasts": st.floats(0, 1e9),
    "run_id": TEXTS,
    "digest": TEXTS,
    "terms": TEXTS,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> FileStore:
    return FileStore(str(tmp_path_factory.mktemp("store") / "state"))


def plain(registry: Registry) -> dict[str, object]:
    claims = [encode_claim(claim) for claim in registry.claims]
    return {"schema": SCHEMA, "epoch": registry.epoch, "claims": claims}


def file(store: FileStore) -> Path:
    return Path(store.state.file("registry.json"))


@given(
    st.lists(st.tuples(TEXTS, TEXTS), max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(sorted(CHANGES)), st.data()), max_size=6),
)
def test_what_is_written_is_json_and_says_what_the_claims_are_after_every_change(
    store: FileStore, texts: list[tuple[str, str]], changes: list[tuple[int, str, Any]]
) -> None:
    claims = [store.new_claim(who, who, "/p", text, []) for who, text in texts]

    def fill(registry: Registry) -> None:
        registry.claims = list(claims)
        registry.epoch += 1

    store.transact(fill)
    for at, name, data in changes:

        def change(registry: Registry, at: int = at, name: str = name, data: Any = data) -> object:
            if at < len(registry.claims):
                setattr(registry.claims[at], name, data.draw(CHANGES[name]))
            return plain(registry)

        said = store.transact(change)
        text = file(store).read_text()
        assert json.loads(text) == json.loads(json.dumps(said))
        assert plain(store.snapshot()[0]) == plain(decode_registry(json.loads(text)))


def test_a_line_that_was_read_is_not_read_again_and_one_that_changed_is(store: FileStore) -> None:
    def fill(registry: Registry) -> None:
        registry.claims = [store.new_claim("s", "t", "/p", "make", []) for _ in range(3)]

    store.transact(fill)
    before = store.snapshot()[0].claims
    text = file(store).read_text()
    file(store).write_text(text.replace('"session":"s"', '"session":"S"', 1))
    after = store.snapshot()[0].claims
    assert [a is b for a, b in zip(before, after, strict=True)] == [False, True, True]
    assert after[0].session == "S"


def test_a_claim_that_a_failed_transaction_changed_is_read_as_it_is(store: FileStore) -> None:
    def fill(registry: Registry) -> None:
        registry.claims = [store.new_claim("s", "t", "/p", "make", [])]

    store.transact(fill)

    def spoil(registry: Registry) -> None:
        registry.claims[0].state = RUNNING
        raise StateError("no")

    store.read()
    with pytest.raises(StateError):
        store.transact(spoil)
    assert store.read().claims[0].state == "waiting"
    assert store.transact(lambda registry: registry.claims[0].state) == "waiting"


def test_a_registry_of_another_hand_is_read_too(store: FileStore) -> None:
    def fill(registry: Registry) -> None:
        registry.claims = [store.new_claim("s", "t", "/p", "make", [])]

    store.transact(fill)
    document = json.loads(file(store).read_text())
    file(store).write_text(json.dumps(document, indent=2))
    assert plain(store.snapshot()[0]) == document


@pytest.mark.parametrize(
    "broken",
    [
        '{"schema":1,"epoch":3,"claims":[\n{}\n]}\n',
        '{"schema":1,"epoch":3,"claims":[\n,\n]}\n',
        '{"schema":1,"epoch":-3,"claims":[\n\n]}\n',
        '{"schema":1,"epoch":03,"claims":[\n\n]}\n',
        '{"schema":1,"epoch":٣,"claims":[\n\n]}\n',
        '{"schema":1,"epoch":9999999999999999,"claims":[\n\n]}\n',
        '{"schema":1,"epoch":3,"claims":[\n1 2\n]}\n',
        '{"schema":1,"epoch":3,"claims":[\n\n]}\n]}\n',
    ],
)
def test_what_only_looks_like_a_registry_is_broken(store: FileStore, broken: str) -> None:
    file(store).write_text(broken)
    with pytest.raises(StateError):
        store.snapshot()


def test_two_claims_of_one_id_on_two_lines_are_broken(store: FileStore) -> None:
    claim: list[Claim] = [store.new_claim("s", "t", "/p", "make", [])] * 2
    store.state.replace(str(file(store)), store._encode(Registry(1, claim)).encode())
    with pytest.raises(StateError):
        store.snapshot()
