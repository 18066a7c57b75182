"""Signatures as function definitions."""

from typing import Any

from jsonschema import Draft202012Validator

from ml_agent.cli.explain import function_schema
from ml_agent.tools.signatures.model import Option, Signature

KEYWORDS = {"type", "properties", "required", "additionalProperties", "enum", "items", "description"}


def parameters(signature: Signature) -> dict[str, Any]:
    """The parameters of its definition."""
    made: dict[str, Any] = function_schema(signature)["function"]["parameters"]
    return made


def keywords(schema: Any) -> set[str]:
    """All JSON Schema keywords in use."""
    if not isinstance(schema, dict):
        return set()
    inner = (
        schema.get("properties", {}).values()
        if "properties" in schema
        else [schema["items"]]
        if "items" in schema
        else []
    )
    return set(schema) | {k for s in inner for k in keywords(s)}


SIGNATURE = Signature(
    path="examples/x/train.py", doc="Train it.",
    options=(
        Option(dest="data", required=True, help="the data"),
        Option(dest="lr", flags=("--lr",), type="float", default="0.1", help="learning rate"),
        Option(dest="model", flags=("--model",), choices=("a", "b")),
        Option(dest="layers", flags=("--layers",), type="int", nargs="+"),
        Option(dest="amp", flags=("--amp",), nargs="0", type="bool", switch_value="True"),
        Option(dest="mode", flags=("--fast",), nargs="0", type="str", switch_value="fast"),
        Option(dest="mode", flags=("--slow",), nargs="0", type="str", switch_value="slow"),
        Option(dest="v", flags=("-v",), nargs="0", type="int", repeatable=True),
        Option(dest="size", flags=("--size",), type="int", choices=("1", "2"), required=True),
    ),
)  # fmt: skip


def test_it_is_strict() -> None:
    made = parameters(SIGNATURE)
    Draft202012Validator.check_schema(made)
    assert keywords(made) <= KEYWORDS and made["additionalProperties"] is False
    assert made["required"] == list(made["properties"])
    properties = made["properties"]
    assert properties["data"]["type"] == "string" and properties["size"]["enum"] == [1, 2]
    assert properties["lr"]["type"] == ["number", "null"] and "Default 0.1" in properties["lr"]["description"]
    assert properties["model"]["enum"] == ["a", "b", None] and properties["mode"]["enum"] == ["fast", "slow", None]
    assert properties["layers"]["items"] == {"type": "integer"} and properties["v"]["type"] == ["integer", "null"]
    assert properties["amp"]["type"] == ["boolean", "null"]


def test_a_call_validates() -> None:
    made = parameters(SIGNATURE)
    call = dict.fromkeys(made["properties"]) | {"data": "x", "size": 2, "lr": 0.5, "layers": [1, 2], "mode": "slow"}
    Draft202012Validator(made).validate(call)
    assert not Draft202012Validator(made).is_valid(call | {"size": 3})
    assert not Draft202012Validator(made).is_valid(call | {"other": 1})
