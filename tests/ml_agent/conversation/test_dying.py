"""A model that is gone, in whichever phase of a run: exit 4 with what was reached, nothing of the rules, and `resume` completes it."""

import json
from pathlib import Path

import pytest

from ml_agent.request import Job
from ml_agent.run_job import config_of, resume_job, run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.summary import summary
from tests.servers.model_server import Answer, ModelServer, Response, Seen, refusal
from tests.servers.talkers import SETTINGS, command, replies, saying

TABLE = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=6, help="rows of the table")
args = parser.parse_args()
if args.rows > 9:
    raise SystemExit("too many rows")
with open("out.csv", "w") as file:
    print("name", *range(args.rows), sep="\\n", file=file)
"""
CALLS = (
    Answer("read", {"path": "table.py"}),
    command("python table.py --lines 9"),  # the check refuses it
    command("python table.py --rows 99"),  # it fails
    command("python table.py --rows 9"),
    Answer("done", {"what": "nine rows"}),
)
FOUND = (
    Answer("search", {"query": "table of rows"}),
    Answer("choose", {"best_first": [{"repository": "me/tables", "why": "it writes tables"}]}),
)
PHASES = ("search", "choice", "first reply", "look", "refused", "failed", "result")
"""What the model was to reply to when it died."""
QUICK = ("choice", "result")


@pytest.mark.parametrize(
    "phase", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in PHASES]
)
def test_a_run_whose_model_dies_ends_so_and_goes_on(
    phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = []
    for name, what in (("tables", "Write a table of rows"), ("painting", "Paint pictures of tables")):
        root = tmp_path / name
        root.mkdir()
        (root / "table.py").write_text(TABLE)
        (root / "README.md").write_text(f"# {name}\n\n{what}:\n\n```bash\npython table.py --rows 3\n```\n")
        entries.append({"full_name": f"me/{name}", "description": what, "url": f"./{name}"})
    catalog = tmp_path / "catalog.jsonl"
    catalog.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    gone, talk = [True], saying(*CALLS)

    def thinks(seen: Seen) -> Answer:
        return FOUND[min(replies(seen), 1)] if "choose" in seen.functions else talk(seen)

    def dies(seen: Seen, _answer: Answer) -> Response | None:
        return (
            refusal(429, "no quota", code="insufficient_quota") if gone and seen.number > PHASES.index(phase) else None
        )

    job = Job(instruction="Write a table of 9 rows to out.csv.", catalog=str(catalog))
    with ModelServer(thinks, dies) as server:
        made = load_settings(base_url=server.url, network="none", cache_dir=tmp_path / "cache", **SETTINGS)
        folder = new_run(tmp_path, tmp_path / "out", config_of(job, made))
        first = run_job(job, made, folder)
        asked = [sorted(seen.functions)[0] for seen in server.requests]
        assert (first["ending"], first["exit_code"], first["stand_ins"]) == ("model-gone", 4, []), asked
        assert (first["answer"] or {"source": "llm"})["source"] == "llm"
        shown = "\n".join(summary(first))
        assert "resume" in shown and ("python table.py" in shown) is (first["answer"] is not None)
        gone.clear()
        monkeypatch.setenv("OPENAI_API_KEY", "sesame")
        second = resume_job(folder, {})
    assert (second["ending"], second["told"], second["answer"]["text"]) == (
        "delivered",
        "nine rows",
        CALLS[3].arguments["text"],
    )
    assert second["stand_ins"] == [], asked
    assert len(server.requests) <= len(PHASES) + 3, asked
