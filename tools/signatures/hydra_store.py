"""hydra's ConfigStore: configurations that a program stores by name, out of dataclasses and dictionaries."""

from typing import Any

from ml_agent.tools.signatures.fields import dataclass_fields
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.values import UNKNOWN, Arguments, Class, Instance, Native, Value

MAX_NESTING = 6
MISSING = "???"


class Store(Native):
    """ConfigStore.instance()."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        run.made.append(self)

    def do_store(self, arguments: Arguments) -> Value:
        """Keep one configuration."""
        self.run.made.append(Stored(self.run, arguments))
        return None


class Stored(Native):
    """store(group=..., name=..., node=...)."""

    def __init__(self, run: Interpreter, arguments: Arguments) -> None:
        name, group = arguments.get(0, "name"), arguments.get(2, "group")
        package = arguments.get(3, "package")
        stem = name.removesuffix(".yaml") if isinstance(name, str) else ""
        known = bool(stem) and (group is None or isinstance(group, str)) and not arguments.open
        self.path = f"{group}/{stem}" if known and group else stem if known else ""
        """Group and name; "" where it could not be read."""
        self.package = package if isinstance(package, str) else ""
        self.whole = True
        self.file = arguments.path
        self.data = self._data(run, arguments.get(1, "node"), 0)

    def _data(self, run: Interpreter, node: Value, depth: int) -> dict[str, Any]:
        """The keys of a node, as they would stand in a file."""
        if isinstance(node, dict):
            return {key: self._plain(run, value, depth) for key, value in node.items() if isinstance(key, str)}
        cls = node.cls if isinstance(node, Instance) else node
        if not isinstance(cls, Class) or depth > MAX_NESTING:
            self.whole = False
            return {}
        fields, more = dataclass_fields(run, cls)
        self.whole = self.whole and not more
        given = node.attributes if isinstance(node, Instance) else {}
        found: dict[str, Any] = {}
        for field in fields:
            value = given.get(field.name, MISSING if field.required else field.default)
            nested = field.kind.nested
            found[field.name] = (
                self._data(run, nested, depth + 1)
                if nested is not None and not isinstance(value, (Instance, dict)) and value is not None
                else self._plain(run, value, depth)
            )
        return found

    def _plain(self, run: Interpreter, value: Value, depth: int) -> Any:
        if isinstance(value, (Instance, dict)):
            return self._data(run, value, depth + 1)
        if isinstance(value, (list, tuple)):
            return [self._plain(run, item, depth) for item in value]
        return None if value is UNKNOWN or not isinstance(value, (bool, int, float, str)) else value


def instance(run: Interpreter, name: str, arguments: Arguments) -> Value:
    """ConfigStore.instance() and ConfigStore()."""
    return Store(run)
