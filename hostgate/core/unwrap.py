"""Looking through what does not change the operation: ``sudo``, ``timeout 600``, ``npx``."""

from __future__ import annotations

from hostgate.core.shell import is_assignment

# A wrapper: the options of it that take a value, and how many words of its own follow them.
WRAPPERS: dict[str, tuple[str, int]] = {
    "sudo": ("-u -g -h -p -C -T -R -D", 0),
    "doas": ("-u -C", 0),
    "env": ("-u -C --unset --chdir", 0),
    "time": ("-f -o", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "gtimeout": ("-s -k --signal --kill-after", 1),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "caffeinate": ("-t -w", 0),
    "chronic": ("", 0),
    "stdbuf": ("-i -o -e", 0),
    "unbuffer": ("", 0),
    "command": ("", 0),
    "exec": ("-a", 0),
    "builtin": ("", 0),
    "xcrun": ("--sdk --toolchain", 0),
    "arch": ("-arch", 0),
    "ccache": ("", 0),
    "sccache": ("", 0),
    "flock": ("-w -E --wait --timeout --conflict-exit-code", 1),
    "screen": ("-S -dmS -t -c", 0),
    "xvfb-run": ("-n -s -e", 0),
    "cross-env": ("", 0),
    "npx": ("-p --package", 0),
    "bunx": ("-p --package", 0),
    "uvx": ("--from --with", 0),
    "xargs": ("-a -d -E -I -L -n -P -s", 0),
}
# Two words that wrap together.
RUNNERS: dict[tuple[str, str], tuple[str, int]] = {
    ("pnpm", "exec"): ("", 0),
    ("pnpm", "dlx"): ("", 0),
    ("yarn", "exec"): ("", 0),
    ("npm", "exec"): ("-p --package", 0),
    ("uv", "run"): ("--with --extra --group --python -p --project --directory --env-file", 0),
    ("poetry", "run"): ("", 0),
    ("pipenv", "run"): ("", 0),
    ("pdm", "run"): ("", 0),
    ("rye", "run"): ("", 0),
    ("hatch", "run"): ("", 0),
    ("bundle", "exec"): ("", 0),
    ("opam", "exec"): ("", 0),
    ("mise", "exec"): ("", 0),
    ("devbox", "run"): ("", 0),
    ("direnv", "exec"): ("", 1),
    ("doppler", "run"): ("-c -p --config --project", 0),
    ("perf", "stat"): ("-e -r -o", 0),
    ("hostgate", "run"): (
        "--session --title --project --on-conflict --wait-timeout --lane --timeout --grace",
        0,
    ),
}
# A command within the arguments of another: the verb it belongs to, and what it stands behind.
CARRIERS: dict[str, tuple[str, str]] = {
    "find": ("", "-exec -execdir -ok -okdir"),
    "fd": ("", "-x --exec -X --exec-batch"),
    "git": ("bisect", "run"),
    "nix": ("develop", "-c --command"),
}
# A shell string within the arguments of another: the verbs it belongs to, and what it stands
# behind; where that is nothing, it is the last argument.
TEXT_CARRIERS: dict[str, tuple[str, str]] = {
    "git": ("submodule", "foreach"),
    "nix-shell": ("", "--run --command"),
    "hyperfine": ("", ""),
    "tmux": ("new new-session neww new-window split-window splitw", ""),
    "cmd": ("", "/c"),
}
SHELLS = frozenset("sh bash dash ksh zsh fish".split())


def basename(word: str) -> str:
    """The command's name in a path to it: ``make`` for ``/usr/bin/make``."""
    return word.rstrip("/").rpartition("/")[2]


def unwrap(words: list[str]) -> list[str]:
    """The words of the operation itself, the wrappers before it taken off.

    Where a wrapper has nothing to run (``env``, ``time``), its own words are the operation.
    """
    while words:
        name = basename(words[0])
        wrapper = WRAPPERS.get(name)
        own = 1
        if wrapper is None and len(words) > 1:
            wrapper = RUNNERS.get((name, words[1]))
            own = 2
        if wrapper is None:
            return words
        options, positional = wrapper
        if name == "command" and len(words) > 1 and words[1] in ("-v", "-V"):
            return words
        rest = _after_options(words[own:], options.split(), positional)
        if not rest:
            return words
        words = rest
    return words


def shell_text(words: list[str]) -> str | None:
    """The text that a shell is told to run: ``bash -lc TEXT``, ``eval TEXT``."""
    name = basename(words[0])
    if name == "eval":
        return " ".join(words[1:])
    if name in TEXT_CARRIERS and len(words) > 1:
        verbs, behind = TEXT_CARRIERS[name]
        if not verbs or words[1] in verbs.split():
            return _behind(words[1:], behind)
    if name in SHELLS:
        for at, word in enumerate(words[1:-1], 1):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
                return words[at + 1]
    return None


def carried(words: list[str]) -> list[str]:
    """The command that stands in the arguments of another one: of ``find -exec``, say."""
    verb, behind = CARRIERS.get(basename(words[0]), ("", ""))
    if not behind or (verb and verb not in words[1:2]):
        return []
    for at, word in enumerate(words):
        if word in behind.split():
            rest = words[at + 1 :]
            ends = [end for end, one in enumerate(rest) if one in (";", "+")]
            return rest[: ends[0]] if ends else rest
    return []


def script(words: list[str]) -> list[str]:
    """The script that a shell is told to run, and its arguments: ``bash build.sh``."""
    if basename(words[0]) in SHELLS and len(words) > 1 and not words[1].startswith("-"):
        return words[1:]
    return []


def _behind(words: list[str], markers: str) -> str | None:
    """The word behind one of the markers; without markers the last word, if it is no option."""
    for at, word in enumerate(words[:-1]):
        if word in markers.split():
            return words[at + 1]
    return words[-1] if not markers and not words[-1].startswith("-") else None


def _after_options(words: list[str], with_value: list[str], positional: int) -> list[str]:
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word.startswith("-") and word != "-":
            at += 2 if word in with_value else 1
        elif is_assignment(word):
            at += 1
        else:
            break
    rest = words[at + positional :]
    while rest and is_assignment(rest[0]):
        rest = rest[1:]
    return rest
