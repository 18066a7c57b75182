"""Subjects side by side: common rows only, paired test, one report."""

import json
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.metrics import mcnemar, official_pass, wilson
from ml_agent.benchmarks.report import Comparison, compare, of_scores, write_report
from ml_agent.benchmarks.scoring import Score, class_of, load_scored


def scored(subject: str, verdicts: str, first_id: int = 0, tokens: int = 0) -> Score:
    rows = [
        {
            "github_id": 1, "id": first_id + n, "passed": [v == "+"], "reason": ["" if v == "+" else "syntax: x"],
            "class": ["" if v == "+" else "E4"], "repository": f"repo{n % 2}", "kind": "bash",
            "usage": {"prompt_tokens": tokens, "completion_tokens": 0, "calls": 1, "seconds": 2.0, "usd": 0.5},
        }
        for n, v in enumerate(verdicts)
    ]  # fmt: skip
    return load(json.dumps({"mode": "official", "subject": subject, "rows": rows, "left_out": []}))


def load(text: str) -> Score:
    return msgspec.convert(json.loads(text), Score)


def side_by_side(*subjects: Score) -> Comparison:
    return compare(of_scores(subjects, Path()))


def figures(comparison: Comparison, column: str) -> list[str]:
    return [line[comparison.head.index(column)] for line in comparison.table]


def test_only_common_rows_count() -> None:
    comparison = side_by_side(scored("a", "++++"), scored("b", "+---", first_id=2))
    assert comparison.keys == ("1-2", "1-3") and [
        text.partition(" (")[0] for text in figures(comparison, "Pass@1")
    ] == ["100.0 %", "50.0 %"]
    assert len(comparison.left_out) == 2


def test_pairs_and_costs() -> None:
    comparison = side_by_side(scored("a", "++--+", tokens=100), scored("b", "+-+--"))
    (said,) = comparison.verdicts
    assert (
        said.startswith("a succeeds on 1 more row than b (2 only by a, 1 only by b): this may be chance")
        and "p 1.0" in said
    )
    found = [figures(comparison, name)[0].split()[0] for name in ("prompt tokens", "seconds", "USD", "USD a right row")]
    assert found == ["100", "2.0", "0.5000", "0.8333"]
    assert "unlikely" in side_by_side(scored("a", "+" * 20), scored("b", "-" * 20)).verdicts[0]


def test_the_report(tmp_path: Path) -> None:
    comparison = side_by_side(scored("a <1>", "++-", tokens=100), scored("b", "--+"))
    html = write_report(comparison, tmp_path).read_text()
    assert "66.7 %" in html and "syntax: x" in html
    assert "a &lt;1&gt;" in html and "<svg" in html
    assert "http" not in html.replace("http://www.w3.org", "")
    Balanced().feed(html)


class Balanced(HTMLParser):
    """Fails on a closing tag that nothing opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.open, tag


@pytest.mark.parametrize("text", ["[]", "{", "[" * 100_000])
def test_a_file_that_is_no_score(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(BenchError, match="not the output"):
        load_scored(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("reason", "wanted"),
    [
        ("not the kind: bash where python is wanted", "E1"),
        ("wrong entry: a.py is started, not b.py", "E2"),
        ("refused: bad-choice: argument --opt", "E2"),
        ("refused: unknown-option: --x", "E3"),
        ("other value: lr: 1 where the reference has 2", "E3"),
        ("refused: syntax: invalid syntax", "E4"),
        ("no answer: timeout", "E5"),
        ("", ""),
        ("cannot be judged: ValueError", ""),
    ],
)
def test_failures_have_the_papers_classes(reason: str, wanted: str) -> None:
    assert class_of(reason) == wanted


def test_predictions_are_no_scores(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text(2 * '{"github_id": 1, "id": %s, "output": ["python a.py"]}\n' % (1, 2))
    with pytest.raises(BenchError, match="bench score"):
        load_scored(tmp_path / "out.jsonl")


def test_subjects_of_one_name_are_told_apart_by_their_files() -> None:
    first, second = (msgspec.structs.replace(scored("a", rows), name=name) for name, rows in (("x", "++"), ("y", "+-")))
    comparison = side_by_side(first, second, scored("b", "++"))
    assert [one.name for one in comparison.subjects] == ["a (x)", "a (y)", "b"]


def test_rows_without_an_answer_are_counted() -> None:
    silent = scored("a", "+--")
    rows = [*silent.rows[:2], msgspec.structs.replace(silent.rows[2], reason=("no answer: timeout",))]
    comparison = side_by_side(msgspec.structs.replace(silent, rows=tuple(rows)), scored("b", "+++"))
    assert "1 of 3 rows has no answer from a and counts as failed" in comparison.verdicts[0]
    assert "no answer" not in side_by_side(silent, scored("b", "+++")).verdicts[0]


def test_rows_that_stand_and_fall_together_widen_the_interval() -> None:
    groups = [[1.0] * 10, [0.0] * 10, [1.0] * 10, [0.0] * 10, [1.0] * 10, [0.0] * 10]
    whole, single = wilson(groups), wilson([[v] for g in groups for v in g])
    assert whole and single and whole.high - whole.low > 2 * (single.high - single.low)
    assert wilson(groups[:1]) is None


def test_pass_at_k() -> None:
    rows = [[False, True, False, False, False], [True] * 5]
    assert (official_pass(rows, 1), official_pass(rows, 2)) == (0.5, 1.0)
    assert official_pass([[False, True, False, False, False], [False]], 5) == 0.5
    assert official_pass([[True]], 2) is None and official_pass([], 1) is None


def test_the_better_agent_does_not_look_less_certain() -> None:
    """Wilson's upper limit for none of 10 at 95 % is 0.2775."""
    every, most = wilson([[1.0] * 5] * 2), wilson([[1.0] * 5, [1.0, 1.0, 0.0, 0.0, 0.0]])
    none = wilson([[0.0]] * 10)
    assert every is not None and most is not None and none is not None
    assert every.low > most.low and every.high == pytest.approx(1.0)
    assert none.low == 0.0 and none.high == pytest.approx(0.2775, abs=1e-4)


def test_mcnemar() -> None:
    assert mcnemar(10, 0) == pytest.approx(2 / 2**10)
    assert mcnemar(1, 1) == 1.0
