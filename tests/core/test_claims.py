from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostgate.core.claims import (
    SCHEMA,
    STATES,
    Broken,
    Claim,
    Newer,
    Owner,
    Registry,
    decode_registry,
    encode_claim,
)

TEXTS = st.text(max_size=30)
CLAIMS = st.builds(
    Claim,
    id=st.text("abcdefgh23", min_size=1, max_size=6),
    state=st.sampled_from(STATES),
    session=TEXTS,
    title=TEXTS,
    project=TEXTS,
    command=TEXTS,
    lanes=st.lists(TEXTS, max_size=2),
    within=st.lists(TEXTS, max_size=2),
    epoch=st.integers(0, 2**40),
    owner=st.builds(Owner, host=TEXTS, pid=st.integers(1, 2**22), start=TEXTS, space=TEXTS),
    enqueued_at=TEXTS,
    started_at=TEXTS,
    enqueued=st.floats(0, 1e9),
    since=st.floats(0, 1e9),
    override=st.booleans(),
    behind=st.dictionaries(TEXTS, TEXTS, max_size=2),
    lasts=st.floats(0, 1e9),
    held=st.booleans(),
    directory=TEXTS,
    form=st.sampled_from(["", "argv", "shell"]),
    run_id=TEXTS,
    digest=TEXTS,
    terms=TEXTS,
)
REGISTRIES = st.builds(
    Registry,
    epoch=st.integers(0, 2**40),
    claims=st.lists(CLAIMS, max_size=4, unique_by=lambda one: one.id),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


def encode(registry: Registry) -> dict[str, object]:
    claims = [encode_claim(claim) for claim in registry.claims]
    return {"schema": SCHEMA, "epoch": registry.epoch, "claims": claims}


def sample() -> dict[str, Any]:
    claim = Claim(
        id="k7f3",
        session="s",
        title="t",
        project="/p",
        command="make",
        owner=Owner("h", 812, "1", ""),
        enqueued_at="",
        enqueued=0.0,
    )
    data: dict[str, Any] = json.loads(json.dumps(encode(Registry(1, [claim]))))
    return data


@given(REGISTRIES)
def test_what_is_encoded_decodes_to_the_same(registry: Registry) -> None:
    for claim in registry.claims[::2]:
        assert claim.reading.category
    data = json.loads(json.dumps(encode(registry)))
    assert encode(decode_registry(data)) == data


@given(JSON)
def test_arbitrary_data_is_a_registry_or_is_refused_as_broken(data: object) -> None:
    try:
        decode_registry(data)
    except (Broken, Newer):
        pass


@given(st.sampled_from(sorted(encode_claim(decode_registry(sample()).claims[0]))), JSON)
def test_a_claim_with_one_arbitrary_field_decodes_or_is_refused(name: str, value: object) -> None:
    data = sample()
    data["claims"][0][name] = value
    try:
        registry = decode_registry(data)
    except Broken:
        return
    assert registry.claims[0].reading.text is not None


@pytest.mark.parametrize("pid", [0, -1, 2**40, True, 1.5, "812", None])
def test_a_pid_that_is_no_process_s_makes_the_record_invalid(pid: object) -> None:
    data = sample()
    data["claims"][0]["owner"]["pid"] = pid
    with pytest.raises(Broken):
        decode_registry(data)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e300, 10**400, 1e300])
@pytest.mark.parametrize("name", ["since", "enqueued"])
def test_a_time_that_is_none_makes_the_record_invalid(name: str, value: float) -> None:
    data = sample()
    data["claims"][0][name] = value
    with pytest.raises(Broken):
        decode_registry(data)


@pytest.mark.parametrize("name", ["since", "enqueued"])
def test_a_moment_before_the_clock_s_own_beginning_is_one(name: str) -> None:
    data = sample()
    data["claims"][0][name] = -600.0
    assert getattr(decode_registry(data).claims[0], name) == -600.0


@pytest.mark.parametrize("id", ["", "../x", "a/b", "a.b", "ü", "x" * 33])
def test_an_id_that_cannot_name_a_file_is_refused(id: str) -> None:
    data = sample()
    data["claims"][0]["id"] = id
    with pytest.raises(Broken):
        decode_registry(data)


def test_an_unknown_key_is_a_newer_hostgate_s_and_no_harm() -> None:
    data = sample()
    data["claims"][0]["colour"] = "red"
    assert decode_registry(data).claims[0].id == "k7f3"


def test_a_newer_schema_is_told_from_a_broken_one() -> None:
    with pytest.raises(Newer):
        decode_registry({"schema": SCHEMA + 1, "whatever": 1})


def test_one_id_twice_is_broken() -> None:
    data = sample()
    data["claims"] *= 2
    with pytest.raises(Broken):
        decode_registry(data)


def test_a_reading_of_another_version_is_made_anew() -> None:
    data = sample()
    data["claims"][0]["reading"] = [999, "cargo", "read", []]
    assert decode_registry(data).claims[0].reading.category == "build"
