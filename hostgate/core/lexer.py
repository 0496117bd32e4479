"""The words and operators of a POSIX command line.

Quotes are taken off, comments are dropped, and what a substitution would print stays as it was
written: it is data.
"""

from __future__ import annotations

OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")")
REDIRECTIONS = ("<<<", "<<-", "<<", "&>>", "&>", ">>", ">&", "<&", ">|", "<>", ">", "<")


class Unreadable(ValueError):
    """The text is no command line that hostgate understands."""


def tokens(text: str) -> list[tuple[str, str]]:
    """The tokens in order, each ``("word" | "operator" | "redirection" | "document", text)``.

    A redirection's text is the file that is written; a document's is the body of a here-document,
    which stands where its ``<<`` stands. Raises :class:`Unreadable` for a quote or a substitution
    that nothing closes.
    """
    found: list[tuple[str, str]] = []
    documents: list[int] = []  # where in found the documents stand that begin on the next line
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and text[at + 1 : at + 2] == "\n":
            at += 2
        elif char in " \t\r":
            at += 1
        elif char == "#":
            at = _line_end(text, at)
        elif operator := _starts(text, at, REDIRECTIONS):
            at = _redirection(text, at, operator, found, documents)
        elif operator := _starts(text, at, OPERATORS):
            at += len(operator)
            found.append(("operator", operator))
            while operator == "\n" and documents:
                place = documents.pop(0)
                body, at = _document(text, at, found[place][1])
                found[place] = ("document", body)
        else:
            word, after = _word(text, at)
            if word.isdigit() and text[after : after + 1] in ("<", ">"):
                at = after  # the descriptor of a redirection, as in 2>&1
                continue
            found.append(("word", word))
            at = after
    return found


def _redirection(
    text: str, at: int, operator: str, found: list[tuple[str, str]], documents: list[int]
) -> int:
    at += len(operator)
    if operator in (">", "<") and text[at : at + 1] == "(":
        _, at = _substitution(text, at, "(", ")")
        return at
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    target, at = _word(text, at)
    if operator in ("<<", "<<-"):
        documents.append(len(found))
        found.append(("document", target))  # its end, until its body is read
    elif operator in (">&", "<&"):
        found.append(("redirection", "&1"))
    elif operator[0] != "<":
        found.append(("redirection", target))
    return at


def _starts(text: str, at: int, operators: tuple[str, ...]) -> str:
    for operator in operators:
        if text.startswith(operator, at):
            return operator
    return ""


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _document(text: str, at: int, delimiter: str) -> tuple[str, int]:
    """The body of a here-document, and where the text goes on behind it."""
    start = at
    while at < len(text):
        end = _line_end(text, at)
        if text[at:end].strip("\t") == delimiter:
            return text[start:at], min(end + 1, len(text))
        at = end + 1
    return text[start:], len(text)


def _word(text: str, at: int) -> tuple[str, int]:
    """The unquoted word that begins at ``at``, and where it ends."""
    word: list[str] = []
    while at < len(text):
        char = text[at]
        if char in " \t\r\n;|&<>()":
            break
        if char == "\\":
            word.append(text[at + 1 : at + 2].replace("\n", ""))
            at += 2
        elif char == "'":
            end = _closing(text, at + 1, "'")
            word.append(text[at + 1 : end])
            at = end + 1
        elif char == '"':
            piece, at = _double_quoted(text, at + 1)
            word.append(piece)
        elif char == "`" or text.startswith(("$(", "${"), at):
            piece, at = _expansion(text, at)
            word.append(piece)
        else:
            word.append(char)
            at += 1
    return "".join(word), at


def _double_quoted(text: str, at: int) -> tuple[str, int]:
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
            piece, at = _expansion(text, at)
            word.append(piece)
        else:
            word.append(char)
            at += 1
    raise Unreadable("an open quote")


def _expansion(text: str, at: int) -> tuple[str, int]:
    if text[at] == "`":
        end = _closing(text, at + 1, "`")
        return text[at : end + 1], end + 1
    opening = text[at + 1]
    piece, end = _substitution(text, at + 1, opening, ")" if opening == "(" else "}")
    return "$" + piece, end


def _substitution(text: str, at: int, opening: str, closing: str) -> tuple[str, int]:
    """The text from an opening bracket to the one that closes it, quotes respected."""
    depth, start = 0, at
    while at < len(text):
        char = text[at]
        if char == "'":
            at = _closing(text, at + 1, "'")
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


def _closing(text: str, at: int, mark: str) -> int:
    end = text.find(mark, at)
    if end < 0:
        raise Unreadable("an open quote")
    return end
