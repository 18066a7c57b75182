"""What a request means by its sense: the shipped encoder beside options, choices and switches in words."""

from collections.abc import Iterator

import pytest

from ml_agent.encoder.encoder import shipped
from ml_agent.matching.against import OptionAlignment
from ml_agent.matching.candidates import candidates
from ml_agent.matching.fill import fill, value_slot_pairs
from ml_agent.matching.mentions import Mention, ParsedRequest, read_request
from ml_agent.matching.model import shipped as tables
from ml_agent.matching.scores import SENSE_FEATURES
from ml_agent.matching.sense import choice_by_meaning, option_alignment, use_encoder
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.tools.signatures.model import Option


def slot(dest: str, **told: object) -> Slot:
    return Slot(Option(dest=dest, flags=(f"--{dest}",), **told))  # type: ignore[arg-type]


SLOTS = [
    slot("batch_size", type="int", default="32", help="samples per step"),
    slot("epochs", type="int", default="10", help="passes over the training set"),
    slot("lr", type="float", default="0.01", help="learning rate"),
    slot("out_dir", help="where results are written"),
    slot("optimizer", choices=("sgd", "adam", "rmsprop"), default="sgd", help="optimizer"),
    slot("project", help="name of the experiment in the tracker"),
    slot("no_cuda", nargs="0", switch_value="True", help="do not use the graphics card"),
]
PLACE = {one.option.dest: place for place, one in enumerate(SLOTS)}


@pytest.fixture(autouse=True)
def _with_the_encoder() -> Iterator[None]:
    use_encoder(shipped)
    yield
    use_encoder(None)


def sense(statement: ParsedRequest) -> OptionAlignment:
    found = option_alignment(statement, SLOTS)
    assert found is not None
    return found


def value(text: str, said: str) -> Mention:
    return next(one for one in read_request(text).mentions if one.value == said)


def likeliest(text: str, said: str) -> str:
    heard = sense(read_request(text))
    own = value(text, said)
    scores = {dest: heard.features(own, place, [])[0] for dest, place in PLACE.items()}
    return max(scores, key=lambda dest: scores[dest])


def test_a_value_belongs_where_it_is_meant_without_a_word_of_the_option() -> None:
    text = "Show it 64 pictures at a time and go through all of them 3 times."
    assert likeliest(text, "64") == "batch_size"
    assert likeliest(text, "3") == "epochs"


def test_a_value_that_sets_nothing_is_told_from_one_that_does() -> None:
    text = "The recordings were made in 2019. Train for 20 epochs."
    heard = sense(read_request(text))
    none = SENSE_FEATURES.index("sense_none")
    idle, used = (heard.features(value(text, said), PLACE["epochs"], [])[none] for said in ("2019", "20"))
    assert idle > used


def test_what_another_value_is_nearer_to_counts_against_a_value() -> None:
    text = "Show it 64 pictures at a time and go through all of them 3 times."
    heard = sense(read_request(text))
    rival = SENSE_FEATURES.index("sense_rival")
    own, other = value(text, "64"), value(text, "3")
    assert heard.features(own, PLACE["batch_size"], [own, other])[rival] > 0
    assert heard.features(other, PLACE["batch_size"], [own, other])[rival] < 0


def test_a_switch_is_heard_without_a_word_of_it() -> None:
    place = PLACE["no_cuda"]
    wanted = sense(read_request("Train it on the processor alone.")).best_token(place, ())
    idle = sense(read_request("Train it for 20 epochs.")).best_token(place, ())
    assert wanted[0] > idle[0]


def test_what_is_spent_says_no_switch() -> None:
    text = "on the processor alone"
    assert sense(read_request(text)).best_token(PLACE["no_cuda"], [(0, len(text))])[0] == -8.0


def test_a_choice_is_heard_in_other_words() -> None:
    heard = choice_by_meaning(
        read_request("Use plain stochastic gradient descent as the optimiser."), SLOTS, PLACE["optimizer"]
    )
    assert heard is not None
    assert heard.value == "sgd"
    assert choice_by_meaning(read_request("Train for 20 epochs."), SLOTS, PLACE["lr"]) is None


def test_a_plain_word_may_be_a_value() -> None:
    statement = read_request("Log the run to the tracker under the project name lepidoptera.")
    found = [one for one, entry in candidates(statement, SLOTS, PLACE["project"], statement.mentions, ()) if not entry]
    assert "lepidoptera" in {one.value for one in found}
    assert sum(one.kind == "word" for one in found) <= 3


def test_a_number_is_no_plain_word() -> None:
    statement = read_request("Train with a learning rate of half a percent.")
    assert not [one for one, entry in candidates(statement, SLOTS, PLACE["lr"], (), ()) if entry is None]


def vector(text: str, dest: str, said: str) -> dict[str, float]:
    """By feature: what the sense says of a value in a slot."""
    found = value_slot_pairs(read_request(text), SLOTS, TermWeights(SLOTS))
    one = next(pair for pair in found if pair.slot == PLACE[dest] and pair.mention.value == said)
    return dict(zip(SENSE_FEATURES, one.vector[-len(SENSE_FEATURES) :], strict=True))


def test_values_choices_and_plain_words_are_weighed_apart() -> None:
    stated = vector("Train for 20 epochs.", "epochs", "20")
    choice = vector("Use plain stochastic gradient descent as the optimiser.", "optimizer", "sgd")
    word = vector("Log the run to the tracker under the project name lepidoptera.", "project", "lepidoptera")
    for found, own in ((stated, "sense"), (choice, "word_sense"), (word, "plain_sense")):
        assert found[own] != 0
        assert {name for name in ("sense", "word_sense", "plain_sense") if found[name]} == {own}
    assert word["plain"] == 1 and not choice["plain"]


def test_a_choice_that_is_heard_is_told_from_one_that_is_said() -> None:
    heard = vector("Use plain stochastic gradient descent as the optimiser.", "optimizer", "sgd")
    said = vector("Use adam as the optimiser.", "optimizer", "adam")
    assert heard["heard"] == 1 and 0 < heard["heard_share"] <= 1
    assert not any(said[name] for name in ("heard", "heard_share", "heard_margin"))


def test_a_word_of_the_options_own_name_is_told_from_a_value() -> None:
    text = "Log the run to the tracker under the project lepidoptera."
    assert not vector(text, "project", "lepidoptera")["plain_named"]
    found = value_slot_pairs(read_request(text), SLOTS, TermWeights(SLOTS))
    named = SENSE_FEATURES.index("plain_named") - len(SENSE_FEATURES)
    assert all(one.vector[named] for one in found if one.slot == PLACE["project"] and one.mention.value == "project")


def test_a_value_of_the_vocabulary_is_heard_like_a_choice() -> None:
    slots = [slot("schedule", default="linear", help="noise schedule: 'linear' or 'cosine'"), *SLOTS]
    heard = choice_by_meaning(read_request("Let the noise grow along a cosine-shaped schedule."), slots, 0)
    assert heard is not None and heard.value == "cosine"


def test_tables_are_those_of_what_is_in_use() -> None:
    with_it = tables()
    use_encoder(None)
    assert tables() is not with_it
    assert option_alignment(read_request("anything"), SLOTS) is None


def test_a_long_request_is_read_as_far_as_the_encoder_reads() -> None:
    text = "Log it under the project lepidoptera. " + "And so on it goes. " * 3000
    heard = sense(read_request(text))
    assert heard.best_spans(PLACE["project"], [(25, 36), (50_000, 50_004)], 3) == [0]
    assert heard.best_spans(PLACE["lr"], [(50_000, 50_004)] * 3000, 3) == []


def test_a_request_can_be_read_by_its_words_alone() -> None:
    statement = read_request("Show it 64 pictures at a time.")
    assert option_alignment(statement.without_encoder(), SLOTS) is None
    assert option_alignment(statement, SLOTS) is not None
    assert statement.without_encoder().mentions == statement.mentions


def test_tables_for_words_alone_come_along() -> None:
    model = tables()
    assert model.words is not model and model.words.words is model.words
    use_encoder(None)
    assert tables().words is tables() and model.words.stake == tables().stake
    assert model.words.value.weights == tables().value.weights


def test_a_plain_word_is_no_value_beside_stated_ones() -> None:
    paths = Slot(Option(dest="path", nargs="2", required=True, help="paths to the images or to .npz statistic files"))
    found = fill(read_request("For the path take /data/night and /data/atlas."), [paths], tables())
    assert [one.values for one in found.placed] == [("/data/night", "/data/atlas")]


def test_a_plain_word_in_a_list_with_a_stated_value_is_one() -> None:
    languages = Slot(Option(dest="lang", flags=("-l", "--lang"), nargs="+", required=True, help="for languages"))
    found = fill(read_request("Read the page with language ch_sim and en."), [languages], tables())
    assert [one.values for one in found.placed] == [("ch_sim", "en")]


def test_no_choice_is_heard_where_a_file_is_named() -> None:
    files = ("configs/mel_bandit.yaml", "configs/mel_vocals.yaml")
    config = Slot(Option(dest="config_path", flags=("--config_path",), help="path to config file"), files=files)
    text = "For the path to config file take /data/meadow.yaml."
    found = candidates(read_request(text), [config], 0, read_request(text).mentions, ())
    assert all(entry is None for _, entry in found)


def test_a_plain_word_beside_a_file_is_no_file() -> None:
    several = [
        slot("audio", nargs="+", required=True, help="audio file(s) to transcribe"),
        slot("model", default="small", help="name of the Whisper model to use"),
        slot(
            "task", choices=("transcribe", "translate"), default="transcribe", help="speech recognition or translation"
        ),
    ]
    found = fill(
        read_request("translate german podcast talk.wav into English text using the large model"), several, tables()
    )
    assert {several[one.slot].option.dest: one.values for one in found.placed}["audio"] == ("talk.wav",)
