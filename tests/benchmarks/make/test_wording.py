"""A request says every value as a word of its own, and no two things by the same name."""

from random import Random

import pytest

from ml_agent.benchmarks.make.phrases import help_noun, name_words, namesakes, purpose, switch_sentence
from ml_agent.benchmarks.make.vary import RequestedOption
from ml_agent.benchmarks.make.wording import RequestContent, UnsayableRequest, request, says
from ml_agent.tools.signatures.model import Option, Signature


def wish(dest: str, value: object, **more: object) -> RequestedOption:
    fields = {"dest": dest, "flags": (f"--{dest}",), **more}
    return RequestedOption(option=Option(**fields), value=value, documented=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("200 epochs", 2, False),
        ("two epochs", 2, True),
        ("twenty-two epochs", 20, False),
        ("a rate of 0.1.", 0.1, True),
        ("a rate of 0.15", 0.1, False),
        ("read /data/north and go", "/data/north", True),
        ("read /data/north/x", "/data/north", False),
        ("model bert-base", "bert", False),
    ],
)
def test_values_are_whole_words(text: str, value: object, said: bool) -> None:
    assert says(text, wish("x", value)) is said


def test_a_switch_is_said_by_its_name_or_its_deed() -> None:
    amp = wish("amp", True, nargs="0", help="use mixed precision")
    assert says("Please use mixed precision", amp) and says("with amp", amp) and not says("Run it", amp)


def told(*wishes: RequestedOption) -> RequestContent:
    signature = Signature(path="train.py", framework="argparse", options=tuple(w.option for w in wishes))
    return RequestContent(signature=signature, wishes=wishes, workdir=".", alone=True, repository="kit")


def test_help_texts_that_say_the_same_are_not_used() -> None:
    one = wish("model_dir", "/data/a", help="path to the model directory")
    two = wish("output", "/out/b", help="path to the model directory")
    text = request(told(one, two), "context", Random(0))
    assert "model folder" in text and "output should be /out/b" in text


def test_a_file_is_named_by_its_option_where_the_help_says_no_more() -> None:
    text = request(told(wish("val_data", "/data/a.csv", help="Path to file(s)")), "context", Random(0))
    assert "validation data" in text


def test_two_things_of_one_name_make_no_request() -> None:
    with pytest.raises(UnsayableRequest):
        request(told(wish("lr", 0.1), wish("LR", 0.2)), "plain", Random(0))


def test_a_value_with_blanks_stands_in_quotes() -> None:
    assert 'text to "Hello there"' in request(told(wish("text", "Hello there")), "plain", Random(0))


def test_requests_agree_with_things_of_any_number() -> None:
    ids = wish("env_ids", ["a", "b"], help="the ids of the environment")
    text = request(told(ids, wish("out", "/out/x", help="the folder of the results")), "indirect", Random(0))
    assert "ids of the environment must be a and b." in text


def test_switches_are_spelled_where_nothing_says_what_they_do() -> None:
    option, on = Option(dest="do_train", flags=("--do_train",), type="bool"), wish("exist-ok", True, nargs="0")
    text = request(told(RequestedOption(option=option, value=True, documented=True), on), "plain", Random(0))
    assert "set do_train to True" in text and "turn on exist-ok" in text


def test_a_program_called_as_its_repository_is_named_once() -> None:
    signature = Signature(path="kit/cli.py", framework="argparse", kind="console", name="kit", options=())
    whole = RequestContent(signature=signature, wishes=(wish("lr", 0.1),), workdir=".", alone=True, repository="Kit")
    assert request(whole, "terse", Random(0)) == "kit, learning rate 0.1"


def test_a_script_of_a_folder_is_named_with_it() -> None:
    signature = Signature(path="gat/main.py", framework="argparse", options=())
    whole = RequestContent(
        signature=signature, wishes=(wish("report_to", "log"),), workdir="gat", alone=False, repository="kit"
    )
    flags, terse, plain = (request(whole, style, Random(0)) for style in ("flags", "terse", "plain"))
    assert flags == "Give me the call of main.py from the folder gat with --report_to log."
    assert "main.py from the folder gat" in terse and "the report_to to log" in plain


def test_one_of_several_kinds_of_a_place_is_not_its_name() -> None:
    """A help text that leaves open what is given names the wrong one of them as often as the right one."""
    source = Option(dest="source", flags=("--source",), type="str", help="Network pkl, dataset zip, or directory")
    assert help_noun(source) == ""
    assert help_noun(Option(dest="out", flags=("--out",), type="str", help="Folder of results")) == "folder of results"


def test_a_sentence_is_no_name() -> None:
    """What says something of a thing cannot stand where the thing is named."""
    assert help_noun(Option(dest="dir", flags=("--dir",), type="str", help="models are saved here")) == ""


@pytest.mark.parametrize(
    ("dest", "words"),
    [
        ("num_workers", "number of workers"),
        ("num_D", "num_D"),
        ("epoch_num", "epoch number"),
        ("max_num_frames", "maximum number of frames"),
        ("n_frames_total", "n_frames_total"),
        ("d_model", "d_model"),
        ("top_k", "top_k"),
        ("is_training", "is_training"),
        ("load_pretrain", "load_pretrain"),
        ("save_every", "save_every"),
        ("batch_size", "batch size"),
    ],
)
def test_a_name_that_makes_no_noun_phrase_is_spelled(dest: str, words: str) -> None:
    """A letter, a question or a deed is no thing, and a number is one of several: other words would be nonsense."""
    assert name_words(Option(dest=dest, flags=(f"--{dest}",))) == words


@pytest.mark.parametrize("help", ["saves results here.", "then crop to this size", "inference size h,w"])
def test_part_of_a_sentence_is_no_name(help: str) -> None:
    assert help_noun(Option(dest="some_size", flags=("--some_size",), type="int", help=help)) == ""


@pytest.mark.parametrize(
    ("help", "said"),
    [
        ("do not use the cache", "do without cache"),
        ("", "do without cache"),
        ("make it afresh as well", "turn on no-cache"),
    ],
)
def test_a_switch_leaves_out_only_what_its_help_leaves_out(help: str, said: str) -> None:
    """A name with "no" may be read in two ways, and the help may say the other one."""
    assert switch_sentence(wish("no-cache", True, nargs="0", help=help), False) == said


@pytest.mark.parametrize(
    ("flag", "dest", "said"),
    [
        ("no-shuffle", "shuffle", "turn off shuffle"),
        ("disable_early_stop", "early_stop", "turn off early stop"),
        ("shuffle", "shuffle", "turn off shuffle"),
        ("quiet", "verbose", "turn on quiet"),
        ("no-cache", "fresh", "turn on no-cache"),
    ],
)
def test_a_switch_that_turns_off_says_what_is_off(flag: str, dest: str, said: str) -> None:
    option = Option(dest=dest, flags=(f"--{flag}",), nargs="0", type="bool", switch_value="False", default="True")
    assert switch_sentence(RequestedOption(option=option, value=False, documented=True), False) == said


def test_a_script_called_run_is_named_as_it_is() -> None:
    run = Signature(path="run.py", framework="argparse")
    assert purpose(run) == "" and "run run.py" in request(
        RequestContent(signature=run, wishes=(wish("lr", 0.1),), workdir=".", alone=True, repository="kit"),
        "polite",
        Random(0),
    )
    main = Signature(path="src/training/main.py", framework="argparse", kind="module", name="training.main")
    assert purpose(main) == "run the training main program"


def test_programs_of_one_name_are_told_apart() -> None:
    """The words of a script's name do not tell which of two scripts of this name is meant, even if its options do."""
    one, two = (Signature(path=path, framework="argparse") for path in ("train.py", "classify/train.py"))
    assert namesakes(one, [one, two]) == [two] and not namesakes(one, [one])
