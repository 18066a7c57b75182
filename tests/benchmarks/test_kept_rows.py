"""Rows that are kept, whatever happened to the program that wrote them."""

from pathlib import Path

import msgspec
import pytest

from ml_agent.benchmarks.kept_rows import KeptRows, read_kept


class Row(msgspec.Struct, frozen=True):
    """One result."""

    name: str
    right: bool


def test_rows_are_there_again_but_for_a_line_that_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "new" / "rows.jsonl"
    KeptRows(file, Row).add(Row("a", True))
    KeptRows(file, Row).add(Row("b", False))
    with file.open("a") as out:
        out.write('{"name": "c", "ri')
    again = KeptRows(file, Row)
    assert again.rows == [Row("a", True), Row("b", False)]
    again.add(Row("c", True))
    assert KeptRows(file, Row).rows == again.rows


def test_a_row_may_hold_every_mark_that_ends_a_line_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    odd = Row("a\u2028b\u0085c\r\n", True)
    KeptRows(file, Row).add(odd)
    assert KeptRows(file, Row).rows == [odd]


def test_a_line_that_was_cut_in_the_middle_of_a_letter_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    KeptRows(file, Row).add(Row("a", True))
    with file.open("ab") as out:
        out.write('{"name": "\u00e9'.encode()[:-1])
    assert KeptRows(file, Row).rows == [Row("a", True)]


@pytest.mark.parametrize(
    "damaged", [b"", b'{"name": "\xff", "right": true}', b'{"name": "a"}', b"[" * 100_000, b'{"name": "a", "ri']
)
def test_a_damaged_file_counts_as_none(damaged: bytes, tmp_path: Path) -> None:
    file = tmp_path / "row.json"
    assert read_kept(file, Row) is None
    file.write_bytes(damaged)
    assert read_kept(file, Row) is None


def test_a_line_of_an_older_form_is_done_again(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"name": "a"}\n')
    assert KeptRows(file, Row).rows == []


def test_without_a_file_nothing_is_written(tmp_path: Path) -> None:
    kept = KeptRows(None, Row)
    kept.add(Row("a", True))
    assert kept.rows == [Row("a", True)] and not list(tmp_path.iterdir())


def test_a_row_that_is_there_is_not_made_again(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    made = [KeptRows(file, Row).done(lambda n=n: Row("a", n == 0), name="a") for n in range(2)]  # type: ignore[misc]
    assert made == [Row("a", True)] * 2
    assert KeptRows(file, Row).done(lambda: Row("b", False), name="b") == Row("b", False)
    assert len(file.read_text().splitlines()) == 2
