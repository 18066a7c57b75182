"""Functions that modules call on parsers while they are imported."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.tools.signatures import machine
from ml_agent.tools.signatures.model import Signature

OPTIONS = """\
import argparse
def add_options(parser):
    parser.add_argument("--width", type=int, default=8)
    return parser
parser = argparse.ArgumentParser()
{call}
"""
CALLS = {
    "parser": "add_options(parser)",
    "group": "group = parser.add_argument_group('model')\nadd_options(group)",
    "before others": "add_options(parser)\nparser.add_argument('--depth', type=int)\nparser.set_defaults(width=9)",
}
USES = {
    "parses": "from options import parser\nargs = parser.parse_args()\n",
    "adds": "from options import parser\nparser.add_argument('--lr', type=float)\nparser.parse_args()\n",
    "parent": "import argparse, options\nargparse.ArgumentParser(parents=[options.parser]).parse_args()\n",
    "group": "import options\noptions.parser.add_argument_group('more').add_argument('--lr')\noptions.parser.parse_args()\n",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_parser_of_an_imported_module_has_all_its_options(
    script: Callable[..., Signature], call: str, use: str
) -> None:
    signature = script(use, options=OPTIONS.format(call=call))
    found = {o.dest: o for o in signature.options}
    assert found["width"].default == ("9" if "set_defaults" in call else "8")
    assert not signature.unseen and next(iter(found)) == "width"


def test_a_function_that_parses_for_its_module_is_followed(script: Callable[..., Signature]) -> None:
    reads = "import argparse\nparser = argparse.ArgumentParser()\ndef read(parser):\n    global args\n    parser.add_argument('--lr')\n    args = parser.parse_args()\nread(parser)\n"
    signature = script("import config\nprint(config.args.lr)\n", config=reads)
    assert [o.dest for o in signature.options] == ["lr"]


def test_parsers_that_nobody_asks_for_cost_nothing(
    script: Callable[..., Signature], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []
    monkeypatch.setattr(machine.PostponedCalls, "_do", lambda self, call: done.append(call))
    use = "import argparse, options\np = argparse.ArgumentParser()\np.add_argument('--seed')\np.parse_args()\n"
    signature = script(use, options=OPTIONS.format(call=CALLS["parser"]))
    assert [o.dest for o in signature.options] == ["seed"] and not done
