"""A signature as a function that a model can call: JSON Schema in OpenAI's strict form, with only the options in play."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ml_agent.tools.signatures.model import Option, Signature

CHARACTERS_A_TOKEN = 3.0
"""JSON with names and short English texts has more than three characters a token in all common vocabularies."""
MAX_TOKENS = 1_500
MAX_CHOICES = 60
JSON_TYPES = {"int": "integer", "float": "number", "bool": "boolean"}
SHORT_HELP = 90
WORD = re.compile(r"[a-z]+|\d+")


def function_schema(signature: Signature, words: Iterable[str] = (), max_tokens: int = MAX_TOKENS) -> dict[str, Any]:
    """The tool definition of a signature.

    Args:
        signature: what is called.
        words: words of the task; options that share them are kept first where not all fit.
        max_tokens: upper bound of the definition's size, in tokens (estimated from characters).
    """
    options = list(_by_dest(signature.options).values())
    ranked = sorted(options, key=lambda o: -_relevance(o, frozenset(_words(" ".join(words)))))
    kept: list[Option] = []
    size = len(json.dumps(_function(signature, [])))
    for option in ranked:
        cost = len(json.dumps({option.dest: _property(signature, option)})) + len(option.dest) + 4
        if size + cost <= max_tokens * CHARACTERS_A_TOKEN or option.required:
            kept.append(option)
            size += cost
    return _function(signature, [o for o in options if o in kept])


def function_name(signature: Signature) -> str:
    """A name that every API takes: letters, digits and underscores, at most 64."""
    words = signature.name or signature.path.rpartition(".")[0] or signature.path
    name = "_".join([words, *signature.subcommand])
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[-64:].lstrip("_") or "run"


def _function(signature: Signature, options: Sequence[Option]) -> dict[str, Any]:
    properties = {o.dest: _property(signature, o) for o in options}
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
    name = option.flags[-1] if option.flags else f"in {option.within}" if option.within else "positional"
    text = option.help[:SHORT_HELP].strip()
    default = f" Default {option.default[:40]}." if option.default else ""
    return f"{name} {text}".strip() + default


def _relevance(option: Option, words: frozenset[str]) -> float:
    """Required first, then those that share words with the task."""
    name = set(_words(option.dest))
    rest = set(_words(option.help)) | {w for c in option.choices for w in _words(c)}
    shared = 3 * len(name & words) / (len(name) or 1) + len(rest & words) / 3
    return (100 if option.required else 0) + (10 if option.positional else 0) + shared


def _words(text: str) -> list[str]:
    return WORD.findall(re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower())
