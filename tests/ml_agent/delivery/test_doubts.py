"""What came out and may be as it should be: seen at a glance, doubted aloud, and refused only where nothing is in it."""

import json
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from ml_agent.delivery.content import report_on
from ml_agent.delivery.doubts import doubts_of
from ml_agent.delivery.expectation import CreatedFile, Expectation
from ml_agent.sandbox.contract import Response


def array(*numbers: float) -> bytes:
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(numbers)},), }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(numbers)}d", *numbers)


def database(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as base:
        for statement in statements:
            base.execute(statement)
        base.commit()
        return base.serialize()


BASE = database(
    'CREATE TABLE "odd ""name""" (id, score, note)',
    "INSERT INTO [odd \"name\"] VALUES (1, 0.5, NULL), (2, x'00ff', NULL)",
    "CREATE TABLE empty (a)",
    "CREATE VIEW seen AS SELECT 1",
)
NAN = float("nan")
NAMES = b"Company Name,Address\nA,B\n"
LINES = b"".join(b'{"id": %d, "score": 0.5}\n' % number for number in range(6))


@pytest.mark.parametrize(
    ("kind", "content", "columns", "rows", "valid", "worded", "told"),
    [
        ("csv", NAMES, ("Company Name", "Address"), None, True, False, "1 rows, 2 columns: Company Name (text), Address (text)"),
        ("csv", NAMES, ("Company",), None, False, True, "lacks the columns Company"),
        ("csv", NAMES, (), 4, False, True, "has 1 rows, not 4"),
        ("csv", b"id,smiles\n1,\n2,\n", ("smiles",), None, False, False, "has nothing in smiles"),
        ("csv", b"id,smiles\n1,nan\n2,NaN\n", ("smiles",), None, False, False, "has nothing in smiles"),
        ("csv", b"id,note\n1,\n2,\n", ("id",), None, True, False, "1 of 2 columns are empty: note"),
        ("csv", b"a,b\n,\n,\n", (), None, False, False, "every cell below its header is empty"),
        ("csv", b"id,note\n1,\n2,\n", ("label",), None, False, True, "lacks the columns label"),
        ("csv", b"id,loss\n" + b"1,0.5\n" * 3 + b"4,nan\n", (), None, True, False, "column loss: 1 of 4 values are NaN"),
        ("csv", b"id,score\n" + b"1,0.5\n" * 5, (), None, True, False, "column score is 0.5 in all 5 rows"),
        ("csv", b"id,year\n" + b"1,2020\n" * 5, (), None, True, False, "year (number)"),
        ("csv", b"a/b/c,x,None\na/b/d,y,0.4\n", (), None, True, False, "2 rows without a header, 3 columns: column 1 (text)"),
        ("tsv", b"a\tb\n1\t\n2\tx\n", (), None, True, False, "b (text, 1 empty)"),
        ("jsonl", LINES, ("id", "score"), 6, True, False, "column score is 0.5 in all 6 rows"),
        ("jsonl", b'{"id": 1, "label": null}\n{"id": 2, "label": null}\n', ("label",), None, False, False, "has nothing in label"),
        ("csv", b",".join(b"c%d" % n for n in range(20)) + b",z\n" + b"1," * 20 + b"2\n", ("z",), None, True, False, "21 columns: z (number)"),
        ("json", b'{"loss": 0.25, "curve": [3, 2, 1]}', (), None, True, False, '{"loss": 0.25, "curve": [3, 2, 1]}'),
        ("json", b'{"loss": 0.25, "curve": [%s3]}' % (b"3, " * 200), (), None, True, False, "keys: loss (0.25), curve (list of 201)"),
        ("npy", array(1, 2, 4), (), None, True, False, "shape (3,), <f8, from 1 to 4"),
        ("npy", array(NAN, NAN), (), None, False, False, "holds nothing but NaN"),
        ("npy", array(1, NAN, 3), (), None, True, False, "1 of 3 numbers are NaN or infinite"),
        ("npy", array(*[0.0] * 8), (), None, True, False, "all 8 numbers are 0"),
        ("file", BASE, (), None, True, False, 'table odd "name": 2 rows, 3 columns: id (number), score (text), note (empty throughout)'),
        ("file", BASE, (), None, True, False, "1,0.5,\n2,2 bytes,\ntable empty: 0 rows, 1 columns"),
        ("text", b"1 x\n2 y\n", (), None, True, False, "1 x"),
    ],
)  # fmt: skip
def test_a_file_is_seen_as_a_person_would(
    kind: str, content: bytes, columns: tuple[str, ...], rows: int | None, valid: bool, worded: bool, told: str
) -> None:
    report = report_on(content, True, Expectation(kind=kind, path="x", columns=columns, rows=rows))
    assert (report.valid, report.worded) == (valid, worded), report
    assert told in "\n".join([report.said, *report.head, *report.doubts])


@pytest.mark.parametrize(
    ("printed", "doubted"),
    [
        ("[ERROR] module numpy has no attribute float (ABC)\ndone", True),
        ("2026-01-01 12:00:00 ERROR could not parse row 3", True),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'\ndone", True),
        ("epoch 3 loss: nan", True),
        ("{'val_loss': inf}", True),
        ("mean absolute error: 0.31\n0 errors found", False),
        ("RuntimeWarning: divide by zero\nepoch 1 loss 0.5", False),
        ("nanometres: 5, information gain 0.2", False),
    ],
)
def test_lines_that_speak_of_errors_are_doubts(printed: str, doubted: bool, tmp_path: Path) -> None:
    response = Response(ended="exited", exit_code=0, stdout=printed)
    assert bool(doubts_of(response, (), (), tmp_path, tmp_path)) is doubted


def test_a_result_that_the_repository_had_is_doubted(tmp_path: Path) -> None:
    root, outputs = tmp_path / "repository", tmp_path / "outputs"
    text = json.dumps({"accuracy": 0.93, "epochs": 10})
    for folder in (root / "results", outputs):
        folder.mkdir(parents=True)
    (root / "results/best.json").write_text(text)
    (outputs / "mine.json").write_text(text)
    (outputs / "other.json").write_text(text[::-1])
    made = [CreatedFile(path=name, size=len(text)) for name in ("mine.json", "other.json")]
    found = doubts_of(Response(ended="exited", exit_code=0), (), made, root, outputs)
    assert [one.doubt for one in found] == ["mine.json is unchanged from the repository as results/best.json"]


def test_files_that_are_the_same_are_doubted(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    texts = {"a_0.txt": "x" * 30, "a_1.txt": "y" * 30, "a_2.txt": "x" * 30, "b.log": "x" * 30, "c.txt": "", "d.txt": ""}
    for name, text in texts.items():
        (outputs / name).write_text(text)
    made = [CreatedFile(path=name, size=len(text)) for name, text in texts.items()]
    found = doubts_of(Response(ended="exited", exit_code=0), (), made, tmp_path / "none", outputs)
    assert [one.doubt for one in found] == ["a_0.txt, a_2.txt are the same, byte for byte"]
