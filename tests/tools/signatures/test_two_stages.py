"""Programs that parse twice: what the first parse says decides which further options there are."""

from collections.abc import Callable
from typing import Any

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
    parser.add_argument("--task", choices=list(TASKS), default="copy")
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


def test_the_default_decides_which_options_there_are(checked: Make, repository: Make) -> None:
    files = {"train.py": TRAIN, "registry.py": REGISTRY, "settings.py": FIELDS, **PLUGINS}
    (signature,) = repository(files).read("train.py")
    assert signature.options[0].choices == ("copy", "sort")
    assert [o.dest for o in signature.options] == ["task", "fast", "copy_length"]
    assert signature.options[2].type == "int" and signature.options[2].default == "9"
    assert signature.whole and set(signature.depends_on) == {"task", "fast"}
    says = checked(files)
    assert says("python train.py --copy-length 3 --other 1") == ["error unknown-option"]
    assert says("python train.py --task sort --descending") == ["unsure cannot-tell"]
