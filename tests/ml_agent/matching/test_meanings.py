"""What a request says of the values that a slot is known to take."""

import os
import subprocess
import sys

from ml_agent.matching.meanings import vocabulary_matches
from ml_agent.matching.mentions import read_request
from ml_agent.matching.slots import Slot
from ml_agent.tools.signatures.model import Option

_ASK = """
from ml_agent.matching.meanings import vocabulary_matches
from ml_agent.matching.mentions import read_request
from ml_agent.matching.slots import Slot
from ml_agent.tools.signatures.model import Option

slot = Slot(Option(dest="task", flags=("--task",), type="str", choices=("sonic-lunar", "tidal-solar"), sure=True))
text = "solar things come first, then there is a long way of other words to go, and tidal ones come last"
print([(one.value, one.mention.start) for one in vocabulary_matches(read_request(text), slot)])
"""


def test_the_words_for_a_value_do_not_hang_on_the_order_of_a_set() -> None:
    said = set()
    for seed in range(6):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run(
            [sys.executable, "-c", _ASK], env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        said.add(done.stdout)
    assert len(said) == 1 and "tidal-solar" in said.pop()


def test_the_code_of_a_language_is_no_short_word_for_anything() -> None:
    language = Slot(Option(dest="language", flags=("--language",), choices=("bs", "de", "lr"), sure=True))
    assert not vocabulary_matches(read_request("transcribe it with a batch size of 4 and a learning rate"), language)
    assert [one.value for one in vocabulary_matches(read_request("the language is bs"), language)] == ["bs"]


def test_a_value_that_is_written_out_is_no_longer_one_whose_other_words_stand_elsewhere() -> None:
    slot = Slot(Option(dest="form", flags=("--form",), choices=("basic", "collapsed", "collapsedTree"), sure=True))
    for text, value in (
        ("write the trees in bank.mrg as collapsed dependencies", "collapsed"),
        ("write bank.mrg as collapsed tree dependencies", "collapsedTree"),
    ):
        assert [one.value for one in vocabulary_matches(read_request(text), slot)][:1] == [value]
