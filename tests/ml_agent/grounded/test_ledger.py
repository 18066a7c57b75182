"""Which option honours which value."""

import shlex

from hypothesis import given, settings
from hypothesis import strategies as st

from ml_agent.grounded.ledger import full_account, relevant_entries
from ml_agent.matching.stated import stated_values
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


def test_the_account_tells_honoured_default_and_not_found() -> None:
    values = stated_values("a learning rate of 0.1, 200 training epochs and a dropout of 0.75")
    ledger = {
        entry.value: entry for entry in relevant_entries(full_account("python train.py --lr 1e-1", values, SIGNATURE))
    }
    assert (ledger["0.1"].status, ledger["0.1"].where) == ("honoured", "--lr 1e-1")
    assert (ledger["200"].status, ledger["200"].where) == ("default", "--n_epochs 200")
    assert ledger["0.75"].status == "not found"


def test_a_value_in_the_wrong_option_is_not_honoured() -> None:
    entry = full_account("python train.py --train_batch_size 5", stated_values("a learning rate of 5"), SIGNATURE)[0]
    assert entry.status == "not found"


def test_one_number_does_not_honour_two_wishes() -> None:
    values = stated_values("300 training steps and 300 warm-up steps")
    signature = Signature(path="train.py", options=(STEPS,))
    entries = full_account("python train.py --num_train_steps 300", values, signature)
    assert [entry.status for entry in entries if entry.required] == ["honoured", "honoured"]
    other = stated_values("a batch size of 300 and 300 warm-up steps")
    both = Signature(path="train.py", options=(BATCH, STEPS))
    told_of = relevant_entries(full_account("python train.py --train_batch_size 300", other, both))
    assert [entry.status for entry in told_of] == ["honoured", "not found"]


def test_a_list_honours_each_of_its_numbers() -> None:
    entries = relevant_entries(
        full_account("python train.py --units 12 6", stated_values("layers with 12 and 6 neurons"), SIGNATURE)
    )
    assert {entry.value: entry.status for entry in entries} == {"12": "honoured", "6": "honoured", "12 6": "honoured"}


def test_a_name_may_stand_within_an_argument() -> None:
    signature = Signature(path="train.py", options=(Option(dest="name", flags=("--name",)),))
    ledger = relevant_entries(
        full_account(
            "python train.py --name label2city_512", stated_values("the label2city model at 512 pixels"), signature
        )
    )
    assert {entry.text: entry.status for entry in ledger} == {"label2city": "honoured", "512": "honoured"}


def test_values_in_python_code() -> None:
    code = 'model = load(name="blip", size=5.0)\nprint(model.run(torch.rand(2, 3)))\n'
    ledger = {
        entry.value: entry
        for entry in full_account(code, stated_values("the model named blip with size 5.0 and gain 7.5"))
    }
    assert ledger["blip"].where == 'load(name="blip")'
    assert ledger["5.0"].status == "honoured"
    assert ledger["7.5"].status == "not found"


@settings(deadline=None)
@given(st.lists(st.sampled_from([LR, EPOCHS, BATCH, WARMUP, STEPS]), unique=True, min_size=1), st.data())
def test_what_is_given_by_name_is_honoured(options: list[Option], data: st.DataObject) -> None:
    amounts = [data.draw(st.integers(min_value=0, max_value=10**6)) for _ in options]
    arguments = tuple((option.dest, str(amount)) for option, amount in zip(options, amounts, strict=True))
    values = stated_values("train it", arguments)
    words = [word for one, amount in zip(options, amounts, strict=True) for word in (one.flags[0], str(amount))]
    command = shlex.join(["python", "train.py", *words])
    assert all(entry.status == "honoured" for entry in full_account(command, values, SIGNATURE))


def test_what_is_given_by_name_is_not_honoured_by_another_option() -> None:
    values = stated_values("train it", (("n_epochs", "7"),))
    assert full_account("python train.py --train_batch_size 7", values, SIGNATURE)[0].status == "not found"


def test_a_switch_that_is_spelled_is_honoured_by_either_spelling() -> None:
    signature = Signature(
        path="run.py", options=(Option(dest="cached", flags=("--cached",), negative_flags=("--nocached",), type="bool", nargs="?bool"),)
    )  # fmt: skip
    for command in ("python run.py --nocached", "python run.py --cached=False"):
        (entry,) = full_account(command, stated_values("go on `--nocached`."), signature)
        assert entry.status == "honoured"
    (entry,) = full_account("python run.py", stated_values("go on `--nocached`."), signature)
    assert entry.status == "not found"


def test_the_program_that_is_called_has_its_name() -> None:
    signature = Signature(path="tools/rl/train.py", options=(LR,))
    for said, status in (
        ("train.py", "honoured"),
        ("rl/train.py", "honoured"),
        ("tools.rl.train", "honoured"),
        ("rl/other.py", "not found"),
        ("tools.rl.other", "not found"),
    ):
        (entry, *_) = full_account("python tools/rl/train.py", stated_values(f"run {said}"), signature)
        assert (entry.value, entry.status) == (said, status)


def test_a_setting_within_a_word_honours_what_the_user_spells() -> None:
    signature = Signature(path="train.py", options=(Option(dest="hparams", flags=("--hparams",)),))
    values = stated_values("the hparams game=pong")
    statuses = {entry.value: entry.status for entry in full_account("python train.py --hparams game=pong", values, signature)}  # fmt: skip
    assert statuses["pong"] == "honoured"
