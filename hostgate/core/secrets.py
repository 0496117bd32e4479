"""Masking what looks like a secret, before a command is stored or shown."""

from __future__ import annotations

# A text with none of these holds nothing that the patterns look for, and costs no ``re``, which
# is 8 ms. They must not be part of everyday words: author, task-list, --update.
HINTS = (
    "token passw passphrase secret credential authorization cookie bearer mysql mariadb sshpass "
    "redis-cli login pass: "
    "key= key: key\" key' _pwd -pwd -pw _pass -pass _pw= _auth -auth auth= "
    "ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- xox akia"
).split()
WORD_HINTS = ("-key ", "_key ", "apikey ", " sk-", "=sk-", "'sk-", '"sk-', ":sk-")


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
