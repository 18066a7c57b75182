"""One completion with the published prompt, over real HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.benchmarks.data import Setting, load_tasks
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.predict.config import Config
from ml_agent.benchmarks.predict.respondent import navigator
from ml_agent.benchmarks.predict.run import Plan, Summary, predict
from ml_agent.benchmarks.predictions import Prediction, load_predictions
from tests.servers.model_server import ModelServer, Response, Seen, completion, refusal

ROW = {
    "github_id": 1, "github": "https://github.com/some/sample", "repo_id": 1, "path": "./sub", "arguments": "{'lr': 'SECRET-VALUE'}",
    "instruction": "Train it with a rate of 0.5.", "oracle": "THE-SEGMENT", "type": "Bash Script", "prefix_code": "",
    "output": "SECRET-ANSWER", "id": 1,
}  # fmt: skip
REPLY = "Here you are:\n```bash\npython train.py --lr 0.5\n```\nDone."


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "repos" / "sample" / "sub"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("THE-README says: train with a rate. It is easy. Bye.")
    (folder / "train.py").write_text("THE_CODE = 1\n")
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    return tmp_path


def says(seen: Seen, _: Any) -> Response:
    return completion({"content": REPLY}, seen)


def run(bench: Path, config: Config) -> tuple[Summary, Prediction]:
    tasks = load_tasks(str(bench / "rows.jsonl")).tasks
    summary = predict(
        Plan(tasks=tasks, repos=bench / "repos", out=bench / "out.jsonl", who=navigator(config.checked())),
        LocalEngine(),
    )
    return summary, load_predictions(bench / "out.jsonl")[0]


@pytest.mark.parametrize(
    ("setting", "shown"),
    [("oracle", "THE-SEGMENT"), ("retrieval", "THE-README"), ("agent", "THE-README"), ("code", "THE_CODE = 1")],
)
def test_each_setting_asks_once(bench: Path, setting: Setting, shown: str) -> None:
    with ModelServer(misbehaviour=says) as server:
        summary, prediction = run(bench, Config(navigator="raw", setting=setting, model="m", base_url=server.url))
        (seen,) = server.requests
    assert summary.answered == 1
    assert prediction.output == ("python train.py --lr 0.5",)
    assert shown in seen.text and "Train it with a rate of 0.5." in seen.text
    assert "SECRET" not in seen.text
    assert ("THE-SEGMENT" in seen.text) == (setting == "oracle")
    assert prediction.usage.calls == 1
    assert prediction.usage.prompt_tokens == seen.prompt_tokens
    assert (seen.body["temperature"], prediction.subject) == (0.0, f"raw ({setting}) m")


def test_attempts_are_separate_completions(bench: Path) -> None:
    with ModelServer(misbehaviour=says) as server:
        _, prediction = run(bench, Config(navigator="raw", model="m", base_url=server.url, attempts=3))
        assert [(s.body["temperature"], s.body["seed"]) for s in server.requests] == [(1.0, 0), (1.0, 1), (1.0, 2)]
    assert len(prediction.output) == 3
    assert prediction.usage.calls == 3


def test_a_refusing_endpoint_is_a_row(bench: Path) -> None:
    with ModelServer(misbehaviour=lambda seen, _: refusal(404, "no such model")) as server:
        summary, prediction = run(bench, Config(navigator="raw", model="m", base_url=server.url))
    assert summary.missing == 0
    assert len(summary.failed) == 1
    assert "does not know model" in prediction.error


def test_a_model_that_takes_too_long_is_a_timeout(bench: Path) -> None:
    slow = ModelServer(misbehaviour=lambda seen, meant: Response(body=b"{}", delay=600))
    with slow as server:
        summary, prediction = run(bench, Config(navigator="raw", model="m", base_url=server.url, max_seconds=1))
    assert (summary.answered, prediction.error) == (0, "timeout: more than 1 s")


def test_the_budget_holds_by_row(bench: Path) -> None:
    with ModelServer(misbehaviour=says) as server:
        _, prediction = run(bench, Config(navigator="raw", model="m", base_url=server.url, max_tokens=20))
        assert not server.requests
    assert "BudgetExceededError" in prediction.error


@pytest.mark.parametrize(
    ("message", "finish", "output", "error"),
    [
        (
            {"content": "```bash\npython train.py --lr"},
            "length",
            ("```bash\npython train.py --lr",),
            "cut off at its limit of 1024",
        ),
        ({"content": None}, "length", (), "cut off at its limit of 1024"),
        ({"content": ""}, "stop", (), "the reply is empty"),
        ({"content": None, "refusal": "I cannot"}, "stop", (), "the model refused: I cannot"),
        ({"content": REPLY + " And"}, "length", ("python train.py --lr 0.5",), ""),
    ],
)
def test_a_reply_that_is_cut_off_says_so(
    bench: Path, message: dict[str, Any], finish: str, output: tuple[str, ...], error: str
) -> None:
    with ModelServer(misbehaviour=lambda seen, _: completion(message, seen, finish_reason=finish)) as server:
        summary, prediction = run(bench, Config(navigator="raw", model="m", base_url=server.url))
    assert prediction.output == output and (error in prediction.error if error else not prediction.error)
    assert all(error in line for line in summary.failed) and len(summary.failed) == (not output)
