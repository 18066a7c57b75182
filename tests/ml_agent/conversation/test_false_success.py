"""Answers of a model that end well and are no success: the run says what is missing, and its exit code is not 0."""

from pathlib import Path
from typing import Any

import pytest

from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from tests.servers.model_server import Answer, ModelServer
from tests.servers.talkers import command, saying

SCORE = (
    "import argparse, json, time\n"
    "parser = argparse.ArgumentParser(description='Score sentences')\n"
    'parser.add_argument("--top-k", type=int, default=10, help="number of sentences to keep")\n'
    'parser.add_argument("--output", default="scores.json", help="JSON file of the scores")\n'
    "args = parser.parse_args()\n"
    'json.dump([1] * args.top_k, open(args.output, "w"))\n'
)
TASK = "Score the sentences with top-k 2 and save the scores to best.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "score").mkdir()
    (tmp_path / "score/score.py").write_text(SCORE)
    (tmp_path / "score/README.md").write_text("# Score\n\nScore sentences:\n\n    python score.py\n")
    return tmp_path / "score"


def result_of(text: str, root: Path, out: Path) -> dict[str, Any]:
    talk = saying(Answer("read", {"path": "score.py"}), command(text))
    with ModelServer(talk) as server:
        settings = load_settings(
            navigator="llm", model="m", base_url=server.url, api_key="sesame", run="full", sandbox="local", unisolated=True,
            network="none", max_attempts=1, max_repairs=0,
        )  # fmt: skip
        return run_job(Job(instruction=TASK, repository=str(root)), settings, new_run(Path("runs"), out, {}))


CASES = {
    "echo '[1, 2]' > best.json": ("not-reached", "checked", "no code of the repository ran"),
    "python score.py --help --top-k 2 --output best.json": ("not-reached", "checked", "it only printed its help"),
    "python score.py --top-k 3 --output best.json": ("delivered", "delivered", "1 value of your request is not in it: 2"),
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_what_only_looks_well_is_not_said_to_be(text: str, root: Path, tmp_path: Path) -> None:
    ending, evidence, said = CASES[text]
    result = result_of(text, root, tmp_path / "out")
    assert result["answer"]["text"] == text, result["message"]
    assert (result["ending"], result["exit_code"], result["evidence"]) == (
        ending,
        int(ending != "delivered"),
        evidence,
    ), result["message"]
    assert said in result["message"]
