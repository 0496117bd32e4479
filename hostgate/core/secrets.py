"""Masking what looks like a secret, before a command is stored or shown."""

from __future__ import annotations

# A text with none of these holds nothing that the patterns look for, and costs no ``re``.
HINTS = (
    "token pass pwd secret key cred auth bearer cookie :// mysql mariadb "
    "ghp_ gho_ ghs_ ghu_ github_pat_ glpat- xox akia sk- -u --user"
).split()


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
    if not any(_hinted(argument) for argument in argv):
        return argv
    from hostgate.core.masking import mask_list

    return mask_list(argv)


def _hinted(text: str) -> bool:
    lowered = text.casefold()
    return any(hint in lowered for hint in HINTS)
