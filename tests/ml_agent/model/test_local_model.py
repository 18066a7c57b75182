"""With a real small model: `make test-model` starts it; ML_AGENT_TEST_MODEL_URL names another endpoint on this machine."""

import json
import os
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from ml_agent.model.budget import Budget, Limits
from ml_agent.model.client import ModelClient
from ml_agent.model.endpoint import Endpoint
from ml_agent.model.functions import Function
from ml_agent.model.memory import Memory
from ml_agent.model.prompt import Prompt
from ml_agent.model.replies import accepted
from ml_agent.model.sender import ClientParts
from ml_agent.prompts.untrusted import neutral
from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings

FIT = (
    "import argparse\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    'parser.add_argument("--steps", type=int, default=10, help="number of steps")\n'
    'parser.add_argument("--out", default="metrics.json")\n'
    "args = parser.parse_args()\n"
)
PROMPT = Prompt(
    phase="read",
    system=neutral(
        "You read what a user asks of a script and say which value the user states for each of its options."
    ),
    evidence=neutral("User: Fit the linear model with learning rate 0.25 and half a hundred steps."),
    question=neutral("Which value does the user state for each option? null where none."),
)
OPTIONS = Function(
    name="set_options",
    description="Set what the user states; null leaves an option as it is.",
    parameters={
        "type": "object",
        "properties": {
            "lr": {"type": "number", "description": "learning rate"},
            "steps": {"type": "integer", "description": "number of steps"},
        },
        "required": ["lr", "steps"],
    },
)


@pytest.fixture(scope="module")
def url() -> str:
    where = os.environ.get("ML_AGENT_TEST_MODEL_URL", "http://127.0.0.1:8080/v1")
    if not answers(where):
        pytest.fail(
            f"no model answers at {where}: run `make test-model`, or scripts/local-model.sh start", pytrace=False
        )
    return where


def answers(where: str) -> bool:
    try:
        with urllib.request.urlopen(f"{where}/models", timeout=5) as answer:
            return bool(json.load(answer))
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.model
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", ["auto", "text"])
def test_a_small_model_reads_numbers(mode: str, url: str) -> None:
    memory, budget = Memory(), Budget(Limits(tokens=4000))
    endpoint = Endpoint(model="local", base_url=url, mode=mode)  # type: ignore[arg-type]
    client = ModelClient(endpoint, budget, parts=ClientParts(memory=memory))
    (call,) = client.converse(PROMPT, [OPTIONS], (), max_output_tokens=60).calls
    assert accepted(call, [OPTIONS]).arguments["lr"] == 0.25
    assert 0 < budget.usage.tokens <= 4000 and budget.usage.cost == 0
    if mode == "auto":
        assert memory.traits(endpoint.identity).confirmed


@pytest.mark.model
@pytest.mark.timeout(900)
def test_a_whole_run_ends_with_a_sound_answer_or_says_that_there_is_none(url: str, tmp_path: Path) -> None:
    """A small model may find nothing; what it must not do is end a run with a wrong answer that is called checked."""
    root = tmp_path / "fitting"
    root.mkdir()
    (root / "fit.py").write_text(FIT)
    (root / "README.md").write_text("# Fitting\n\nFit the linear model:\n\n```bash\npython fit.py --lr 0.5\n```\n")
    entries = [{"full_name": "me/fitting", "description": "Fit the linear model", "url": str(root)}]
    entries.append({"full_name": "me/painting", "description": "Linear drawings", "url": str(tmp_path / "gone")})
    catalog = tmp_path / "catalog.jsonl"
    catalog.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    settings = load_settings(navigator="llm", model="local", base_url=url, run="none", max_tokens=12_000)
    job = Job(instruction="Fit the linear model with learning rate 0.25.", catalog=str(catalog))
    result = run_job(job, settings, new_run(Path("runs"), tmp_path / "out", {}))
    assert result["budget"]["calls"] > 0
    if result["evidence"] == "checked":
        assert result["answer"]["text"] == "python fit.py --lr 0.25"
    else:
        assert result["evidence"] == "none" and result["exit_code"] != 0 and result["message"]
