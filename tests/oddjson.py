"""JSON that is nearly right, and bytes that are hardly any, for what reads hostgate's files."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

HUGE = "@huge@"  # stands for a number that Python itself refuses to read
ODD_TEXTS = ["", "\0", "\ud800", "\udfff\ud800", "../x", "x" * 70_000, "\u202e\x1b[31m", "-1", HUGE]
ODD_NUMBERS = [-1, 0, 2**31, 2**53, 2**63, 10**400, 1e308, float("nan"), float("inf"), -0.0]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([*ODD_TEXTS, *ODD_NUMBERS])
)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
KINDS = ["replace", "drop", "add", "double", "nest"]
ALIKE: dict[type, st.SearchStrategy[Any]] = {
    str: st.text(max_size=20) | st.sampled_from(ODD_TEXTS),
    int: st.integers() | st.sampled_from([-1, 0, 2**31, 2**53, 2**63, 10**400]),
    float: st.floats() | st.just(0),
    bool: st.booleans(),
    list: st.lists(st.text(max_size=9) | SCALARS, max_size=3),
    dict: st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=3),
}


def text_of(value: object) -> bytes:
    """The value as a file would hold it."""
    return json.dumps(value).replace(f'"{HUGE}"', "9" * 5000).encode()


@st.composite
def nearly(draw: st.DrawFn, document: Any) -> bytes:
    """A good document with one or two values replaced, dropped, added, doubled or nested."""
    value = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        paths = list(_paths(value))
        if not paths:
            break
        inside, key = draw(st.sampled_from(paths))
        match draw(st.sampled_from([*KINDS, "alike", "alike"])):
            case "replace":
                inside[key] = draw(ANY)
            case "alike":
                inside[key] = draw(ALIKE.get(type(inside[key]), ANY))
            case "drop":
                del inside[key]
            case "add" if isinstance(inside, dict):
                inside[draw(st.text(max_size=9))] = draw(ANY)
            case "nest":
                inside[key] = _nested(inside[key], draw(st.sampled_from([1, 500, 900])))
            case _ if isinstance(inside, list):
                inside.append(copy.deepcopy(inside[key]))
    return text_of(value)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes that a disk or a person made of good ones, and any others."""
    at = draw(st.integers(0, len(data)))
    few = draw(st.binary(max_size=8))
    return draw(
        st.sampled_from(
            [
                few,
                data[:at],
                data[at:],
                data[:at] + few + data[at + len(few) :],
                data[:at] + b"\0" * (len(data) - at),
                b"\xef\xbb\xbf" + data,
                data.decode().encode("utf-16"),
                data + few,
                data * 2,
                data.replace(b"{", b'{"schema":1,"schema":1,', 1),
                b"[" * 200_000,
                b'{"a":' * 200_000,
                b" " * 3_000_000 + data,
                b"9" * 100_000,
            ]
        )
    )


def _nested(value: object, depth: int) -> object:
    for _ in range(depth):
        value = [value]
    return value


def _paths(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a document, as what it is in and the key or index there."""
    if not isinstance(value, (dict, list)):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    found = [(value, key) for key in keys]
    for key in keys:
        found += _paths(value[key])
    return found
