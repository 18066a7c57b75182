"""What we look at after a run, made to be much: each look takes a moment, whatever the program wrote."""

import json
import time
from pathlib import Path

import pytest

import ml_agent.delivery.judge
from ml_agent.delivery.content import report_on
from ml_agent.delivery.doubts import doubts_of
from ml_agent.delivery.expectation import CreatedFile, Expectation
from ml_agent.delivery.judge import RunOutputs, judge, looks
from ml_agent.sandbox.contract import Response
from ml_agent.view.curves import curves_of
from ml_agent.view.page import changes
from tests.processor_time import WAIT, within


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


@pytest.mark.promise("Files that keep their judge busy cost a run one wait, however many.", by="RunOutputs.until")
def test_files_that_keep_their_judge_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ml_agent.delivery.judge, "WAIT_SECONDS", 2)
    scene = RunOutputs(
        made=tuple(CreatedFile(path=f"{number}.srt", size=1) for number in range(8)),
        read=lambda _path, _most: b"00:00.000 --> 00:00.000 " * 200_000,
    )
    began = time.monotonic()
    asked = judge([Expectation(path=f"{number}.srt", kind="srt") for number in range(2)], scene)
    assert [one.verdict for one in (*asked, *looks(asked, scene))] == ["not judged"] * 7
    assert time.monotonic() - began < 2 + WAIT / 4


@pytest.mark.promise("Lines of JSON with a few of many columns each take no longer.", by="ml_agent.delivery.heads")
def test_lines_of_json_with_many_columns() -> None:
    keys = (json.dumps({f"k{line}-{number}": 0 for number in range(60)}) for line in range(1000))
    content = "\n".join([*keys, *["{}"] * 60_000]).encode()
    report = within(5, lambda: report_on(content, True, Expectation(kind="jsonl", path="x.jsonl")))
    assert report.said == "61000 rows" and report.head
