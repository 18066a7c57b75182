"""Tasks whose first draft ends with 0 and misses the output: what is missing goes back, and the second draft delivers."""

import json
from pathlib import Path

import msgspec
import pytest

from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.settings import load_settings
from tests.servers.model_server import Answer, ModelServer
from tests.servers.talkers import command, saying

pytestmark = [
    pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap does not work here"),
    pytest.mark.xdist_group("bubblewrap-sandbox"),
]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A repository of one script, a sentence, and the drafts of a model that learns from what it is told."""

    script: str
    instruction: str
    expect: tuple[str, ...] = ()
    first: str
    second: str
    python: bool = False


HEAD = "import argparse, csv, json, os\nparser = argparse.ArgumentParser()\nadd = parser.add_argument\n"
ROWS = "writer = csv.writer(open(path, 'w'))\nwriter.writerow(names)\nwriter.writerows([[n] * len(names) for n in range(count)])\n"

TASKS = {
    "code with a fixed name": Task(
        script="def fit(path='result.json'):\n    json.dump({'loss': 0.5}, open(path, 'w'))\n",
        instruction="Write Python code that fits the model.",
        expect=("outputs/r.json",),
        first="import run\nrun.fit()\n",
        second="import os\nimport run\nos.makedirs('outputs', exist_ok=True)\nrun.fit('outputs/r.json')\n",
        python=True,
    ),
    "other columns": Task(
        script="add('--columns', default='a,b')\nadd('--title', default='')\nadd('--out')\nargs = parser.parse_args()\n"
        f"path, names, count = args.out, args.columns.split(','), 3\n{ROWS}",
        instruction="Write the table table.csv with the columns 'label' and 'score'.",
        first="python run.py --out table.csv --title 'label score'",
        second="python run.py --out table.csv --columns label,score",
    ),
    "a switch that writes": Task(
        script="add('--export-all', action='store_true')\nargs = parser.parse_args()\nprint('done')\n"
        "if args.export_all:\n    json.dump([1, 2], open('all.json', 'w'))\n",
        instruction="Score the model.",
        expect=("all.json",),
        first="python run.py",
        second="python run.py --export-all",
    ),
}


def solve(task: Task, place: Path, told: bool) -> tuple[dict[str, object], list[str], str]:
    """The result, the drafts, and all that the model was told; a model that is not `told` says the first draft again."""
    root = place / "repository"
    root.mkdir()
    head = "import json\n" if task.python else HEAD
    (root / "run.py").write_text(head + task.script)
    (root / "README.md").write_text("# Measurements\n\nCompute, tabulate and score:\n\n```bash\npython run.py\n```\n")
    texts = (task.first, task.second if told else task.first)
    said = [Answer("answer", {"kind": "python", "text": text}) if task.python else command(text) for text in texts]
    with ModelServer(saying(*said)) as server:
        settings = load_settings(
            navigator="llm", model="m", base_url=server.url, api_key="k", run="full",
            sandbox="local", network="none", max_attempts=3, cache_dir=str(place / "cache"),
        )  # fmt: skip
        job = Job(instruction=task.instruction, repository=str(root), expect=task.expect)
        result = run_job(job, settings, new_run(Path("runs"), place / "out", {}))
        heard = "\n".join(seen.text for seen in server.requests)
    events = [json.loads(line) for line in (place / "out/trajectory.jsonl").read_text().splitlines()]
    return result, [event["draft"]["text"] for event in events if event["event"] == "draft"], heard


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.parametrize("name", ["code with a fixed name", "other columns"])
def test_a_model_is_told_what_is_missing_and_mends_it(name: str, tmp_path: Path) -> None:
    result, drafts, heard = solve(TASKS[name], tmp_path, told=True)
    assert [one.strip() for one in drafts] == [TASKS[name].first.strip(), TASKS[name].second.strip()]
    assert (result["ending"], result["exit_code"]) == ("delivered", 0), result["message"]
    assert "Wrong (" in heard and "It was run: exit 0" in heard


def test_without_learning_it_is_no_success(tmp_path: Path) -> None:
    result, _, _ = solve(TASKS["a switch that writes"], tmp_path, told=False)
    assert (result["ending"], result["exit_code"], result["evidence"]) == ("not-delivered", 1, "completed")
