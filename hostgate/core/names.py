"""What a task or a script does, by the name that its author gave it: ``build:prod``, ``dev``."""

from __future__ import annotations

# Words of a task's name. A watcher is one whatever it watches; a name that begins with a word
# of ASIDE is about something else (deploy:prod, db:test), and one that begins with a word of
# STARTING starts it (serve:dist); else builds win over servers.
WATCHING = frozenset("watch watcher watching".split())
ASIDE = frozenset(
    """deploy publish release lint format fmt migrate migration seed db prettier eslint generate
    gen codegen stop kill i18n help list status logs setup teardown reset update bump upload
    download copy push pull sync backup restore open wait get set print show fetch notify trigger
    cancel""".split()
)
# A script whose name ends in one of these builds nothing: build-status, test-env, bundle-audit.
TELLING = frozenset("status number version info env vars hooks audit analyzer visualizer".split())
STARTING = frozenset("start serve".split())
BUILDING = frozenset(
    """build rebuild prebuild postbuild builds compile recompile bundle dist test tests pretest
    posttest tsc typecheck typechecks transpile package""".split()
)
TESTING = frozenset("e2e spec specs coverage cov unit integration testing".split())
SERVING = frozenset("dev develop start serve server preview storybook hot runserver".split())
WHOLE = frozenset("all prod production types ios android".split())  # only as the whole name
LEADING = frozenset("install clean make".split())  # only as its first word
# Of a script's file name: it is about a build or a server, but none.
ABOUT = frozenset("check install init".split())

CODE_ENDINGS = tuple("py js mjs cjs ts mts cts rb pl php lua exs kts jl".split())


def task(name: str) -> str:
    """The category of a task runner's task: of ``npm run NAME``, ``just NAME``."""
    if name.endswith(tuple(f".{ending}" for ending in CODE_ENDINGS)):
        return script(name) or "other"  # bun run scripts/build.ts
    words = _words(name)
    joined = "-".join(words)
    if WATCHING.intersection(words) and "no-watch" not in joined:
        return "server"
    if not words or words[0] in ASIDE:
        return "other"
    if words[0] in STARTING:
        return "server"
    if BUILDING.intersection(words) or words[0] in LEADING or joined in WHOLE:
        return "other" if words[-1] in ("hooks", "migrations") else "build"
    if {"type-check", "check-types", "types-check"}.intersection([joined[:11], joined[-11:]]):
        return "build"
    if TESTING.intersection(words):
        return "test"
    return "server" if SERVING.intersection(words) else ""


def script(path: str) -> str:
    """The category of a script by the name of its file; "" where that tells nothing.

    A script is named like a task; of a program in a programming language only the whole name
    counts, since ``build_index.py`` builds no software, unless it calls itself a test.
    """
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    if not dot:
        stem, ending = ending, ""
    words = _words(stem)
    if not words or " " in path:
        return ""
    if ending == "t" or (ending in CODE_ENDINGS and _is_test(words)):
        return "test"
    if ending in CODE_ENDINGS:
        words = ["-".join(words)]
    cmdlet = not dot and stem[:1].isupper() and "-" in stem  # Start-Process, Test-Path
    aside = words[0] in ASIDE or words[0] in ABOUT or words[-1] in TELLING
    if cmdlet or aside or ending in ("env", "conf"):
        return ""
    if {"build", "rebuild", "compile", "bundle"}.intersection(words) or words == ["make"]:
        return "build"
    if {"test", "tests", "runtests", "run-tests", "test-all", "e2e"}.intersection(words):
        return "test"
    if ending in CODE_ENDINGS:
        return "server" if words[0] in ("server", "serve", "dev-server", "devserver") else ""
    serves = {"start", "serve", "watch"} & {words[0]} or {"dev", "serve", "server"} & {words[-1]}
    return "server" if serves else ""


def _is_test(words: list[str]) -> bool:
    """``test_api.py``, ``user.test.ts``, ``user_spec.rb``."""
    return len(words) > 1 and (words[0] == "test" or words[-1] in ("test", "spec"))


def _words(name: str) -> list[str]:
    words = name.casefold()
    for mark in ":-_./@":
        words = words.replace(mark, " ")
    return words.split()
