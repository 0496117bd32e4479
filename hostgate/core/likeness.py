"""Comparing two commands that have been read: are they the same operation, and why.

A command is read once (:func:`hostgate.core.similarity.read`, which needs the parser and the
tables) into a :class:`Reading` that a claim carries; comparing two readings is cheap.
"""

from __future__ import annotations

from hostgate.core.rules import DEFAULT, Rules

VERSION = 4  # of what a reading holds: one of another version is read again
SPELLING = 0.85  # the Levenshtein similarity from which on two long options are one, misspelt


MANNERS = frozenset(
    """--verbose --quiet --silent --debug --color --no-color --progress --no-progress --ci --yes
    --no-input --noinput""".split()
)
PAIRS = 4096  # of words that are compared with each other by their spelling


class Reading:
    """How the detector reads a command.

    ``text`` is the command with its blanks folded, in lower case; ``word`` and ``category`` are
    its summary; ``tokens`` is the set that near-identity compares. ``aims`` is what the command
    is pointed at beside its words: its ``directory``, a server's ``port``, and variables as
    ``RAILS_ENV``. ``stamp`` is that of the rules by which it was made.
    """

    __slots__ = ("aims", "category", "stamp", "text", "tokens", "word")

    def __init__(
        self,
        text: str,
        word: str,
        category: str,
        tokens: list[str],
        aims: dict[str, str] | None = None,
        stamp: str = "",
    ) -> None:
        self.text = text
        self.word = word
        self.category = category
        self.tokens = tokens
        self.aims = aims or {}
        self.stamp = stamp

    def encode(self) -> list[object]:
        """The reading as plain data, for a claim in the registry."""
        return [VERSION, self.word, self.category, self.tokens, self.aims, self.stamp]


def fold(command: str) -> str:
    """The command as identity sees it: blanks folded, in lower case, lines continued."""
    return " ".join(command.replace("\\\n", " ").split()).casefold()


def decode(command: str, data: object, rules: Rules = DEFAULT) -> Reading | None:
    """The reading of ``command`` from plain data; ``None`` if it is of another version or rules."""
    match data:
        case [version, str(word), str(category), [*tokens], dict(aims), str(stamp)]:
            if (version, stamp) == (VERSION, rules.stamp):
                said = {str(aim): str(value) for aim, value in aims.items()}
                words = [str(token) for token in tokens]
                return Reading(fold(command), word, category, words, said, stamp)
    return None


def compare(a: Reading, b: Reading, rules: Rules = DEFAULT) -> str | None:
    """Why two commands contend, or ``None``.

    The reason begins with the name of the rule: ``identical``, ``both-builds`` or
    ``near-identical``. Symmetric; a command that only reads, or an empty one, is similar to
    nothing.
    """
    if not a.text or not b.text or "read" in (a.category, b.category):
        return None
    if a.text == b.text:
        return "identical"
    if a.category == b.category and a.category in rules.contend:
        kind = "" if a.category == "build" else f" (both {a.category})"
        return f"both-builds: {', '.join(sorted({a.word, b.word}))}{kind}"
    likeness = Likeness(a, b)
    return likeness.reason() if likeness.near(rules.threshold) else None


class Likeness:
    """How near two readings are: ``score`` from 0 to 1, and the words that ``differ``."""

    def __init__(self, a: Reading, b: Reading) -> None:
        mine, theirs = set(a.tokens), set(b.tokens)
        shared = mine & theirs
        mine, theirs = mine - shared, theirs - shared
        pairs = _one_path(mine, theirs) + _abbreviated(mine, theirs) + _misspelt(mine, theirs)
        same = len(shared) + len(pairs)
        united = same + len(mine) + len(theirs)
        self.score = same / united if united else 0.0
        self.mine, self.theirs = mine, theirs
        self.differ = sorted(mine | theirs | {word for pair in pairs for word in pair if pair[1]})
        self.elsewhere = a.category != b.category or _elsewhere(a.aims, b.aims)
        self.one_tool = a.tokens[:1] == b.tokens[:1]

    def near(self, threshold: float) -> bool:
        """Whether the two are the same operation.

        They are not where each has a word for which the other has none (another file, another
        test). They are where only options differ, however few words there are, unless each has one
        that says what to do (--staging, --production).
        """
        mine = [word for word in self.mine if not word.startswith("-")]
        theirs = [word for word in self.theirs if not word.startswith("-")]
        if self.elsewhere or (mine and theirs):
            return False
        if self.score >= threshold:
            return True
        replaced = _chosen(self.mine) and _chosen(self.theirs)  # --staging, --production
        return self.one_tool and not mine and not theirs and not replaced

    def reason(self) -> str:
        differs = f", differs in {' '.join(self.differ)}" if self.differ else ""
        return f"near-identical: {int(self.score * 100)} % alike{differs}"


def _elsewhere(a: dict[str, str], b: dict[str, str]) -> bool:
    """Whether two commands are pointed at different places, ports or environments."""
    for aim in {*a, *b}:
        mine, theirs = a.get(aim), b.get(aim)
        if mine == theirs:
            continue
        if aim == "directory":
            if mine and theirs and not (_ends(mine, theirs) or _ends(theirs, mine)):
                return True
        elif aim.startswith("=") and (mine is None or theirs is None):
            continue
        elif aim.endswith("ENV") and (mine is None or theirs is None):
            if (mine or theirs) not in ("dev", "development", "test", "testing", "local"):
                return True
        else:
            return True
    return False


def _ends(whole: str, end: str) -> bool:
    """Whether an absolute path may be what a relative one, or one in the home, leads to."""
    relative = end.removeprefix("~/")
    return (
        whole.startswith("/")
        and relative[:1] not in ("/", ".", "~")
        and (whole.endswith(f"/{relative}"))
    )


def _one_path(mine: set[str], theirs: set[str]) -> list[tuple[str, str]]:
    """The pairs of words that are one path, absolute on one side; taken out of both sets."""
    pairs: list[tuple[str, str]] = []
    if len(mine) * len(theirs) > PAIRS:
        return pairs
    for ours, others in ((mine, theirs), (theirs, mine)):
        for whole in sorted(word for word in ours if word.startswith(("/", "~/"))):
            for end in sorted(others):
                if "/" in end and whole != end and whole.endswith(f"/{end}"):
                    ours.discard(whole)
                    others.discard(end)
                    pairs.append((whole, ""))
                    break
    return pairs


def _chosen(words: set[str]) -> bool:
    """Whether there is a long option that says more than how loud to be."""
    return any(word.startswith("--") and word not in MANNERS for word in words)


def _abbreviated(mine: set[str], theirs: set[str]) -> list[tuple[str, str]]:
    """The short options that the other side spells out or joins otherwise, out of both sets."""
    pairs: list[tuple[str, str]] = []
    if len(mine) * len(theirs) > PAIRS:
        return pairs
    for ours, others in ((mine, theirs), (theirs, mine)):
        for joined in sorted(word for word in ours if _is_short(word) and len(word) > 2):
            letters = {f"-{letter}" for letter in joined[1:]}
            if letters <= others:  # -fd, and -f -d
                ours.discard(joined)
                others -= letters
                pairs.append((joined, ""))
        for short in sorted(word for word in ours if _is_short(word) and len(word) == 2):
            long = [word for word in sorted(others) if word.startswith(f"--{short[1].lower()}")]
            if long:  # -p, and --prune
                ours.discard(short)
                others.discard(long[0])
                pairs.append((short, ""))
    return pairs


def _is_short(word: str) -> bool:
    return word[:1] == "-" and word[1:].isalpha()


def _misspelt(mine: set[str], theirs: set[str]) -> list[tuple[str, str]]:
    """The long options of one side that the other spells a little otherwise, taken out of both."""
    left = sorted(word for word in mine if word.startswith("--"))
    right = sorted(word for word in theirs if word.startswith("--"))
    if not left or not right or len(left) * len(right) > PAIRS:
        return []
    try:
        from rapidfuzz.distance import Levenshtein  # 22 ms, so only where spelling can decide
    except Exception:  # spelling decides little
        return []

    pairs = []
    for word in left:
        for other in right:
            begins = word.startswith(f"{other}-") or other.startswith(f"{word}-")
            if begins or Levenshtein.normalized_similarity(word, other) >= SPELLING:
                right.remove(other)
                mine.discard(word)
                theirs.discard(other)
                pairs.append((word, other))
                break
    return pairs
