"""Functions that a model may call, and how they are put before it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

Schema = dict[str, Any]


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """One function that the model may call."""

    name: str
    description: str
    parameters: Schema
    """JSON Schema of its arguments, an object."""


def as_function(source: Mapping[str, Any]) -> Function:
    """A function from its name, its description and a JSON schema of its parameters."""
    return Function(name=source["name"], description=source["description"], parameters=source["parameters"])


def tool(function: Function) -> dict[str, Any]:
    """The function as an entry of `tools`, without strictness: what is optional may be left out, and it takes fewer tokens."""
    return {"type": "function", "function": msgspec.to_builtins(function)}


def described(functions: Sequence[Function]) -> str:
    """The functions in words, for a model that is not shown their schemas: as few tokens as will do."""
    lines = [f"{f.name}: {f.description}\n{_keys(f.parameters)}" for f in functions]
    return 'Answer with one JSON object {"call": {"name": ..., "arguments": {...}}}, calling one of:\n' + "\n".join(
        lines
    )


def _keys(schema: Schema) -> str:
    required = schema.get("required", [])
    return "\n".join(_key(name, part, name in required) for name, part in schema.get("properties", {}).items())


def _key(name: str, schema: Schema, required: bool) -> str:
    words = f"- {json.dumps(name, ensure_ascii=False)}: {_kind(schema)}{'' if required else ' (optional)'}"
    return f"{words}, {schema['description']}" if schema.get("description") else words


def _kind(schema: Schema) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if kind == "object" and schema.get("properties"):
        inner = ", ".join(f"{json.dumps(k)}: {_kind(v)}" for k, v in schema["properties"].items())
        return f"object {{{inner}}}"
    return str(kind)
