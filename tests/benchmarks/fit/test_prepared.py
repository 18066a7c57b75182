"""Rows read for fitting, and what goes wrong in their answers."""

import json
from pathlib import Path

import msgspec
import pytest

from ml_agent.benchmarks.fit.examples import judge, launcher_values, slot_examples
from ml_agent.benchmarks.fit.prepared import Prepared, Sources, prepared, solved
from ml_agent.benchmarks.fit.wrong import wrongs
from ml_agent.matching.model import shipped

SCRIPT = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=5, help="number of epochs")
p.add_argument("--lr", type=float, default=0.1, help="learning rate")
p.add_argument("--out", help="file to write the report to")
p.add_argument("--verbose", action="store_true", help="print every step")
p.parse_args()
"""
ROW = {
    "repo": "pond",
    "id": 1,
    "path": "./",
    "style": "flags",
    "type": "Bash Script",
    "instruction": "Train with --lr 0.03 for 40 epochs.",
    "output": "python train.py --lr 0.03 --epochs 40",
}


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    root = tmp_path / "repositories" / "pond"
    root.mkdir(parents=True)
    (root / "train.py").write_text(SCRIPT)
    (root / "README.md").write_text("# Pond\n\nTrain it: `python train.py --lr 0.2`.\n")
    rows = [ROW, ROW | {"id": 2, "output": "python other.py"}, ROW | {"id": 3, "repo": "absent"}]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return Sources([], [file], [tmp_path / "repositories"], tmp_path / "cache")


def only(sources: Sources) -> Prepared:
    (one,) = prepared(sources)[0]
    return one


def test_rows_are_read_with_their_entry_points_and_the_others_are_told(sources: Sources) -> None:
    found, left = prepared(sources)
    (one,) = found
    assert (one.row.group, one.row.values, one.row.readable) == ("written", {"lr": 0.03, "epochs": 40}, True)
    assert sum(one.right) == 1
    assert len(left) == 2


def test_what_was_read_is_kept(sources: Sources) -> None:
    first = only(sources)
    (sources.repositories[0] / "pond" / "train.py").unlink()
    again = only(sources)
    assert again.row.values == first.row.values
    assert again.own.slots[0].option == first.own.slots[0].option


def test_a_stated_value_teaches_its_slot(sources: Sources) -> None:
    one = only(sources)
    groups, _ = slot_examples(one.row, one.own.slots)
    assert any(sum(group.right) == 1 for group in groups)


def test_an_answer_is_judged_by_its_options(sources: Sources) -> None:
    one = only(sources)
    right = solved(one, shipped())[0]
    assert right.call == {"lr": "0.03", "epochs": "40"}
    assert judge(right, one.row).exact
    assert wrongs(right, one.row, one.own) == []


@pytest.mark.parametrize(
    ("call", "kinds"),
    [
        ({"lr": "0.03"}, ["value without slot"]),
        ({"lr": "0.03", "epochs": "40", "verbose": True}, ["unasked, filled up"]),
        ({"lr": "0.03", "epochs": "41"}, ["slot taken"]),
    ],
)
def test_what_goes_wrong_has_a_class(sources: Sources, call: dict[str, object], kinds: list[str]) -> None:
    one = only(sources)
    answer = msgspec.structs.replace(solved(one, shipped())[0], call=call)
    assert [wrong.kind for wrong in wrongs(answer, one.row, one.own)] == kinds


def test_no_answer_is_a_class_too(sources: Sources) -> None:
    one = only(sources)
    assert [wrong.kind for wrong in wrongs(None, one.row, one.own)] == ["no answer"]


def test_how_many_a_command_starts() -> None:
    command = "python -m torch.distributed.launch --nproc_per_node=8 --master_port 12345 main.py"
    assert launcher_values(command) == {"nproc_per_node": "8", "master_port": "12345"}
    assert launcher_values("mpirun -np 4 python a.py") == {"nproc_per_node": "4"}
    assert launcher_values("python a.py") == {}
