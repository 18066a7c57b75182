"""What a model sees of the user's own files when it looks around in the sandbox."""

import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.request import Job
from ml_agent.run_job import run_job
from ml_agent.runs import new_run
from ml_agent.settings import load_settings
from ml_agent.trajectory import read_trajectory
from tests.servers.model_server import Answer, ModelServer
from tests.servers.talkers import command, saying

COUNT = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--notes", type=argparse.FileType())
args = parser.parse_args()
print("lines:", len(args.notes.readlines()))
"""


@pytest.mark.parametrize(("folder", "shows"), [("tools", True), (".", False)])
def test_a_look_has_the_files_that_a_run_has_and_leaves_none(
    folder: str, shows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, mine = tmp_path / "counting", tmp_path / "mine"
    (root / folder).mkdir(parents=True)
    (root / folder / "count.py").write_text(COUNT)
    (root / "README.md").write_text("# Counting\n\nCount the lines of notes.\n")
    (mine / "week").mkdir(parents=True)
    (mine / "week/notes.txt").write_text("one\ntwo\n")
    (mine / "other.txt").write_text("not named\n")
    monkeypatch.chdir(mine)
    calls = (
        Answer("run", {"command": "cat week/notes.txt && echo three >> week/notes.txt; ls -A"}),
        Answer("run", {"command": "wc -l week/notes.txt; ls -A"}),
        command("python count.py --notes week/notes.txt && ls -A"),
    )
    with ModelServer(saying(*calls)) as server:
        settings = load_settings(
            navigator="llm", model="m", base_url=server.url, api_key="sesame", run="full", sandbox="local", unisolated=True,
            network="none", timeout=30, cache_dir=tmp_path / "cache",
        )  # fmt: skip
        job = Job(instruction="Count week/notes.txt.", repository=str(root), path=folder, show_inputs=shows)
        result: dict[str, Any] = run_job(
            job,
            settings,
            new_run(Path("runs"), tmp_path / "out", {"job": {"instruction": job.instruction, "show_inputs": shows}}),
        )
    said = [one["result"] for one in read_trajectory(tmp_path / "out/trajectory.jsonl") if one["event"] == "tool"]
    assert ("one\ntwo" in said[0], "2 week/notes.txt" in said[1]) == (shows, shows) and "other.txt" not in said[0]
    logs = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.log"))
    assert ("lines: 2" in logs) is shows and ".ml_agent_lent" not in f"{logs} {json.dumps(said)}"
    assert (result["evidence"] == "completed") is shows and (mine / "week/notes.txt").read_text() == "one\ntwo\n"
