"""Converters of several kinds."""

from collections.abc import Callable

import pytest

from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]


def test_converters_of_several_kinds(script: Script, option: Find) -> None:
    signature = script("""
        import argparse, functools, json
        def items(least, text, mark=","):
            found = [int(part) for part in text.split(mark)]
            if len(found) < least:
                raise ValueError
            return found
        def lenient(text):
            try:
                return json.loads(text)
            except json.JSONDecodeError:
                return text
        parser = argparse.ArgumentParser()
        parser.add_argument("--upper", type=str.upper)
        parser.add_argument("--items", type=functools.partial(items, 1))
        parser.add_argument("--lenient", type=lenient)
        parser.parse_args()
    """)
    assert [option(signature, name).type for name in ("upper", "items", "lenient")] == ["str", "json", "json"]


@pytest.mark.parametrize(
    ("converter", "word", "found"),
    [
        ("json.loads", "x", ["bad-type"]),
        ("json.loads", '{"a": 1}', []),
        ("json.loads", "[" * 9999, []),
        ("ast.literal_eval", "{'a': 1}", []),
        ("ast.literal_eval", "x", ["bad-type"]),
        ("lenient", "x", []),
    ],
)
def test_words_that_a_parser_refuses(script: Script, converter: str, word: str, found: list[str]) -> None:
    signature = script(f"""
        import argparse, ast, json
        lenient = lambda text: json.loads(text) if text[0] == "[" else text
        parser = argparse.ArgumentParser()
        parser.add_argument("--meta", type={converter})
        parser.parse_args()
    """)
    read = parse_call(signature, ["--meta", word])
    assert [one.code for one in read.findings if one.severity == "error"] == found and read.values["meta"] == word
