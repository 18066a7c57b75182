"""Predictions: every row gets a result, what is done stays done, and nothing secret reaches the navigator."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.data import load_tasks
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.predict.config import Config
from ml_agent.benchmarks.predict.respondent import navigator
from ml_agent.benchmarks.predict.run import Plan, predict
from ml_agent.benchmarks.predict.unit import answer_text
from ml_agent.benchmarks.predictions import load_predictions
from ml_agent.draft import Draft
from tests.processor_time import WAIT

TRAIN = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("--epochs", type=int, default=1)
print(p.parse_args())
"""
README = "# Sample\n\nTrain the model:\n\n```bash\npython train.py --lr 0.1 --epochs 2\n```\n"


def rows(number: int, **changed: Any) -> list[dict[str, Any]]:
    return [
        {
            "github_id": 1, "github": "https://github.com/some/sample", "repo_id": 1, "path": "./", "arguments": "{'lr': '0.5'}",
            "instruction": f"Train the model with a learning rate of 0.5 for {n + 3} epochs.", "oracle": "python train.py --lr 0.1",
            "type": "Bash Script", "prefix_code": "", "output": f"python train.py --lr 0.5 --epochs {n + 3}", "id": n, **changed,
        }
        for n in range(number)
    ]  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    sample = tmp_path / "repos" / "sample"
    sample.mkdir(parents=True)
    (sample / "train.py").write_text(TRAIN)
    (sample / "README.md").write_text(README)
    write(tmp_path, rows(3))
    return tmp_path


def write(folder: Path, data: list[dict[str, Any]]) -> None:
    (folder / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in data))


def plan(folder: Path, **changed: Any) -> Plan:
    fields: dict[str, Any] = {
        "tasks": load_tasks(str(folder / "rows.jsonl")).tasks,
        "repos": folder / "repos",
        "out": folder / "out.jsonl",
    }
    who = navigator(changed.pop("config", Config()))
    return Plan(**{**fields, "who": who, **changed})


def test_every_row_is_answered(bench: Path) -> None:
    summary = predict(plan(bench), LocalEngine())
    assert (summary.rows, summary.answered, summary.missing) == (3, 3, 0)
    found = load_predictions(bench / "out.jsonl")
    assert [p.id for p in found] == [0, 1, 2]
    assert all("train.py" in p.output[0] and "0.5" in p.output[0] for p in found)
    assert all(p.usage.seconds > 0 for p in found)


def test_what_is_done_is_not_done_again(bench: Path) -> None:
    predict(plan(bench), LocalEngine())
    done: list[int] = []

    def engine(work: Any, items: Any) -> Any:
        done.extend(i.key.id for i in items)
        return LocalEngine(1)(work, items)

    predict(plan(bench), engine)
    assert done == []
    write(bench, rows(5))
    predict(plan(bench), engine)
    assert done == [3, 4]
    predict(plan(bench, config=Config(attempts=2)), engine)
    assert done == [3, 4, 0, 1, 2, 3, 4]


def test_a_missing_repository_is_a_row(bench: Path) -> None:
    data = rows(2)
    data[1]["github"] = "https://github.com/some/other"
    write(bench, data)
    summary = predict(plan(bench), LocalEngine())
    assert (summary.answered, summary.missing) == (1, 0)
    assert summary.failed == (f"1-1: no repository other in {bench / 'repos'}",)
    lines = [json.loads(line) for line in (bench / "out.jsonl").read_text().splitlines()]
    assert lines[1]["output"] == [] and "no repository" in lines[1]["error"]


def test_a_folder_that_is_not_there_is_a_row(bench: Path) -> None:
    write(bench, rows(2, path="./nowhere"))
    assert len(predict(plan(bench), LocalEngine()).failed) == 2


def test_a_row_that_takes_longer_than_it_may_is_a_timeout(bench: Path) -> None:
    summary = predict(plan(bench, config=Config(max_seconds=0.001)), LocalEngine())
    found = load_predictions(bench / "out.jsonl")
    assert (summary.rows, summary.answered, summary.missing) == (3, 0, 0)
    assert {(p.output, p.error) for p in found} == {((), "timeout: more than 0.001 s")}


def test_failed_rows_are_made_again_where_that_is_asked(bench: Path) -> None:
    write(bench, rows(1, path="./later"))
    assert predict(plan(bench), LocalEngine()).failed
    (bench / "repos" / "sample" / "later").mkdir()
    (bench / "repos" / "sample" / "later" / "train.py").write_text(TRAIN)
    assert predict(plan(bench), LocalEngine()).failed
    assert not predict(plan(bench, retry_failed=True), LocalEngine()).failed


def test_what_scorers_see_changes_nothing(bench: Path) -> None:
    predict(plan(bench), LocalEngine())
    first = [p.output for p in load_predictions(bench / "out.jsonl")]
    write(bench, rows(3, arguments="{'x': 'garbage'}", type="Python Code", output="garbage"))
    (bench / "out.jsonl").unlink()
    predict(plan(bench, out=bench / "second.jsonl"), LocalEngine())
    assert [p.output for p in load_predictions(bench / "second.jsonl")] == first


def test_a_unit_holds_nothing_secret(bench: Path) -> None:
    write(bench, rows(1, arguments="{'a': 'SECRET-1'}", output="SECRET-2"))
    (task,) = load_tasks(str(bench / "rows.jsonl")).tasks
    (unit,) = navigator(Config()).units(task, bench)
    assert "SECRET" not in repr(unit)


def test_attempts_of_raw_are_apart(bench: Path) -> None:
    (task, *_) = load_tasks(str(bench / "rows.jsonl")).tasks
    units = navigator(Config(navigator="raw", attempts=3)).units(task, bench)
    assert [u.label for u in units] == ["1-0-0", "1-0-1", "1-0-2"]


@pytest.mark.parametrize(
    ("draft", "folder", "text"),
    [
        (Draft(kind="bash", text="python main.py"), ".", "python main.py "),
        (Draft(kind="bash", text="python main.py --x 1"), ".", "python main.py --x 1"),
        (Draft(kind="bash", text="sh run.sh\nls"), ".", "sh run.sh \nls"),
        (Draft(kind="bash", text="python main.py --x 1", workdir="a"), "a/b", "cd ..\npython main.py --x 1"),
        (Draft(kind="python", text="import main", workdir="."), ".", "import main"),
    ],
)
def test_answers_as_they_are_written(draft: Draft, folder: str, text: str) -> None:
    assert answer_text(draft, folder) == text


@pytest.mark.parametrize("fields", [{"navigator": "raw", "setting": "repo"}, {"setting": "code"}, {"navigator": "llm"}])
def test_parts_that_do_not_go_together(fields: dict[str, Any]) -> None:
    with pytest.raises(BenchError):
        Config(**fields).checked()


def command(folder: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "ml_agent", "bench", "predict", "--tasks", str(folder / "rows.jsonl"), "--repos", str(folder / "repos"),
        "--out", str(folder / "out.jsonl"), *more,
    ]  # fmt: skip


@pytest.mark.slow
def test_a_killed_run_goes_on(bench: Path) -> None:
    write(bench, rows(40))
    process = subprocess.Popen(command(bench), stderr=subprocess.DEVNULL)
    folder = bench / "out.jsonl.rows"
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline and len(list(folder.glob("*/*.json"))) < 5:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = {p: p.stat().st_mtime_ns for p in folder.glob("*/*.json")}
    assert len(before) >= 5
    done = subprocess.run(command(bench), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    after = {p: p.stat().st_mtime_ns for p in folder.glob("*/*.json")}
    assert len(after) == 40
    assert {p: after[p] for p in before} == before
    assert len(load_predictions(bench / "out.jsonl")) == 40


@pytest.mark.slow
def test_the_command_line_predicts_and_scores(bench: Path) -> None:
    subprocess.run(command(bench, "--jobs", "2"), check=True, capture_output=True)
    words = [sys.executable, "-m", "ml_agent", "bench", "score", "--tasks", str(bench / "rows.jsonl"), "--repos", str(bench / "repos"),
             "--predictions", str(bench / "out.jsonl"), "--json"]  # fmt: skip
    printed = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert (printed["mode"], printed["n"], printed["pass@1"], printed["pass@5"]) == ("same-call", 3, 1.0, None)
    assert printed["subject"] == "offline"
    assert [row["passed"] for row in printed["rows"]] == [[True]] * 3
