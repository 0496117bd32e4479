"""What the common tools' commands do: a table for each family of them."""

from __future__ import annotations

from hostgate.core.shell import basename
from hostgate.core.tools import (
    apple,
    containers,
    devices,
    documents,
    everyday,
    frameworks,
    javascript,
    jvm,
    native,
    python,
    systems,
    web,
)
from hostgate.core.tools.tool import Tool

__all__ = ["ALIASES", "UNKNOWN", "Tool", "look_up", "named"]

FAMILIES = (
    everyday,
    containers,
    devices,
    documents,
    web,
    jvm,
    python,
    javascript,
    frameworks,
    systems,
    apple,
    native,
)
TOOLS: dict[str, Tool] = {}
for _family in FAMILIES:
    TOOLS.update(_family.TOOLS)

# Spellings of one tool, also as npm calls its package.
ALIASES: dict[str, str] = {
    "python3": "python",
    "python2": "python",
    "py": "python",
    "pypy3": "python",
    "pip3": "pip",
    "nodejs": "node",
    "@angular/cli": "ng",
    "@nestjs/cli": "nest",
    "@vue/cli-service": "vue-cli-service",
    "@tauri-apps/cli": "tauri",
    "@11ty/eleventy": "eleventy",
    "@tailwindcss/cli": "tailwindcss",
    "@storybook/cli": "storybook",
    "@ionic/cli": "ionic",
    "@capacitor/cli": "cap",
    "typescript": "tsc",
    "django": "django-admin",
}
# Words that a tool which no table describes uses, as those which are described do.
UNKNOWN = Tool(
    read="""list ls status version help info show logs describe doctor search outdated whoami
        --list-tests"""
).ready()
# A compiler with a target or a version in its name: arm-none-eabi-gcc, clang++-17; its kin.
COMPILERS = frozenset(
    """gcc g++ cc c++ clang clang++ ld as ar gfortran cpp ghc go rustc nm objdump readelf size
    addr2line""".split()
)


def look_up(name: str) -> Tool | None:
    """The tool of that name, a version in it left out; ``None`` if no table describes it."""
    tool = TOOLS.get(ALIASES.get(name, name))
    if tool is None and name[-1:].isdigit():
        bare = name.rstrip("0123456789.").rstrip("-")
        tool = TOOLS.get(ALIASES.get(bare, bare))
    if tool is None and "-" in name:
        pieces = [piece for piece in name.split("-") if not piece.replace(".", "").isdigit()]
        if pieces and pieces[-1] in COMPILERS:
            tool = TOOLS.get(pieces[-1])
    if tool is None and name != name.casefold():
        tool = TOOLS.get(name.casefold())  # MSBuild.exe
    return tool.ready() if tool else None


def named(word: str) -> str:
    """The tool's name in the first word of its command: no path, no version, no ``.exe``."""
    if word.isalnum():
        return word
    if word.startswith("@") and word.count("/") == 1:  # @biomejs/biome@1.9
        scoped = word[0] + word[1:].partition("@")[0]
        return ALIASES.get(scoped, basename(scoped))
    name = basename(word.replace("\\", "/"))
    head, at, version = name.partition("@")
    if at and head and (version[:1].isdigit() or version in ("latest", "next", "beta", "canary")):
        name = head
    lower = name.casefold()
    for ending in (".exe", ".bat", ".cmd"):
        if lower.endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name
