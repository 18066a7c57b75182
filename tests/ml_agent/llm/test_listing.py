"""Entry points as a model reads them."""

from ml_agent.llm.listing import line_of, parameters_of
from tools.python_api.model import Parameter
from tools.signatures.model import Option, Signature


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
    line = "run.sh (1 options; reads the variables DEVICE=cpu, USE_AMP; hands its words on to train.py): Trains."
    assert line_of([script], ".") == line


def test_one_that_reads_nothing_says_nothing_of_it() -> None:
    assert line_of([Signature(path="run.sh", kind="shell", calls=("python train.py",))], ".") == "run.sh (0 options)"


def test_of_many_parameters_those_stay_that_are_needed_or_spoken_of() -> None:
    many = [Parameter(name="model"), *(Parameter(name=f"setting_{n}", default="1") for n in range(9))]
    many.append(Parameter(name="max_epochs", default="100"))
    assert parameters_of(many, 45, "twenty epochs") == "model, setting_0=1, max_epochs=100, ..."
    assert parameters_of(many[:2], 45, "twenty epochs") == "model, setting_0=1"
