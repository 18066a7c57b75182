"""Whole runs that think with a model, good or bad: each ends proven, or says honestly why not, within its budget."""

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ml_agent
from ml_agent.errors import ConfigurationError
from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.summary import summary
from ml_agent.tools import index
from ml_agent.tools.index import RepoIndex
from tests.servers.misbehaviours import MISBEHAVIOURS
from tests.servers.model_server import Answer, ModelServer, Seen
from tests.servers.talkers import command, saying

FIT = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    'parser.add_argument("--out", default="metrics.json")\n'
    "args = parser.parse_args()\n"
)
TASK = "Fit the linear model with learning rate 0.25."
ANSWER = "python fit.py --lr 0.25"


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    entries = []
    for name, what in (("fitting", "Fit the linear model"), ("painting", "Paint pictures of linear landscapes")):
        root = tmp_path / name
        root.mkdir()
        (root / "fit.py").write_text(FIT)
        (root / "README.md").write_text(f"# {name}\n\n{what}:\n\n```bash\npython fit.py --lr 0.5\n```\n")
        entries.append({"full_name": f"me/{name}", "description": what, "url": f"./{name}"})
    path = tmp_path / "catalog.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


willing = saying(Answer("read", {"path": "fit.py"}), command(ANSWER))


def run(server_url: str, out: Path, job: Job, **flags: Any) -> dict[str, Any]:
    settings = load_settings(navigator="llm", model="m", base_url=server_url, api_key="sesame", run="none", **flags)
    return run_job(job, settings, new_run(Path("runs"), out, {}))


@pytest.mark.parametrize(
    "name",
    ["two calls", "nothing but text", "usage absurd"],
)
def test_an_odd_model_still_ends_with_its_answer(name: str, catalog: Path, tmp_path: Path) -> None:
    job = Job(instruction=TASK, catalog=str(catalog))
    with ModelServer(willing, MISBEHAVIOURS[name]) as server:
        result = run(server.url, tmp_path / "out", job, max_tokens=30_000, max_calls=60)
    assert (result["ending"], result["evidence"], result["answer"]["text"]) == ("checked", "checked", ANSWER)
    spent = result["budget"]["prompt_tokens"] + result["budget"]["completion_tokens"]
    assert result["usd"] == 0 and 0 <= spent <= 30_000
    assert "sesame" not in "".join(
        path.read_text(errors="replace") for path in (tmp_path / "out").rglob("*") if path.is_file()
    )


@pytest.mark.parametrize("name", ["429 for hours", "refusal", "brackets without end"])
def test_a_model_that_is_gone_ends_the_run_and_another_navigator_only_where_asked_for(
    name: str, catalog: Path, tmp_path: Path
) -> None:
    job = Job(instruction=TASK, repository=str(catalog.parent / "fitting"))
    with ModelServer(willing, MISBEHAVIOURS[name]) as server:
        result = run(server.url, tmp_path / "out", job, max_tokens=30_000)
        other = run(server.url, tmp_path / "other", job, max_tokens=30_000, fallback="offline")
    assert (result["ending"], result["exit_code"], result["answer"]) == ("model-gone", 4, None)
    assert not result["stand_ins"]
    assert (other["ending"], other["answer"]["text"]) == ("checked", ANSWER) and other["answer"]["source"] != "llm"
    (one,) = other["stand_ins"]
    (line,) = (line for line in summary(other) if line.startswith("model "))
    assert one["phase"] == "generate" and one["reason"][:40] in line
    written = json.loads((tmp_path / "other/run.json").read_text())
    jsonschema.validate(written, json.loads((Path(ml_agent.__file__).parent / "run.schema.json").read_text()))


@pytest.mark.parametrize("idle", [0, 60])
def test_while_the_model_writes_the_rest_of_the_repository_is_read(
    idle: int, catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[RepoIndex] = []

    def without_time(root: Path, version: str, cache: Path | None, first: str) -> RepoIndex:
        opened.append(RepoIndex(root, version, cache, first=first, seconds=-1))
        return opened[-1]

    def takes_its_time(_seen: Seen, _answer: Answer) -> None:
        end = time.monotonic() + (20 if idle else 0.2)
        while opened[0].left_out and time.monotonic() < end:
            time.sleep(0.01)

    monkeypatch.setattr(RepoIndex, "open", without_time)
    monkeypatch.setattr(index, "IDLE_SECONDS", idle)
    with ModelServer(willing, takes_its_time) as server:
        result = run(server.url, tmp_path / "out", Job(instruction=TASK, repository=str(catalog.parent / "fitting")))
    assert result["answer"]["text"] == ANSWER
    assert ("not_read" in result["repository"]) == (idle == 0)


@pytest.mark.parametrize("limit", [{"max_tokens": 500}, {"max_calls": 1}], ids=str)
def test_a_spent_budget_ends_the_run(limit: dict[str, int], catalog: Path, tmp_path: Path) -> None:
    job = Job(instruction=TASK, repository=str(catalog.parent / "fitting"))
    with ModelServer(willing) as server:
        result = run(server.url, tmp_path / "out", job, **limit)
        assert len(server.requests) <= limit.get("max_calls", 100)
        assert server.most_tokens <= limit.get("max_tokens", 30_000)
    assert (result["ending"], result["exit_code"], result["answer"]) == ("budget", 5, None)


def test_a_refused_key_ends_the_run_with_what_to_do(catalog: Path, tmp_path: Path) -> None:
    job = Job(instruction=TASK, catalog=str(catalog))
    with (
        ModelServer(willing, MISBEHAVIOURS["key refused"]) as server,
        pytest.raises(ConfigurationError, match="OPENAI_API_KEY"),
    ):
        run(server.url, tmp_path / "out", job)


def test_an_answer_that_the_check_refuses_is_none(catalog: Path, tmp_path: Path) -> None:
    job = Job(instruction=TASK, repository=str(catalog.parent / "fitting"))
    with ModelServer(saying(command("python fit.py --depth 3"))) as server:
        result = run(server.url, tmp_path / "out", job, fallback="offline")
    assert result["ending"] == "no-answer" and "--depth" in result["message"] and not result["stand_ins"]
