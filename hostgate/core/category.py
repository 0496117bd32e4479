"""The category of one operation, by the tables and the names that people give."""

from __future__ import annotations

from hostgate.core import names
from hostgate.core.carried import positional
from hostgate.core.rules import CATEGORIES
from hostgate.core.shell import Part, basename, is_assignment
from hostgate.core.tools import ALIASES, UNKNOWN, Tool, look_up
from hostgate.core.unwrap import TASK_RUNNERS

# They read, unless what they print goes to a file.
WRITERS = frozenset("echo printf cat".split())
# Words that turn a command into one that only tells something.
HARMLESS = frozenset(
    """--version --help -help --dry-run --dryrun --usage /? --list --list-only --list-tests
    --list-targets --list-tasks --simulate --just-print --print-config -WhatIf""".split()
)
UNSET = frozenset("false no 0 off none".split())  # values that switch an option off
VERSIONS = ("-V", "-v", "-version", "version")  # where they stand alone
# Tools whose -v alone is no question for the version: it makes them talk while they work.
TALKATIVE = frozenset(
    """pytest py.test ctest ninja samu tox nox prove ant sbt phpunit unittest robot trial nose2
    green go molecule nosetests""".split()
)
# Options that make a command run until it is stopped.
RUNNING = frozenset("--watch --hot --watch-all --watchAll".split())
# Tools whose short options may stand together: rsync -avn, make -nj8.
CLUSTERED = frozenset("rsync make gmake git fuser rollup".split())
# Verbs that compile a program and run it: the options behind its name are its own.
COMPILING = {"go": "run", "swift": "run", "cargo": "xtask"}
TARGETING = ("--target=", "--targets=", "-t=")  # of nx: its task in an option
# Tools whose options behind "--" are those of what they run.
PASSING = frozenset("npm yarn pnpm bun".split())
INTERPRETERS = frozenset(
    """python node ruby perl php deno bun tsx ts-node esno jiti Rscript julia lua pwsh powershell
    osascript babel-node vite-node""".split()
)
DEPTH = 4  # of verbs and tasks within each other: npm run npm run build
SYSTEM = ("/bin/", "/usr/")  # what lies there is the system's tool of that name


def category(name: str, words: list[str], part: Part, written: str = "", runner: str = "") -> str:
    """The category of one operation.

    ``name`` is the tool's, ``written`` that word with its path, ``words`` are its arguments;
    ``runner`` is what runs it (``hatch run NAME``), which may have a task of that name.
    """
    described = look_up(name)
    if described is None or described.category == "read":
        own = "/" in written and not written.startswith(SYSTEM)  # ./test is no /bin/test
        kind = names.script(written or name) if described is None or own else ""
        if not kind and runner in TASK_RUNNERS:
            kind = names.task(name)
        if kind:
            return "read" if _asks(name, UNKNOWN, words, _given(words)) else kind
    return _of_tool(ALIASES.get(name, name), described or UNKNOWN, words, part)


def program(tool: str, words: list[str], with_value: frozenset[str]) -> int:
    """Where the program stands that an interpreter runs: in ``python -u train.py`` (0: nowhere)."""
    if tool in INTERPRETERS:
        found = positional(words[1:], with_value)
        if found and "." in found[0] and " " not in found[0]:
            return words.index(found[0])
    return 0


def _of_tool(tool: str, described: Tool, words: list[str], part: Part) -> str:
    if at := program(tool, [tool, *words], described.values):  # python manage.py migrate --plan
        name = basename(words[at - 1])
        known = look_up(name) if name.endswith((".py", ".PL")) else None
        if known:
            return _of_tool(name, known, words[at:], part)
    flags = words[: words.index("--")] if "--" in words else words
    if tool == "nx":
        flags = [flag.partition("=")[2] if flag.startswith(TARGETING) else flag for flag in flags]
    verbs = positional(flags, described.values)
    if verbs and verbs[0][:1] == "+" and not described.goals:
        verbs = verbs[1:]  # cargo +nightly
    if len(verbs) > 1 and verbs[0] == COMPILING.get(tool):
        flags = flags[: flags.index(verbs[1])]
    given = _given(_single(flags, described.values) if tool in CLUSTERED else flags)
    if _asks(tool, described, flags, given):
        return "other" if _writes(tool, words, part) else "read"
    if described.asking and any(
        option in given and verbs[:1] == [verb] for verb, option in described.asking
    ):
        return "read"
    passed = _given(words) if tool in PASSING else given
    runs_on = not (RUNNING.isdisjoint(passed) and described.running.isdisjoint(passed))
    if runs_on and described.verb(verbs) != "read":  # kubectl get --watch only shows
        return "server"
    if not described.elsewhere.isdisjoint(given):
        installs = "build" in described.verbs.values()  # npm ls -g only lists
        return "read" if installs and described.verb(verbs) == "read" else "other"
    if not described.testing.isdisjoint(given):
        return "test"
    for builds in described.building:
        verb, colon, option = ("", "", builds) if builds[0] == "-" else builds.rpartition(":")
        if option in given and (not colon or "/".join(verbs[: 1 + verb.count("/")]) == verb):
            return "build"
    kind = _by_verbs(tool, described, verbs)
    return "other" if kind == "read" and _writes(tool, words, part) else kind


def _given(flags: list[str]) -> set[str]:
    """The options of a command, ``--watch=true`` as ``--watch``; those switched off left out."""
    given = set(flags)
    for flag in flags:
        if "=" in flag:
            option, _, value = flag.partition("=")
            if value.casefold() not in UNSET:
                given.add(option)
    return given


def _asks(tool: str, described: Tool, flags: list[str], given: set[str]) -> bool:
    """Whether the command only tells something about itself, or what it would do."""
    if not HARMLESS.isdisjoint(given) or flags[-1:] == ["-h"]:
        return True
    if len(flags) == 1 and flags[0] in VERSIONS:
        if flags[0] == "version":
            return described.verb(flags) in ("", "read")
        talks = tool in TALKATIVE or (described is UNKNOWN and flags[0] == "-v")  # ./build.sh -v
        return not talks
    if flags[:1] == ["help"] and (described.verbs or described.tasks):
        return True
    if not described.harmless.isdisjoint(given):
        return not (tool == "ninja" and "clean" in flags)
    return False


def _single(flags: list[str], with_value: frozenset[str]) -> list[str]:
    """The options with short ones that stand together taken apart: ``-avn`` is ``-a -v -n``.

    Behind one that takes a value stands the value: ``-Clinux``, ``-nj8``.
    """
    found: list[str] = []
    for flag in flags:
        if not (flag.startswith("-") and flag[1:2].isalpha()):
            found.append(flag)
            continue
        for letter in flag[1:]:
            found.append(f"-{letter}")
            if found[-1] in with_value or not letter.isalpha():
                break
    return found


def _by_verbs(tool: str, described: Tool, verbs: list[str], depth: int = DEPTH) -> str:
    for _ in range(DEPTH):  # yarn workspace a, and what it is to do there
        two, one = "/".join(verbs[:2]), "".join(verbs[:1])
        verbs = verbs[described.nested.get(two) or described.nested.get(one, 0) :]
    if described.goals and described.tasks is None and verbs:
        kinds = [_goal(described, verb) for verb in verbs]
        return min(kinds, key=CATEGORIES.index)
    if kind := described.verb(verbs):
        return kind
    if described.tasks is not None and (kind := _task(tool, described, verbs, depth)):
        return kind
    if tool in INTERPRETERS and verbs:
        return _program(verbs)
    return described.category if verbs else described.bare


def _goal(described: Tool, goal: str) -> str:
    """The category of ``:app:bootRun``, ``spring-boot:run``, ``core/testOnly demo.*``."""
    first = goal.split()[0] if goal.split() else goal
    last = first.replace("/", ":").rpartition(":")[2].lstrip("+")
    return described.verb([first]) or described.verb([last]) or described.category


def _program(verbs: list[str]) -> str:
    """The category of an interpreter's program by its name: ``node build.js``."""
    return names.script(basename(verbs[0])) or "other"


def _task(tool: str, described: Tool, verbs: list[str], depth: int) -> str:
    """The category of ``npm run build`` and its like, by the task's name; "" if it is none."""
    openings = described.tasks or frozenset()
    verbs = [verb for verb in verbs if not is_assignment(verb)]  # just MODE=x build
    if verbs and verbs[0] in openings:
        found = verbs[1:]
        if not found and "-" not in openings:
            return "read"  # npm run: the list of scripts
    elif "-" in openings and verbs:
        found = verbs
    else:
        return ""
    several = described.goals or tool in ("turbo", "nx", "lerna", "moon")
    tasks = ",".join(found if several else found[:1]).split(",")  # nx affected -t lint,build
    said = [] if several else found[1:]
    kinds = [names.task(name) or _by_tool(name, said, depth) for name in tasks if name]
    return min(kinds, key=CATEGORIES.index) if kinds else "other"


def _by_tool(task: str, said: list[str], depth: int) -> str:
    """The category of a task that is named after its tool, as of that tool.

    ``yarn run vite build``, ``npm run cypress:open``, ``npm run svelte-check``.
    """
    described = look_up(task)
    if described is None:
        task, *own = task.replace("-", ":").split(":")
        described, said = look_up(task), [*own, *said]
    kind = _by_verbs(task, described, said, depth - 1) if described and depth else "read"
    return "other" if kind == "read" else kind


def _writes(tool: str, words: list[str], part: Part) -> bool:
    """Whether a tool that reads was told to write: into a file, in place, through -exec."""
    if part.writes and (tool in WRITERS or not part.writes.startswith(("/tmp/", "/dev/"))):
        return not (part.writes.endswith(".log") and tool not in WRITERS)
    if tool in ("awk", "gawk"):
        return "inplace" in words
    if tool in ("sed", "yq", "xmllint"):
        return any(
            word.startswith(("-i", "--in-place"))
            or (word[:1] == "-" and word[1:].isalpha() and word.endswith("i") and len(word) < 5)
            for word in words
        )
    return tool in ("find", "fd") and "-delete" in words
