"""Entry points as a model reads them."""

from ml_agent.conversation.listing import line_of, options_of
from ml_agent.tools.signatures.model import Option, Signature


def test_a_shell_script_says_what_it_reads_and_to_whom_it_hands_its_words() -> None:
    script = Signature(
        path="run.sh",
        kind="shell",
        framework="shell",
        doc="Trains.",
        variables=(("DEVICE", "cpu"), ("USE_AMP", "")),
        calls=("echo $1", 'python train.py --lr 3 "$@"'),
        options=(Option(dest="name"),),
    )
    line = "run.sh (1 options; reads the variables DEVICE=cpu, USE_AMP; passes its arguments on to train.py): Trains."
    assert line_of([script], ".") == line


def test_the_form_of_a_value_is_told_where_it_says_more_than_the_name() -> None:
    told = {"static": "MOUNT:DIRECTORY", "size": "WxH", "static_dir": "DIR", "name": "STR", "d": "D"}
    options = tuple(Option(dest=name, flags=(f"--{name}",), metavar=form) for name, form in told.items())
    whole = Option(dest="rate", flags=("--rate",), type="float", metavar="SHARE")
    shown = options_of(Signature(path="a.py", options=(*options, whole)), "", 400).splitlines()
    assert shown == [
        "--static MOUNT:DIRECTORY",
        "--size WxH",
        "--static_dir STR",
        "--name STR",
        "--d STR",
        "--rate FLOAT",
    ]


def test_a_switch_that_is_on_by_default_says_so() -> None:
    on = Option(
        dest="cuda", flags=("--cuda",), negative_flags=("--no-cuda",), nargs="0", switch_value="True", default="True"
    )
    off = Option(dest="amp", flags=("--amp",), nargs="0", switch_value="True", default="False")
    assert options_of(Signature(path="a.py", options=(on, off)), "", 400) == "--cuda/--no-cuda =on\n--amp"


def test_a_program_says_by_which_name_it_is_installed() -> None:
    two = [Signature(path="pkg/train.py"), Signature(path="pkg/train.py", kind="console", name="pkg_train")]
    assert line_of(two, ".") == "pkg/train.py, installed as pkg_train (0 options)"
    assert line_of(two[1:], ".") == "pkg_train (0 options)"


def test_how_a_truth_is_given_is_told() -> None:
    options = (
        Option(dest="plot", flags=("--plot",), type="bool", default="False"),
        Option(dest="gpu", flags=("--gpu",), type="bool", converter="bool", nargs="?", default="False"),
        Option(dest="fast", flags=("--fast",), type="bool", converter="literal", nargs="?", default="True"),
    )
    shown = options_of(Signature(path="a.py", options=options), "", 400).splitlines()
    assert shown == [
        "--plot {True|False} =False",
        "--gpu [BOOL] (any text is true) =False",
        "--fast [True|False] =True",
    ]


def test_how_a_value_is_joined_and_a_default_that_cannot_be_seen_are_told() -> None:
    options = (
        Option(dest="start", flags=("--start",), default="\n", joined=True),
        Option(dest="seed", flags=("--seed",), type="int", default="3", joined=True),
    )
    shown = options_of(Signature(path="a.py", options=options), "", 400).splitlines()
    assert shown[:2] == ["--start STR ='\\n'", "--seed INT =3"] and "--name=VALUE" in shown[2]


def test_a_blank_default_is_seen_and_of_a_group_the_options_are_named() -> None:
    options = (
        Option(dest="between", flags=("-s", "--separator"), default=" "),
        Option(dest="develfile", flags=("-D", "--develset")),
    )
    made = Signature(path="a.py", options=options, exclusive=(("between", "develfile"),))
    shown = options_of(made, "", 400).splitlines()
    assert "--separator/-s STR =' '" in shown and shown[-1] == "(at most one of: --separator, --develset)"
