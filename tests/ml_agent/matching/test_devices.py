"""Where a program computes: cards and machines are counted from the first, programs count from 0."""

import msgspec
import pytest

from ml_agent.matching.devices import devices, is_too_many, place_devices
from ml_agent.matching.mentions import read_request
from ml_agent.matching.slots import Slot
from ml_agent.tools.signatures.model import Option

WORD = Option(dest="device", flags=("--device",), type="str", default="cuda", help="cuda or cpu")
LISTED = Option(
    dest="device", flags=("--device",), type="str", default="", help="cuda device, i.e. 0 or 0,1,2,3 or cpu"
)
NUMBER = Option(dest="gpu", flags=("--gpu",), type="int", default="0", help="which GPU, -1 for CPU")
INDEX = Option(dest="device_index", flags=("--device_index",), type="int", default="0")
COUNT = Option(dest="gpus", flags=("--gpus",), type="int", default="1", help="number of GPUs")
RANK = Option(dest="node_rank", flags=("--node_rank",), type="int", default="0")
SWITCH = Option(dest="no_cuda", flags=("--no-cuda",), nargs="0", switch_value="True", default="False")
CHOSEN = Option(dest="device", flags=("--device",), type="str", default="cpu", choices=("cpu", "gpu"))


def placed(text: str, *options: Option) -> dict[str, str]:
    slots = [Slot(option) for option in options]
    found = place_devices(read_request(text), slots, ())
    values = {slots[one.slot].option.dest: one.values[0] for one in found.placed}
    return values | dict(one.split("=") for one in found.environment)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("train on the second graphics card", ["1"]),
        ("give the call for the third of my four machines", ["2"]),
        ("stay on GPU 1 only", ["1"]),
        ("64 hidden, gpu 3", ["3"]),
        ("a laptop that has no graphics card", ["cpu"]),
        ("run it on the processor", ["cpu"]),
        ("20 epochs, cpu only", ["cpu"]),
        ("on the GPU, please", ["gpu"]),
        ("with two GPUs and a GPU of 16 GB", []),
        ("on the first three pictures with gpu 16 GB", []),
        ("divided over GPU 0, 1 and 2", []),
        ("GPUs 0, 2 and 3 together", ["0,2,3"]),
        ("3 gpus (0,2,3), port 4555", ["0,2,3"]),
        ("gpus 1+3 only", ["1,3"]),
        ("hide GPUs 2 and 3 of the machine from it", []),
        ("cards 0 and 1.5", []),
    ],
)
def test_what_is_said_of_devices(text: str, values: list[str]) -> None:
    assert [one.value for one in devices(text)] == values


@pytest.mark.parametrize(
    ("text", "option", "expected"),
    [
        ("on the second GPU", WORD, {"device": "cuda:1"}),
        ("on the second GPU", LISTED, {"device": "1"}),
        ("on the second GPU", NUMBER, {"gpu": "1"}),
        ("on the second of my two machines", RANK, {"node_rank": "1"}),
        ("on a computer without a graphics card", WORD, {"device": "cpu"}),
        ("on a computer without a graphics card", NUMBER, {"gpu": "-1"}),
        ("on a computer without a graphics card", SWITCH, {"no_cuda": "True"}),
        ("on the graphics card instead of the processor", CHOSEN, {"device": "gpu"}),
        ("on the GPU", WORD, {}),
        ("on GPU 2", COUNT, {"CUDA_VISIBLE_DEVICES": "2"}),
        ("on GPU 0", NUMBER, {"gpu": "0"}),
    ],
)
def test_a_device_is_typed_as_the_option_takes_it(text: str, option: Option, expected: dict[str, str]) -> None:
    assert placed(text, option) == expected


def test_an_option_called_device_takes_what_devices_are_called() -> None:
    """Where nothing else is known of it; one that is shown a number takes numbers."""
    bare = Option(dest="device", flags=("--device",), help="Device to use")
    assert placed("export it on the cpu", bare) == {"device": "cpu"}
    assert placed("export it on the GPU", bare) == {"device": "cuda"}
    assert placed("export it on the cpu", msgspec.structs.replace(bare, default="0")) == {}


def test_an_option_for_a_number_goes_before_one_for_a_kind() -> None:
    assert placed("on the second graphics card", WORD, INDEX) == {"device_index": "1"}


def test_without_an_option_the_environment_says_the_card() -> None:
    assert placed("on the second graphics card", RANK) == {"CUDA_VISIBLE_DEVICES": "1"}
    assert placed("on the second machine", NUMBER) == {}


def test_several_cards_are_the_environments_unless_an_option_takes_them() -> None:
    assert placed("use only the GPUs 2 and 3", COUNT) == {"CUDA_VISIBLE_DEVICES": "2,3"}
    assert placed("use only the GPUs 2 and 3", LISTED) == {}


@pytest.mark.parametrize(
    ("text", "value", "many"),
    [
        ("on a single GPU", "0,1,2", True),
        ("on just one graphics card", "0 1", True),
        ("on a singular GPU", "0", False),
        ("on single GPUs", "0,1", False),
        ("on four GPUs", "0,1,2,3", False),
    ],
)
def test_several_cards_are_too_many_for_who_wants_one(text: str, value: str, many: bool) -> None:
    option = Option(dest="gpu_ids", flags=("--gpu_ids",))
    assert is_too_many(read_request(text), option, value) is many
    assert not is_too_many(read_request(text), Option(dest="seeds"), value)
