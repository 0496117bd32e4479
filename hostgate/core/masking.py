"""The patterns of secrets on command lines. Every repetition that could nest is bounded."""

from __future__ import annotations

import re
from collections.abc import Callable

MASK = "***"

# A name is secret when one of its parts ends so, or when all of it contains one of the others.
ENDINGS = (
    "token",
    "bearer",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
)
COMPOUNDS = (
    "apikey accesskey privatekey secretkey authkey signingkey encryptionkey masterkey "
    "deploykey licensekey accountkey password passphrase"
).split()
LAST_PARTS = ("pwd", "pass", "pw", "auth")  # only behind another part, or as an option: DB_PWD

ACCOUNT = ("-u", "--user", "--proxy-user")  # curl's, followed by NAME:SECRET
TOOL_OPTIONS = (("sshpass", "-p"), ("login", "-p"), ("redis-cli", "-a"))

_NAME = r"-{0,2}[\w.-]{1,64}"
_VALUE = r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\$\([^)]{0,200}\)|[^\s'";&|<>])+"""

_QUOTED = re.compile(rf"(['\"])({_NAME})=((?:(?!\1).)+)", re.DOTALL)
_ASSIGNED = re.compile(rf"(?<![\w.-])({_NAME})([+:?]?=)({_VALUE})")
_SET = re.compile(rf"\b((?:setenv|set(?:\s+-\w+)?)\s+)([\w.:/-]{{1,100}})(\s+){_VALUE}")
_OPTION = re.compile(rf"(?<![^\s'\"])(--?[\w-]{{1,64}})(\s+)(?![-*])({_VALUE})")
_MEMBER = re.compile(r"""(\\?["'])([\w.-]{1,64})(\\?["']\s*:\s*\\?["'])([^"'\\]+)""")
_HEADER = re.compile(
    r"(?i)(?:(?<![\w-])|(?<=-H))((?:proxy-)?authorization|(?:set-)?cookie|private-token|api-key|x-[\w-]{1,40})"
    r"(\s*:\s*)([^'\"\n]+)"
)
_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}"), rf"\1{MASK}"),
    (re.compile(r"(://[^/\s:@'\"]{0,100}:)[^\s@'\"]{1,300}(@)"), rf"\1{MASK}\2"),
    (re.compile(r"(://)[^/\s:@'\"]{16,200}(@)"), rf"\1{MASK}\2"),  # a token as the user
    (re.compile(r"(?<![\w-])(pass:)[^\s'\"]+"), rf"\1{MASK}"),
    (
        re.compile(
            rf"\b((?:redis-cli\b[^|;&\n]{{0,200}}?\s-a|login\b[^|;&\n]{{0,200}}?\s-p)\s+){_VALUE}"
        ),
        rf"\1{MASK}",
    ),
    (
        re.compile(
            r"(?<!\S)((?:-u|--user|--proxy-user)(?:\s+|=|)['\"]?(?!\d+:\d+\b)[^\s:'\"]{1,100}:)[^\s'\"]+"
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"\b((?:mysql|mariadb)\w*\s(?:[^|;&\n]{0,200}\s)?-p)[^\s-]\S*"), rf"\1{MASK}"),
    (re.compile(rf"\b(sshpass\s+-p\s*){_VALUE}"), rf"\1{MASK}"),
    (
        re.compile(
            r"\b(?:gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}"
            r"|AKIA[0-9A-Z]{12,}|sk-[\w-]{16,})"
        ),
        MASK,
    ),
)


def is_secret(name: str) -> bool:
    """Whether a variable, option or header of this name holds a secret."""
    lowered = name.lstrip("-").casefold()
    parts = [part for part in re.split(r"[-_.:/]+", lowered) if part]
    if any(part.endswith(ENDINGS) for part in parts):
        return True
    if any(word in "".join(parts) for word in COMPOUNDS):
        return True
    if name.isupper() and name.endswith("_KEY"):
        return True
    return bool(parts) and parts[-1] in LAST_PARTS and (len(parts) > 1 or name.startswith("--"))


def mask_text(text: str) -> str:
    """A command line with its secrets masked."""
    text = _QUOTED.sub(_if_secret(2, lambda m: f"{m[1]}{m[2]}={MASK}"), text)
    text = _HEADER.sub(_header, text)
    text = _MEMBER.sub(_if_secret(2, lambda m: f"{m[1]}{m[2]}{m[3]}{MASK}"), text)
    text = _ASSIGNED.sub(_if_secret(1, lambda m: f"{m[1]}{m[2]}{MASK}"), text)
    text = _SET.sub(_if_secret(2, lambda m: f"{m[1]}{m[2]}{m[3]}{MASK}"), text)
    text = _OPTION.sub(_if_secret(1, lambda m: f"{m[1]}{m[2]}{MASK}"), text)
    for pattern, replacement in _PLAIN:
        text = pattern.sub(replacement, text)
    return text


def mask_list(argv: list[str]) -> list[str]:
    """An argument list with its secrets masked."""
    masked: list[str] = []
    before = ""
    for argument in argv:
        name, equals, value = argument.partition("=")
        if _announces(before, argv) and not _is_option(argument):
            account, colon, _ = argument.partition(":")
            if before in ACCOUNT and (not colon or argument.replace(":", "").isdigit()):
                masked.append(argument)  # docker run -u 1000:1000
            else:
                masked.append(f"{account}:{MASK}" if before in ACCOUNT else MASK)
        elif equals and value and re.fullmatch(_NAME, name) and is_secret(name):
            masked.append(f"{name}={MASK}")
        elif _joined(argument, argv):
            masked.append(f"-p{MASK}")
        else:
            masked.append(mask_text(argument))
        before = argument
    return masked


def _announces(word: str, argv: list[str]) -> bool:
    """Whether the word behind this one is a secret, or an account with one."""
    if word in ACCOUNT:
        return True
    if word.endswith(":") and _HEADER.match(word + "x"):
        return True
    if any(word == option and tool in argv for tool, option in TOOL_OPTIONS):
        return True
    return word.startswith("-") and "=" not in word and is_secret(word)


def _is_option(word: str) -> bool:
    """Whether a word behind a secret's option is rather the next option."""
    return word.startswith("--") or (word.startswith("-") and len(word) <= 3)


def _joined(word: str, argv: list[str]) -> bool:
    """Whether a word is ``-pSECRET`` of a database client."""
    tool = argv[0].rpartition("/")[2]
    return (
        tool.startswith(("mysql", "mariadb", "sshpass")) and word.startswith("-p") and len(word) > 2
    )


def _if_secret(
    group: int, masked: Callable[[re.Match[str]], str]
) -> Callable[[re.Match[str]], str]:
    return lambda match: masked(match) if is_secret(match[group]) else match[0]


def _header(match: re.Match[str]) -> str:
    name = match[1].casefold()
    if name.startswith("x-") and not (is_secret(name) or name.endswith("-key")):
        return match[0]
    return f"{match[1]}{match[2]}{MASK}"
