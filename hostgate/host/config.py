"""The configuration files: where they are, what they say, and what was found there before.

``tomllib`` costs 14 ms, more than the rest of a start. So what a file says is kept in
``config.json`` of the state directory as long as the file does not change.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from hostgate import __version__
from hostgate.core import HOST
from hostgate.core.rules import DEFAULT, Rules, default_rules
from hostgate.core.settings import Layer, Problem, Settings, merge
from hostgate.host import because
from hostgate.host.project import project_path, user_path
from hostgate.host.state import CONFIG, State, names_in, unlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hostgate.core.rules import RulesOf

LARGEST = 64 * 1024  # bytes of a configuration file
DOTS = 500  # of a file: tomllib takes the square of a dotted key's length, 15 s for 30,000
FILES = 64  # that are remembered
BOUND = 256 * 1024  # bytes of what is remembered
FORM = 3  # of what is remembered; raise it with every change of what the files may say


class Config:
    """The files as they are when they are first looked at. Nothing here raises.

    Without ``state`` nothing is remembered.
    """

    def __init__(self, state: State | None) -> None:
        self._memory = Memory(state)
        self.user_path = user_path()
        self.user = self._layer(self.user_path)
        self._rules: dict[str, Rules] = {}

    def settings(self, tree: str) -> Settings:
        """What is in force in a working tree, by its root; "" is none."""
        return merge(self.user, self._layer(project_path(tree)))

    def rules_of(self, project: str) -> Rules:
        """The rules of any project of the host, for who looks at all of them."""
        if project not in self._rules:
            shared = project == "/" and self.user is not None and self.user.scope == HOST
            found = merge(self.user, None) if shared else self.settings(project)
            self._rules[project] = found.rules
        return self._rules[project]

    def rules_near(self, project: str, rules: Rules | None = None) -> RulesOf:
        """The rules for one who changes the registry from a project, where ``rules`` hold.

        No other project's file is opened: this one looks under the registry's lock, and theirs
        may lie on a file system that does not answer. The others decide by their own rules all
        the same; a wake-up too many or too few costs them a look.
        """
        common = merge(self.user, None).rules
        if common is DEFAULT and rules in (None, DEFAULT):
            return default_rules
        return lambda other: rules if rules and other == project else common

    def _layer(self, path: str) -> Layer | None:
        """What a file says; ``None`` where there is none."""
        if not path:
            return None
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            return _broken(path, 0, _cannot_be_read(error))
        if not S_ISREG(found.st_mode):
            return _broken(path, 0, "is no regular file")
        if found.st_size > LARGEST:
            return _broken(path, 0, f"is larger than {LARGEST >> 10} KiB")
        stamp = _stamp(found)
        if (layer := self._memory.recall(path, stamp)) is not None:
            return layer
        try:
            data, now = _contents(path)
        except OSError as error:
            return _broken(path, 0, _cannot_be_read(error))
        try:
            layer = _parse(path, data)
        except Exception as error:  # whatever a file makes of the parser, it must not ungate a run
            layer = _broken(path, 0, f"cannot be read as TOML ({type(error).__name__})")
        if now == stamp:  # else somebody is writing it
            self._memory.keep(layer, stamp)
        return layer


class Memory:
    """What files said, in ``config.json``: by path, with the file's stamp. Labels, no truth."""

    def __init__(self, state: State | None) -> None:
        self._state = state
        self._known: dict[str, object] | None = None

    def recall(self, path: str, stamp: list[int]) -> Layer | None:
        """What the file said when it bore this stamp, if that is known."""
        entry = self._load().get(path)
        if not isinstance(entry, dict) or entry.get("stamp") != stamp:
            return None
        from hostgate.core.schema import check

        said, lines, wrong = (entry.get(name) for name in ("said", "lines", "problems"))
        if not (isinstance(said, dict) and isinstance(lines, dict) and isinstance(wrong, list)):
            return None
        layer = check(said, path, lambda _: 0)
        if layer.problems:
            return None  # somebody else wrote this
        layer.lines = {str(key): line for key, line in lines.items() if type(line) is int}
        for one in wrong:
            match one:
                case [int(line), str(key), str(text)]:
                    layer.problems.append(Problem(path, line, key, text))
                case _:
                    return None
        return layer

    def keep(self, layer: Layer, stamp: list[int]) -> None:
        """Remember what a file says. What cannot be written is found out anew the next time."""
        if self._state is None:
            return
        from hostgate.core.schema import plain
        from hostgate.host import dumps

        known = self._load()
        known.pop(layer.path, None)  # the latest stand last
        known[layer.path] = {
            "stamp": stamp,
            "said": plain(layer),
            "lines": layer.lines,
            "problems": [[one.line, one.key, one.text] for one in layer.problems],
        }
        while True:
            text = dumps({"form": _form(), "files": known})
            if len(known) <= FILES and len(text) <= BOUND:
                break
            known.pop(next(iter(known)))
        self._save(text)

    def _load(self) -> dict[str, object]:
        if self._known is None:
            self._known = self._read() if self._state is not None else {}
        return self._known

    def _read(self) -> dict[str, object]:
        from hostgate.host import loads

        assert self._state is not None
        try:
            fd = os.open(self._state.file(CONFIG), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(fd, "rb") as file:
                document = loads(file.read(BOUND).decode())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(document, dict) or document.get("form") != _form():
            return {}
        files = document.get("files")
        return files if isinstance(files, dict) else {}

    def _save(self, text: str) -> None:
        assert self._state is not None
        try:
            path = self._state.file(CONFIG)
            for name in names_in(self._state.path):
                if name.startswith(f"{CONFIG}.") and name.endswith(".new"):
                    unlink(self._state.file(name))  # of one that was killed
            self._state.replace(path, text.encode(), f".{os.getpid()}.new")
        except OSError:
            pass  # the next one remembers it


def _parse(path: str, data: bytes) -> Layer:
    """What a file says, the slow way."""
    if len(data) > LARGEST:
        return _broken(path, 0, f"is larger than {LARGEST >> 10} KiB")
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return _broken(path, data.count(b"\n", 0, error.start) + 1, "is not UTF-8 here")
    if text.count(".") > DOTS:
        return _broken(path, 0, f"has more than {DOTS} dots")
    import tomllib

    from hostgate.core.keylines import Lines
    from hostgate.core.schema import check

    try:
        tables = tomllib.loads(text)
    except RecursionError:
        return _broken(path, 0, "is nested too deeply")
    except ValueError as error:
        why, _, place = str(error).partition(" (at line ")
        line = place.partition(",")[0]
        return _broken(path, int(line) if line.isdecimal() else 0, f"no TOML: {why}")
    return check(tables, path, Lines(text).of)


def _contents(path: str) -> tuple[bytes, list[int]]:
    """The beginning of a file, and its stamp now. Raises ``OSError``, but waits for nothing."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not S_ISREG(os.fstat(fd).st_mode):
            raise OSError(22, "no regular file")
        data = file.read(LARGEST + 1)
        return data, _stamp(os.fstat(fd))


def _stamp(found: os.stat_result) -> list[int]:
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _form() -> str:
    return f"{FORM} of {__version__}"


def _cannot_be_read(error: Exception) -> str:
    return f"cannot be read: {because(error) if isinstance(error, OSError) else error}"


def _broken(path: str, line: int, text: str) -> Layer:
    """The layer of a file that counts not at all."""
    layer = Layer(path)
    layer.problems.append(Problem(path, line, "", text))
    return layer
