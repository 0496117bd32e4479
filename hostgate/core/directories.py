"""The directory that an operation works in, by its options: ``make -C DIR``, ``env -C DIR``."""

from __future__ import annotations

from hostgate.core.shell import basename, within

# The options that name a directory, or a file in it.
OPTIONS: dict[str, str] = {
    "make": "-C --directory",
    "gmake": "-C --directory",
    "ninja": "-C",
    "meson": "-C",
    "git": "-C",
    "go": "-C",
    "npm": "--prefix -C",
    "pnpm": "-C --dir --prefix",
    "yarn": "--cwd",
    "bun": "--cwd",
    "cargo": "-C --manifest-path",
    "swift": "--package-path --chdir",
    "xcodebuild": "-project -workspace",
    "gradle": "-p --project-dir",
    "gradlew": "-p --project-dir",
    "mvn": "-f --file",
    "mvnw": "-f --file",
    "docker": "--project-directory",
    "docker-compose": "--project-directory -f --file",
    "uv": "--directory --project",
    "poetry": "-C --directory --project",
    "just": "-d --working-directory -f --justfile",
    "task": "-d --dir -t --taskfile",
    "env": "-C --chdir",
    "ctest": "--test-dir",
    "cmake": "--build -S",
    "turbo": "--cwd",
    "deno": "--cwd",
    "pdm": "-p --project",
    "conda": "--cwd",
    "rake": "-f --rakefile",
    "mise": "-C --cd",
    "tsc": "-p --project",
    "terraform": "-chdir",
    "tofu": "-chdir",
    "composer": "-d --working-dir",
    "sudo": "-D --chdir",
}


def directory_of(directory: str | None, words: list[str], through: list[str]) -> str | None:
    """Where an operation works that stands in a directory, by its options and its wrappers'."""
    for at, word in enumerate(through):
        if (name := basename(word)) in OPTIONS:  # env -C DIR, uv --directory DIR run
            ends = next((n for n in range(at + 1, len(through)) if _starts(through, n)), None)
            for path in _named(name, through[at + 1 : ends]):
                directory = within(directory, path)
    for path in _named(basename(words[0]), words[1:]):
        directory = within(directory, path)
    return directory


def _starts(through: list[str], at: int) -> bool:
    """Whether another wrapper's name stands there."""
    return basename(through[at]) in OPTIONS and not through[at - 1].startswith("-")


def _named(tool: str, words: list[str]) -> list[str]:
    """The paths that a tool's options name to work in."""
    if "compose" in words[:4]:
        tool = "docker-compose"
    options = OPTIONS.get(tool, "").split()
    found = []
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if word == "--":
            break
        if option in options:
            found.append(value if equals else "".join(words[at + 1 : at + 2]))
        elif word[:2] in options and len(word) > 2 and not word.startswith("--"):
            found.append(word[2:])  # make -Cdir
        elif tool in ("make", "gmake") and word[:1] == "-" and word[1:].isalpha():
            found += words[at + 1 : at + 2] if word.endswith("C") else []  # make -sC dir
    return [path for path in found if path]
