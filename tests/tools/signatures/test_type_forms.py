"""Programs that look at types and at the fields of dataclasses to make their options."""

from collections.abc import Callable

from ml_agent.tools.signatures.model import Option, Signature

Script = Callable[..., Signature]
Find = Callable[[Signature, str], Option]

GROUPS = """
    import argparse, inspect, re
    from dataclasses import MISSING, _MISSING_TYPE, dataclass, field, fields
    from enum import Enum
    from typing import Any, List, Optional

    class Word(Enum):
        def __str__(self): return self.value

    def choice(words):
        return Word("Choices", {w: w for w in words})

    FORMATS = choice(["json", "plain"])

    @dataclass
    class Base:
        def names(self): return [k for k in self.__dataclass_fields__.keys()]
        def meta(self, name, key): return self.__dataclass_fields__[name].metadata.get(key, None)
        def given(self, name):
            f = self.__dataclass_fields__[name]
            if hasattr(self, name) and getattr(self, name) != f.default:
                return getattr(self, name)
            if not isinstance(f.default_factory, _MISSING_TYPE):
                return f.default_factory()
            return f.default

    @dataclass
    class Inner(Base):
        width: int = 8

    @dataclass
    class Common(Base):
        data: str = field(default="here", metadata={"help": "where"})
        fast: bool = field(default=False, metadata={"help": "go fast"})
        slow: bool = True
        lr: List[float] = field(default_factory=lambda: [0.25])
        form: Optional[FORMATS] = None
        steps: Optional[int] = None
        changed: int = 1
        inner: Inner = field(default_factory=Inner)

    def plain(kind):
        text = str(kind)
        if re.match(r"(typing.|^)Union\\[", text) or text.startswith("typing.Optional"):
            return kind.__args__[0]
        return kind

    def add(parser, instance):
        for name in instance.names():
            kind = plain(instance.__dataclass_fields__[name].type)
            if inspect.isclass(kind) and issubclass(kind, Base):
                add(parser, kind())
                continue
            settings, default = {}, instance.given(name)
            if default is MISSING:
                settings["required"] = True
            else:
                settings["default"] = default
            if isinstance(kind, type) and issubclass(kind, Enum):
                settings["choices"] = [t.value for t in list(kind)]
            elif "List" in str(kind):
                settings["type"] = lambda x: x.split(",")
                settings["default"] = ",".join(map(str, default))
            elif kind is bool:
                settings["action"] = "store_false" if default is True else "store_true"
            else:
                settings["type"] = kind
            parser.add_argument("--" + name, help=instance.meta(name, "help"), **settings)

    parser = argparse.ArgumentParser()
    add(parser.add_argument_group("common"), Common(changed=5))
    parser.parse_args()
"""


def test_options_from_the_fields_of_dataclasses(script: Script, option: Find) -> None:
    signature = script(GROUPS)
    assert signature.whole
    assert [o.dest for o in signature.options] == ["data", "fast", "slow", "lr", "form", "steps", "changed", "width"]
    assert option(signature, "data").default == "here" and option(signature, "data").help == "where"
    assert (option(signature, "fast").switch_value, option(signature, "slow").switch_value) == ("True", "False")
    assert option(signature, "lr").default == "0.25"
    assert option(signature, "form").choices == ("json", "plain")
    assert (option(signature, "steps").type, option(signature, "steps").default) == ("int", None)
    assert option(signature, "changed").default == "5"
    assert all(o.sure for o in signature.options)


def test_parameters_of_a_function_become_options(script: Script) -> None:
    signature = script("""
        import argparse, inspect
        def create(width, depth=2): ...
        defaults = dict(width=1, depth=2, other=3)
        for name in ("depth", "other"):
            if name not in inspect.getfullargspec(create)[0]:
                del defaults[name]
        parser = argparse.ArgumentParser()
        for name in defaults:
            parser.add_argument("--" + name)
        for name in inspect.signature(create).parameters:
            parser.add_argument("--the-" + name)
        parser.parse_args()
    """)
    assert [o.dest for o in signature.options] == ["width", "depth", "the_width", "the_depth"]


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
