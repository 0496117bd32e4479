"""Edits the text of a JSON file that may hold comments and trailing commas.

Such a file is its owner's: what is not edited stays to the letter, what is new is in its style.
"""

from __future__ import annotations

import re

from hostgate.core.jsonc import STRING, Node, Unreadable, fail, quoted, read, scalar, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    Path = tuple[str | int, ...]

__all__ = ["Unreadable", "append", "put", "remove", "replace", "value"]

BLANKS = " \t\r\n"
INDENT = re.compile(r"[ \t]*")
PIECE = re.compile(r"(?P<note>//[^\r\n]*)|/\*.*?\*/|(?P<end>\r*+\n)", re.DOTALL)
NOTES = re.compile(r"(?:[ \t\r]*/\*.*?\*/)*", re.DOTALL)  # behind an item, in its line
REST = re.compile(NOTES.pattern + r"(?:[ \t\r]*//[^\r\n]*|[ \t\r]*?(?=\r*\n))?", re.DOTALL)


def put(text: str, path: Path, key: str, new: object) -> str:
    """Set a member of the object at the path. What is missing, on the way too, comes last."""
    return _Edit(text).put((*path, key), new)


def append(text: str, path: Path, item: object) -> str:
    """Add an item to the array at the path, which is made if it is missing."""
    edit = _Edit(text)
    trail, rest = edit.walk(path)
    if rest:
        return edit.put(path, [item])
    edit.must_be(list, trail[-1], path)
    return edit.add(trail, "", item)


def replace(text: str, path: Path, index: int, item: object) -> str:
    """Put another item in the place of one."""
    edit = _Edit(text)
    return edit.swap(edit.find((*path, index)), item)


def remove(text: str, path: Path) -> str:
    """Take out a member or an item, with one comma and the lines that are only its own."""
    edit = _Edit(text)
    *_, holder, node = edit.find(path)
    return edit.take(holder, node)


class _Edit:
    """A text with its values and its style."""

    def __init__(self, text: str) -> None:
        found = re.search(r"\r*\n", text)
        self.newline = found[0] if found else "\n"
        root = read(text)
        if root is None:  # comments stay, above
            text = text if "/" in text else "\ufeff" * text.startswith("\ufeff")
            text += self.newline * ("/" in text and not text.endswith("\n"))
            root = Node(len(text), len(text), len(text) + 2, {})
            text += "{}" + self.newline
        self.text = text
        self.root = root
        self.unit, self.colon = "  " if self.flat(root) else "", ""
        nodes = [root]
        while nodes and not (self.unit and self.colon):  # what shows it first, shows it
            node = nodes.pop()
            nodes += reversed(node.kids.values())
            for kid in [*node.kids.values()][:1]:
                outer, inner = self.indent(node.at), self.indent(kid.start)
                if inner.startswith(outer):
                    self.unit = self.unit or inner[len(outer) :]
                if found := STRING.match(text, kid.start, kid.at):
                    self.colon = self.colon or text[found.end() : kid.at]
        self.unit = self.unit or "  "
        self.colon = self.colon if re.fullmatch(r"[ \t]*:[ \t]*", self.colon) else ": "
        self.comma = "," if self.colon == ":" else ", "

    def indent(self, at: int) -> str:
        """The blanks that the line of a place begins with."""
        return self.blanks(self.text.rfind("\n", 0, at) + 1)

    def blanks(self, at: int) -> str:
        found = INDENT.match(self.text, at)
        return found[0] if found else ""

    def flat(self, node: Node) -> bool:
        return "\n" not in self.text[node.at : node.end]

    def ends(self, begin: int, end: int) -> list[re.Match[str]]:
        """The ends of lines between two values, of those that are in no comment."""
        return [piece for piece in PIECE.finditer(self.text, begin, end) if piece["end"]]

    def must_be(self, kind: type, node: Node, path: Path) -> None:
        if not isinstance(node.value, kind):
            what = "array" if kind is list else "object"
            fail(self.text, node.at, f"{_name(path)} is not an {what}")

    def walk(self, path: Path) -> tuple[list[Node], Path]:
        """The values along the path as far as there are any, and the rest of the path."""
        trail = [self.root]
        for place, key in enumerate(path):
            kind = dict if isinstance(key, str) else list
            self.must_be(kind, trail[-1], path[:place])
            if key not in trail[-1].kids:
                return trail, path[place:]
            trail.append(trail[-1].kids[key])
        return trail, ()

    def find(self, path: Path) -> list[Node]:
        trail, rest = self.walk(path)
        if rest or not path:
            fail(self.text, trail[-1].at, f"no member or item is {_name(path)}")
        return trail

    def put(self, path: Path, new: object) -> str:
        trail, rest = self.walk(path)
        if not rest:
            return self.swap(trail, new)
        names = [key for key in rest if isinstance(key, str)]
        if len(names) < len(rest):
            fail(self.text, trail[-1].at, f"no member or item is {_name(path)}")
        for key in reversed(names[1:]):
            new = {key: new}
        return self.add(trail, quoted(names[0]) + self.colon, new)

    def swap(self, trail: list[Node], new: object) -> str:
        *_, holder, node = trail
        if repr(node.value) == repr(new):  # == takes 1 for True
            return self.text
        flat = self.flat(holder) or (node.kids and self.flat(node))
        written = self.write(new, None if flat else self.indent(node.at))
        return self.text[: node.at] + written + self.text[node.end :]

    def add(self, trail: list[Node], key: str, new: object) -> str:
        """Write a new last one into an object or an array."""
        text, node, kids = self.text, trail[-1], [*trail[-1].kids.values()]
        if not kids:
            return self.fill(trail, key, new)
        last, trailing = kids[-1], kids[-1].comma >= 0
        ends = self.ends(kids[-2].comma + 1 if kids[1:] else node.at + 1, last.start)
        found = (REST if ends else NOTES).match(text, last.comma + 1 if trailing else last.end)
        at = found.end() if found else last.end
        inner: str | None
        if ends:  # a line of its own, like the one before
            inner = self.blanks(ends[-1].end())
            before = text[:at] if trailing else f"{text[: last.end]},{text[last.end : at]}"
            before += f"{self.newline}{inner}"
        else:
            inner = None if self.flat(last) else self.indent(last.at)
            before = text[:at] + (self.comma[1:] if trailing else self.comma)
        return before + key + self.write(new, inner) + "," * trailing + text[at:]

    def fill(self, trail: list[Node], key: str, new: object) -> str:
        """Write the first one into an object or an array that may hold comments."""
        text, node = self.text, trail[-1]
        close = node.end - 1
        before = text[:close].rstrip(BLANKS)
        noted = len(before) > node.at + 1
        if len(trail) > 1 and self.flat(trail[-2]):
            return before + " " * noted + key + self.write(new, None) + text[close:]
        outer = self.indent(node.at)
        inner = outer + self.unit
        after = text[len(before) : close]
        if not noted or "\n" not in after:
            after = self.newline + outer
        return before + self.newline + inner + key + self.write(new, inner) + after + text[close:]

    def take(self, holder: Node, node: Node) -> str:
        """The text without a value, one comma, and its line or the blanks that set it off."""
        text, kids = self.text, [*holder.kids.values()]
        place = kids.index(node)
        begin, end, comma = node.start, node.end, node.comma
        low = kids[place - 1].comma + 1 if place else holder.at + 1
        high = kids[place + 1].start if kids[place + 1 :] else holder.end - 1
        own = comma >= 0 and not self.ends(end, comma)
        if own:
            end = comma + 1
        else:  # it has none, or one at the beginning of the next line
            high = comma if comma >= 0 else high
            comma = kids[place - 1].comma if place else comma
            if place and not self.ends(comma, begin):
                begin, low = comma, kids[place - 1].end
        left, right = self.ends(low, begin), self.ends(end, high)
        if left and right:
            begin, end = left[-1].start(), right[0].start()
        elif own and kids[place + 1 :] and not right:
            end = high - len(text[end:high].lstrip(BLANKS))
        else:  # the end of a line stays that ends a comment
            noted = any(piece["note"] for piece in PIECE.finditer(text, low, begin))
            begin = low + len(text[low:begin].rstrip(" \t\r" if noted else BLANKS))
        kept = [text[:begin], text[end:]]
        if 0 <= comma < begin:
            kept[0] = text[:comma] + text[comma + 1 : begin]
        elif comma >= end:
            kept[1] = text[end:comma] + text[comma + 1 :]
        if len(kept[0].rstrip(BLANKS)) == holder.at + 1 and kept[1].lstrip(BLANKS)[0] in "]}":
            return text[: holder.at + 1] + text[holder.end - 1 :]
        return "".join(kept)

    def write(self, new: object, indent: str | None) -> str:
        """The text of a value, in one line if there is no indentation."""
        inner = None if indent is None else indent + self.unit
        if isinstance(new, dict):
            parts = [quoted(key) + self.colon + self.write(new[key], inner) for key in new]
        elif isinstance(new, list | tuple):
            parts = [self.write(item, inner) for item in new]
        else:
            return scalar(new)
        opener, closer = "{}" if isinstance(new, dict) else "[]"
        if inner is None or not parts:
            return opener + self.comma.join(parts) + closer
        lines = f",{self.newline}{inner}".join(parts)
        return f"{opener}{self.newline}{inner}{lines}{self.newline}{indent}{closer}"


def _name(path: Path) -> str:
    return repr(".".join(map(str, path))) if path else "the whole"
