"""Changes to an agent's settings, as functions of a file's text: put in, and taken out again.

What is not hostgate's stays to the letter. All of them raise ``ValueError`` for a text that they
cannot read; an empty text is a file that is not there.
"""

from __future__ import annotations

from hostgate.core.jsonedit import append, put, remove, replace, value
from hostgate.core.text import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Path = tuple[str, ...]
HOLD = "/hostgate hold"  # what the allow rules of every hostgate have in common


class Place:
    """Where an agent keeps its settings: the user's folder, and the name of a project's.

    ``name`` is also that of its program.
    """

    __slots__ = ("name", "project", "user")

    def __init__(self, name: str, user: str, project: str) -> None:
        self.name = name
        self.user = user
        self.project = project


class Edit:
    """One change of one file. ``is_hook`` says that it is the hook, not what goes with it."""

    is_hook = False

    def __init__(self, path: str) -> None:
        self.path = path

    def put(self, text: str) -> str:
        """The text with the change in it; as it was, if it has it already."""
        raise NotImplementedError

    def take(self, text: str) -> str:
        """The text without the change; "" where nothing else is in the file."""
        raise NotImplementedError

    def others(self, text: str) -> list[str]:
        """The commands of other hooks that see what this one sees."""
        return []

    def mine(self, text: str) -> list[str]:
        """The programs that hostgate's own hooks in the text call."""
        return []

    def own_hooks(self, text: str) -> list[tuple[tuple[int, int], dict[str, Any]]]:
        """hostgate's own hooks in the text, each with its places: of the entry, and in it."""
        return []


class Own(Edit):
    """A file that is hostgate's alone."""

    def __init__(self, path: str, content: str, is_hook: bool = False) -> None:
        super().__init__(path)
        self.content = content
        self.is_hook = is_hook

    def put(self, text: str) -> str:
        return self.content

    def take(self, text: str) -> str:
        return "" if "/hostgate" in text else text

    def mine(self, text: str) -> list[str]:
        words = text.replace(" ", '"').split('"')
        return [word for word in words if word.endswith("/hostgate")][:1]


class Hook(Edit):
    """A hook in a JSON file: an entry of the array of an event, or of a group in it.

    ``group`` is what stands around the hook; it is ``None`` where hooks stand in the array
    themselves. ``extra`` are members that the file must have beside.
    """

    is_hook = True

    def __init__(
        self,
        path: str,
        event: str,
        handler: dict[str, object],
        group: dict[str, object] | None = None,
        extra: dict[str, object] | None = None,
    ) -> None:
        super().__init__(path)
        self.where: Path = ("hooks", event)
        self.handler = handler
        self.group = group
        self.extra = extra or {}
        self._ending = _command(handler).partition(" hook ")[2]

    def put(self, text: str) -> str:
        entry = self._entry()
        known = self._entries(text)
        if any(one == entry for one in known):
            return text
        for name, member in self.extra.items():
            if name not in _table(value(text)):
                text = put(text, (), name, member)
        for at, one in enumerate(known):
            if self._hooks(one) and all(map(self._is_mine, self._hooks(one))):
                return replace(text, self.where, at, entry)
        return append(self.take(text) if self.mine(text) else text, self.where, entry)

    def take(self, text: str) -> str:
        entries = self._entries(text)
        if not self.own_hooks(text):
            return text
        for at in reversed(range(len(entries))):
            hooks = self._hooks(entries[at])
            own = [i for i, one in enumerate(hooks) if self._is_mine(one)]
            if own and len(own) == len(hooks):
                text = remove(text, (*self.where, at))
            elif own:
                for i in reversed(own):
                    text = remove(text, (*self.where, at, "hooks", i))
        return _without_empty(text, self.where)

    def mine(self, text: str) -> list[str]:
        commands = [_command(hook) for _, hook in self.own_hooks(text)]
        return [one.partition(" hook ")[0].strip("'") for one in commands]

    def own_hooks(self, text: str) -> list[tuple[tuple[int, int], dict[str, Any]]]:
        return [
            ((at, i), hook)
            for at, one in enumerate(self._entries(text))
            for i, hook in enumerate(self._hooks(one))
            if self._is_mine(hook)
        ]

    def others(self, text: str) -> list[str]:
        found = []
        for one in self._entries(text):
            if not self._sees(str(one.get("matcher") or "")):
                continue
            found += [_command(hook) for hook in self._hooks(one) if not self._is_mine(hook)]
        return found

    def _sees(self, matcher: str) -> bool:
        """Whether a matcher lets the shell through: patterns are not taken apart."""
        own = str((self.group or self.handler).get("matcher") or "")
        return matcher in ("", "*", ".*") or any(name in matcher for name in own.split("|"))

    def _entry(self) -> dict[str, object]:
        return self.handler if self.group is None else {**self.group, "hooks": [self.handler]}

    def _entries(self, text: str) -> list[dict[str, Any]]:
        found = _reach(text, self.where)
        return [_table(one) for one in found] if isinstance(found, list) else []

    def _hooks(self, entry: dict[str, Any]) -> list[dict[str, Any]]:
        if self.group is None:
            return [entry]
        hooks = entry.get("hooks")
        return [_table(one) for one in hooks] if isinstance(hooks, list) else []

    def _is_mine(self, hook: dict[str, Any]) -> bool:
        program, _, ending = _command(hook).partition(" hook ")
        name = program.strip("'\"").rpartition("/")[2]
        return name == "hostgate" and ending.strip("'\"") == self._ending


class Item(Edit):
    """A text in an array of a JSON file. ``mark`` tells hostgate's own of other programs' paths.

    ``only_with`` is a member without which the change is not needed.
    """

    def __init__(
        self, path: str, where: Path, item: str, mark: str = "", only_with: Path = ()
    ) -> None:
        super().__init__(path)
        self.where = where
        self.item = item
        self.mark = mark or item
        self.only_with = only_with

    def put(self, text: str) -> str:
        if self.only_with and not _reach(text, self.only_with):
            return text
        items = self._items(text)
        if self.item in items:
            return text
        for at, one in enumerate(items):
            if self._is_mine(one):
                return replace(text, self.where, at, self.item)
        return append(text, self.where, self.item)

    def take(self, text: str) -> str:
        own = [at for at, one in enumerate(self._items(text)) if self._is_mine(one)]
        for at in reversed(own):
            text = remove(text, (*self.where, at))
        return _without_empty(text, self.where) if own else text

    def _items(self, text: str) -> list[object]:
        found = _reach(text, self.where)
        return found if isinstance(found, list) else []

    def _is_mine(self, item: object) -> bool:
        return isinstance(item, str) and self.mark in item.replace("'", "")


class Member(Edit):
    """A member of an object of a JSON file, and only where that object is there."""

    def __init__(self, path: str, where: Path, name: str, member: str, mark: str) -> None:
        super().__init__(path)
        self.where = where
        self.name = name
        self.member = member
        self.mark = mark

    def put(self, text: str) -> str:
        found = _reach(text, self.where)
        if not isinstance(found, dict) or found.get(self.name) == self.member:
            return text
        return put(self.take(text), self.where, self.name, self.member)

    def take(self, text: str) -> str:
        found = _reach(text, self.where)
        for name in found if isinstance(found, dict) else ():
            if self.mark in name.replace("'", ""):
                text = remove(text, (*self.where, name))
        return text


def hook_group(path: str, event: str, matcher: str, handler: dict[str, object]) -> Hook:
    """A hook in the form that came from Claude Code: in a group with a matcher."""
    return Hook(path, event, handler, group={"matcher": matcher})


def hook_entry(path: str, event: str, handler: dict[str, object], **extra: object) -> Hook:
    """A hook that stands in the event's array itself."""
    return Hook(path, event, handler, extra=extra)


def pretty(document: dict[str, object]) -> str:
    """A whole JSON file."""
    text = ""
    for name, member in document.items():
        text = put(text, (), name, member)
    return text


def quoted(text: str) -> str:
    """The text as a JSON string, which JavaScript and Starlark read as well."""
    from json import dumps

    return dumps(text)


def command(program: str, *words: str) -> str:
    """A command line of hostgate's: the program's path is quoted where a shell needs that."""
    return " ".join([quote(program), *words])


def _reach(text: str, where: Path) -> object:
    """What stands in a JSON text at a path; ``None`` where nothing does."""
    found = value(text)
    for name in where:
        found = _table(found).get(name)
    return found


def _command(hook: dict[str, Any]) -> str:
    found = hook.get("command") or hook.get("bash")
    return found if isinstance(found, str) else ""


def _table(found: object) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _without_empty(text: str, where: Path) -> str:
    """The text without the containers on this path that have become empty."""
    for depth in range(len(where), 0, -1):
        found: object = value(text)
        for name in where[:depth]:
            if not isinstance(found, dict) or name not in found:
                return text
            found = found[name]
        if found not in ({}, []):
            return text
        text = remove(text, where[:depth])
    return text if value(text) else ""
