"""JSON by the C half of the standard library's ``json``.

``import json`` costs 10 ms of start-up (it compiles regular expressions), ``_json`` 0.3 ms.
``_json`` is private, so whatever it does not do is left to ``json``.
"""

from __future__ import annotations


class _Context:
    """What the C scanner asks of a ``json.JSONDecoder``."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def loads(text: str) -> object:
    """The value of a JSON text. Raises ``ValueError`` (or ``RecursionError``)."""
    try:
        from _json import make_scanner

        value, end = make_scanner(_Context)(text, 0)  # type: ignore[arg-type]
        if end >= len(text.rstrip()):
            return value
    except Exception:  # it is private, and for some broken texts it raises SystemError
        pass
    from json import loads

    return loads(text)


def dumps(value: object) -> str:
    """The JSON text of plain data, in one line of ASCII."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        encoder = make_encoder(
            None, _unknown, encode_basestring_ascii, None, ":", ",", False, False, False
        )
        return "".join(encoder(value, 0))
    except (ImportError, TypeError, AttributeError):
        from json import dumps

        return dumps(value, separators=(",", ":"))


def _unknown(value: object) -> object:
    raise TypeError(f"no plain data: {value!r}")
