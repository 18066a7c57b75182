"""Programs that parse twice: what the first parse says decides which further options there are."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.signatures.model import Signature

Make = Callable[..., Any]

REGISTRY = """
    TASKS = {}

    def register_task(name, settings=None):
        def take(cls):
            TASKS[name] = cls
            cls.settings = settings
            return cls
        return take
"""
FIELDS = """
    from dataclasses import fields

    def add_fields(parser, cls):
        for one in fields(cls):
            name = "--" + one.name.replace("_", "-")
            parser.add_argument(name, type=one.type, default=one.default, help=one.metadata.get("help"))
"""
PLUGINS = {
    "zoo/__init__.py": "from zoo import copying, sorting\n",
    "zoo/copying.py": """
    from dataclasses import dataclass, field
    from registry import register_task
    @dataclass
    class Settings:
        copy_length: int = field(default=9, metadata={"help": "how much"})
    @register_task("copy", settings=Settings)
    class Copy:
        pass
    """,
    "zoo/sorting.py": """
    from registry import register_task
    @register_task("sort")
    class Sort:
        @staticmethod
        def add_args(parser):
            parser.add_argument("--descending", action="store_true")
    """,
}
TRAIN = """
    import argparse
    import zoo
    from registry import TASKS
    from settings import add_fields
    parser = argparse.ArgumentParser()
    parser.add_argument("--task", choices=list(TASKS), {default})
    parser.add_argument("--fast", action="store_true")
    first, _ = parser.parse_known_args()
    cls = TASKS[first.task]
    if hasattr(cls, "add_args"):
        cls.add_args(parser)
    elif getattr(cls, "settings", None) is not None:
        add_fields(parser, cls.settings)
    if first.fast:
        parser.add_argument("--workers", type=int)
    args = parser.parse_args()
"""


def read(repository: Make, default: str) -> tuple[Any, Signature]:
    files = {"train.py": TRAIN.format(default=default), "registry.py": REGISTRY, "settings.py": FIELDS, **PLUGINS}
    reader = repository(files)
    (signature,) = reader.read("train.py")
    return reader, signature


def called(reader: Any, signature: Signature, *words: str) -> Signature:
    """The signature as it is for these words."""
    found: Signature
    (found,) = reader.called((signature,), lambda known: parse_call(known, list(words)).values)
    return found


def test_modules_that_were_imported_fill_a_registry(repository: Make) -> None:
    _, signature = read(repository, "default='copy'")
    assert signature.options[0].choices == ("copy", "sort")


def test_the_default_decides_where_no_word_does(repository: Make) -> None:
    _, signature = read(repository, "default='copy'")
    assert [o.dest for o in signature.options] == ["task", "fast", "copy_length"]
    assert signature.options[2].type == "int" and signature.options[2].default == "9"
    assert signature.whole and set(signature.depends_on) == {"task", "fast"}


@pytest.mark.parametrize(
    ("words", "more"),
    [
        (["--task", "sort"], ["descending"]),
        (["--task=copy", "--fast"], ["copy_length", "workers"]),
        (["--other", "1"], ["copy_length"]),
    ],
)
def test_the_words_decide(repository: Make, words: list[str], more: list[str]) -> None:
    reader, signature = read(repository, "default='copy'")
    found = called(reader, signature, *words)
    assert [o.dest for o in found.options] == ["task", "fast", *more] and found.whole
