"""A change to a TOML file: Codex keeps its sandbox's settings in one. tomlkit keeps the rest."""

from __future__ import annotations

from collections.abc import MutableMapping

from hostgate.agents.files import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TomlItem(Edit):
    """A text in an array of a TOML file."""

    def __init__(self, path: str, where: tuple[str, str], item: str) -> None:
        super().__init__(path)
        self.where = where
        self.item = item

    def put(self, text: str) -> str:
        import tomlkit

        table, key = self.where
        document = _toml(text)
        found = document.setdefault(table, tomlkit.table())
        if not isinstance(found, MutableMapping):
            raise ValueError(f"{table} is no table")
        array = found.setdefault(key, tomlkit.array())
        if not isinstance(array, list):
            raise ValueError(f"{table}.{key} is no array")
        if self.item in array:
            return text
        array.append(self.item)
        return tomlkit.dumps(document)

    def take(self, text: str) -> str:
        import tomlkit

        table, key = self.where
        document = _toml(text)
        found = document.get(table)
        array = found.get(key) if isinstance(found, MutableMapping) else None
        if not isinstance(array, list) or self.item not in array:
            return text
        array.remove(self.item)
        if not array:
            del found[key]
        if not found:
            del document[table]
        return tomlkit.dumps(document)


def _toml(text: str) -> Any:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise ValueError(f"no TOML: {error}") from error
