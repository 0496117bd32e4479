"""Whether two commands are the same operation, and why.

A command is read once (:func:`read`, which needs the parser and the tables) into a
:class:`Reading` that a claim carries; comparing two readings (:func:`compare`) is cheap.
"""

from __future__ import annotations

from hostgate.core.rules import DEFAULT, Rules

VERSION = 3  # of what a reading holds: one of another version is read again
SPELLING = 0.85  # the Levenshtein similarity from which on two long options are one, misspelt

PACKAGE_MANAGERS = ("npm", "yarn", "pnpm", "bun")  # npm run dev and yarn dev are one script
SPELLINGS = {"docker-compose": "docker compose", **dict.fromkeys(PACKAGE_MANAGERS, "npm")}

# Options that say how, not what: another value of theirs is the same operation.
TUNING = frozenset(
    """-j -n --jobs --parallel --workers --maxworkers --max-workers --numprocesses --timeout -l
    --log-level --loglevel -v --verbosity --color --colour --tb --reporter --durations --retries
    --maxfail --seed""".split()
)


class Reading:
    """How the detector reads a command.

    ``text`` is the command with its blanks folded, in lower case; ``tokens`` is the set that
    near-identity compares; ``word`` and ``category`` are its summary; ``stamp`` is that of the
    rules by which it was made.
    """

    __slots__ = ("category", "stamp", "text", "tokens", "word")

    def __init__(
        self, text: str, word: str, category: str, tokens: list[str], stamp: str = ""
    ) -> None:
        self.text = text
        self.word = word
        self.category = category
        self.tokens = tokens
        self.stamp = stamp

    def encode(self) -> list[object]:
        """The reading as plain data, for a claim in the registry."""
        return [VERSION, self.word, self.category, self.tokens, self.stamp]


def fold(command: str) -> str:
    """The command as identity sees it: blanks folded, in lower case, lines continued."""
    return " ".join(command.replace("\\\n", " ").split()).casefold()


def decode(command: str, data: object, rules: Rules = DEFAULT) -> Reading | None:
    """The reading of ``command`` from plain data; ``None`` if it is of another version or rules."""
    match data:
        case [version, str(word), str(category), [*tokens], str(stamp)]:
            if (version, stamp) == (VERSION, rules.stamp):
                said = [str(token) for token in tokens]
                return Reading(fold(command), word, category, said, stamp)
    return None


def read(command: str, rules: Rules = DEFAULT) -> Reading:
    """The reading of a command line. Never raises: what cannot be read is ``other``."""
    from hostgate.core.summary import operations, summarise
    from hostgate.core.tools import ALIASES, SILENT, TASKS

    found = operations(command)
    summary = summarise(found, command)
    tokens: list[str] = []
    for one in found:
        silent = one.words[0] in SILENT and not one.aims and len(found) > 1
        if silent or (one.summary.category == "read" != summary.category):
            continue
        tool = ALIASES.get(one.words[0], one.words[0])
        script = tool in PACKAGE_MANAGERS and one.words[1:2] == [TASKS[tool][0]]
        tokens += SPELLINGS.get(tool, tool).casefold().split()
        for word in one.words[2 if script else 1 :]:
            tokens += _token(word)
        if one.aims:
            tokens.append(fold(one.aims))
    tokens = tokens or fold(command).split()
    return Reading(fold(command), summary.word, summary.category, tokens, rules.stamp)


def _token(word: str) -> list[str]:
    word = word.casefold().removeprefix("./")
    word = word.rstrip("/") or word
    if word.startswith("--") and "=" in word:
        option, _, value = word.partition("=")
        return [option, value]
    return [word]


def similarity(a: str, b: str, rules: Rules = DEFAULT) -> str | None:
    """Why two commands contend, or ``None``.

    The reason begins with the name of the rule: ``identical``, ``both-builds`` or
    ``near-identical``. Symmetric; a command that only reads, or an empty one, is similar to
    nothing.
    """
    return compare(read(a, rules), read(b, rules), rules)


def compare(a: Reading, b: Reading, rules: Rules = DEFAULT) -> str | None:
    """:func:`similarity` of two commands that have been read."""
    if not a.text or not b.text or "read" in (a.category, b.category):
        return None
    if a.text == b.text:
        return "identical"
    if a.category == b.category and a.category in rules.contend:
        kind = "" if a.category == "build" else f" (both {a.category})"
        return f"both-builds: {', '.join(sorted({a.word, b.word}))}{kind}"
    return _near(a, b, rules.threshold)


def _near(a: Reading, b: Reading, threshold: float) -> str | None:
    mine, theirs = set(a.tokens), set(b.tokens)
    shared, united = mine & theirs, mine | theirs
    pairs = _misspelt(mine - shared, theirs - shared)
    score = (len(shared) + pairs) / (len(united) - pairs) if united else 0.0
    # an option more or less is the same operation, however few words there are
    options = all(word.startswith("-") and "=" not in word for word in mine ^ theirs)
    if score < threshold and not (options and a.tokens[0] == b.tokens[0]):
        return None
    if _targets(a, theirs) and _targets(b, mine):
        return None  # pointed at something else
    differs = sorted(mine ^ theirs)
    return f"near-identical: {int(score * 100)} % alike" + (
        f", differs in {' '.join(differs)}" if differs else ""
    )


def _targets(reading: Reading, known: set[str]) -> bool:
    """Whether the reading has a word that the other one has not, and that is no option."""
    before = ""
    for token in reading.tokens:
        if token not in known and not token.startswith("-") and before not in TUNING:
            return True
        before = token
    return False


def _misspelt(mine: set[str], theirs: set[str]) -> int:
    """How many long options on one side are options of the other, spelt a little otherwise."""
    left = sorted(word for word in mine if word.startswith("--"))
    right = sorted(word for word in theirs if word.startswith("--"))
    if not left or not right:
        return 0
    from rapidfuzz.distance import Levenshtein  # 22 ms, so only where spelling can decide

    pairs = 0
    for word in left:
        for other in right:
            if Levenshtein.normalized_similarity(word, other) >= SPELLING:
                right.remove(other)
                pairs += 1
                break
    return pairs
