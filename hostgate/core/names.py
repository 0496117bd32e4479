"""What a task or a script does, by the name that its author gave it: ``build:prod``, ``dev``."""

from __future__ import annotations

# Words of a task's name. A watcher is one whatever it watches; a name that begins with a word
# of ASIDE is about something else (deploy:prod, db:test); else builds win over servers.
WATCHING = frozenset("watch watcher watching".split())
ASIDE = frozenset(
    """deploy publish release lint format fmt migrate migration seed db prettier eslint generate
    gen codegen stop kill i18n help list status logs upload download fetch get set update bump
    notify trigger cancel wait""".split()
)
# A script whose name ends in one of these builds nothing: build-status, test-env, bundle-audit.
TELLING = frozenset("status number version info env vars hooks audit analyzer visualizer".split())
BUILDING = frozenset(
    """build rebuild prebuild postbuild builds compile recompile bundle dist test tests pretest
    posttest tsc typecheck typechecks types transpile package""".split()
)
TESTING = frozenset("e2e spec specs coverage unit integration testing".split())
SERVING = frozenset("dev develop start serve server preview storybook hot runserver".split())
# What builds only as the whole of a name, or as its first word.
WHOLE = frozenset("all prod production install clean make".split())

CODE_ENDINGS = tuple("py js mjs cjs ts mts cts rb pl php lua exs kts jl".split())


def task(name: str) -> str:
    """The category of a task runner's task: of ``npm run NAME``, ``just NAME``."""
    words = _words(name)
    if WATCHING.intersection(words):
        return "server"
    if not words or words[0] in ASIDE:
        return "other"
    joined = "-".join(words)
    if BUILDING.intersection(words) or words[0] in WHOLE:
        return "other" if words[-1] in ("hooks", "migrations") else "build"
    if "type-check" in joined or "check-types" in joined:
        return "build"
    if TESTING.intersection(words):
        return "test"
    return "server" if SERVING.intersection(words) else ""


def script(path: str) -> str:
    """The category of a script by the name of its file; "" where that tells nothing.

    A script is named like a task; of a program in a programming language only the whole name
    counts, since ``build_index.py`` builds no software.
    """
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    if not dot:
        stem, ending = ending, ""
    words = _words(stem)
    if not words or " " in path:
        return ""
    if ending in CODE_ENDINGS:
        words = ["-".join(words)]
    if words[0] in ASIDE or words[-1] in TELLING or ending in ("env", "conf"):
        return ""
    if {"build", "rebuild", "compile", "bundle"}.intersection(words) or words == ["make"]:
        return "build"
    if {"test", "tests", "runtests", "run-tests", "test-all", "e2e"}.intersection(words):
        return "test"
    if ending in CODE_ENDINGS:
        return "server" if words[0] in ("server", "serve", "dev-server", "devserver") else ""
    return "server" if {"dev", "serve", "server", "start", "watch"}.intersection(words) else ""


def _words(name: str) -> list[str]:
    words = name.casefold()
    for mark in ":-_./@":
        words = words.replace(mark, " ")
    return words.split()
