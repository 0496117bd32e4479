"""What the common tools' commands do: the tables behind :mod:`hostgate.core.summary`."""

from __future__ import annotations

# Tools that do one kind of thing, whatever their arguments.
ALWAYS: dict[str, str] = {
    "build": """make gmake ninja gcc g++ cc c++ clang clang++ rustc javac kotlinc swiftc ghc nvcc ld
        tsc vue-tsc webpack parcel cl cmake meson scons configure makepkg msbuild xcodebuild
        wasm-pack esbuild rollup gradle gradlew mvn mvnw sbt ant bazel bazelisk buck2 zig cabal
        stack dune rebar3 mix build nix-build sphinx-build latexmk pdflatex xelatex lualatex bibtex
        tectonic""",
    "test": """pytest py.test jest vitest mocha tox nox rspec phpunit pest ctest bats prove behave
        playwright cypress unittest newman karma ava""",
    "server": """uvicorn gunicorn flask fastapi streamlit jupyter celery nodemon watchexec air hugo
        redis-server ngrok tilt vite next expo http.server daphne hypercorn caddy nginx""",
    "read": """ls cat head tail less more grep egrep fgrep rg ag find fd wc sort uniq cut tr jq yq
        awk diff cmp file stat du df ps pgrep top htop lsof which whereis type man info pwd env
        printenv date whoami id uname hostname history tree realpath readlink dirname basename test
        [ [[ true false : echo printf xxd od strings nm sed command
        journalctl dmesg""",
}

# The verbs of tools that do several kinds of thing. "a/b" is verb a with its own verb b, "" is
# no verb at all, "*" any other one.
VERBS: dict[str, dict[str, str]] = {
    "swift": {
        "build": "build test run package",
        "read": "package/describe package/show-dependencies package/dump-package",
    },
    "cargo": {
        "build": "build b check c clippy test t run r bench doc clean nextest rustc fix",
        "read": "tree metadata search pkgid locate-project",
        "server": "watch",
    },
    "go": {"build": "build test vet run install generate clean", "read": "list env version doc"},
    "npm": {
        "build": "install i ci test t it add uninstall remove rebuild update dedupe prune link",
        "server": "start",
        "read": "ls list view info outdated why explain audit config root bin search",
    },
    "yarn": {
        "build": "* install add remove up upgrade test",
        "server": "dev start serve watch",
        "read": "list info why outdated",
        "other": "lint format publish",
    },
    "pnpm": {
        "build": "install i ci add remove update test t build",
        "server": "dev start serve watch",
        "read": "ls list why outdated",
    },
    "bun": {
        "build": "install i ci add remove update test build",
        "server": "dev start",
        "read": "pm/ls",
    },
    "pip": {"build": "install uninstall wheel sync", "read": "list show freeze check index"},
    "uv": {"build": "sync add remove lock build pip", "read": "tree pip/list pip/show pip/freeze"},
    "poetry": {"build": "install add remove update build lock", "read": "show check env"},
    "docker": {
        "build": "build buildx/build compose/build image/build",
        "server": "compose/up",
        "read": "ps images logs inspect info version compose/ps compose/logs compose/config",
    },
    "docker-compose": {"build": "build", "server": "up", "read": "ps logs config"},
    "podman": {"build": "build", "read": "ps images logs inspect"},
    "dotnet": {"build": "build test restore run publish clean pack", "server": "watch"},
    "bundle": {"build": "install update", "read": "list show outdated"},
    "composer": {"build": "install update require remove", "read": "show outdated"},
    "gem": {"build": "build", "read": "list"},
    "pod": {"build": "install update"},
    "flutter": {"build": "build run test pub", "read": "doctor devices"},
    "dart": {"build": "run pub compile", "test": "test"},
    "deno": {"test": "test", "server": "serve", "build": "compile"},
    "node": {"test": "--test"},
    "ng": {"build": "build", "server": "serve", "test": "test"},
    "nix": {"build": "build", "read": "flake/show search"},
    "opam": {"build": "install"},
    "simctl": {"read": "list"},
    "adb": {"read": "logcat devices"},
    "maturin": {"build": "develop build"},
    "arduino-cli": {"build": "compile"},
    "idf.py": {"build": "build flash"},
    "jekyll": {"build": "build", "server": "serve s"},
    "mkdocs": {"build": "build", "server": "serve"},
    "west": {"build": "build"},
    "pio": {"build": "run", "server": "device/monitor"},
    "rails": {"server": "s server", "test": "test"},
    "rake": {"test": "test"},
    "php": {"server": "artisan/serve", "test": "artisan/test"},
    "python": {
        "server": "manage.py/runserver",
        "test": "manage.py/test",
        "build": "setup.py/build setup.py/build_ext setup.py/install setup.py/develop",
    },
    "git": {
        "read": """status log diff show branch grep rev-parse ls-files blame describe shortlog
            remote cat-file reflog show-ref ls-remote worktree/list stash/list config/--get"""
    },
    "gh": {"read": "pr/view pr/list pr/diff pr/checks issue/view issue/list run/list run/view"},
    "kubectl": {"read": "get describe logs top explain version", "server": "port-forward"},
    "brew": {"read": "list info search"},
}

# An option that makes a build of what its verb alone is not.
BUILDS_WITH: dict[tuple[str, str], str] = {
    ("docker", "compose/up"): "--build",
    ("docker-compose", "up"): "--build",
    ("cargo", "install"): "--path",
}
# Words that take an installation out of the project.
ELSEWHERE: dict[str, str] = {"npm": "-g --global", "pnpm": "-g --global", "cargo": "--git"}
# Programs that host another one, which is named by the first word that is no option.
HOSTS = frozenset("node php ruby yarn pnpm bun bunx".split())

# The parts of a tool that the tables above call a build, but that build nothing.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "vite": {"build": "build"},
    "next": {"build": "build"},
    "webpack": {"server": "serve"},
    "bazel": {"read": "query cquery aquery info"},
    "mix": {"server": "phx.server", "read": "help hex.info"},
    "expo": {"build": "build"},
    "playwright": {"other": "install codegen"},
    "webpack-dev-server": {"server": "*"},
}

# Task runners, whose verb is the user's own word: the words between the tool and that word.
TASKS: dict[str, tuple[str, ...]] = {
    "npm": ("run", "run-script"),
    "yarn": ("run",),
    "pnpm": ("run",),
    "bun": ("run",),
    "deno": ("task",),
    "mise": ("run", "r"),
    "turbo": ("run", ""),
    "nx": ("run-many", "affected", "run", ""),
    "lerna": ("run",),
    "just": ("",),
    "task": ("",),
}
TASK_WORDS: dict[str, str] = {
    "build": "build compile test bundle dist typecheck tsc",
    "server": "dev start serve watch storybook preview",
}

# Options that take a value before the verb: npm --prefix DIR run build.
VALUE_OPTIONS: dict[str, str] = {
    "npm": "--prefix -C --workspace -w",
    "pnpm": "--filter -F -C --dir",
    "yarn": "--cwd",
    "bun": "--cwd",
    "git": "-C -c --git-dir --work-tree",
    "go": "-C",
    "cargo": "--manifest-path --color --config -C",
    "docker": "-H --host --context -c -f --file -p --project-name --project-directory --profile",
    "docker-compose": "-f --file -p --project-name --project-directory",
    "kubectl": "-n --namespace --context",
    "uv": "--directory --project",
    "swift": "",
    "dotnet": "",
    "python": "-W -X",
    "php": "-d -c",
}

# Words that turn a command into one that only tells something.
HARMLESS = frozenset("--version --help -help help --dry-run".split())
HARMLESS_OF: dict[str, str] = {
    "make": "-n -q --just-print --question",
    "gmake": "-n -q --just-print --question",
    "ninja": "-n -t",
    "ctest": "-N --show-only",
    "xcodebuild": "-list -showBuildSettings -showsdks -version",
    "pytest": "--collect-only --co",
    "swift": "--show-bin-path -version",
    "just": "--list -l --summary",
    "task": "--list -l --list-all",
    "bazel": "--help",
    "node": "-v",
    "go": "version",
    "rsync": "-n",
    "dotnet": "--info --list-sdks --list-runtimes",
    "gradlew": "tasks projects dependencies -v",
    "gradle": "tasks projects dependencies -v",
}
# Tools whose short options may stand together: rsync -avn.
CLUSTERED = ("rsync", "make", "gmake")
# Options that make a command run until it is stopped.
LONG_RUNNING = frozenset("--watch --hot --watch-all --watchAll".split())
LONG_RUNNING_OF: dict[str, str] = {"tsc": "-w", "rollup": "-w", "webpack": "-w", "ava": "-w"}

# What changes nothing that matters to the parts around it.
SILENT = frozenset(
    """cd pushd popd export unset set shopt source . echo printf sleep true false : wait
    mkdir""".split()
)
# Spellings of one tool.
ALIASES: dict[str, str] = {
    "python3": "python",
    "python2": "python",
    "pip3": "pip",
    "py.test": "pytest",
    "bazelisk": "bazel",
    "artisan": "php",
    "cross": "cargo",
}
