"""The calls of a text, and what is changed in one of them."""

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.tools.commandline.edit import Call, parse_one, remove_option, set_option
from ml_agent.tools.commandline.lexer import quote, unquote
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option, Signature

TRAIN = Signature(
    path="src/train.py",
    options=(
        Option(dest="data"),
        Option(dest="batch_size", flags=("-b", "--batch-size"), type="int"),
        Option(dest="v", flags=("-v",), nargs="0", type="bool", switch_value="True"),
        Option(dest="x", flags=("-x",), nargs="0", type="bool", switch_value="True"),
        Option(dest="file", flags=("-f", "--file")),
        Option(dest="layers", flags=("--layers",), type="int", nargs="+"),
    ),
)
TOOL = Signature(
    path="tool.py",
    subcommand=("fit",),
    options=(
        Option(dest="seed", flags=("--seed",), type="int"),
        Option(dest="rate", flags=("--rate",), type="float", level=1),
    ),
)
HYDRA = Signature(
    path="run.py", syntax="overrides", options=(Option(dest="lr", type="float"), Option(dest="model.dim", type="int"))
)
FLAGS = Signature(
    path="main.py",
    syntax="absl",
    options=(Option(dest="steps", flags=("--steps",), type="int"), Option(dest="out", flags=("--out",))),
)
ALL = (TRAIN, TOOL, HYDRA, FLAGS)


def one(text: str, signature: Signature = TRAIN) -> Call:
    """The call of a text."""
    call = parse_one(text, signature)
    assert call is not None
    return call


@pytest.mark.parametrize(
    ("text", "flags", "values", "forms"),
    [
        ("python train.py -b32", "-b", ("32",), "attached"),
        ("python train.py --batch-size=32", "--batch-size", ("32",), "equals"),
        ("python train.py --batch 32", "--batch", ("32",), "apart"),
        ("python train.py --batch=32", "--batch", ("32",), "equals"),
        ("python train.py -b=32", "-b", ("32",), "equals"),
        ("python train.py -vxb 32", "-b", ("32",), "apart"),
        ("python train.py -vxb32", "-b", ("32",), "attached"),
    ],
)
def test_every_spelling_of_an_option(text: str, flags: str, values: tuple[str, ...], forms: str) -> None:
    part = one(text).given("batch_size")
    assert part is not None and (part.flag, part.values, part.form) == (flags, values, forms)
    assert one(text).parsed.values["batch_size"] == 32


def test_overrides_keep_their_signs() -> None:
    call = one("python run.py -m lr=0.1 +model.dim=3 ~model.dim", HYDRA)
    assert [(p.kind, p.flag, p.values) for p in call.arguments] == [
        ("option", "-m", ()), ("override", "lr", ("0.1",)), ("override", "+model.dim", ("3",)),
        ("override", "~model.dim", ()),
    ]  # fmt: skip
    assert set_option(call, "lr", 0.5).text() == "python run.py -m lr=0.5 +model.dim=3 ~model.dim"


@pytest.mark.parametrize(
    ("text", "dest", "value", "wanted"),
    [
        (
            "python train.py d \\\n  -b 32 \\\n  -v > log",
            "batch_size",
            8,
            "python train.py d \\\n  -b 8 \\\n  -v > log",
        ),
        ("python train.py d -v > log", "batch_size", 8, "python train.py d -v --batch-size 8 > log"),
        ("python train.py d -b32", "batch_size", 8, "python train.py d -b8"),
        ("python train.py d --batch=32", "batch_size", 8, "python train.py d --batch=8"),
        ("python train.py -v -- d", "layers", [1, 2], "python train.py -v --layers 1 2 -- d"),
        ("python train.py --layers 1 2", "data", "d", "python train.py d --layers 1 2"),
        ("python train.py d -v", "v", False, "python train.py d"),
        (
            "cd src && python train.py x -b 1 | tee log  # b",
            "batch_size",
            2,
            "cd src && python train.py x -b 2 | tee log  # b",
        ),
        ("python train.py -b 1 d -b 2 &", "batch_size", 3, "python train.py -b 3 d &"),
        ("if true; then\n  python train.py > log d\nfi", "v", True, "if true; then\n  python train.py > log d -v\nfi"),
    ],
)
def test_editing_keeps_the_rest(text: str, dest: str, value: object, wanted: str) -> None:
    assert set_option(one(text), dest, value).text() == wanted


def test_what_would_change_other_words_is_refused() -> None:
    with pytest.raises(RenderError):
        remove_option(one("python train.py --layers 1 -b 2 d"), "batch_size")
    with pytest.raises(RenderError):
        set_option(one("python train.py d"), "nothing", 1)


WORDS = st.one_of(
    st.sampled_from(
        ["-b32", "-vx", "-vxf", "-vf'a b'", "--batch=3", "--layers", "1", "-1", "d", "--", "lr=1", "+lr=2"]
    ),
    st.sampled_from(
        ["~lr", "fit", "--seed", "--steps=3", "--out", ">", "2>&1", "\\\n", "'a b'", '"$X"', "--nothing=1"]
    ),
    st.text(max_size=6).map(shlex.quote),
)


@settings(max_examples=160, deadline=None)
@given(st.sampled_from(ALL), st.lists(WORDS, max_size=8), st.data())
def test_an_edit_changes_one_option_only(signature: Signature, words: list[str], data: st.DataObject) -> None:
    call = parse_one(" ".join(["python", signature.path, *words]), signature)
    assert call is not None
    option = data.draw(st.sampled_from(signature.options))
    value: object = True if option.nargs == "0" else 7 if option.type in ("int", "float") else "a 'b"
    value = [value] if option.nargs == "+" else value
    before = {name: given for name, given in call.parsed.values.items() if name != option.dest}
    try:
        changed = set_option(call, option.dest, value)
    except RenderError:
        return
    again = parse_one(changed.text(), signature)
    assert again is not None
    found = dict(again.parsed.values)
    assert found.pop(option.dest) == value
    assert found == before


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=20))
def test_quotes_come_off_again(word: str) -> None:
    assert unquote(quote(word)) == word
