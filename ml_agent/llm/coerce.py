"""Arguments as a model wrote them, brought to what their schema asks where the meaning is not in doubt."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from ml_agent.llm.functions import Schema

_TRUE, _FALSE, _NULL = ("true", "yes", "on", "1"), ("false", "no", "off", "0"), ("null", "none", "n/a", "")
_INTEGER = re.compile(r"[+-]?\d[\d_,]*")


def coerce(value: Any, schema: Schema) -> Any:
    """The value in the schema's type: enum case, numbers as strings, one item for a list, names of keys.

    What cannot be understood is returned as it is; `problems` then says what is wrong with it.
    """
    if "anyOf" in schema:
        return _any_of(value, schema["anyOf"])
    if "enum" in schema:
        return _choice(value, schema["enum"])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "null" in kinds and _is_null(value):
        return None
    for kind in kinds:
        converted = _CONVERT[kind](value, schema) if kind in _CONVERT else value
        if _is(converted, kind):
            return converted
    return value


def problems(value: Any, schema: Schema) -> list[str]:
    """What the schema has against the value, in words for the model; empty where nothing."""
    errors = sorted(
        Draft202012Validator(schema).iter_errors(value), key=lambda error: list(map(str, error.absolute_path))
    )
    return [_words(error.message, [str(part) for part in error.absolute_path]) for error in errors]


def without_unknown(value: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The arguments that the schema knows."""
    return {key: part for key, part in value.items() if key in schema.get("properties", {})}


def _words(message: str, path: Sequence[str]) -> str:
    where = f"{'.'.join(path)}: " if path else ""
    return where + (message if len(message) < 300 else message[:300] + " ...")


def _object(value: Any, schema: Schema) -> Any:
    if isinstance(value, str):
        value = _parse(value)
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    spelled: dict[str, str] = {_plain(known): known for known in properties}
    result: dict[str, Any] = {}
    for key, part in value.items():
        name = str(key) if key in properties else spelled.get(_plain(str(key)), str(key))
        if name not in properties:
            if not _is_null(part):
                result[name] = part
            continue
        converted = coerce(part, properties[name])
        if not (_is_null(converted) and name not in required and problems(converted, properties[name])):
            result.setdefault(name, converted)
    return result


def _any_of(value: Any, options: Sequence[Schema]) -> Any:
    for option in options:
        if not problems(value, option):
            return value
    for option in options:
        converted = coerce(value, option)
        if not problems(converted, option):
            return converted
    return value


def _choice(value: Any, choices: Sequence[Any]) -> Any:
    if value in choices:
        return value
    exact = {str(choice).casefold(): choice for choice in choices}
    loose = {_plain(str(choice)): choice for choice in choices}
    text = str(value).strip().strip("'\"`")
    return exact.get(text.casefold(), loose.get(_plain(text), value))


def _number(value: Any, schema: Schema) -> Any:
    if isinstance(value, str):
        try:
            return float(value.strip().replace(",", ""))
        except ValueError:
            return value
    return value


def _integer(value: Any, schema: Schema) -> Any:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value.strip().replace(",", "").replace("_", ""))
    number = _number(value, schema)
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _boolean(value: Any, schema: Schema) -> Any:
    text = str(value).strip().lower()
    return True if text in _TRUE else False if text in _FALSE else value


def _string(value: Any, schema: Schema) -> Any:
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, (int, float)):
        return json.dumps(value)
    if isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value):
        return " ".join(str(item) for item in value)
    return value


def _array(value: Any, schema: Schema) -> Any:
    if isinstance(value, str):
        parsed = _parse(value)
        value = parsed if isinstance(parsed, list) else value.split() if value.strip() else []
    items = value if isinstance(value, list) else [value]
    return [coerce(item, schema.get("items", {})) for item in items]


_CONVERT = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}
_PYTHON: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _PYTHON.get(kind, (object,)))


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _NULL)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
