"""Functions that a model may call, from pydantic models or JSON schemas, and how they are put before it."""

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from openai import pydantic_function_tool
from pydantic import BaseModel

Schema = dict[str, Any]
_NOT_STRICT = ("default", "title", "examples", "format", "minItems", "maxItems", "pattern")


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """One function that the model may call."""

    name: str
    description: str
    parameters: Schema
    """JSON Schema of its arguments, an object."""


FunctionLike = Function | type[BaseModel] | Mapping[str, Any]


def as_function(source: FunctionLike) -> Function:
    """A function from a pydantic class (its docstring is what the model reads), a JSON-schema function, or itself."""
    if isinstance(source, Function):
        return source
    if isinstance(source, type):
        tool: Any = pydantic_function_tool(source)
        schema: Mapping[str, Any] = tool["function"]
    else:
        schema = source.get("function", source)
    parameters = _inline(dict(schema["parameters"]))
    return Function(name=schema["name"], description=schema.get("description", ""), parameters=parameters)


def strict(schema: Any) -> Any:
    """The schema as strict mode takes it: every property required (null for "not given"), nothing else allowed."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: strict(value) if key not in ("enum", "const", "required") else value for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        required = schema.get("required", [])
        properties = {
            name: strict(part) if name in required else _nullable(strict(part))
            for name, part in schema["properties"].items()
        }
        return {**kept, "properties": properties, "required": list(properties), "additionalProperties": False}
    return {key: value for key, value in kept.items() if key not in _NOT_STRICT}


def tool(function: Function, *, is_strict: bool = True) -> dict[str, Any]:
    """The function as an entry of `tools`."""
    parameters = strict(function.parameters)
    described = {"name": function.name, "description": function.description, "parameters": parameters}
    return {"type": "function", "function": {**described, **({"strict": True} if is_strict else {})}}


def plain_tool(function: Function) -> dict[str, Any]:
    """The function as an entry of `tools` without strictness: what is optional may be left out, and it takes fewer tokens."""
    described = {"name": function.name, "description": function.description, "parameters": function.parameters}
    return {"type": "function", "function": described}


def described(functions: Sequence[Function]) -> str:
    """The functions in words, for a model that is not shown their schemas: as few tokens as will do."""
    if len(functions) == 1:
        return f"Answer with one JSON object:\n{_keys(functions[0].parameters)}"
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
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if kind == "object" and schema.get("properties"):
        inner = ", ".join(f"{json.dumps(k)}: {_kind(v)}" for k, v in schema["properties"].items())
        return f"object {{{inner}}}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _nullable(schema: Any) -> Any:
    if not isinstance(schema, dict) or "null" in _types(schema):
        return schema
    if "enum" in schema or "type" not in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [*_types(schema), "null"]}


def _types(schema: Mapping[str, Any]) -> list[str]:
    if "anyOf" in schema:
        return [kind for part in schema["anyOf"] for kind in _types(part)]
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def _inline(schema: Schema) -> Schema:
    """The schema with `$ref` to its own `$defs` written out, for servers that cannot follow them."""
    definitions = schema.pop("$defs", {})

    def expand(part: Any) -> Any:
        if isinstance(part, list):
            return [expand(item) for item in part]
        if not isinstance(part, dict):
            return part
        reference = part.get("$ref", "").rpartition("/")[2] if isinstance(part.get("$ref"), str) else ""
        if reference in definitions:
            return expand(copy.deepcopy(definitions[reference]))
        if isinstance(part.get("properties"), dict):
            part = {**part, "properties": {name: expand(schema) for name, schema in part["properties"].items()}}
        # A generated title repeats the name and costs tokens.
        return {
            k: v if k == "properties" else expand(v) for k, v in part.items() if k != "title" or isinstance(v, dict)
        }

    expanded: Schema = expand(schema)
    expanded.pop("description", None)
    return expanded
