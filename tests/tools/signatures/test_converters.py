"""Converters of several kinds."""

from collections.abc import Callable

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
