"""Which option honours which value."""

import shlex

from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.grounded.ledger import full_account, match, relevant_entries
from ml_agent.values import extract
from tools.signatures.model import Option, Signature

LR = Option(dest="lr", flags=("--lr",), type="float", default="0.01", help="learning rate")
EPOCHS = Option(dest="n_epochs", flags=("--n_epochs",), type="int", default="200", help="number of epochs of training")
START = Option(dest="epoch", flags=("--epoch",), type="int", default="0", help="epoch to start training from")
BATCH = Option(dest="train_batch_size", flags=("--train_batch_size",), type="int", default="32")
EVAL = Option(dest="eval_batch_size", flags=("--eval_batch_size",), type="int", default="8")
WARMUP = Option(dest="num_warmup_steps", flags=("--num_warmup_steps",), type="int", default="100")
STEPS = Option(dest="num_train_steps", flags=("--num_train_steps",), type="int", default="1000")
DATA = Option(dest="dataset", flags=("--dataset",), choices=("cora", "citeseer", "long_term"), default="cora")
UNITS = Option(dest="units", flags=("--units",), type="int", nargs="+", default="8", help="sizes of the hidden layers")
OUT = Option(dest="output_dir", flags=("--output_dir",), type="path")
SIGNATURE = Signature(path="train.py", options=(LR, EPOCHS, START, BATCH, EVAL, WARMUP, STEPS, DATA, UNITS, OUT))


def chosen(text: str, *options: Option) -> dict[str, str]:
    """What each option gets."""
    return {found.option.dest: found.typed for found in match(extract(text), options or SIGNATURE.options)}


def test_the_matching_is_the_best_overall() -> None:
    text = "300,000 training steps with a warm-up period of 2,000 steps and a batch size of 64"
    assert chosen(text) == {"num_train_steps": "300000", "num_warmup_steps": "2000", "train_batch_size": "64"}


def test_abbreviations_and_synonyms() -> None:
    assert chosen("the learning rate is 0.1 and the number of training epochs 5", LR, START, EPOCHS) == {
        "lr": "0.1",
        "n_epochs": "5",
    }


def test_names_take_the_spelling_of_the_choices() -> None:
    assert chosen("use the Citeseer dataset")["dataset"] == "citeseer"
    assert chosen("for a long term task with dataset Cora")["dataset"] == "cora"


def test_a_value_that_does_not_fit_the_type_or_the_choices_goes_nowhere() -> None:
    assert "n_epochs" not in chosen("train for 2.5 epochs", EPOCHS)
    assert "dataset" not in chosen("use the dataset Reddit", DATA)


def test_several_numbers_for_one_option() -> None:
    assert chosen("two hidden layers with 12 and 6 neurons")["units"] == "12 6"


def test_a_share_in_percent() -> None:
    share = Option(
        dest="test_share", flags=("--test_share",), type="float", default="0.2", help="share used for testing"
    )
    assert chosen("hold out 30 percent for testing", share) == {"test_share": "0.3"}


def test_a_given_name_beats_everything() -> None:
    found = match(extract("", (("num_warmup_steps", "7"), ("learning-rate", "3"))), SIGNATURE.options)
    assert {one.option.dest: one.typed for one in found} == {"num_warmup_steps": "7", "lr": "3"}


def test_the_account_tells_honoured_default_and_not_found() -> None:
    values = extract("a learning rate of 0.1, 200 training epochs and a dropout of 0.75")
    ledger = {
        entry.value: entry for entry in relevant_entries(full_account("python train.py --lr 1e-1", values, SIGNATURE))
    }
    assert (ledger["0.1"].status, ledger["0.1"].where) == ("honoured", "--lr 1e-1")
    assert (ledger["200"].status, ledger["200"].where) == ("default", "--n_epochs 200")
    assert ledger["0.75"].status == "not found"


def test_a_value_in_the_wrong_option_is_not_honoured() -> None:
    entry = full_account("python train.py --train_batch_size 5", extract("a learning rate of 5"), SIGNATURE)[0]
    assert entry.status == "not found"


def test_one_number_does_not_honour_two_wishes() -> None:
    values = extract("300 training steps and 300 warm-up steps")
    signature = Signature(path="train.py", options=(STEPS,))
    statuses = [entry.status for entry in full_account("python train.py --num_train_steps 300", values, signature)]
    assert statuses == ["honoured", "honoured"]
    other = extract("a batch size of 300 and 300 warm-up steps")
    both = Signature(path="train.py", options=(BATCH, STEPS))
    told_of = relevant_entries(full_account("python train.py --train_batch_size 300", other, both))
    assert [entry.status for entry in told_of] == ["honoured", "not found"]


def test_a_list_honours_each_of_its_numbers() -> None:
    entries = relevant_entries(
        full_account("python train.py --units 12 6", extract("layers with 12 and 6 neurons"), SIGNATURE)
    )
    assert {entry.value: entry.status for entry in entries} == {"12": "honoured", "6": "honoured", "12 6": "honoured"}


def test_a_name_may_stand_within_an_argument() -> None:
    signature = Signature(path="train.py", options=(Option(dest="name", flags=("--name",)),))
    ledger = relevant_entries(
        full_account("python train.py --name label2city_512", extract("the label2city model at 512 pixels"), signature)
    )
    assert {entry.text: entry.status for entry in ledger} == {"label2city": "honoured", "512": "honoured"}


def test_values_in_python_code() -> None:
    code = 'model = load(name="blip", size=5.0)\nprint(model.run(torch.rand(2, 3)))\n'
    ledger = {
        entry.value: entry for entry in full_account(code, extract("the model named blip with size 5.0 and gain 7.5"))
    }
    assert ledger["blip"].where == 'load(name="blip")'
    assert ledger["5.0"].status == "honoured"
    assert ledger["7.5"].status == "not found"


@settings(deadline=None)
@given(st.lists(st.sampled_from([LR, EPOCHS, BATCH, WARMUP, STEPS]), unique=True, min_size=1), st.data())
def test_what_is_given_by_name_is_honoured(options: list[Option], data: st.DataObject) -> None:
    amounts = [data.draw(st.integers(min_value=0, max_value=10**6)) for _ in options]
    arguments = tuple((option.dest, str(amount)) for option, amount in zip(options, amounts, strict=True))
    values = extract("train it", arguments)
    found = match(values, SIGNATURE.options)
    assert {one.option.dest: one.typed for one in found} == dict(arguments)
    command = shlex.join(["python", "train.py", *(word for one in found for word in (one.option.flags[0], one.typed))])
    assert all(entry.status == "honoured" for entry in full_account(command, values, SIGNATURE))
