"""Whether the arguments of a call fit the parameters of what is called."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from ml_agent.tools.python_api.model import Parameter


class Mismatch(NamedTuple):
    """Why a call must fail."""

    message: str
    subject: str
    """The keyword or parameter that is meant; "" where it is the number of arguments."""
    by_value: bool = False
    """What it is given is wrong, and not that it is given."""


def mismatch(call: ast.Call, parameters: Sequence[Parameter]) -> Mismatch | None:
    """The first reason why a call cannot work, by the rules by which Python binds arguments; None where there is none."""
    kinds = {item.kind for item in parameters}
    placed = [item for item in parameters if item.kind in ("positional", "either")]
    by_name = {item.name for item in parameters if item.kind in ("either", "keyword")}
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    given = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    for name in sorted(given):
        if name not in by_name and "keywords" not in kinds:
            return Mismatch(f"has no parameter {name!r}", name)
    if not starred and len(call.args) > len(placed) and "rest" not in kinds:
        return Mismatch(f"takes at most {len(placed)} positional arguments, {len(call.args)} are given", "")
    twice = {item.name for item in placed[: 0 if starred else len(call.args)] if item.kind == "either"} & given
    if twice:
        return Mismatch(f"gets {min(twice)!r} twice, by place and by name", min(twice))
    refused = _refused_text(call, placed, starred=starred, parameters=parameters)
    if refused is not None or starred or any(keyword.arg is None for keyword in call.keywords):
        return refused
    reached = {item.name for item in placed[: len(call.args)]} | given
    missing = [item.name for item in parameters if item.required and item.name not in reached]
    return Mismatch(f"needs {', '.join(missing)}", missing[0]) if missing else None


def _refused_text(
    call: ast.Call, placed: Sequence[Parameter], *, starred: bool, parameters: Sequence[Parameter]
) -> Mismatch | None:
    """A text for a parameter that the function itself tests for others."""
    known = {item.name: item for item in parameters}
    given = [(item, value) for item, value in zip(placed, () if starred else call.args, strict=False)]
    given += [(known[one.arg], one.value) for one in call.keywords if one.arg in known]
    for item, value in given:
        text = value.value if isinstance(value, ast.Constant) else None
        if item.accepted and isinstance(text, str) and text not in item.accepted:
            return Mismatch(f"takes one of {', '.join(item.accepted)} for {item.name}, not {text!r}", item.name, True)
    return None
