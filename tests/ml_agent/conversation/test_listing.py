"""Entry points as a model reads them."""

from ml_agent.conversation.listing import line_of, options_of, parameters_of, said_of
from ml_agent.tools.python_api.model import Parameter
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


def test_one_that_reads_nothing_says_nothing_of_it() -> None:
    assert line_of([Signature(path="run.sh", kind="shell", calls=("python train.py",))], ".") == "run.sh (0 options)"


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


def test_of_many_parameters_those_stay_that_are_needed_or_spoken_of() -> None:
    many = [Parameter(name="model"), *(Parameter(name=f"setting_{n}", default="1") for n in range(9))]
    many.append(Parameter(name="max_epochs", default="100"))
    assert parameters_of(many, 45, "twenty epochs") == "model, setting_0=1, max_epochs=100, ..."
    assert parameters_of(many[:2], 45, "twenty epochs") == "model, setting_0=1"


def test_a_switch_that_is_on_by_default_says_so() -> None:
    on = Option(
        dest="cuda", flags=("--cuda",), negative_flags=("--no-cuda",), nargs="0", switch_value="True", default="True"
    )
    off = Option(dest="amp", flags=("--amp",), nargs="0", switch_value="True", default="False")
    assert options_of(Signature(path="a.py", options=(on, off)), "", 400) == "--cuda/--no-cuda =on\n--amp"


def test_the_help_of_what_the_request_speaks_of_is_told_further() -> None:
    text = "how often: " + ", ".join(f"w{n}:every {n} weeks" for n in range(9))
    options = (
        Option(dest="freq", flags=("--freq",), help=text),
        Option(dest="other", flags=("--other",), help=text.replace("weeks", "w")),
    )
    shown = options_of(Signature(path="a.py", options=options), "a freq of weeks", 2000)
    said, other = shown.split("\n")
    assert len(said) > len(other)


def test_a_switch_that_takes_away_is_not_on() -> None:
    skip = Option(dest="skip", flags=("--no-skip",), nargs="0", switch_value="False", default="True")
    assert options_of(Signature(path="a.py", options=(skip,)), "", 400) == "--no-skip"


def test_an_option_called_version_may_be_of_use() -> None:
    of_model = Option(dest="version", flags=("--version",), default="v2")
    of_program = Option(dest="version", flags=("--version",), nargs="0", switch_value="True")
    assert options_of(Signature(path="a.py", options=(of_model,)), "", 400) == "--version STR =v2"
    assert not options_of(Signature(path="a.py", options=(of_program,)), "", 400)


def test_what_takes_the_rest_is_not_needed() -> None:
    rest = Option(dest="opts", nargs="...")
    assert options_of(Signature(path="a.py", options=(rest,)), "", 400) == "opts STR..."


def test_a_licence_says_nothing_of_a_program() -> None:
    assert line_of([Signature(path="a.py", doc="Copyright (c) Me, Inc. Donut")], ".") == "a.py (0 options)"


def test_parameters_are_spoken_of_by_other_names() -> None:
    many = [Parameter(name=f"setting_{n}", default="1") for n in range(9)] + [Parameter(name="lr", default="0.1")]
    assert "lr=0.1" in parameters_of(many, 40, "a learning rate of 1e-4")


def test_keys_of_a_configuration_are_left_open_or_need_no_value() -> None:
    options = (Option(dest="width", type="int", required=True), Option(dest="rank"), Option(dest="lr", default="1"))
    shown = options_of(Signature(path="a.py", options=options, syntax="overrides"), "", 400)
    assert shown.splitlines()[:3] == ["width INT =???", "rank STR", "lr STR =1"]


def test_what_chooses_the_configuration_stands_before_its_keys() -> None:
    chooses = Option(dest="config-name", flags=("--config-name", "-cn"), choices=("slow_8x8", "moco"))
    keys = [Option(dest=f"train.rate{number}", type="float", default="0.1") for number in range(30)]
    shown = options_of(
        Signature(path="a.py", options=(*keys, chooses), syntax="overrides"), "train at a rate of 1", 200
    )
    assert "--config-name/-cn {slow_8x8|moco}" in shown


def test_a_program_says_by_which_name_it_is_installed() -> None:
    two = [Signature(path="pkg/train.py"), Signature(path="pkg/train.py", kind="console", name="pkg_train")]
    assert line_of(two, ".") == "pkg/train.py, installed as pkg_train (0 options)"
    assert line_of(two[1:], ".") == "pkg_train (0 options)"


def test_of_many_choices_those_that_are_said_stand_first() -> None:
    model = Option(dest="model", flags=("--model",), choices=tuple(f"Net{n}" for n in range(40)))
    shown = options_of(Signature(path="a.py", options=(model,)), "train Net37 on it", 400)
    assert shown.startswith("--model {Net37|Net0|")


def test_how_a_truth_is_given_is_told() -> None:
    options = (
        Option(dest="plot", flags=("--plot",), type="bool", default="False"),
        Option(dest="gpu", flags=("--gpu",), type="bool", converter="bool", nargs="?", default="False"),
        Option(dest="fast", flags=("--fast",), type="bool", converter="literal", nargs="?", default="True"),
    )
    shown = options_of(Signature(path="a.py", options=options), "", 400).splitlines()
    assert shown == ["--plot {True|False} =False", "--gpu BOOL (any text is true) =False", "--fast [True|False] =True"]


def test_of_parameters_that_are_spoken_of_those_come_first_whose_values_are_told() -> None:
    described = {
        "n_fft": "Points of the transform.",
        "window_name": "One of 'hann', 'hamming'.",
        "hop_length": "Samples between two windows.",
        "seed": "One of many.",
    }
    words = "a hamming window, a hop of 5 samples, n_fft=512"
    assert said_of(described, words, 1) == ["window_name: One of 'hann', 'hamming'."]
    assert said_of(described, words, 3) == [
        f"{name}: {described[name]}" for name in ("n_fft", "window_name", "hop_length")
    ]
