"""Any declarations: our reader sees what argparse itself makes of them."""

import argparse
import contextlib
import io
import os
import string
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ml_agent.tools.signatures.model import Signature

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""

Script = Callable[..., Signature]
NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=6).filter(lambda n: n not in ("help", "h"))
KINDS = st.sampled_from(["int", "float", "str", None])
WORDS = st.text(string.ascii_letters + " _-./é", max_size=8)


@st.composite
def declarations(draw: st.DrawFn) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The flags and settings of one add_argument call."""
    name = draw(NAMES)
    flags: tuple[str, ...] = (f"--{name}",) if draw(st.booleans()) else (f"-{name[0]}", f"--{name}-x")
    action = draw(st.sampled_from([None, "store_true", "store_false", "append", "count", "store_const"]))
    facts: dict[str, Any] = {} if action is None else {"action": action}
    if action == "store_const":
        facts["const"] = draw(WORDS)
    if action in (None, "append"):
        kind = draw(KINDS)
        if kind is not None:
            facts["type"] = kind
        facts |= {"nargs": n} if (n := draw(st.sampled_from([None, "?", "*", "+", 1, 3]))) is not None else {}
        if kind in ("str", None) and draw(st.booleans()):
            facts["choices"] = draw(st.lists(WORDS, min_size=1, max_size=3))
    if draw(st.booleans()):
        facts["default"] = draw(st.one_of(st.none(), st.integers(-5, 5), st.floats(-1, 1), WORDS, st.booleans()))
    if draw(st.booleans()):
        facts["help"] = draw(WORDS)
    if draw(st.booleans()):
        facts["required"] = draw(st.booleans())
    return flags, facts


@settings(max_examples=40 * EFFORT, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(declarations(), min_size=1, max_size=6, unique_by=lambda d: d[0][0]))
def test_agrees_with_the_real_argparse(script: Script, declared: list[tuple[tuple[str, ...], dict[str, Any]]]) -> None:
    parser = argparse.ArgumentParser()
    lines: list[str] = []
    for flags, facts in declared:
        real: dict[str, Any] = {
            k: {"int": int, "float": float, "str": str}[v] if k == "type" else v for k, v in facts.items()
        }
        with contextlib.redirect_stderr(io.StringIO()):
            try:
                parser.add_argument(*flags, **real)
            except argparse.ArgumentError:
                continue
        shown = ", ".join(f"{k}={v}" if k == "type" else f"{k}={v!r}" for k, v in facts.items())
        lines.append(f"parser.add_argument({', '.join(map(repr, flags))}, {shown})")
    source = "import argparse\nparser = argparse.ArgumentParser()\n" + "\n".join(lines) + "\nparser.parse_args()\n"
    signature = script(source)
    actions = [a for a in parser._actions if a.dest != "help"]
    assert len(actions) == len(signature.options)
    for action, option in zip(actions, signature.options, strict=True):
        assert tuple(action.option_strings) == option.flags and action.dest == option.dest
        assert ("0" if action.nargs == 0 else None if action.nargs is None else str(action.nargs)) == option.nargs
        assert (None if action.default is None else str(action.default)) == option.default
        assert tuple(action.choices or ()) == option.choices and action.required == option.required
