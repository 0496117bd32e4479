"""Whether two commands are the same operation: what they do, and what they are pointed at."""

from __future__ import annotations

from posixpath import normpath

from hostgate.core.category import program
from hostgate.core.directories import OPTIONS
from hostgate.core.likeness import Reading, compare, fold
from hostgate.core.rules import DEFAULT, Rules
from hostgate.core.shell import basename, is_assignment
from hostgate.core.summary import SILENT, Operation, deciding, operations, summarise
from hostgate.core.tools import ALIASES, UNKNOWN, Tool, look_up, named

PACKAGE_MANAGERS = frozenset("npm yarn pnpm bun".split())  # npm run dev, yarn dev: one script
SPELLINGS = {"docker-compose": "docker compose"}

# Options that say how, not what: their values are left out, whichever tool has them.
TUNING = frozenset(
    """-j --jobs --parallel --parallelism --concurrency --workers --max-workers --maxWorkers
    --maxworkers --processes --numprocesses --nproc --nproc_per_node --nproc-per-node --threads
    --timeout --max-time --wait-timeout --log-level --loglevel --log-format --verbosity
    --color --colour --colors --tb --reporter --reporters --durations --retries --retry --tries
    --reruns --maxfail --max-failures --seed --random-seed --interval --poll --grace-period
    --max-old-space-size --memory-limit --memory --batch --batch-size --chunk-size --progress
    --output-format --max-warnings --bwlimit --limit-rate""".split()
)
# Options of these that many tools have without a value, and what the value is where there is one.
SWITCHES = frozenset(
    "--parallel --wait --color --colour --colors --progress --retry --batch --poll".split()
)
SETTINGS = frozenset("auto always never true false yes no plain tty rawjson quiet".split())
# Options that choose which of several packages a runner works in.
CHOOSING = frozenset("--filter -F --workspace -w --scope --package -p".split())
# Variables that choose what a command is pointed at, by the last word of their names.
AIMING = frozenset(
    """PORT ENV ENVIRONMENT STAGE HOST URL URI PROFILE REGION NAMESPACE KUBECONFIG DATABASE DB
    PGDATABASE PGHOST PGPORT MODULE SETTINGS TARGET CLUSTER PROJECT ACCOUNT TENANT CONTEXT BUCKET
    APP SERVICE CONFIG""".split()
)
MODES = frozenset(["NODE_ENV", "BABEL_ENV", "VIRTUAL_ENV"])  # they say how, not where
# Variables that say how, by the last word of their names: two values of theirs are one command.
MANNER = frozenset(
    """LEVEL LOG DEBUG VERBOSE VERBOSITY COLOR COLORS THREADS JOBS WORKERS TIMEOUT CI BACKTRACE
    RETRIES PATH OPTIONS OPTS FLAGS NICE PROGRESS TERM UNBUFFERED""".split()
)
PORTS = frozenset("--port --server.port --http-port --listen-port -P".split())
ANYWHERE = frozenset("0.0.0.0 127.0.0.1 localhost :: ::1".split())  # it says not which server
BINDS = frozenset("--bind --address --addr --listen --dev-addr -b -a -S".split())
# A reading is stored with its claim: characters of a token, and how many there are.
LONGEST, MOST = 256, 512


def similarity(a: str, b: str, rules: Rules = DEFAULT) -> str | None:
    """Why two commands contend, or ``None``: see :func:`hostgate.core.likeness.compare`."""
    return compare(read(a, rules), read(b, rules), rules)


def read(command: str, rules: Rules = DEFAULT) -> Reading:
    """The reading of a command line. Never raises: what cannot be read is ``other``."""
    found = operations(command, rules)
    if not found:
        return unread(command, rules)
    weighty = deciding(found)
    summary = weighty.summary
    tokens: list[str] = []
    aims: dict[str, str] = {}
    for at, one in enumerate(found):
        if one is weighty:
            described = _described(one)
            own = _tokens(one, described)
            if summary.category == "other":
                own += _fed(found[: at + 1])
            aims = _aims(one, described, own)
            tokens += own
        elif not _is_aside(one, summary.category):
            tokens += _tokens(one, _described(one))
    tokens = [token[:LONGEST] for token in tokens[:MOST]]
    return Reading(fold(command), summary.word, summary.category, tokens, aims, rules.stamp)


def _fed(found: list[Operation]) -> list[str]:
    """What the last of these operations reads from a pipe: the targets of those before it."""
    tokens: list[str] = []
    while len(found) > 1 and found[-1].part.piped:
        found = found[:-1]
        tokens += [_clean(word) for word in found[-1].words[1:] if not word.startswith("-")]
    return tokens


def unread(command: str, rules: Rules = DEFAULT) -> Reading:
    """The reading of a line that cannot be read: ``other``, and alike word by word."""
    text = fold(command)
    summary = summarise([], command)
    tokens = [token[:LONGEST] for token in text.split()[:MOST]]
    return Reading(text, summary.word, summary.category, tokens, stamp=rules.stamp)


def _is_aside(one: Operation, category: str) -> bool:
    """Whether an operation says nothing of what the line is for: filters, set-up, echo."""
    if one.summary.category != category:
        return True
    return one.words[0] in (*SILENT, "mkdir", "tee") and not one.aims


def _described(one: Operation) -> Tool:
    """The table's row for an operation; of ``python manage.py`` that of the program."""
    tool = look_up(one.words[0]) or UNKNOWN
    at = _program(one)
    return (look_up(basename(one.words[at])) if at else None) or tool


def _program(one: Operation) -> int:
    name = one.words[0]
    return program(ALIASES.get(name, name), one.words, (look_up(name) or UNKNOWN).values)


def _tokens(one: Operation, described: Tool) -> list[str]:
    """The words that say what an operation does, in one spelling, values of tuning left out."""
    tool = ALIASES.get(one.words[0], one.words[0])
    words = one.words[1:]
    if tool in PACKAGE_MANAGERS and words[:1] in (["run"], ["run-script"]):
        words = words[1:]
    if at := _program(one):  # python train.py, ./train.py
        found = [_clean(one.words[at])]
        words = one.words[1:at] + one.words[at + 1 :]
    else:
        found = SPELLINGS.get(tool, "npm" if tool in PACKAGE_MANAGERS else tool).split()
    places = OPTIONS.get(tool, "").split()
    words = [piece for word in words for piece in _pieces(word)]
    if one.through:
        words = _chosen(one.through) + words
    before, first = "", True
    for word in words:
        spelt = described.same.get(word, word) if first or word[:1] == "-" else word
        if word[:1] != "-":
            first = False
        if described.same and "/" in spelt:
            head, _, rest = spelt.partition("/")
            if described.same.get(head, "-")[:1] != "-":
                spelt = f"{described.same[head]}/{rest}"  # kubectl svc/api
        value = before[:1] == "-" and spelt[:1] != "-"
        tuned = before in TUNING or before in described.tuning
        if before in SWITCHES:  # --color x.py, --color always, --parallel 4
            tuned = spelt in SETTINGS or spelt[:1].isdigit()
        if not (value and (tuned or before in places)) and spelt not in ("", "--", *places):
            found.append(_clean(spelt))
        before = spelt
    if one.aims:
        found.append(fold(one.aims))
    found += [_clean(value) for value in one.part.spread]
    if one.part.reads and one.part.reads != "/dev/null":
        found.append(_clean(one.part.reads))
    return found


def _pieces(word: str) -> list[str]:
    """``--k=v`` as ``--k v``, and ``-j8`` as ``-j 8``."""
    if word[:1] != "-":
        return [word]
    if "=" in word:
        option, _, value = word.partition("=")
        return [option, value]
    attached = word[1:2].isalpha() and word[2:].isdigit()
    return [word[:2], word[2:]] if attached else [word]


def _clean(word: str) -> str:
    if word.startswith("-"):
        return word
    word = word.casefold().removeprefix("./")
    return word.rstrip("/") or word


def _chosen(through: list[str]) -> list[str]:
    """The options of a runner that choose a package: of ``pnpm --filter web exec``."""
    found: list[str] = []
    pieces = [piece for word in through for piece in _pieces(word)]
    runs = any(named(word) in (*PACKAGE_MANAGERS, "lerna", "melos") for word in through)
    for at, word in enumerate(pieces[:-1]):
        if runs and word in CHOOSING:
            found += pieces[at : at + 2]
    return found


def _aims(one: Operation, described: Tool, tokens: list[str]) -> dict[str, str]:
    """What an operation is pointed at beside its words: its directory, port and environment."""
    aims: dict[str, str] = {}
    directory = one.directory
    if directory and normpath(directory) != ".":
        aims["directory"] = normpath(directory)
    for word in [*one.through, *one.part.assigned]:
        name, _, value = word.partition("=")
        if is_assignment(word) and name not in MODES:
            last = name.rpartition("_")[2]
            if last in AIMING:
                aims[name] = value[:LONGEST]
            elif last not in MANNER:  # it tells only from another value of its own
                aims[f"={name}"] = value[:LONGEST]
    if one.summary.category == "server":
        aims["port"] = _port(described, tokens, aims.pop("PORT", ""))
    return aims


def _port(described: Tool, tokens: list[str], assigned: str) -> str:
    """The port that a server takes, and takes out of its tokens what says so."""
    port = assigned or described.port
    at = 0
    while at < len(tokens):
        word, follows = tokens[at], tokens[at + 1 : at + 2]
        number = follows[0].rpartition(":")[2] if follows else ""
        if word[:1] == "-" and ANYWHERE.intersection(follows):
            del tokens[at : at + 2]
            continue
        if word in PORTS or (word in BINDS and ":" in "".join(follows)):
            if number.isdigit():
                port = number
                del tokens[at : at + 2]
                continue
        elif at and described.port and tokens[at - 1] in ("runserver", "http.server"):
            number = word.rpartition(":")[2]
            if number.isdigit():
                port = number
                del tokens[at]
                continue
        at += 1
    return port
