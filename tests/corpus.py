"""The labelled commands and pairs that the detector is measured by.

``corpus/commands.tsv``: command, category, word, note; ``corpus/pairs.tsv``: a, b, whether they
contend, the rule, note. Fields are divided by tabs; tab, newline and backslash are written ``\\t``,
``\\n``, ``\\\\``.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).with_name("corpus")
# Spellings of one tool count as one word.
SPELLINGS = {
    "artisan": "php", "bazelisk": "bazel", "docker-compose": "docker", "gmake": "make",
    "gradlew": "gradle", "manage.py": "python", "mingw32-make": "make", "mvnw": "mvn",
    "pip3": "pip", "platformio": "pio", "py.test": "pytest", "python3": "python",
}  # fmt: skip


def rows(name: str) -> list[list[str]]:
    """The rows of all files of that name, each with its fields."""
    found = []
    for path in sorted(FOLDER.rglob(name)):
        for line in path.read_text(encoding="utf-8").splitlines():
            found.append([_plain(field) for field in line.split("\t")])
    return found


def commands() -> list[str]:
    """Every command of the corpus, once."""
    single = [row[0] for row in rows("commands.tsv")]
    return list(dict.fromkeys(single + [text for row in rows("pairs.tsv") for text in row[:2]]))


def spelt(word: str) -> str:
    return SPELLINGS.get(word, word)


def _plain(field: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), field)
