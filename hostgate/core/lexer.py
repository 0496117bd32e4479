"""The words and operators of a shell command line.

Quotes are taken off, comments are dropped, and what a substitution would print stays as it was
written: it is data here.
"""

from __future__ import annotations

from hostgate.core.text import PLAIN  # what stands for itself wherever it stands

OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")")
REDIRECTIONS = ("<<<", "<<-", "<<", "&>>", "&>", ">>", ">&", "<&", ">|", "<>", ">", "<")


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "a": "\a", "0": ""}  # in $'...'

LONGEST_SUM = 1000  # characters of an arithmetic command
DEEPEST = 40  # quotes within substitutions within quotes

Token = tuple[str, str, int]
# Where its token stands, its end, its operator, and whether its end was quoted.
Document = tuple[int, str, str, bool]


class Unreadable(ValueError):
    """The text is no command line that hostgate understands."""


def tokens(text: str) -> list[Token]:
    """The tokens in order: a kind, a text, and where it stands in the command line.

    A ``word``'s text is unquoted; an ``operator``'s as written; a ``>``'s is the file that is
    written (``&1`` for a descriptor), a ``<``'s the one that is read, an ``aside``'s what another
    descriptor is; a ``document``'s is what a here-document or a here-string gives to read. Raises
    :class:`Unreadable` for a quote or a substitution that nothing closes, and for a bracket
    within a word.
    """
    found: list[Token] = []
    documents: list[Document] = []  # that begin on the next line
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and text[at + 1 : at + 2] == "\n":
            at += 2
        elif char in " \t\r":
            at += 1
        elif char == "#":
            at = _line_end(text, at)
        elif text.startswith("((", at) and (end := _arithmetic(text, at)):
            found.append(("word", text[at:end], at))
            at = end
        elif char in "<>&" and (operator := _starts(text, at, REDIRECTIONS)):
            at = _redirection(text, at, operator, "", found, documents)
        elif char in "&|;\n()" and (operator := _starts(text, at, OPERATORS)):
            found.append(("operator", operator, at))
            at += len(operator)
            while operator == "\n" and documents:
                place, delimiter, operator_of, quoted = documents.pop(0)
                body, at = _document(text, at, delimiter, operator_of == "<<-", quoted)
                found[place] = ("document", body, found[place][2])
        else:
            word, after = unquoted(text, at)
            if word.isdigit() and text[after : after + 1] in ("<", ">"):  # as in 2>&1
                operator = _starts(text, after, REDIRECTIONS)
                at = _redirection(text, after, operator, word, found, documents)
                continue
            if text[after : after + 1] == "(":
                raise Unreadable("a bracket within a word")
            if text.startswith("<<", after) and "[" in word and "]" not in word:
                raise Unreadable("an operator within an index")  # a[1<<2]=x
            found.append(("word", word, at))
            at = after
    return found


def _redirection(
    text: str, at: int, operator: str, of: str, found: list[Token], documents: list[Document]
) -> int:
    began = at
    at += len(operator)
    if operator in (">", "<") and text[at : at + 1] == "(":
        _, at = _substitution(text, at, "(", ")")
        return at
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    start = at
    target, at = unquoted(text, at)
    if operator in ("<<", "<<-"):
        documents.append((len(found), target, operator, text[start:at] != target))
        found.append(("document", target, began))  # its end, until its body is read
    elif operator == "<<<":
        found.append(("document", target, began))
    elif operator in (">&", "<&"):
        found.append((">", "&1", began))
    elif operator[0] == "<":
        found.append(("<", target, began))
    else:
        found.append((">" if of in ("", "1") else "aside", target, began))
    return at


def _starts(text: str, at: int, operators: tuple[str, ...]) -> str:
    for operator in operators:
        if text.startswith(operator, at):
            return operator
    return ""


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _document(text: str, at: int, delimiter: str, indented: bool, quoted: bool) -> tuple[str, int]:
    """The body of a here-document, and where the text goes on behind it."""
    start = at
    while at < len(text):
        end = _line_end(text, at)
        line = text[at:end]
        if (line.lstrip("\t") if indented else line) == delimiter:
            return text[start:at], min(end + 1, len(text))
        while not quoted and _is_continued(line) and end < len(text):
            begin, end = end + 1, _line_end(text, end + 1)
            line = text[begin:end]
        at = end + 1
    return text[start:], len(text)


def _is_continued(line: str) -> bool:
    """Whether a line goes on in the next one: it ends in a backslash that none escapes."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _arithmetic(text: str, at: int) -> int:
    """Where a ``((...))`` ends; 0 if it is a subshell in another, or nothing closes it."""
    depth = 0
    for end in range(at, min(len(text), at + LONGEST_SUM)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return end + 1 if text[end - 1] == ")" else 0
    return 0


def unquoted(text: str, at: int) -> tuple[str, int]:
    """The unquoted word that begins at ``at``, and where it ends."""
    if text.startswith((".\\", "..\\"), at) or text.startswith(":\\", at + 1):
        return _windows_path(text, at)
    word: list[str] = []
    while at < len(text):
        char = text[at]
        if char in PLAIN:
            start = at
            while at < len(text) and text[at] in PLAIN:
                at += 1
            word.append(text[start:at])
            continue
        if char in " \t\r\n;|&<>()":
            break
        if char == "\\":
            word.append(text[at + 1 : at + 2].replace("\n", ""))
            at += 2
        elif char == "'":
            end = _closing(text, at + 1, "'")
            word.append(text[at + 1 : end])
            at = end + 1
        elif char == '"' or text.startswith('$"', at):
            piece, at = _double_quoted(text, at + (1 if char == '"' else 2))
            word.append(piece)
        elif text.startswith("$'", at):
            piece, at = _escaped(text, at + 2)
            word.append(piece)
        elif char == "`" or text.startswith(("$(", "${"), at):
            piece, at = _expansion(text, at)
            word.append(piece)
        else:
            word.append(char)
            at += 1
    return "".join(word), at


def _windows_path(text: str, at: int) -> tuple[str, int]:
    """A word as ``.\\gradlew.bat``, which no POSIX shell's user writes otherwise."""
    start = at
    while at < len(text) and text[at] not in " \t\r\n;|&<>()\"'":
        at += 1
    return text[start:at], at


def _escaped(text: str, at: int) -> tuple[str, int]:
    word: list[str] = []
    while at < len(text):
        char = text[at]
        if char == "'":
            return "".join(word), at + 1
        if char == "\\":
            follows = text[at + 1 : at + 2]
            word.append(ESCAPES.get(follows, follows))
            at += 1
        else:
            word.append(char)
        at += 1
    raise Unreadable("an open quote")


def _double_quoted(text: str, at: int, depth: int = 0) -> tuple[str, int]:
    word: list[str] = []
    while at < len(text):
        char = text[at]
        if char == '"':
            return "".join(word), at + 1
        if char == "\\":
            follows = text[at + 1 : at + 2]
            word.append({"\n": ""}.get(follows, follows if follows in '$`"\\' else "\\" + follows))
            at += 2
        elif char == "`" or text.startswith(("$(", "${"), at):
            piece, at = _expansion(text, at, depth)
            word.append(piece)
        else:
            word.append(char)
            at += 1
    raise Unreadable("an open quote")


def _expansion(text: str, at: int, depth: int = 0) -> tuple[str, int]:
    if text[at] == "`":
        end = _closing(text, at + 1, "`")
        return text[at : end + 1], end + 1
    opening = text[at + 1]
    closing = ")" if opening == "(" else "}"
    piece, end = _substitution(text, at + 1, opening, closing, depth + 1)
    return "$" + piece, end


def _substitution(
    text: str, at: int, opening: str, closing: str, nested: int = 0
) -> tuple[str, int]:
    """The text from an opening bracket to the one that closes it, quotes respected."""
    if nested > DEEPEST:
        raise Unreadable("nested too deeply")
    depth, start = 0, at
    documents: list[tuple[str, bool, bool]] = []
    shell = opening == "(" and not text.startswith("((", at)
    while at < len(text):
        char = text[at]
        if char == "'":
            at = _closing(text, at + 1, "'")
        elif shell and text.startswith("<<", at) and text[at + 2 : at + 3] != "<":
            indented = text[at + 2 : at + 3] == "-"
            begin = at + 2 + indented
            while text[begin : begin + 1] in (" ", "\t"):
                begin += 1
            delimiter, end = unquoted(text, begin)
            documents.append((delimiter, indented, text[begin:end] != delimiter))
            at = end - 1
        elif char == "\n" and documents:
            end = at + 1
            for delimiter, indented, quoted in documents:
                _, end = _document(text, end, delimiter, indented, quoted)
            documents.clear()
            at = end - 1
        elif char == '"':
            at = _double_quoted(text, at + 1, nested)[1] - 1
        elif char == "\\":
            at += 1
        elif char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return text[start : at + 1], at + 1
        at += 1
    raise Unreadable("an open substitution")


def substituted(text: str) -> list[str]:
    """What stands in the ``$(...)`` and the backquotes of a text, in quotes too.

    Raises :class:`Unreadable` for one that nothing closes.
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "`":
            end = _closing(text, at + 1, "`")
            found.append(text[at + 1 : end])
            at = end
        elif text.startswith("$(", at):
            piece, end = _substitution(text, at + 1, "(", ")")
            found.append(piece[1:-1])
            at = end - 1
        at += 1
    return found


def _closing(text: str, at: int, mark: str) -> int:
    end = text.find(mark, at)
    if end < 0:
        raise Unreadable("an open quote")
    return end
