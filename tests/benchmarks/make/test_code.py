"""A number of a code block is changed only where the others in it leave room."""

from pathlib import Path
from random import Random

import pytest

from ml_agent.benchmarks.make.code import SHAPE, _input, _values, _verb, code_row, fits
from ml_agent.benchmarks.make.reference import RefusedCommand
from ml_agent.benchmarks.make.vary import ValueMaker
from ml_agent.benchmarks.make.wording import UnsayableRequest
from ml_agent.benchmarks.observation.model import CodeCall
from ml_agent.tools.examples import Example

BLOCK = "v = ViT(image_size=256, patch=16, classes=1024, dim=512, depth=5, heads=8, drop=0.1)\nx = randn(1, 3, 256, 256)  # (1, 1024)"


@pytest.mark.parametrize(
    ("name", "old", "new", "good"),
    [
        ("image_size", 256, 128, False),
        ("classes", 1024, 512, False),
        ("patch", 16, 48, False),
        ("depth", 5, 10, True),
        ("drop", 0.1, 0.2, True),
        ("heads", 8, 2, True),
        ("heads", 8, 5, False),
    ],
)
def test_a_numberfits_the_literals_beside_it(name: str, old: float, new: float, good: bool) -> None:
    assert fits(BLOCK, name, old, new) is good


def test_a_factor_of_what_stands_there_stays() -> None:
    assert not fits("x = randn(1, 49, 512)\nblock = Block(h=7)", "h", 7, 14)
    assert not fits("block = Block(dim=512, heads=8)\nx = randn(1, 64, 30)", "heads", 8, 16)


@pytest.mark.parametrize(
    ("code", "good"),
    [
        ("Net(depth=3, size=7)", True),
        ("Net(depth=3, size=x.shape[0])", False),
        ("Net(depth=3, sizes=[1, 2])", False),
        ("Deep(x, depth=3)", False),
        ("Net(depth=3).fit(rounds=4)", True),
        ("Net(depth=3).fit()", True),
    ],
)
def test_code_gives_nothing_that_the_request_does_not_say(code: str, good: bool, tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit/__init__.py").write_text("")
    net = "class Net:\n    def __init__(self, depth=1, size=2, sizes=None): pass\n    def fit(self, rounds=1): pass\n"
    net += "class Deep:\n    def __init__(self, part, depth=1): pass\n"
    (tmp_path / "kit/net.py").write_text(net)
    text = f"import torch\nfrom kit.net import Deep, Net\nx = torch.load('x')\n{code}\n"
    example = Example(kind="python", text=text, path="README.md", line=1, workdir=".", api=("kit",))
    if good:
        assert "depth" in code_row(example, "plain", ValueMaker((), Random(0)), tmp_path, "kit").instruction
    else:
        with pytest.raises(UnsayableRequest):
            code_row(example, "plain", ValueMaker((), Random(0)), tmp_path, "kit")


def test_a_value_with_blanks_stands_in_quotes(tmp_path: Path) -> None:
    (tmp_path / "kit.py").write_text("def ask(prompt, tokens=1): pass\n")
    text = "from kit import ask\nask('What is it?', tokens=30)\n"
    example = Example(kind="python", text=text, path="README.md", line=1, workdir=".", api=("kit",))
    assert 'prompt "What is it?"' in code_row(example, "plain", ValueMaker((), Random(0)), tmp_path, "kit").instruction


def test_defaults_that_the_code_gives_and_its_input_are_said() -> None:
    """Who acts on the request writes the same call, and calls the object on input of the same shape."""
    call = CodeCall(name="net.Net", own=True, arguments={"dim": 8, "deep": True}, defaults={"deep": True})
    assert _values(call) == {"dim": 8, "deep": True}
    made = CodeCall(name="?torch.randn", own=False, arguments={"0": 1, "1": 3})
    called = CodeCall(name="net.Net()", own=True)
    assert _input([made, call, called], "print(y.shape)").endswith("shape 1 x 3 and print the shape of what comes out.")
    assert _input([made, call, called], "y = net(x)").endswith("input of the shape 1 x 3.")
    assert _input([made, call], "") == ""
    three = CodeCall(name="net.Net()", own=True, arguments={"0": 1, "1": 1, "2": 1})
    assert _input([made, call, three], "").endswith("of the shape 1 x 3 for each of its 3 arguments.")


def test_code_with_input_that_cannot_be_said_makes_no_request() -> None:
    """Who builds the object and calls it on nothing would have done all that a request without the input names."""
    made = CodeCall(name="?torch.randn", own=False, arguments={"0": 1, "1": 3})
    for inputs in ([made, made], []):
        with pytest.raises(UnsayableRequest):
            _input([*inputs, CodeCall(name="net.Net()", own=True)], "")


@pytest.mark.parametrize("name", ["kernel_size", "stride", "padding", "dim"])
def test_numbers_on_which_the_size_of_the_output_hangs_stay(name: str) -> None:
    assert SHAPE.match(name) and not SHAPE.match("depth")


def test_a_placeholder_in_code_makes_no_row(tmp_path: Path) -> None:
    (tmp_path / "kit.py").write_text("def load(path, tokens=1): pass\n")
    text = "from kit import load\nload('path/to/weights', tokens=30)\n"
    example = Example(kind="python", text=text, path="README.md", line=1, workdir=".", api=("kit",))
    with pytest.raises(RefusedCommand):
        code_row(example, "plain", ValueMaker((), Random(0)), tmp_path, "kit")


def test_private_modules_are_not_named() -> None:
    assert _verb(CodeCall(name="kit.models._factory.make", own=True)) == "call make of models"
