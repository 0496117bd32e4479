"""Text that is stored, or that another session wrote, made safe to keep and to show."""

from __future__ import annotations

STORED = 4096  # characters of a command that the registry keeps
SHOWN = 160  # characters of a command or a title that a line shows

# Characters that hide in text though they count as printable: fillers, and variation selectors but
# for the two of emoji. A reader that is no person would still be told what they spell.
_HIDDEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    chr(code) for code in (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
)


def bounded(text: str, limit: int = STORED) -> str:
    """The text, or its beginning and what tells it from another one that begins alike.

    The digest keeps two long commands apart that differ only behind the bound.
    """
    if len(text) <= limit:
        return text
    from hashlib import sha256  # 3 ms, and only for a command over the bound

    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{text[:limit]} [{len(text)} characters, {digest}]"


def inert(text: str, limit: int = SHOWN) -> str:
    """The text as one bounded line that changes nothing on a terminal.

    Control characters, lone surrogates and invisible ones become ``?``, line ends blanks.
    """
    line = text[: limit + 1] if len(text) > limit else text
    if not (line.isascii() and line.isprintable()):
        line = "".join([_safe(char) for char in line])
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _safe(char: str) -> str:
    if char.isprintable() and char not in _HIDDEN:
        return char
    return " " if char.isspace() else "?"


def cells(text: str) -> int:
    """The columns that the text takes on a terminal: wide characters take two, accents none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def fit(text: str, columns: int) -> str:
    """The beginning of the text that fits into so many columns."""
    while cells(text) > columns:
        text = text[: len(text) - max(1, (cells(text) - columns) // 2)]
    return text
