"""On which line of a TOML text a key stands, which ``tomllib`` does not tell."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str | int, ...]

TOKEN = re.compile(
    r"""
      \#[^\n]*                                     # a comment
    | \"{3} (?: \\. | [^\\] )*? \"{3,5} | '{3} .*? '{3,5}
    | " (?: \\. | [^"\\\n] )* " | ' [^'\n]* '
    | [][{}=,.\n]
    | [^][{}=,.\s"'\#]+                            # a bare key, or the rest of a value
    """,
    re.VERBOSE | re.DOTALL,
)


class Lines:
    """The lines of the keys of a text that is valid TOML, and of the items of its arrays."""

    def __init__(self, text: str) -> None:
        self._known: dict[Path, int] = {}
        self._table: Path = ()
        statement: list[tuple[str, int]] = []
        depth = 0
        for token, line in _tokens(text):
            if token == "\n":
                if depth == 0:
                    self._read(statement)
                    statement = []
                continue
            depth += (token in ("[", "{")) - (token in ("]", "}"))
            statement.append((token, line))
        self._read(statement)

    def of(self, path: Path) -> int:
        """The line of a key or an item, else of the nearest thing above it; 0 if none is known."""
        for length in range(len(path), 0, -1):
            if line := self._known.get(path[:length]):
                return line
        return 0

    def _read(self, statement: list[tuple[str, int]]) -> None:
        """Note what one statement defines: a table's header, or a key with its value."""
        if not statement:
            return
        first, line = statement[0]
        words = [token for token, _ in statement]
        if first == "[":
            self._table = ()
            self._note(_key(words), line)
            self._table = _key(words)
        elif "=" in words:
            at = words.index("=")
            key = _key(words[:at])
            self._note(key, line)
            self._items((*self._table, *key), statement[at + 1 :])

    def _note(self, key: Path, line: int) -> None:
        for length in range(1, len(key) + 1):
            self._known.setdefault((*self._table, *key[:length]), line)

    def _items(self, key: Path, value: list[tuple[str, int]]) -> None:
        """The lines of an array's items, by their place in it."""
        if not value or value[0][0] != "[":
            return
        depth, place, fresh = 0, 0, True
        for token, line in value[1:]:
            if depth == 0 and token == ",":
                place, fresh = place + 1, True
            elif depth == 0 and fresh and token != "]":
                self._known[(*key, place)] = line
                fresh = False
            depth += (token in ("[", "{")) - (token in ("]", "}"))


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """The tokens that matter, each with its line; comments are left out."""
    line = 1
    for found in TOKEN.finditer(text):
        token = found[0]
        if not token.startswith("#"):
            yield token, line
        line += token.count("\n")


def _key(words: list[str]) -> Path:
    """The names of a dotted key; a quoted one with an escape in it stays as it is written."""
    return tuple([word.strip("\"'") for word in words if word not in ("[", "]", ".")])
