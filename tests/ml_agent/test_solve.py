"""Whole runs on small repositories: found, set up, run, repaired, recorded, played back."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.summary import summary
from tests.command import ml_agent
from tests.servers.github_server import About, GitHubServer
from tests.sources import ROOT

NAMED = re.compile(r"`([\w.-]+/?)`")
LOCAL = ("--sandbox", "local", "--unisolated", "--run", "full", "--network", "none")
FIT = (
    "import argparse, json\n"
    "parser = argparse.ArgumentParser()\n"
    'parser.add_argument("--lr", type=float, default=0.1, help="learning rate")\n'
    'parser.add_argument("--out", default="metrics.json")\n'
    "args = parser.parse_args()\n"
    'json.dump({"lr": args.lr}, open(args.out, "w"))\n'
    'print("epoch 1 loss 0.5")\n'
)


def solve(*arguments: str, **environment: str) -> tuple[int, dict[str, Any]]:
    """Exit code and result of one run."""
    done = ml_agent("solve", *arguments, "--json", "--quiet", **environment)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def repository(repository: Path) -> Path:
    """Its script writes a file, too."""
    (repository / "fit.py").write_text(FIT)
    return repository


def test_a_run_to_the_end_leaves_answer_outputs_and_record(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, result = solve(
        "fit the linear model with learning rate 0.25", "--repo", str(repository), *LOCAL, "--out", str(out)
    )
    assert (code, result["evidence"], result["ending"]) == (0, "completed", "completed")
    assert json.loads((out / "outputs" / "metrics.json").read_text()) == {"lr": 0.25}
    isolates = find_bubblewrap() is not None  # the permission to do without isolation is no wish
    assert result["sandbox"]["name"] == ("bubblewrap" if isolates else "process")
    assert result["sandbox"]["isolated"] is isolates
    assert not (repository / "metrics.json").exists(), "the repository itself is only read"
    assert (out / "answer.sh").exists() and (out / "report.html").exists()
    assert any(str(out / "reproduce.sh") in line for line in summary(result)) and (out / "reproduce.sh").exists()
    named = NAMED.findall((ROOT / "docs/reference.md").read_text().partition("## What a run leaves behind")[2])
    assert {path.name for path in out.iterdir()} - {".lock"} <= {name.strip("/") for name in named}


def test_what_was_found_is_told_and_the_next_one_tried_where_the_first_fails(repository: Path, tmp_path: Path) -> None:
    files = {path.name: path.read_text() for path in repository.iterdir()}
    broken = {**files, "fit.py": f"import no_such_accelerator\n{FIT}"}
    with GitHubServer(tmp_path / "github") as host:
        host.publish(
            About(full_name="lab/linear-model-fit", description="Fit the linear model", stars=900, licence="MIT"),
            broken,
        )
        host.publish(
            About(full_name="lab/fitting", description="Fit the linear model", stars=800, archived=True), files
        )
        hosts = {"ML_AGENT_GITHUB_API": host.url, "ML_AGENT_GITHUB_WEB": host.url}
        code, result = solve("fit the linear model with learning rate 0.25", *LOCAL, **hosts)
    first, second = result["considered"]
    assert (first["name"], first["licence"], second["archived"]) == ("lab/linear-model-fit", "MIT", True)
    assert (code, result["repository"]["name"]) == (0, "lab/fitting") and not result["repository"]["licence"]
    (left,) = result["left"]
    assert left["name"] == first["name"] and "no_such_accelerator" in left["why"]
    lines = "\n".join(summary(result))
    assert "1 lab/linear-model-fit (MIT, 900 stars): mentions" in lines and "licence      none found" in lines
    assert "to try another one" not in lines, "both were tried"


def test_a_repository_is_named_in_a_catalogue(tmp_path: Path) -> None:
    asked = ("cluster 600 points into 4 groups", "--catalog", "sample", "--run", "none", "--repo")
    code, result = solve(*asked, "ostrava-stat/kindred")
    assert (code, result["repository"]["name"]) == (0, "ostrava-stat/kindred") and not result["considered"]
    unlisted = ml_agent("solve", *asked, "ostrava-stat/kin")
    assert (
        unlisted.returncode == 2
        and "the catalogue sample does not list the repository ostrava-stat/kin" in unlisted.stderr
    )


def test_a_failing_program_ends_honestly_with_its_last_lines(repository: Path) -> None:
    (repository / "fit.py").write_text(FIT + 'raise RuntimeError("the loss is nan")\n')
    code, result = solve("fit with learning rate 0.25", "--repo", str(repository), *LOCAL, "--max-attempts", "1")
    assert (code, result["ending"], result["evidence"]) == (1, "not-reached", "checked")
    assert "the loss is nan" in result["message"] or "no other draft" in result["message"]


def test_a_value_with_no_place_gives_no_answer_called_sound(repository: Path) -> None:
    code, result = solve("fit with learning rate 0.25 and momentum 0.77", "--repo", str(repository), "--run", "none")
    assert code == 1
    assert (result["ending"], result["evidence"]) == ("no-answer", "none")
    assert "0.77" in result["message"]


def test_a_recording_is_played_back_without_anything(repository: Path, tmp_path: Path) -> None:
    tape = str(tmp_path / "tape")
    asked = ("fit the linear model with learning rate 0.25", "--repo", str(repository))
    first = solve(*asked, *LOCAL, "--record", tape)[1]
    again = solve(
        *asked,
        "--sandbox",
        "docker",
        "--run",
        "full",
        "--network",
        "none",
        "--replay",
        tape,
        DOCKER_HOST="unix:///gone",
    )[1]
    assert again["answer"] == first["answer"]
    assert again["evidence"] == first["evidence"] == "completed"


def test_nothing_isolates_stops_at_checked(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(str(shutil.which("git")))
    environment = {"DOCKER_HOST": "unix:///gone", "PATH": str(tmp_path / "bin")}
    code, result = solve("fit with learning rate 0.25", "--repo", str(repository), **environment)
    assert (code, result["ending"], result["evidence"]) == (1, "not-reached", "checked")
    assert "bubblewrap" in result["message"]


def test_a_file_that_two_drafts_miss_ends_the_run(repository: Path, tmp_path: Path) -> None:
    (repository / "fit.py").write_text(FIT + 'open("data/train.csv")\n')
    more = "\nFit it longer:\n\n```bash\npython fit.py --out long.json\n```\n\n```bash\npython fit.py --lr 0.1 --out x.json\n```\n"
    (repository / "README.md").write_text((repository / "README.md").read_text() + more)
    out = tmp_path / "out"
    code, result = solve(
        "fit the linear model with learning rate 0.25", "--repo", str(repository), *LOCAL, "--out", str(out)
    )
    assert code != 0 and result["message"].startswith("missing-file: the file data/train.csv")
    events = [json.loads(line) for line in (out / "trajectory.jsonl").read_text().splitlines()]
    assert sum(event["event"] == "diagnosis" for event in events) == 2, "a third draft would miss it, too"
    drafts = [event["draft"]["text"] for event in events if event["event"] == "draft"]
    assert drafts[0] != drafts[1] and result["answer"]["text"] == drafts[0], "nothing was wrong with the first"
