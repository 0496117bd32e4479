"""Text that is stored, shown, or handed to a shell, made safe for that."""

from __future__ import annotations

STORED = 4096  # characters of a command that the registry keeps
SHOWN = 160  # characters of a command or a title that a line shows

# What a shell takes as it is.
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")
# A text with none of these holds nothing that the patterns look for, and costs no ``re``, which
# is 8 ms. They must not be part of everyday words: author, task-list, --update.
HINTS = (
    "token passw passphrase secret credential authorization cookie bearer mysql mariadb sshpass "
    "redis-cli login pass: "
    "key= key: key\" key' _pwd -pwd -pw _pass -pass _pw= _auth -auth auth= "
    "ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- xox akia"
).split()
WORD_HINTS = ("-key ", "_key ", "apikey ", " sk-", "=sk-", "'sk-", '"sk-', ":sk-")

# Characters that hide in text though they count as printable: fillers, and variation selectors but
# for the two of emoji. A reader that is no person would still be told what they spell.
HIDDEN = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
HIDDEN_BETWEEN = (("\u180b", "\u180f"), ("\ufe00", "\ufe0d"), ("\U000e0100", "\U000e01ef"))


def bounded(text: str, limit: int = STORED) -> str:
    """The text, or its beginning and what tells it from another one that begins alike.

    The digest keeps two long commands apart that differ only behind the bound.
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]} [{len(text)} characters, {digest(text)[:16]}]"


def digest(text: str) -> str:
    """What tells a text from others, in 32 characters.

    ``hashlib`` loads OpenSSL: 3 ms, and 4 MB in each process.
    """
    try:
        from _blake2 import blake2b
    except ImportError:  # it is private
        from hashlib import blake2b
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def inert(text: str, limit: int = SHOWN) -> str:
    """The text as one bounded line that changes nothing on a terminal.

    Control characters, lone surrogates and invisible ones become ``?``, line ends blanks.
    """
    line = text[: limit + 1] if len(text) > limit else text
    if not (line.isascii() and line.isprintable()):
        line = "".join([_safe(char) for char in line])
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _safe(char: str) -> str:
    hides = char in HIDDEN or any(first <= char <= last for first, last in HIDDEN_BETWEEN)
    if char.isprintable() and not hides:
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


def mask(text: str) -> str:
    """The text with the values of what looks like secrets replaced by ``***``."""
    if not _hinted(text):
        return text
    from hostgate.core.masking import mask_text  # 8 ms, and only where a hint was seen

    return mask_text(text)


def mask_arguments(argv: list[str]) -> list[str]:
    """The argument list with secrets masked, each argument taken whole.

    Blanks and quotes inside an argument do not end its value, as they would in a text.
    """
    if not _hinted(" ".join(argv)):
        return argv
    from hostgate.core.masking import mask_list

    return mask_list(argv)


def _hinted(text: str) -> bool:
    lowered = f" {text.casefold()} "
    if any(hint in lowered for hint in (*HINTS, *WORD_HINTS)):
        return True
    if "@" in lowered and "://" in lowered:
        return True
    return (
        " -u " in lowered
        or "-user " in lowered
        or "-user=" in lowered
        or (" -u" in lowered and ":" in lowered)
    )


def quote(word: str) -> str:
    """The word as a POSIX shell reads it back. (``shlex`` costs 7.8 ms of start-up.)"""
    if word and PLAIN.issuperset(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def join(argv: list[str]) -> str:
    """The argument list as one command line that a shell takes apart to the same list."""
    return " ".join([quote(word) for word in argv])
