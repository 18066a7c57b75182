"""Calls are found in every shape of reply, and coerced where their meaning is not in doubt."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.model.functions import Function
from ml_agent.model.replies import Call, Reply, UnusableReply, accepted, calls_in, coerce, problems, read_reply

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "script": {"type": "string", "enum": ["train.py", "Eval.py"]},
        "num_stacks": {"type": "integer", "description": "how many"},
        "lr": {"type": "number"},
        "names": {"type": "array", "items": {"type": "string"}},
        "fast": {"type": "boolean"},
    },
    "required": ["script"],
    "additionalProperties": False,
}
RUN = Function(name="run", description="Run a script.", parameters=SCHEMA)
STOP = Function(
    name="stop", description="Stop.", parameters={"type": "object", "properties": {}, "additionalProperties": False}
)


def found(text: str, *functions: Function) -> Call:
    """The first call that the text holds, as its function takes it."""
    call = next(iter(calls_in(Reply(content=text))), None)
    if call is None:
        raise UnusableReply("no call")
    return accepted(call, functions or (RUN,))


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "run", "arguments": {"script": "train.py"}}',
        '{"name": "run", "arguments": "{\\"script\\": \\"train.py\\"}"}',
        '{"function": {"name": "run", "arguments": {"script": "train.py"}}}',
        '{"function": "run", "parameters": {"script": "train.py"}}',
        '{"tool_calls": [{"function": {"name": "functions.run", "arguments": {"script": "train.py"}}}]}',
        '[{"name": "run", "arguments": {"script": "train.py"}}]',
        '{"run": {"script": "train.py"}}',
        '{"call": {"name": "run", "arguments": {"script": "TRAIN.PY"}}}',
        "Here you are:\n```json\n{'run': {'script': 'train.py',}}\n```\nDone.",
        '<tool_call>{"name": "run", "arguments": {"script": "train.py"}}</tool_call>',
        '<function=run>{"script": "train.py"}</function>',
        '<think>{"run": {"script": "x"}}</think> {"run": {"script": "`train.py`"}}',
        'I looked at {a, b} and chose {"run": {"script": "train.py"}}',
    ],
)
def test_shapes(text: str) -> None:
    assert found(text) == found(text, RUN, STOP) == Call(name="run", arguments={"script": "train.py"})


@pytest.mark.parametrize(
    ("given_value", "wanted"),
    [
        ({"script": "eval.PY", "num-stacks": "5"}, {"script": "Eval.py", "num_stacks": 5}),
        ({"script": "train.py", "lr": "1e-4", "numStacks": 5.0}, {"script": "train.py", "lr": 1e-4, "num_stacks": 5}),
        ({"script": "train.py", "names": "a", "fast": "True"}, {"script": "train.py", "names": ["a"], "fast": True}),
        (
            {"script": "train.py", "names": '["a", 1]', "fast": 0},
            {"script": "train.py", "names": ["a", "1"], "fast": False},
        ),
        (
            {"script": "train.py", "lr": "null", "num_stacks": "1,000"},
            {"script": "train.py", "num_stacks": 1000},
        ),
    ],
)
def test_coercion(given_value: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert coerce(given_value, SCHEMA) == wanted and not problems(wanted, SCHEMA)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no call"),
        ("I cannot help.", "no call"),
        ('{"run": {"script": "other.py"}}', "not one of"),
        ('{"name": "fly", "arguments": {}}', "no function 'fly'"),
        ('{"run": {"num_stacks": 3}}', "'script' is a required property"),
        ("[1, 2]", "no call"),
    ],
)
def test_complaints_say_what_to_mend(text: str, said: str) -> None:
    with pytest.raises(UnusableReply, match=said):
        found(text)


def test_what_the_function_does_not_have_is_left_out() -> None:
    assert found('{"run": {"script": "train.py", "gpus": 3}}').arguments == {"script": "train.py"}


@given(st.text(max_size=200))
def test_any_text_gives_a_call_or_a_complaint(text: str) -> None:
    try:
        call = found(text, RUN, STOP)
    except UnusableReply:
        return
    assert call.name in {"run", "stop"}


@given(
    st.fixed_dictionaries(
        {"script": st.sampled_from(["train.py", "Eval.py"])},
        optional={
            "num_stacks": st.integers(-(10**9), 10**9), "lr": st.floats(allow_nan=False, allow_infinity=False),
            "names": st.lists(st.text(max_size=8), max_size=3), "fast": st.booleans(),
        },
    )
)  # fmt: skip
def test_valid_arguments_come_through_unchanged(arguments: dict[str, Any]) -> None:
    text = f"Sure:\n```json\n{json.dumps({'name': 'run', 'arguments': arguments})}\n```"
    assert found(text, RUN, STOP).arguments == arguments


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda s: st.lists(s) | st.dictionaries(st.text(max_size=5), s),
        max_leaves=10,
    )
)
def test_any_body_is_read(body: Any) -> None:
    assert isinstance(read_reply(body if isinstance(body, dict) else {"choices": body}), Reply)
    assert isinstance(read_reply({"choices": [{"message": body}]}), Reply)
