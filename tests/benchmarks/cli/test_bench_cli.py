"""`ml-agent bench` as a user meets it: help with examples, one line and an exit code for every mistake, results that go on."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from ml_agent.benchmarks import form_l
from ml_agent.benchmarks.cli import app
from ml_agent.benchmarks.predictions import load_predictions
from tests.servers.dask_cluster import dask_cluster
from tests.servers.model_server import Answer, ModelServer, Seen

Call = Callable[..., Any]
Rows = Callable[..., None]
ON = ("--tasks", "{rows}", "--repos", "{repos}")
COMMANDS = [
    "repos", "make", "predict", "run", "agents list", "agents install", "score", "compare", "report",
]  # fmt: skip


def test_every_command_is_here() -> None:
    group = typer.main.get_command(app)
    assert set(group.commands) == {words.split()[0] for words in COMMANDS}  # type: ignore[attr-defined]


MISTAKES = {
    "a sample that is none": (("predict", *ON, "--out", "{tmp}/o", "--sample", "{rows}"), 2, "not a JSON list"),
    "llm without a model": (("predict", *ON, "--out", "{tmp}/o", "--navigator", "llm"), 2, "needs --model"),
    "an agent that nobody knows": (("run", "--agent", "gpt", *ON, "--out", "{tmp}/o"), 2, "there is no agent gpt"),
    "an agent that is not installed": (
        ("run", "--agent", "aider", *ON, "--out", "{tmp}/o", "--model", "m"), 3, "bench agents install aider",
    ),
    "llm as an agent without a model": (("run", "--agent", "llm", *ON, "--out", "{tmp}/o"), 2, "needs --model"),
    "results into a file": (("run", "--agent", "offline", *ON, "--out", "{rows}"), 2, "rows.jsonl cannot be written"),
    "offline in form L": (("run", "--form", "L", "--agent", "offline", *ON, "--out", "{tmp}/o"), 2, "bench predict"),
    "repositories that are not there": (("score", "--tasks", "{rows}", "--repos", "{tmp}/none", "--predictions", "{rows}"), 2, "there is no folder"),
    "a checkout that is not there": (("agents", "install", "swe-agent", "--from", "{tmp}/none"), 2, "--from"),
    "predictions that are none": (("score", *ON, "--predictions", "{repos}/sample/train.py"), 2, "train.py:1"),
    "a report of a folder that is not there": (("report", "{tmp}/none"), 2, "there is no folder"),
    "a folder without scores": (("report", "{tmp}"), 2, "no deliveries.jsonl"),
    "predictions over rows": (("predict", *ON, "--out", "{rows}"), 2, "rows.jsonl exists and does not contain predictions"),
    "made rows over others": (("make", "{repos}/sample", "--out", "{rows}"), 2, "is there already"),
    "a dask scheduler that is not there": (
        ("predict", *ON, "--out", "{tmp}/o", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"), 2, "no dask scheduler",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_one_line_and_an_exit_code(
    what: str, call: Call, bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "--engine" in MISTAKES[what][0]:
        pytest.importorskip("distributed")
        monkeypatch.setattr("ml_agent.benchmarks.engines.dask.START_SECONDS", 1.0)
    words, code, says = MISTAKES[what]
    before = files_of(bench)
    said = call(*words)
    assert (said.code, said.out) == (code, ""), said
    assert len(said.err.strip().splitlines()) == 1 and says in said.err, said.err
    assert before.items() <= files_of(bench).items(), "nothing of the user's is lost"


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_from_rows_to_a_report(call: Call, bench: Path) -> None:
    assert call("predict", *ON, "--out", "{tmp}/out.jsonl").code == 0
    scored = call("score", *ON, "--predictions", "{tmp}/out.jsonl", "--json")
    assert json.loads(scored.out)["pass@1"] == 1.0 and json.loads(scored.out)["rows"][0]["gates"] == [True]
    (bench / "scores").mkdir()
    (bench / "scores/offline.json").write_text(scored.out)
    compared = [line.split() for line in call("compare", "{tmp}/scores/offline.json").out.splitlines()]
    assert (
        ["repository", "ML-Agent", "(no", "model)"] in compared
        and ["sample", "100.0", "%"] in compared
        and ["rows", "3"] in compared
    )
    written = call("report", "{tmp}/scores").out.split()
    assert [Path(p).name for p in written] == ["report.html"] and "100.0 %" in Path(written[0]).read_text()


def test_the_exit_code_says_whether_every_row_has_a_result(call: Call, rows: Rows) -> None:
    rows({}, {"github": "https://github.com/some/other"})
    said = call("predict", *ON, "--out", "{tmp}/out.jsonl")
    assert said.code == 0 and "no answer 1-1: no repository other" in said.err and "1 of 2 rows answered" in said.err
    rows({}, {"arguments": "no dict"}, {})
    said = call("predict", *ON, "--out", "{tmp}/bad.jsonl")
    assert said.code == 1 and "row 2 (1-1): the field 'arguments'" in said.err and "2 of 3 rows answered" in said.err
    assert "1 rows have no result" in said.err


def test_a_row_whose_own_reference_fails_is_left_out_for_every_answer(call: Call, rows: Rows, bench: Path) -> None:
    rows({}, {"type": "Python Code", "output": "Net = make(0.5)\nNet.fit()"})
    for second in ("python train.py", "import train"):
        answers = [
            {"github_id": 1, "id": 0, "output": ["python train.py --lr 0.5"]},
            {"github_id": 1, "id": 1, "output": [second]},
        ]
        (bench / "out.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
        said = call("score", *ON, "--predictions", "{tmp}/out.jsonl", "--json")
        found = json.loads(said.out)
        assert (said.code, found["n"], found["pass@1"]) == (0, 1, 1.0)
        assert found["left_out"][0]["key"] == "1-1" and "NameError" in found["left_out"][0]["reason"]


def test_a_score_says_whether_every_row_was_judged(call: Call, rows: Rows, bench: Path) -> None:
    assert call("predict", *ON, "--out", "{tmp}/out.jsonl").code == 0
    score = ("score", *ON, "--predictions", "{tmp}/out.jsonl")
    assert call(*score).code == 0
    rows({}, {"github": "https://github.com/some/other"}, {})
    said = call(*score)
    assert said.code == 1 and "1-1: no repository other" in said.out
    rows({}, {"arguments": "no dict"}, {})
    assert call(*score).code == 1
    rows({}, {})
    assert call(*score).code == 0, "a prediction of no row is none that was asked for"


@pytest.mark.parametrize("mode", ["same-call", "official"])
def test_a_row_without_a_prediction_is_not_right(mode: str, call: Call, bench: Path) -> None:
    answer = {"github_id": 1, "id": 0, "output": ["python train.py --lr 0.5"] * 5}
    (bench / "one.jsonl").write_text(json.dumps(answer) + "\n")
    score = ("score", *ON, "--predictions", "{tmp}/one.jsonl", "--mode", mode, "--json")
    said = call(*score)
    assert said.code == 1 and "2 of 3 rows have no prediction and count as failed" in said.err
    rows = json.loads(said.out)["rows"]
    assert [(row["passed"][0], row["gates"][0]) for row in rows] == [(True, True), (False, False), (False, False)]
    assert rows[1]["reason"] == ["no answer: no prediction"]
    (bench / "mine.json").write_text('["1-0"]')
    said = call(*score, "--sample", "{tmp}/mine.json")
    assert said.code == 0 and [row["passed"] for row in json.loads(said.out)["rows"]] == [[True] * 5]


def test_a_row_that_hangs_is_ended_for_its_time(
    call: Call, rows: Rows, bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process is stopped while it waits for the model, so that no deadline of its own helps."""
    monkeypatch.setattr(form_l, "GRACE_SECONDS", 0.5)
    rows({})

    def stops(_: Seen) -> Answer:
        for child in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
            for pid in child.read_text().split():
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(int(pid), signal.SIGSTOP)
        return Answer("answer", {})

    with ModelServer(brain=stops) as server:
        words = ("--navigator", "llm", "--model", "m", "--base-url", server.url, "--max-seconds", "3")
        said = call("predict", *ON, "--out", "{tmp}/out.jsonl", *words)
    assert said.code == 0 and "timeout: more than 3.5 s" in said.err, said.err
    assert json.loads((bench / "out.jsonl").read_text())["error"].startswith("timeout")


def test_repositories_are_laid_at_their_commits(call: Call, bench: Path, rows: Rows) -> None:
    mirror = bench / "mirrors/some+sample"
    work = bench / "repos/sample"
    (work / "link.py").symlink_to("train.py")
    (work / "train.py").chmod(0o755)
    as_somebody = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    for words in (("init", "-q"), ("add", "-A"), (*as_somebody, "commit", "-q", "-m", "x")):
        subprocess.run(["git", *words], cwd=work, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(mirror)], check=True)
    rows({}, {"github": "https://github.com/some/other"}, {"github": "https://github.com/some/third"})
    told = ("--tasks", "{rows}", "--repos", "{tmp}/laid", "--mirrors", "{tmp}/mirrors")
    said = call("repos", *told, "--commit", "sample=HEAD", "--commit", "third=HEAD")
    assert (
        said.code == 1
        and "other: no pinned commit is known" in said.err
        and "no git directory of some/third" in said.err
    )
    laid = bench / "laid/sample"
    sha = (laid / ".commit").read_text().strip()
    assert (laid / "train.py").read_bytes() == (work / "train.py").read_bytes() and len(sha) == 40
    assert (laid / "link.py").is_symlink() and os.access(laid / "train.py", os.X_OK) and not (laid / ".git").exists()
    rows({})
    assert "already there" in call("repos", *told, "--commit", f"sample={sha}").err
    assert call("predict", "--tasks", "{rows}", "--repos", "{tmp}/laid", "--out", "{tmp}/o.jsonl").code == 0


def test_a_host_that_cannot_be_reached_leaves_the_way_of_a_copy(call: Call, bench: Path, rows: Rows) -> None:
    rows({"github": "https://localhost:1/some/Sample"})
    told = ("repos", "--tasks", "{rows}", "--repos", "{tmp}/laid", "--commit", "sample=HEAD")
    said = call(*told)
    assert said.code == 1 and str(bench / "laid/sample") in said.err, said.err
    (bench / "repos/sample").rename(bench / "laid/sample")
    assert call("predict", "--tasks", "{rows}", "--repos", "{tmp}/laid", "--out", "{tmp}/o.jsonl").code == 0


@pytest.mark.slow
def test_ml_agent_itself_on_form_a(call: Call, bench: Path, rows: Rows) -> None:
    rows({})
    words = ("--sandbox", "local", "--unisolated", "--max-seconds", "60")
    said = call("run", "--form", "A", "--agent", "offline", *ON, "--out", "{tmp}/a", *words)
    assert said.code == 0 and {"official: 1", "executed: 1", "usd: 0.0"} <= {*said.err.splitlines()}, said.err


@pytest.mark.slow
def test_dask_by_its_address_answers_as_this_process_does(call: Call, bench: Path) -> None:
    assert call("predict", *ON, "--out", "{tmp}/one.jsonl").code == 0
    with dask_cluster() as address:
        there = ("--engine", "dask", "--scheduler", address)
        assert call("predict", *ON, "--out", "{tmp}/two.jsonl", *there).code == 0
    one, two = ([p.output for p in load_predictions(bench / f"{n}.jsonl")] for n in ("one", "two"))
    assert one == two
