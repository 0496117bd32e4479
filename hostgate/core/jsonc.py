r"""Reads JSON that may hold comments and trailing commas, and where in the text each value stands.

``json`` tells no places. A line ends in ``\n``, with any ``\r`` before it; another ``\r`` is a
blank, and none ends a comment, as readers differ in that.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

DEPTH = 200  # objects and arrays in one another; each takes a frame of the stack
SKIP = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+(?=\r*+(?:\n|\Z))|/\*.*?\*/)*+", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
WORD = re.compile("true|false|null")
WORDS = {"true": True, "false": False, "null": None}
ESCAPED = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\(.)")
TO_ESCAPE = re.compile(r'["\\\x00-\x1f\ud800-\udfff]')  # half a surrogate pair fits in no file
LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
ESCAPES = {'"': '\\"', "\\": "\\\\"} | {char: f"\\{letter}" for letter, char in LETTERS.items()}


class Unreadable(ValueError):
    """This is no JSON, or not of the shape that an edit needs: one line that says where."""


class Node:
    """The value at ``at:end``. A member begins with its key, at ``start``; -1 is no comma."""

    __slots__ = ("at", "comma", "end", "kids", "start", "value")

    def __init__(self, start: int, at: int, end: int, value: object) -> None:
        self.start = start
        self.at = at
        self.end = end
        self.comma = -1
        self.value = value
        self.kids: dict[str | int, Node] = {}


def value(text: str) -> object:
    """The plain value of a text; that of one that says nothing is an empty object."""
    root = read(text)
    return {} if root is None else root.value


def read(text: str) -> Node | None:
    """The value of a text with its places, or none if there are only blanks and comments."""
    at = skip(text, int(text.startswith("\ufeff")))
    if at == len(text):
        return None
    root = _value(text, at, 0)
    if (at := skip(text, root.end)) < len(text):
        fail(text, at, "nothing may follow the value")
    return root


def skip(text: str, at: int) -> int:
    """Where the next thing begins that is neither a blank nor a comment."""
    found = SKIP.match(text, at)
    return found.end() if found else at


def fail(text: str, at: int, why: str) -> NoReturn:
    raise Unreadable(f"line {text.count(chr(10), 0, at) + 1}: {why}")


def _value(text: str, at: int, depth: int) -> Node:
    if found := STRING.match(text, at):
        return Node(at, at, found.end(), _unquoted(found[0]))
    if found := WORD.match(text, at):
        return Node(at, at, found.end(), WORDS[found[0]])
    if found := NUMBER.match(text, at):
        try:
            number = float(found[0]) if found[1] or found[2] else int(found[0])
        except ValueError:  # int() takes 4300 digits
            fail(text, at, "too long a number")
        return Node(at, at, found.end(), number)
    if not text.startswith(("{", "["), at):
        fail(text, at, "a value is missing or broken")
    if depth == DEPTH:
        fail(text, at, "too many objects and arrays in one another")
    return _container(text, at, depth)


def _container(text: str, at: int, depth: int) -> Node:
    """An object or an array; the keys of an array's items are their places."""
    keyed = text[at] == "{"
    closer = "}" if keyed else "]"
    node = Node(at, at, at, None)
    at = skip(text, at + 1)
    while not text.startswith(closer, at):
        start = at
        name: str | int = len(node.kids)
        if keyed:
            name, at = _key(text, at, closer)
        if name in node.kids:
            fail(text, start, f"{name!r} is there twice")
        kid = node.kids[name] = _value(text, at, depth + 1)
        kid.start = start
        at = skip(text, kid.end)
        if text.startswith(",", at):
            kid.comma = at
            at = skip(text, at + 1)
        elif not text.startswith(closer, at):
            fail(text, at, f'"," or "{closer}" is missing')
    node.end = at + 1
    if keyed:
        node.value = {name: kid.value for name, kid in node.kids.items()}
    else:
        node.value = [kid.value for kid in node.kids.values()]
    return node


def _key(text: str, at: int, closer: str) -> tuple[str, int]:
    """A member's key, and where its value begins."""
    found = STRING.match(text, at)
    if not found:
        fail(text, at, f'a name in quotes or "{closer}" is missing')
    colon = skip(text, found.end())
    if not text.startswith(":", colon):
        fail(text, colon, '":" is missing')
    return _unquoted(found[0]), skip(text, colon + 1)


def _unquoted(token: str) -> str:
    return ESCAPED.sub(_unescaped, token[1:-1]) if "\\" in token else token[1:-1]


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        units = bytes.fromhex(found[1].replace("\\u", ""))
        return units.decode("utf-16-be", "surrogatepass")  # which joins the two of a pair
    return LETTERS.get(found[2], found[2])


def quoted(text: str) -> str:
    """The text as a JSON string, with no more escapes than it needs."""
    return f'"{TO_ESCAPE.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"


def scalar(value: object) -> str:
    """The JSON text of a plain value that holds no others."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) or (isinstance(value, float) and abs(value) < float("inf")):
        return repr(value)
    raise TypeError(f"no plain data: {value!r}")
