"""Comparing two commands that have been read: are they the same operation, and why.

A command is read once (:func:`hostgate.core.similarity.read`, which needs the parser and the
tables) into a :class:`Reading` that a claim carries; comparing two readings is cheap.
"""

from __future__ import annotations

from hostgate.core.rules import DEFAULT, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = 4  # of what a reading holds: one of another version is read again
SPELLING = 0.85  # the Levenshtein similarity from which on two long options are one, misspelt
# Long options that say how loud to be, or that nobody is to be asked.
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
        joined = _take_apart(mine, theirs)
        spelt = _matched(mine, theirs, _is_one_path) + _matched(mine, theirs, _is_abbreviated)
        misspelt = _misspelt(mine, theirs)
        same = len(shared) + joined + (len(spelt) + len(misspelt)) // 2
        united = same + len(mine) + len(theirs)
        self.score = same / united if united else 0.0
        self.mine, self.theirs = mine, theirs
        self.differ = sorted({*mine, *theirs, *misspelt})
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
        """The reason why they are near-identical, in words."""
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


def _chosen(words: set[str]) -> bool:
    """Whether there is a long option that says more than how loud to be."""
    return any(word.startswith("--") and word not in MANNERS for word in words)


def _matched(mine: set[str], theirs: set[str], alike: Callable[[str, str], bool]) -> list[str]:
    """The words of one side that ``alike`` takes for one of the other, with it out of both sets.

    Symmetric: whichever side is called mine, the same words are matched.
    """
    if not mine or not theirs or len(mine) * len(theirs) > PAIRS:
        return []
    pairs = [(a, b) for a in mine for b in theirs if alike(a, b) or alike(b, a)]
    found: list[str] = []
    for one, other in sorted(pairs, key=sorted):
        if one in mine and other in theirs:
            mine.discard(one)
            theirs.discard(other)
            found += sorted([one, other])
    return found


def _is_one_path(whole: str, end: str) -> bool:
    """Whether an absolute path ends in a relative one."""
    return whole.startswith(("/", "~/")) and "/" in end and whole.endswith(f"/{end}")


def _is_abbreviated(long: str, short: str) -> bool:
    """``--prune`` and ``-p``."""
    return _is_short(short) and len(short) == 2 and long.startswith(f"--{short[1].lower()}")


def _take_apart(mine: set[str], theirs: set[str]) -> int:
    """Take short options joined on one side only (``-fd``, and ``-f -d``) out of both; how many."""
    joined = 0
    for ours, others in ((mine, theirs), (theirs, mine)):
        for word in sorted(word for word in ours if _is_short(word) and len(word) > 2):
            letters = {f"-{letter}" for letter in word[1:]}
            if letters <= others:
                ours.discard(word)
                others -= letters
                joined += 1
    return joined


def _is_short(word: str) -> bool:
    return word[:1] == "-" and word[1:].isalpha()


def _misspelt(mine: set[str], theirs: set[str]) -> list[str]:
    """The long options of one side that the other spells a little otherwise, out of both sets."""
    left = {word for word in mine if word.startswith("--")}
    right = {word for word in theirs if word.startswith("--")}
    if not left or not right:
        return []
    try:
        from rapidfuzz.distance import Levenshtein  # 22 ms, so only where spelling can decide
    except Exception:  # spelling decides little
        return []

    def alike(one: str, other: str) -> bool:
        begins = one.startswith(f"{other}-")
        return begins or Levenshtein.normalized_similarity(one, other) >= SPELLING

    found = _matched(left, right, alike)
    mine.difference_update(found)
    theirs.difference_update(found)
    return found
