"""Masking what looks like a secret, before a command is stored or shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

MASK = "***"

# A text with none of these holds nothing that the patterns below look for.
HINTS = (
    "token passw pwd secret key cred auth bearer cookie :// mysql mariadb sshpass "
    "ghp_ gho_ ghs_ ghu_ github_pat_ glpat- xox akia sk- -u --user"
).split()

_NAME = (
    r"[\w.-]*(?:token|passwo?r?d|passwd|passphrase|secret|credentials?|(?:api|access|private|auth|"
    r"signing|encryption|account|deploy|license)[_-]?key|(?<![a-z])pwd|(?<![a-z])auth)[\w.-]*?"
)
_VALUE = r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\$\([^)]*\)|[^\s'";&|<>])+"""


def mask(text: str) -> str:
    """The text with the values of what looks like secrets replaced by ``***``."""
    lowered = text.casefold()
    if not any(hint in lowered for hint in HINTS):
        return text
    for pattern, replacement in _patterns():
        text = pattern.sub(replacement, text)
    return text


def mask_arguments(argv: list[str]) -> list[str]:
    """The argument list with secrets masked, each argument taken whole.

    Blanks and quotes inside an argument do not end its value, as they would in a text.
    """
    lowered = "\n".join(argv).casefold()
    if not any(hint in lowered for hint in HINTS):
        return argv
    import re

    assigned = re.compile(rf"(?is)(-{{0,2}}{_NAME})=.+")
    option = re.compile(rf"(?i)--?{_NAME}")
    masked: list[str] = []
    awaiting = False
    for argument in argv:
        if awaiting and not argument.startswith("-"):
            masked.append(MASK)
        elif found := assigned.fullmatch(argument):
            masked.append(f"{found[1]}={MASK}")
        else:
            masked.append(mask(argument))
        awaiting = option.fullmatch(argument) is not None
    return masked


def _patterns() -> list[tuple[re.Pattern[str], str]]:
    global _compiled
    if not _compiled:
        import re  # 8 ms, and only where a hint was seen

        _compiled = [
            (re.compile(pattern), replacement)
            for pattern, replacement in (
                # Authorization: Basic …, X-Api-Key: …, Cookie: …, to the end of the quote
                (
                    r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]*(?:key|token|auth)"
                    r"[\w-]*)(\s*:\s*)[^'\"\n]+",
                    rf"\1\2{MASK}",
                ),
                (rf"(?i)\b(bearer|basic)(\s+)(?!{MASK[0]})[\w.~+/=-]{{8,}}", rf"\1\2{MASK}"),
                # '--password=a b' and "TOKEN=a b": the quote that opens before the name ends it
                (rf"(?i)(')(-{{0,2}}{_NAME}=)[^']+", rf"\1\2{MASK}"),
                (rf'(?i)(")(-{{0,2}}{_NAME}=)[^"]+', rf"\1\2{MASK}"),
                (rf"(?i)(?<![\w.-])(-{{0,2}}{_NAME})=(?!\*){_VALUE}", rf"\1={MASK}"),
                (rf"(?i)(?<!\S)(--?{_NAME})(\s+)(?![-*]){_VALUE}", rf"\1\2{MASK}"),
                # "password": "…" in a JSON body
                (rf"(?i)([\"']{_NAME}[\"']\s*:\s*)(\"[^\"]*\"|'[^']*')", rf'\1"{MASK}"'),
                (r"(://[^/\s:@'\"]*:)[^/\s@'\"]+(@)", rf"\1{MASK}\2"),
                (
                    rf"(?<!\S)(-u|--user|--proxy-user)([\s=]*)([^\s:'\"]+:){_VALUE}",
                    rf"\1\2\3{MASK}",
                ),
                (r"\b((?:mysql|mariadb)[\w-]*\s(?:[^|;&]*\s)?-p)[^\s-]\S*", rf"\1{MASK}"),
                (rf"\b(sshpass\s+-p\s*){_VALUE}", rf"\1{MASK}"),
                (
                    r"\b(?:gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}"
                    r"|AKIA[0-9A-Z]{12,}|sk-[\w-]{16,})",
                    MASK,
                ),
            )
        ]
    return _compiled


_compiled: list[tuple[re.Pattern[str], str]] = []
