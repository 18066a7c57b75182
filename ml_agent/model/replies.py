"""Arguments as a model wrote them, brought to what their schema asks where the meaning is not in doubt."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from json_repair import repair_json
from jsonschema import Draft202012Validator

from ml_agent.model.functions import Function, Schema

_TRUE, _FALSE, _NULL = ("true", "yes", "on", "1"), ("false", "no", "off", "0"), ("null", "none", "n/a", "")
_INTEGER = re.compile(r"[+-]?\d[\d_,]*")


def coerce(value: Any, schema: Schema) -> Any:
    """The value in the schema's type: enum case, numbers as strings, one item for a list, names of keys.

    What cannot be understood is returned as it is; `problems` then says what is wrong with it.
    """
    if "enum" in schema:
        return _choice(value, schema["enum"])
    kind = schema.get("type", "")
    converted = _CONVERT[kind](value, schema) if kind in _CONVERT else value
    return converted if _is(converted, kind) else value


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


_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<(tool_call|function_call|tool|call)>\s*(.*?)\s*(?:</\1>|\Z)", re.DOTALL)
_NAMED_TAG = re.compile(r"<function[=\s]+\"?(?P<name>[\w.-]+)\"?>\s*(?P<body>.*?)\s*(?:</function>|\Z)", re.DOTALL)
_NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "kwargs", "tool_input", "action_input")
_WRAPPERS = ("call", "tool_calls", "tool_call", "function_call", "calls")
_LONGEST = 200_000
"""Characters of a reply that are looked at."""


_MOST_QUOTED = 2_000
"""Characters of a call that are quoted to whoever wrote it."""


class RawCall(msgspec.Struct, frozen=True):
    """A call as the model wrote it."""

    name: str
    arguments: Any


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A call that its function's schema accepts."""

    name: str
    arguments: dict[str, Any]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A model's reply: its first choice, in parts."""

    content: str = ""
    calls: tuple[RawCall, ...] = ()
    """Native tool calls."""
    finish_reason: str = ""
    refusal: str = ""

    @property
    def cut_off(self) -> bool:
        """Whether it was cut at the limit of its length."""
        return self.finish_reason == "length"


class UnusableReply(Exception):
    """Why a reply cannot be used, in words for the model."""


def read_reply(body: Mapping[str, Any]) -> Reply:
    """The first choice of a chat completion; missing and malformed parts are left out."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    native = message.get("tool_calls") or (
        [{"function": message["function_call"]}] if message.get("function_call") else []
    )
    return Reply(
        content=_content(message.get("content")),
        calls=tuple(call for item in native if (call := _call_from(item)) and call.name)
        if isinstance(native, list)
        else (),
        finish_reason=str(choice.get("finish_reason") or ""),
        refusal=str(message.get("refusal") or ""),
    )


def calls_in(reply: Reply) -> tuple[RawCall, ...]:
    """Every call that a reply names, native or in its text."""
    return reply.calls or tuple(_calls_in_text(reply.content))


def accepted(call: RawCall, functions: Sequence[Function]) -> Call:
    """A call as its function takes it, without arguments that the function does not have; UnusableReply says what is wrong."""
    function = _function_of(call, functions)
    arguments = coerce(_load(call.arguments), function.parameters)
    if not isinstance(arguments, dict):
        raise UnusableReply(f"the arguments of the function {function.name} are not a JSON object")
    arguments = without_unknown(arguments, function.parameters)
    complaints = problems(arguments, function.parameters)
    if complaints:
        raise UnusableReply(f"{function.name}: " + "; ".join(complaints[:4]))
    return Call(name=function.name, arguments=arguments)


def as_written(arguments: Any) -> tuple[dict[str, Any], str]:
    """The arguments of a call that could not be used, to be given back to the model: the object that they are, else nothing and words
    that quote the text and say where it is wrong. Endpoints that read what is given back to a model refuse text that is no JSON.
    """
    if not isinstance(arguments, str):
        return (arguments if isinstance(arguments, dict) else {}), ""
    try:
        found = json.loads(arguments, strict=False)
    except (ValueError, RecursionError) as error:
        where = f" ({error})" if isinstance(error, json.JSONDecodeError) else ""
        return {}, f"The arguments are not JSON{where}. You wrote:\n{_around(arguments, getattr(error, 'pos', 0))}"
    return (found, "") if isinstance(found, dict) else ({}, f"You wrote:\n{_around(arguments, 0)}")


def _around(text: str, place: int) -> str:
    """The text, or what of a long one stands around a place."""
    start = max(0, min(place - _MOST_QUOTED // 2, len(text) - _MOST_QUOTED))
    part = text[start : start + _MOST_QUOTED]
    return f"{'... ' if start else ''}{part}{' ...' if start + len(part) < len(text) else ''}"


def _function_of(call: RawCall, functions: Sequence[Function]) -> Function:
    plain = {_plain(f.name): f for f in functions}
    found = plain.get(_plain(call.name)) or plain.get(_plain(call.name.rpartition(".")[2]))
    if found is None:
        raise UnusableReply(f"there is no function {call.name!r}; there are: " + ", ".join(f.name for f in functions))
    return found


def _calls_in_text(text: str) -> Iterator[RawCall]:
    """Every call that the text holds, best marked first."""
    text = _THOUGHT.sub("", text[:_LONGEST]).strip()
    for match in _NAMED_TAG.finditer(text):
        yield RawCall(match["name"], match["body"])
    bodies = [match[2] for match in _TAGGED.finditer(text)] + [match[1] for match in _FENCE.finditer(text)] + [text]
    seen: list[Any] = []
    for body in bodies:
        for value in _json_values(body):
            if value not in seen:
                seen.append(value)
                yield from _calls_from(value)


def _json_values(text: str) -> list[Any]:
    """The JSON objects and lists in a text; where none parses, one mended one; none where it is nested deeper than any call."""
    try:
        return _values_in(text)
    except (RecursionError, ValueError):  # both are ways in which the mending refuses what is nested too deep
        return []


def _values_in(text: str) -> list[Any]:
    decoder, position, values = json.JSONDecoder(strict=False), 0, []
    while (start := _next_bracket(text, position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, start)
        except ValueError:
            position = start + 1
            continue
        if value:
            values.append(value)
    if any(isinstance(value, dict) for value in values) and not _looks_broken(text, values):
        return values
    start = text.find("{")
    mended = repair_json(text[start:], return_objects=True) if start >= 0 else None
    mended = next((item for item in mended if isinstance(item, dict)), None) if isinstance(mended, list) else mended
    return [mended, *values] if isinstance(mended, dict) and mended else values


def _looks_broken(text: str, values: Sequence[Any]) -> bool:
    """Whether only an inner part of a larger, malformed object was found."""
    first = text.find("{")
    try:
        json.JSONDecoder(strict=False).raw_decode(text, first)
    except ValueError:
        return text[:first].strip() == "" or len(values) == 0
    return False


def _next_bracket(text: str, position: int) -> int:
    found = [index for index in (text.find("{", position), text.find("[", position)) if index >= 0]
    return min(found, default=-1)


def _calls_from(value: Any) -> Iterator[RawCall]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from _calls_from(item)
        return
    if not isinstance(value, dict):
        return
    for wrapper in _WRAPPERS:
        if isinstance(value.get(wrapper), (dict, list)):
            yield from _calls_from(value[wrapper])
            return
    if call := _call_from(value):
        yield call


def _call_from(value: Any) -> RawCall | None:
    """A call from one of the shapes that are in use; None where the object is no call."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        return _call_from(value["function"])
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    if name is not None and key is not None:
        return RawCall(name, value[key])
    if len(value) == 1:
        only, inner = next(iter(value.items()))
        if isinstance(inner, dict):
            return RawCall(only, inner)
    return None


def _load(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    found = _json_values(arguments)
    return found[0] if found else {} if not arguments.strip() else arguments


def _content(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def plain_name(name: str) -> str:
    """The name of a function as endpoints take it back, whatever a model called."""
    return re.sub(r"\W", "_", name)[:64] or "unknown"
