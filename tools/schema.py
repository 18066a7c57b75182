"""A signature as a function that a model can call: JSON Schema in OpenAI's strict form."""

import re
from collections.abc import Iterable
from typing import Any

from ml_agent.tools.signatures.model import Option, Signature

MAX_CHOICES = 60
JSON_TYPES = {"int": "integer", "float": "number", "bool": "boolean"}
SHORT_HELP = 90


def function_schema(signature: Signature) -> dict[str, Any]:
    """The tool definition of a signature."""
    properties = {option.dest: _property(signature, option) for option in _by_dest(signature.options).values()}
    called = signature.name or signature.path
    purpose = f"{called}: {signature.doc}" if signature.doc else f"Run {called}"
    return {
        "type": "function",
        "function": {
            "name": function_name(signature),
            "description": purpose[:300],
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        },
    }


def function_name(signature: Signature) -> str:
    """A name that every API takes: letters, digits and underscores, at most 64."""
    words = signature.name or signature.path.rpartition(".")[0] or signature.path
    name = "_".join([words, *signature.subcommand])
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[-64:].lstrip("_") or "run"


def _by_dest(options: Iterable[Option]) -> dict[str, Option]:
    """One option a dest; of several the one that takes a value."""
    found: dict[str, Option] = {}
    for option in options:
        if option.dest not in found or (found[option.dest].switch and not option.switch):
            found[option.dest] = option
    return found


def _property(signature: Signature, option: Option) -> dict[str, Any]:
    listed = option.nargs in ("*", "+", "...") or (option.nargs or "").isdigit()
    several = option.repeatable or (listed and not option.switch)
    counted = option.switch and option.repeatable
    value = _value_schema(signature, option)
    if several and not counted:
        value = {"type": "array", "items": value}
    if not option.required:
        value = _or_null(value)
    return {**value, "description": _description(option)}


def _value_schema(signature: Signature, option: Option) -> dict[str, Any]:
    if option.switch:
        constants = [o.switch_value for o in signature.options if o.dest == option.dest and o.switch_value]
        if all(c in ("True", "False") for c in constants):
            return {"type": "integer" if option.type == "int" else "boolean"}
        return {"type": "string", "enum": list(dict.fromkeys(constants))}
    choices = option.choices or option.accepted
    kind = JSON_TYPES.get(option.type, "string")
    if choices and len(choices) <= MAX_CHOICES:
        return {"type": kind, "enum": [_convert(kind, c) for c in choices]}
    return {"type": kind}


def _convert(kind: str, choice: str) -> Any:
    try:
        if kind == "integer":
            return int(choice)
        if kind == "number":
            return float(choice)
    except ValueError:
        return choice
    return choice == "True" if kind == "boolean" else choice


def _or_null(value: dict[str, Any]) -> dict[str, Any]:
    made = {**value, "type": [value["type"], "null"]}
    if "enum" in made:
        made["enum"] = [*made["enum"], None]
    return made


def _description(option: Option) -> str:
    name = option.flags[-1] if option.flags else "positional"
    text = option.help[:SHORT_HELP].strip()
    default = f" Default {option.default[:40]}." if option.default else ""
    return f"{name} {text}".strip() + default
