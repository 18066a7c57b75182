"""Settings that are attributes of an object, which the command line sets by name."""

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature

Find = Callable[[Signature, str], Option]
Make = Callable[..., Any]

CLASS = """
    class Config:
        lr = 0.1  # step size
        use_adam = False
        path: str = "data"
        _hidden = 1
        def parse(self, {takes}):
            for name, value in {given}.items():
                {test}
                setattr(self, name, value)
    opt = Config()
"""
FIRE = """
    import fire
    from settings import opt
    def train({parameters}**kwargs):
        opt.parse({handed}kwargs)
    if __name__ == "__main__":
        fire.Fire(train)
"""
REFUSES = "if not hasattr(self, name): raise ValueError(name)"
WORDS = """
    import sys
    class Node:
        def __init__(self, **given):
            self.__dict__.update(given)
        def take(self, words):
            for word in words:
                name, value = word.split("=")
                assert name[:2] == "--"
                setattr(self, name[2:], value)
    def defaults():
        c = Node()
        c.net = Node()
        c.net.depth = 3  # layers
        c.name = "run"
        return c
    if __name__ == "__main__":
        config = defaults()
        config.{call}
        print(config)
"""


def _read(repository: Make, files: Mapping[str, str]) -> Signature:
    (signature,) = repository(files).read("run.py")
    return signature  # type: ignore[no-any-return]


def test_keywords_that_become_attributes(repository: Make, option: Find) -> None:
    for stars in ("", "**"):
        settings = CLASS.format(takes=f"{stars}given", given="given", test=REFUSES)
        found = _read(repository, {"settings.py": settings, "run.py": FIRE.format(parameters="", handed=stars)})
        assert [(one.dest, one.type, one.default) for one in found.options] == [
            ("lr", "float", "0.1"),
            ("use_adam", "bool", "False"),
            ("path", "str", "data"),
        ]
        assert found.whole and (option(found, "lr").path, option(found, "lr").line) == ("settings.py", 3)
        assert option(found, "lr").help == "step size" and option(found, "use_adam").nargs == "?"


def test_keywords_of_any_name_stay_open(repository: Make) -> None:
    settings = CLASS.format(takes="given", given="given", test="print(name)")
    for parameters in ("", "lr, "):
        found = _read(repository, {"settings.py": settings, "run.py": FIRE.format(parameters=parameters, handed="")})
        assert [one.dest for one in found.options] == ["lr", "use_adam", "path"] and not found.whole


def test_words_that_settings_take_apart(repository: Make, option: Find) -> None:
    found = _read(repository, {"run.py": WORDS.format(call="take(sys.argv[1:])")})
    assert [(one.flags, one.type, one.default, one.joined) for one in found.options] == [
        (("--net.depth",), "int", "3", True),
        (("--name",), "str", "run", True),
    ]
    assert not found.whole and (option(found, "net.depth").line, option(found, "net.depth").help) == (14, "layers")


def test_words_that_are_handed_to_something_else(repository: Make) -> None:
    assert not _read(repository, {"run.py": WORDS.format(call="other(sys.argv[1:])")}).options


def test_the_check_knows_them(tmp_path: Path) -> None:
    settings = CLASS.format(takes="given", given="given", test=REFUSES)
    for name, text in {"settings.py": settings, "run.py": FIRE.format(parameters="", handed="")}.items():
        (tmp_path / name).write_text(textwrap.dedent(text))
    index = RepoIndex(tmp_path, "1")
    assert check_command("python run.py --lr=3 --use-adam", index) == []
    (found,) = check_command("python run.py --pth=3", index)
    assert (found.code, found.severity) == ("unknown-option", "error")
