"""What we look at after a run, made to be much: each look takes a moment, whatever the program wrote."""

from pathlib import Path

import pytest

from ml_agent.delivery.doubts import doubts_of
from ml_agent.delivery.expectation import CreatedFile
from ml_agent.sandbox.contract import Response
from ml_agent.view.curves import curves_of
from ml_agent.view.page import changes
from tests.processor_time import within


@pytest.mark.promise(
    "Many files of one size, in the repository and among the results, are each read once.",
    by="ml_agent.delivery.doubts, by sums",
)
def test_many_files_of_one_size(tmp_path: Path) -> None:
    root, outputs = tmp_path / "root", tmp_path / "outputs"
    root.mkdir()
    outputs.mkdir()
    for number in range(1000):
        (root / f"{number}").write_text(f"{number:100}")
    for number in range(1, 201):
        (outputs / f"{number}").write_text(f"{-number:100}")
    (outputs / "copy").write_text(f"{900:100}")
    made = [CreatedFile(path=path.name, size=100) for path in outputs.iterdir()]
    ended = Response(ended="exited", exit_code=0)
    doubts = within(2, lambda: doubts_of(ended, [], made, root, outputs))
    assert [one.doubt for one in doubts] == ["copy is unchanged from the repository as 900"]


@pytest.mark.promise("A table of many columns and short rows takes no longer to draw.", by="ml_agent.view.curves")
def test_a_table_of_many_columns_and_short_rows(tmp_path: Path) -> None:
    table = tmp_path / "metrics.csv"
    table.write_text(",".join(f"loss-{number}" for number in range(10_000)) + "\n" + "1\n" * 10_000)
    assert [one.count for one in within(1, lambda: curves_of(None, [table] * 500))] == [10_000] * 6


@pytest.mark.promise("The changes between two drafts of like lines take a moment.", by="ml_agent.view.page.changes")
@pytest.mark.parametrize("words", [" ", "\n"])
def test_two_drafts_of_lines_that_are_nearly_the_same(words: str) -> None:
    before, after = (
        words.join(f"{'-'.join(map(str, range(30)))}{number:05}{end}" for number in range(600)) for end in "ab"
    )
    assert len(within(2, lambda: changes(before, after))) == 1200
    assert within(2, lambda: changes(before * 30, after * 30)) == ()
