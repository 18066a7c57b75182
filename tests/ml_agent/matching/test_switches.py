"""Which switches a request asks for."""

from collections.abc import Sequence

import pytest

from ml_agent.matching.fill import Callee, fill
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.switches import SWITCH_FEATURES, is_ruled_out, switch_features
from ml_agent.tools.signatures.model import Option


class Sure:
    """Tables by which no value belongs anywhere and every switch is wanted."""

    stake = shipped().stake

    def value(self, vector: Sequence[float]) -> float:
        return -9.0

    def switch(self, vector: Sequence[float]) -> float:
        return 9.0


def slot(dest: str, **more: object) -> Slot:
    return Slot(Option(dest=dest, flags=(f"--{dest}",), **more))  # type: ignore[arg-type]


def test_what_is_refused_behind_a_switch_does_not_refuse_the_switch() -> None:
    one = slot("load_best", nargs="0", switch_value="True", help="Load best model instead of last model")
    said = switch_features(read_request("show the best model, not the last one"), one, TermWeights([one]), frozenset())
    assert said is not None
    assert not said.negated


def test_a_spelled_option_asks_for_no_other_switch() -> None:
    one = slot("pad_to_max_length", nargs="0", switch_value="True")
    assert switch_features(read_request("train with --max_seq_length 64"), one, TermWeights([one]), frozenset()) is None


def test_a_switch_and_its_contrary() -> None:
    one = slot("early_stop", nargs="0", switch_value="True", help="stop when nothing improves")
    for text, negated in (("train with early stop", 0.0), ("train without early stop", 1.0)):
        said = switch_features(read_request(text), one, TermWeights([one]), frozenset())
        assert said is not None
        assert said.vector[SWITCH_FEATURES.index("negated")] == negated


@pytest.mark.parametrize(
    "text",
    ["please don't compile the model", "please don’t compile the model", "train with compile switched off", "the compile pass should be disabled"],
)  # fmt: skip
def test_a_switch_is_denied_by_a_contraction_and_by_what_stands_behind_it(text: str) -> None:
    one = slot("compile", type="bool", default="True", help="compile the model")
    said = switch_features(read_request(text), one, TermWeights([one]), frozenset())
    assert said is not None
    assert said.negated


def test_what_is_switched_off_in_another_clause_is_not_denied_here() -> None:
    one = slot("compile", type="bool", default="True", help="compile the model")
    said = switch_features(read_request("compile it, with plots switched off"), one, TermWeights([one]), frozenset())
    assert said is not None
    assert not said.negated


def test_a_denial_that_is_part_of_the_name_asks_for_the_switch() -> None:
    slots = [slot("no_plots", nargs="0", switch_value="True", help="Disable the plots at the end")]
    found = fill(read_request("no plots need to be drawn"), slots, Sure())
    assert [one.values for one in found.placed] == [("True",)]


def test_a_switch_of_which_nothing_is_said() -> None:
    one = slot("fp16", nargs="0", switch_value="True")
    assert switch_features(read_request("play a song"), one, TermWeights([one]), frozenset()) is None


def test_what_is_wanted_is_not_switched_off() -> None:
    slots = [
        Slot(Option(dest="no_cuda", flags=("--no_cuda",), nargs="0", switch_value="True", help="Do not use CUDA."))
    ]
    for text, expected in (("train on one GPU", {}), ("train without the GPU", {"no_cuda": ("True",)})):
        found = fill(read_request(text), slots, Sure())
        assert {slots[one.slot].option.dest: one.values for one in found.placed} == expected


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("upper and lower case should be kept apart", 1.0), ("please distinguish upper and lower case", 1.0),
        ("ignore upper and lower case", 0.0), ("upper and lower case are one. Keep the model", 0.0),
    ],
)  # fmt: skip
def test_what_a_switch_takes_away_is_refused_by_who_keeps_it(text: str, negated: float) -> None:
    one = slot("lowercase", nargs="0", switch_value="True", default="True", help="ignore upper and lower case")
    said = switch_features(read_request(text), one, TermWeights([one]), frozenset())
    assert said is not None
    assert float(said.negated) == negated


def test_who_keeps_files_wants_none_cleaned_up() -> None:
    one = slot("cleanup", type="bool", default="True", help="Cleanup and remove the result files")
    said = switch_features(read_request("keep the result files"), one, TermWeights([one]), frozenset())
    assert said is not None and said.negated


@pytest.mark.parametrize(
    ("text", "dest", "expected"),
    [
        ("train it from scratch", "resume", True),
        ("train it from the very beginning", "fine_tuning", True),
        ("begin from a checkpoint instead of starting from scratch", "resume", False),
        ("train it from scratch", "no_pretrained", False),
        ("train it from scratch", "fp16", False),
        ("load it in 8 bits", "load_4bit", True),
        ("load it in 8 bits", "load_8bit", False),
        ("load it small", "load_4bit", False),
    ],
)
def test_what_is_the_opposite_of_a_switch_rules_it_out(text: str, dest: str, expected: bool) -> None:
    names = ("resume", "fine_tuning", "no_pretrained", "fp16", "load_4bit", "load_8bit")
    slots = {name: slot(name, nargs="0", switch_value="True") for name in names}
    assert is_ruled_out(read_request(text), list(slots.values()), slots[dest]) is expected


@pytest.mark.parametrize(
    ("text", "given"),
    [("set fast_generation to False", "False"), ("set fast_generation to True and store_all to False", "True")],
)
def test_false_behind_its_name_switches_off(text: str, given: str) -> None:
    one = slot("fast_generation", type="bool", default="True", help="use fast generation")
    found = fill(read_request(text), [one], Sure())
    assert [placed.values for placed in found.placed] == [(given,)]


def test_the_name_of_a_switch_asks_for_no_other_one() -> None:
    slots = [slot(name, nargs="0", switch_value="True") for name in ("show_depth", "show_boxes", "depth")]
    found = fill(read_request("turn on show_depth"), slots, Sure())
    assert [slots[one.slot].option.dest for one in found.placed] == ["show_depth"]


def test_a_word_with_non_before_it_says_no() -> None:
    one = slot("causal", type="bool", default="True")
    said = switch_features(read_request("train a non-causal network"), one, TermWeights([one]), frozenset())
    assert said is not None and said.negated


@pytest.mark.parametrize(("text", "denied"), [("stop after 7200 s, gc after each trial", False), ("stop the gc", True)])
def test_to_stop_at_some_point_denies_nothing(text: str, denied: bool) -> None:
    one = slot("gc_after_trial", nargs="0", switch_value="True", help="run gc after each trial")
    said = switch_features(read_request(text), one, TermWeights([one]), frozenset())
    assert said is not None and said.negated is denied


def test_the_word_that_names_the_program_asks_for_no_switch_that_explains_itself_with_it() -> None:
    one = slot("cpu", nargs="0", switch_value="True", help="train on the CPU")
    said = read_request("train on the birds")
    assert fill(said, [one], Sure()).placed
    assert not fill(said, [one], Sure(), callee=Callee(names=frozenset({"train"}))).placed
    assert fill(read_request("train on the cpu"), [one], Sure(), callee=Callee(names=frozenset({"train"}))).placed
