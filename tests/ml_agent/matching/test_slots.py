"""What can take a value."""

from ml_agent.matching.slots import Slot, distinct_options
from ml_agent.matching.usage import OptionUsage
from ml_agent.tools.signatures.model import Option


def slot(usage: OptionUsage = OptionUsage(), **more: object) -> Slot:
    return Slot(Option(dest=str(more.pop("dest", "x")), flags=("--x",), **more), usage=usage)  # type: ignore[arg-type]


def test_a_number_that_stands_for_on_and_off() -> None:
    assert slot(dest="is_training", type="int", default="1").boolean
    assert slot(type="int", default="0", help="whether to use it").boolean
    assert not slot(type="int", default="1", help="number of layers").boolean
    assert not slot(dest="gpu", type="int", default="0", help="which one, -1 for CPU").boolean
    assert slot(type="int", choices=("0", "1")).boolean


def test_how_nothing_of_it_is_told() -> None:
    assert slot(type="float", default="0.1").zero == "0"
    assert slot(choices=("none", "cosine")).zero == "none"
    assert slot(type="float", default="0").zero is None
    assert slot(type="str").zero is None


def test_where_a_path_belongs() -> None:
    assert slot(help="Path to the weights").takes_path
    assert slot(OptionUsage(reads=1)).takes_path
    assert not slot(help="kind of model").takes_path
    assert not slot(type="int", help="number of files", default="3").takes_path


def test_a_path_that_is_off_by_default_is_no_switch() -> None:
    assert not slot(dest="load", type="str", default="False", help="load the model from a file").boolean
    assert slot(dest="shuffle", type="str", default="False").boolean


def test_a_number_of_things_is_no_switch() -> None:
    assert not slot(dest="gpus", type="int", default="1", help="Number of gpus. 0 for CPU").boolean


def test_what_stands_for_a_value_in_documents_is_none() -> None:
    found = Slot(Option(dest="load", flags=("--load",)), seen=("{checkpoint", "<path>", "last", '{"a": 1}'))
    assert found.seen == ("last", '{"a": 1}')


def test_a_file_by_default_is_no_number_whatever_examples_say() -> None:
    found = Slot(Option(dest="model", flags=("-m",), default="small.onnx"), seen=("0.3",))
    assert found.numeric_default is None
    found = Slot(Option(dest="cfg", flags=("--cfg",)), seen=("configs/small.yaml", "64"))
    assert found.numeric_default is None
    found = Slot(Option(dest="source", flags=("--source",), default="inference/videos"), seen=("0",))
    assert found.numeric_default is None
    assert Slot(Option(dest="epsilon", flags=("--epsilon",), default="8/255"), seen=("0.1",)).numeric_default == 0.1


def test_a_version_that_takes_a_value_is_an_option_of_its_own() -> None:
    taking = Option(dest="version", flags=("--version",), type="int")
    saying = Option(dest="version", flags=("--version",), nargs="0", switch_value="True")
    assert distinct_options([taking]) == (taking,)
    assert distinct_options([saying]) == ()


def test_numbers_have_no_vocabulary_of_words_and_lists_are_their_parts() -> None:
    count = Slot(Option(dest="np", type="int", help="we iterate over zip(configs, num_processes)"))
    assert count.vocabulary == ()
    assert Slot(Option(dest="types", default="rouge1,rouge2,rougeL")).vocabulary == ("rouge1", "rouge2", "rougeL")
    assert Slot(Option(dest="text", default="one, or two")).vocabulary == ("one, or two",)
