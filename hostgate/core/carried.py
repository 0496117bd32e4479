"""Commands within the arguments of another one: ``bash -c``, ``find -exec``, ``docker run``."""

from __future__ import annotations

from hostgate.core.shell import basename
from hostgate.core.unwrap import SHELLS

# A command behind an argument: the verbs that it belongs to, and what it stands behind.
COMMANDS: dict[str, tuple[str, str]] = {
    "find": ("", "-exec -execdir -ok -okdir"),
    "fd": ("", "-x --exec -X --exec-batch"),
    "fdfind": ("", "-x --exec -X --exec-batch"),
    "git": ("bisect", "run"),
    "nix": ("develop shell", "-c --command"),
}
# A shell text behind an argument, with all that follows it.
TEXTS: dict[str, tuple[str, str]] = {
    "git": ("submodule rebase", "foreach --exec -x"),
    "repo": ("forall", "-c"),
    "nix-shell": ("", "--run --command"),
    "cmd": ("", "/c /C /k /K //c //C //k"),
    "powershell": ("", "-Command -command -c"),
    "pwsh": ("", "-Command -command -c"),
    "su": ("", "-c --command"),
    "script": ("", "-c --command"),
    "flock": ("", "-c --command"),
    "npx": ("", "-c --call"),
    "npm": ("exec x", "-c --call"),
    "hostgate": ("run", "-c"),
}
# Tools whose arguments are shell texts: the options of theirs that take a value.
ARGUMENTS: dict[str, str] = {
    "hyperfine": """-w --warmup -r --runs -m --min-runs -M --max-runs -n --command-name
        --export-json --export-markdown --export-csv -S --shell --style -P -L -i
        --parameter-list --parameter-scan""",
    "concurrently": """-n --names -c --prefix-colors -p --prefix -m --max-processes -s --success
        --restart-tries --kill-others-on""",
    "parallel": "",
}
# The verbs of tmux that run a text, or type one where a shell reads it.
STARTING = frozenset(
    "new new-session neww new-window split-window splitw respawn-pane respawn-window run".split()
)
TYPING = frozenset("send-keys send".split())
TMUX_VALUES = frozenset("-s -t -n -c -x -y -e -F -l -f -L -S -p".split())
FILES = ("--rcfile", "--init-file")
ENTER = frozenset("Enter C-m C-j KPEnter".split())

ENGINES = frozenset("docker podman nerdctl finch".split())
ENGINE_VALUES = frozenset(
    """-v --volume --mount -w --workdir -e --env --name --network --net -p --publish -u --user
    --entrypoint --platform -m --memory --cpus --gpus --env-file -l --label --add-host --device
    --restart --tmpfs --ulimit --shm-size -h --hostname --pull --security-opt --cap-add
    --cap-drop --link --log-driver --log-opt --ipc --pid --userns --group-add --volumes-from
    --memory-swap --cpuset-cpus --dns --ip --cidfile --runtime --isolation""".split()
)
HERE = ("$PWD", "${PWD}", "$(pwd)", "`pwd`", "$CWD", "%cd%", "${PWD:-.}")


def texts(words: list[str]) -> list[str]:
    """The shell texts that a command will run: of ``bash -lc TEXT``, ``tmux new TEXT``."""
    name = basename(words[0]).removesuffix(".exe")
    if name == "eval":
        return [" ".join(words[1:])]
    if name == "trap":
        return [words[1]] if len(words) > 2 and words[1] not in ("-", "") else []
    if name in SHELLS:
        at, runs = _options(words)
        return words[at : at + 1] if runs else []
    if name == "tmux":
        return _tmux(words)
    if name in ARGUMENTS:
        found = positional(words[1:], frozenset(ARGUMENTS[name].split()))
        if name != "parallel":
            return [_script(text) for text in found]
        return [text for text in found[:1] if " " in text]
    verbs, behind = TEXTS.get(name, ("", ""))
    if behind and (not verbs or set(verbs.split()).intersection(words[1:3])):
        for at, word in enumerate(words[:-1]):
            cluster = word[:1] == "-" and word[1:2] != "-" and f"-{word[-1]}" in behind.split()
            if word in behind.split() or (cluster and name in ("script", "su")):  # script -qec
                rest = words[at + 1 :]
                while name == "git" and rest and rest[0].startswith("-"):
                    rest = rest[1:]  # foreach --recursive
                return [" ".join(rest if name in ("cmd", "git") else rest[:1])]
    return []


def _options(words: list[str]) -> tuple[int, bool]:
    """Where a shell's own options end, and whether they say ``-c``: ``bash -euo pipefail -c``."""
    at, runs = 1, False
    while at < len(words) and words[at].startswith(("-", "+")):
        short = words[at][:2] != "--"
        runs = runs or (short and words[at][0] == "-" and "c" in words[at])
        at += 2 if (short and words[at][-1] in "oO") or words[at] in FILES else 1
    return at, runs


def command(words: list[str]) -> tuple[int, list[str]]:
    """The command that stands in the arguments of another one, and where; ``(0, [])`` if none."""
    name = basename(words[0])
    if name in ENGINES:
        return _contained(words)
    verbs, behind = COMMANDS.get(name, ("", ""))
    if not behind or (verbs and not set(verbs.split()).intersection(words[1:2])):
        return 0, []
    for at, word in enumerate(words):
        if word in behind.split():
            rest = words[at + 1 :]
            ends = [end for end, one in enumerate(rest) if one in (";", "+")]
            return at + 1, rest[: ends[0]] if ends else rest
    return 0, []


def file(words: list[str]) -> list[str]:
    """The script that a shell is told to run, and its arguments: ``bash -e build.sh``."""
    if basename(words[0]) not in (*SHELLS, "source", "."):
        return []
    return words[_options(words)[0] :]


def positional(words: list[str], with_value: frozenset[str]) -> list[str]:
    """The words that are no options and no option's value."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in with_value
        else:
            found.append(word)
    return found


def _script(text: str) -> str:
    """``npm:build`` is how concurrently spells ``npm run build``."""
    manager, colon, task = text.partition(":")
    short = colon and manager in ("npm", "yarn", "pnpm", "bun") and " " not in text
    return f"{manager} run {task}" if short else text


def _tmux(words: list[str]) -> list[str]:
    found = positional(words[1:], TMUX_VALUES)
    if found and found[0] in STARTING:
        return [" ".join(found[1:])] if found[1:] else []
    if found and found[0] in TYPING and ENTER.intersection(found[1:]):
        return [one for one in found[1:] if one not in ENTER and not one.startswith("C-")]
    return []


def _contained(words: list[str]) -> tuple[int, list[str]]:
    """What a container runs in a directory of this host that is mounted into it."""
    if words[1:2] != ["run"] and words[1:3] != ["container", "run"]:
        return 0, []
    at, mounts, inside, entry = words.index("run") + 1, [], "", []
    while at < len(words) and words[at].startswith("-"):
        option, equals, value = words[at].partition("=")
        if option[1:2] != "-" and len(option) > 2:
            option = f"-{option[-1]}"  # docker run -itv $PWD:/src
        if not equals and option in ENGINE_VALUES:
            at += 1
            value = words[at] if at < len(words) else ""
        if option in ("-v", "--volume"):
            source, _, target = value.partition(":")
            mounts.append((source, target.partition(":")[0]))
        elif option == "--mount":
            fields = dict(field.partition("=")[::2] for field in value.split(","))
            source = fields.get("source") or fields.get("src", "")
            mounts.append((source, fields.get("target") or fields.get("dst", "")))
        elif option in ("-w", "--workdir"):
            inside = value
        elif option == "--entrypoint" and value:
            entry = [value]
        at += 1
    shown = [
        target
        for source, target in mounts
        if source.rstrip("/") in (*HERE, ".")
        or (inside and source.startswith(("/", "~", "$", ".")))
    ]
    if not shown or (inside and not any(inside.startswith(target) for target in shown)):
        return 0, []
    return at + 1, [*entry, *words[at + 1 :]]
