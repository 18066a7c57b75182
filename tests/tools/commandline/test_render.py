"""Rendering a call and reading it back, against our own parser and the real argparse, absl and click."""

import argparse
import math
import os
import shlex
import string
from collections.abc import Mapping
from typing import Any, NoReturn

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ml_agent.tools.commandline.render import render_command, render_words
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option, OptionType, Signature

EFFORT = int(os.environ.get("ML_AGENT_TEST_EFFORT", "1"))
"""Multiplies the number of examples."""

TYPES: tuple[OptionType, ...] = ("int", "float", "str")
KINDS: dict[str, Any] = {"int": int, "float": float, "str": str}
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r", exclude_categories=["Cs"]), max_size=10)
NAMES = st.text(string.ascii_lowercase.replace("h", ""), min_size=2, max_size=8)


@st.composite
def options(draw: st.DrawFn) -> Option:
    """One option as argparse may have it."""
    name = draw(NAMES)
    kind: OptionType = draw(st.sampled_from(TYPES))
    shape = draw(st.sampled_from(["value", "switch", "off", "list", "pair", "append", "maybe", "positional"]))
    choices: tuple[str, ...] = ()
    if kind == "str" and shape in ("value", "list") and draw(st.booleans()):
        choices = tuple(draw(st.lists(WORDS, min_size=1, max_size=3, unique=True)))
    flags = () if shape == "positional" else (f"--{name}",) if draw(st.booleans()) else (f"-{name[0]}", f"--{name}")
    nargs = {"switch": "0", "off": "0", "list": draw(st.sampled_from("*+")), "pair": "2", "maybe": "?"}.get(shape)
    return Option(
        dest=name, flags=flags, type="bool" if nargs == "0" else kind, choices=choices, nargs=nargs,
        switch_value={"switch": "True", "off": "False"}.get(shape), repeatable=shape == "append",
        required=shape == "positional" or (draw(st.booleans()) and nargs != "0"),
    )  # fmt: skip


@st.composite
def signatures(draw: st.DrawFn) -> Signature:
    """A signature whose flags do not clash."""
    made = draw(st.lists(options(), min_size=1, max_size=6, unique_by=lambda o: o.dest))
    flags = [f for o in made for f in o.flags]
    assume(len(flags) == len(set(flags)))
    return Signature(path="main.py", options=tuple(made), syntax="argparse")


def value_of(draw: st.DrawFn, option: Option) -> Any:
    """A value that the option takes."""
    numbers = {"int": st.integers(-(10**9), 10**9), "float": st.floats(allow_nan=False, allow_infinity=False)}
    one = st.sampled_from(option.choices) if option.choices else numbers.get(option.type, WORDS)
    if option.nargs == "0":
        return option.switch_value != "False"
    if option.nargs in ("*", "+"):
        return draw(st.lists(one, min_size=option.nargs == "+", max_size=3))
    if option.nargs == "2":
        return draw(st.lists(one, min_size=2, max_size=2))
    return draw(st.lists(one, min_size=1, max_size=3)) if option.repeatable else draw(one)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Signature, dict[str, Any]]:
    """A signature and a call of it."""
    signature = draw(signatures())
    given_options = [o for o in signature.options if o.required or draw(st.booleans())]
    return signature, {o.dest: value_of(draw, o) for o in given_options}


class RealParser(argparse.ArgumentParser):
    """Raises where argparse would print and exit."""

    def error(self, message: str) -> NoReturn:
        """Refuse."""
        raise ValueError(message)


def real_parser(signature: Signature) -> argparse.ArgumentParser:
    """The real argparse parser of a signature."""
    parser = RealParser(argument_default=argparse.SUPPRESS)
    for option in signature.options:
        facts: dict[str, Any] = {"dest": option.dest} if option.flags else {}
        if option.nargs == "0":
            facts["action"] = "store_false" if option.switch_value == "False" else "store_true"
        else:
            facts["type"] = KINDS[option.type]
            facts |= {"nargs": int(option.nargs) if option.nargs.isdigit() else option.nargs} if option.nargs else {}
            facts |= {"choices": option.choices} if option.choices else {}
            facts |= {"action": "append"} if option.repeatable else {}
        if option.flags:
            facts["required"] = option.required
        parser.add_argument(*(option.flags or (option.dest,)), **facts)
    return parser


def same(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Whether two calls say the same."""
    return left.keys() == right.keys() and all(
        left[k] == right[k] or (isinstance(left[k], float) and math.isclose(left[k], right[k])) for k in left
    )


@settings(max_examples=120 * EFFORT, deadline=None)
@given(calls())
def test_parsing_a_rendered_call_gives_the_call(made: tuple[Signature, dict[str, Any]]) -> None:
    signature, call = made
    try:
        words = render_words(signature, call)
    except RenderError:
        listed = [w for v in call.values() if isinstance(v, list) for w in v]
        assert any(str(w).startswith("-") for w in listed)
        return
    text = render_command(signature, call)
    if not any("$" in w for w in words):
        assert shlex.split(text) == ["python", "main.py", *words]
        assert parse_command(text).invocations[0].words == words
    ours = parse_call(signature, words)
    variable = [f for f in ours.findings if f.severity == "error"]
    assert not variable and same(ours.values, call)
    real = vars(real_parser(signature).parse_args(list(words)))
    assert same(real, call)


WILD = st.lists(
    st.one_of(
        st.sampled_from(["--", "-", "1", "-1", "a", "--aa", "--aa=1", "-a", "-a1", "--a", "-ab", "", "x y", "-x y"]),
        WORDS,
    ),
    max_size=6,
)


@settings(max_examples=80 * EFFORT, deadline=None)
@given(signatures(), WILD, st.data())
def test_refuses_what_the_real_argparse_refuses(signature: Signature, words: list[str], data: st.DataObject) -> None:
    flags = [f for o in signature.options for f in o.flags]
    if flags:
        words = [data.draw(st.sampled_from([w, *flags])) for w in words]
    assume(not any(c in w for w in words for c in "$`{<*") and "..." not in words)
    assume("-h" not in words and not any(w.startswith(("--h", "-h")) for w in words))
    ours = parse_call(signature, words)
    try:
        real = vars(real_parser(signature).parse_args(words))
    except ValueError as error:
        if set(str(error).removeprefix("unrecognized arguments:").split()) == {"--"}:
            return  # newer versions of argparse take it
        assert any(f.severity == "error" for f in ours.findings)
        return
    assert not [f for f in ours.findings if f.severity == "error"]
    assert same(
        {k: v for k, v in ours.values.items() if v != []}, {k: v for k, v in real.items() if v not in ([], None)}
    )


def test_subcommands_keep_their_options_behind_them() -> None:
    signature = Signature(
        path="a.py", subcommand=("train",),
        options=(Option(dest="debug", flags=("--debug",), nargs="0", type="bool"), Option(dest="lr", flags=("--lr",), type="float", level=1)),
    )  # fmt: skip
    words = render_words(signature, {"lr": 0.1, "debug": True})
    assert words == ("--debug", "train", "--lr", "0.1")
    assert parse_call(signature, words).values == {"debug": True, "lr": 0.1}
    bare = Signature(path="a.py")
    assert choose([bare, signature], words) is signature and choose([bare, signature], ["x"]) is bare


@pytest.mark.parametrize(
    ("kind", "name", "path", "workdir", "expected"),
    [
        ("python", "", "examples/x/train.py", "examples/x", "python train.py"),
        ("python", "", "train.py", "examples/x", "python ../../train.py"),
        ("shell", "", "scripts/run.sh", ".", "bash scripts/run.sh"),
        ("module", "pkg.train", "pkg/train.py", ".", "python -m pkg.train"),
        ("console", "fold", "pkg/fold.py", ".", "fold"),
        ("make", "train", "Makefile", ".", "make train"),
        ("make", "train", "docs/Makefile", ".", "make -C docs train"),
    ],
)
def test_programs(kind: Any, name: str, path: str, workdir: str, expected: str) -> None:
    assert render_command(Signature(path=path, kind=kind, name=name), {}, workdir) == expected


def test_absl_as_absl() -> None:
    flags = pytest.importorskip("absl.flags")
    values = flags.FlagValues()
    flags.DEFINE_integer("steps", 1, "", flag_values=values)
    flags.DEFINE_bool("train", False, "", flag_values=values)
    flags.DEFINE_string("name", None, "", flag_values=values)
    flags.DEFINE_multi_integer("size", None, "", flag_values=values)
    signature = Signature(
        path="a.py", syntax="absl", allow_abbrev=False,
        options=(
            Option(dest="steps", flags=("--steps",), type="int"),
            Option(dest="train", flags=("--train",), negative_flags=("--notrain",), type="bool", nargs="?bool", switch_value="True"),
            Option(dest="name", flags=("--name",)), Option(dest="size", flags=("--size",), type="int", repeatable=True),
        ),
    )  # fmt: skip
    call = {"steps": 5, "train": False, "name": "-a b", "size": [1, 2]}
    words = render_words(signature, call)
    assert words == ("--steps=5", "--train=False", "--name=-a b", "--size=1", "--size=2")
    assert parse_call(signature, words).values == call
    assert values(["a.py", *words]) == ["a.py"]
    assert {n: values[n].value for n in call} == call
    for good in (["--notrain"], ["--train"], ["-steps", "3"], ["--name", "--odd"]):
        assert not parse_call(signature, good).findings and values(["a.py", *good]) == ["a.py"]
    for bad in (["--stps=3"], ["--steps=x"], ["--name"], ["--notrain=1"]):
        assert any(f.severity == "error" for f in parse_call(signature, bad).findings)
        with pytest.raises((flags.Error, ValueError)):
            values(["a.py", *bad])


def test_click_as_click() -> None:
    click = pytest.importorskip("click")
    seen: dict[str, Any] = {}

    def take(**kwargs: Any) -> None:
        seen.update({k: list(v) if isinstance(v, tuple) else v for k, v in kwargs.items() if v not in (None, ())})

    params = [
        click.Option(["--num"], type=int),
        click.Option(["--on/--off"], default=None),
        click.Option(["--pair"], nargs=2),
        click.Option(["-m", "--many"], multiple=True),
        click.Argument(["src"]),
    ]
    main = click.Command("main", params=params, callback=take)

    signature = Signature(
        path="a.py", syntax="click",
        options=(
            Option(dest="num", flags=("--num",), type="int"),
            Option(dest="on", flags=("--on",), negative_flags=("--off",), nargs="0", switch_value="True", type="bool"),
            Option(dest="pair", flags=("--pair",), nargs="2"), Option(dest="many", flags=("-m", "--many"), repeatable=True),
            Option(dest="src", required=True),
        ),
    )  # fmt: skip
    call = {"num": -3, "on": False, "pair": ["-a", "b"], "many": ["x", "--y"], "src": "-s"}
    words = render_words(signature, call)
    main.main(list(words), standalone_mode=False)
    assert seen == call and parse_call(signature, words).values == call
    for bad in (["--num", "x", "s"], ["--nix", "s"], [], ["s", "t"], ["s", "--pair", "1"], ["--on=1", "s"]):
        assert any(f.severity == "error" for f in parse_call(signature, bad).findings), bad
        with pytest.raises(click.ClickException):
            main.main(bad, standalone_mode=False)
