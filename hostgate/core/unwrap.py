"""Looking through what does not change the operation: ``sudo``, ``timeout 600``, ``npx``."""

from __future__ import annotations

from hostgate.core.shell import basename, is_assignment

# A wrapper: the options of it that take a value, and how many words of its own follow them.
WRAPPERS: dict[str, tuple[str, int]] = {
    "sudo": ("-u -g -h -p -C -T -R -D -r -t --user --group --host --prompt --chdir", 0),
    "doas": ("-u -C", 0),
    "runuser": ("-u -g -s", 0),
    "env": ("-u -C --unset --chdir", 0),
    "time": ("-f -o --format --output", 0),
    "gtime": ("-f -o", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p --class --classdata", 0),
    "chrt": ("-T -P -D", 1),
    "taskset": ("", 1),
    "numactl": ("-N -m -C", 0),
    "cpulimit": ("-l -p -e --limit", 0),
    "prlimit": ("", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "gtimeout": ("-s -k --signal --kill-after", 1),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "setarch": ("", 1),
    "linux32": ("", 0),
    "linux64": ("", 0),
    "arch": ("-arch", 0),
    "caffeinate": ("-t -w", 0),
    "systemd-inhibit": ("", 0),
    "systemd-run": ("-p -u --unit --property --description --slice", 0),
    "chronic": ("", 0),
    "stdbuf": ("-i -o -e", 0),
    "unbuffer": ("", 0),
    "rlwrap": ("", 0),
    "coproc": ("", 0),
    "command": ("", 0),
    "exec": ("-a", 0),
    "builtin": ("", 0),
    "noglob": ("", 0),
    "and": ("", 0),
    "or": ("", 0),
    "not": ("", 0),
    "begin": ("", 0),
    "call": ("", 0),
    "nocorrect": ("", 0),
    "xcrun": ("--sdk --toolchain -sdk -f --find -find", 0),  # -f only finds
    "bear": ("--output -o", 0),
    "scan-build": ("-o", 0),
    "intercept-build": ("--cdb", 0),
    "compiledb": ("-o", 0),
    "ccache": ("", 0),
    "sccache": ("", 0),
    "distcc": ("", 0),
    "icecc": ("", 0),
    "strace": ("-e -o -p -s -P -E", 0),
    "ltrace": ("-e -o -p", 0),
    "fakeroot": ("-l -s -i", 0),
    "firejail": ("", 0),
    "flock": ("-w -E --wait --timeout --conflict-exit-code", 1),
    "lockf": ("-t", 1),
    "chpst": ("-u -e -n -l", 0),
    "screen": ("-S -dmS -t -c", 0),
    "xvfb-run": ("-n -s -e --server-args --server-num", 0),
    "dbus-run-session": ("", 0),
    "dumb-init": ("", 0),
    "tini": ("", 0),
    "cross-env": ("", 0),
    "cross-env-shell": ("", 0),
    "dotenv": ("-e -f -v -o", 0),
    "env-cmd": ("-f -e -r", 0),
    "npx": ("-p --package -w --workspace", 0),
    "pnpx": ("-p --package", 0),
    "bunx": ("-p --package", 0),
    "uvx": ("--from --with --python -p", 0),
    "c8": ("-r --reporter -o", 0),
    "nyc": ("-r --reporter", 0),
    "emmake": ("", 0),
    "emcmake": ("", 0),
    "emconfigure": ("", 0),
    "retry": ("-t -d -m --times --delay", 0),
    "ts": ("", 0),
    "tsp": ("-L -N -D", 0),
    "winpty": ("", 0),
    "wsl": ("-d -u --distribution --user --cd", 0),
    "unshare": ("-S -G -R -w", 0),
    "watch": ("-n --interval -q --equexit", 0),
    "xargs": ("-a -d -E -I -L -n -P -s --max-args --max-procs --replace --delimiter", 0),
    "parallel": (
        "-j --jobs --joblog --timeout --retries -n -N -a --tagstring --results --halt --delay -S",
        0,
    ),
}
# Two words that wrap together.
RUNNERS: dict[tuple[str, str], tuple[str, int]] = {
    ("pnpm", "exec"): ("", 0),
    ("pnpm", "dlx"): ("", 0),
    ("yarn", "exec"): ("", 0),
    ("yarn", "dlx"): ("-p --package", 0),
    ("npm", "exec"): ("-p --package -w --workspace", 0),
    ("npm", "x"): ("-p --package", 0),
    ("bun", "x"): ("", 0),
    ("uv", "run"): (
        "--with --extra --group --python -p --project --directory --env-file --package "
        "--with-requirements --with-editable --only-group --no-group --index --no-extra "
        "--index-url --extra-index-url --config-file --cache-dir --resolution -w",
        0,
    ),
    ("pipx", "run"): ("--spec --python", 0),
    ("poetry", "run"): ("", 0),
    ("pipenv", "run"): ("", 0),
    ("pdm", "run"): ("-p --project -s", 0),
    ("rye", "run"): ("", 0),
    ("hatch", "run"): ("", 0),
    ("pixi", "run"): ("-e --environment --manifest-path", 0),
    ("conda", "run"): ("-n --name -p --prefix --cwd", 0),
    ("mamba", "run"): ("-n --name -p --prefix", 0),
    ("micromamba", "run"): ("-n --name -p --prefix", 0),
    ("coverage", "run"): ("--source --omit --include --rcfile --data-file --context", 0),
    ("bundle", "exec"): ("", 0),
    ("rbenv", "exec"): ("", 0),
    ("pyenv", "exec"): ("", 0),
    ("asdf", "exec"): ("", 0),
    ("appraisal", "exec"): ("", 0),
    ("opam", "exec"): ("--switch", 0),
    ("stack", "exec"): ("", 0),
    ("cabal", "exec"): ("", 0),
    ("rustup", "run"): ("", 1),
    ("nvm", "exec"): ("", 1),
    ("fnm", "exec"): ("--using", 0),
    ("volta", "run"): ("--node --npm --yarn", 0),
    ("mise", "exec"): ("", 0),
    ("mise", "x"): ("", 0),
    ("devbox", "run"): ("-c --config -e --env", 0),
    ("devenv", "shell"): ("", 0),
    ("direnv", "exec"): ("", 1),
    ("guix", "shell"): ("", 0),
    ("doppler", "run"): ("-c -p --config --project", 0),
    ("infisical", "run"): ("--env --path --projectId", 0),
    ("op", "run"): ("--env-file", 0),
    ("dotenvx", "run"): ("-f -e -fv", 0),
    ("aws-vault", "exec"): ("", 1),
    ("chamber", "exec"): ("", 1),
    ("composer", "exec"): ("", 0),
    ("carton", "exec"): ("", 0),
    ("foreman", "run"): ("-e -f --env --procfile", 0),
    ("honcho", "run"): ("-e -f --env --procfile", 0),
    ("railway", "run"): ("-s -e -p --service --environment --project", 0),
    ("melos", "exec"): ("-c --scope --ignore --concurrency", 0),
    ("lerna", "exec"): ("--scope --ignore --concurrency", 0),
    ("mint", "run"): ("", 0),
    ("fvm", "exec"): ("", 0),
    ("scl", "enable"): ("", 1),
    ("toolbox", "run"): ("-c --container -r --release -d --distro", 0),
    ("distrobox", "enter"): ("-n --name", 1),
    ("infer", "run"): ("", 0),
    ("infer", "capture"): ("", 0),
    ("perf", "stat"): ("-e -r -o", 0),
    ("py-spy", "record"): ("-o -r -f -d --output --rate --format --duration", 0),
    ("memray", "run"): ("-o --output", 0),
    ("perf", "record"): ("-e -F -o -c", 0),
    ("samply", "record"): ("-o -r", 0),
    ("hostgate", "run"): (
        "--session --title --project --on-conflict --wait-timeout --lane --timeout --grace "
        "--run-id",
        0,
    ),
}
# Of these, what they run stands behind a "--", if there is one.
DASHED = frozenset(
    """cpulimit dotenv tsp runuser mise-exec mise-x op-run doppler-run infisical-run dotenvx-run
    aws-vault-exec chamber-exec guix-shell devbox-run fnm-exec stack-exec opam-exec melos-exec
    lerna-exec uv-run scl-enable distrobox-enter infer-run infer-capture""".split()
)
# Of these, the module that Python is to run stands behind -m.
MODULES = frozenset("uv-run coverage-run pdm-run hatch-run memray-run".split())
# A word of the wrapper's own before what it runs: dotenv run pytest.
OWN = {"opam-exec": ".", "dotenv": "run"}
# With one of these options the wrapper runs nothing.
ASKED: dict[str, frozenset[str]] = {
    "flock": frozenset(["-c", "--command"]),
    "screen": frozenset("-X -r -x -ls -list -wipe -d -D -RR".split()),
    "parallel": frozenset(["--citation", "--number-of-cores"]),
}
# What these run may be a task of the project's own name instead of a command.
TASK_RUNNERS = frozenset("hatch pdm rye pixi pipenv devbox".split())
CHAIN = 64  # wrappers around each other; each costs a look at the whole line
SHELLS = frozenset("sh bash dash ksh zsh fish ash".split())


def unwrap(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of the operation itself, and those of the wrappers before it.

    Where a wrapper has nothing to run (``env``, ``time``), its own words are the operation.
    """
    through: list[str] = []
    for _ in range(CHAIN):
        name, own = basename(words[0]), 1
        wrapper = WRAPPERS.get(name)
        if wrapper is None and len(words) > 1:
            verb = _runner(name, words)
            wrapper, own = RUNNERS.get((name, words[verb]) if verb else ("", "")), verb + 1
            name = f"{name}-{words[verb]}"
        if name == "command" and words[1:2] in (["-v"], ["-V"]):
            break
        if wrapper is None or (name in ASKED and ASKED[name].intersection(words[1:4])):
            break
        rest = _guest(name, words[own:], wrapper)
        if not rest:
            break
        through += words[: len(words) - len(rest)]
        words = rest
    return words, through


def _runner(name: str, words: list[str]) -> int:
    """Where the verb stands: ``pnpm -r exec``, ``uv --directory d run`` (0: nowhere)."""
    verbs = VERBS_OF.get(name, ())
    for at, word in enumerate(words[1:5], 1):
        if word in verbs:
            return at
        if at > 1 and not word.startswith("-") and not words[at - 1].startswith("-"):
            break
    return 0


def _guest(name: str, words: list[str], wrapper: tuple[str, int]) -> list[str]:
    """The words that a wrapper runs, of the words behind its own name."""
    options, positional = wrapper
    if name in DASHED and "--" in words:
        return words[words.index("--") + 1 :]
    with_value = options.split()
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word == "-m" and name in MODULES:
            return ["python", *words[at:]]
        if word.startswith("-") and word != "-":
            at += 2 if word in with_value else 1
        elif is_assignment(word) or word == OWN.get(name):
            at += 1
        else:
            break
    rest = words[at + positional :]
    while rest and (is_assignment(rest[0]) or rest[0].startswith("-")):  # setarch x86_64 -R make
        rest = rest[1:]
    return [] if name == "screen" and rest and rest[0].startswith("/dev/") else rest


VERBS_OF: dict[str, set[str]] = {}
for _tool, _verb in RUNNERS:
    VERBS_OF.setdefault(_tool, set()).add(_verb)
