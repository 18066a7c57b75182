"""Files that the user names are put where the command runs; no others."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ml_agent.inputs import named_inputs
from sandbox.bubblewrap import find_bubblewrap

READS = (
    "import argparse, csv\nparser = argparse.ArgumentParser()\nparser.add_argument('--table', help='the measurements')\n"
    "args = parser.parse_args()\nprint('rows', len(list(csv.reader(open(args.table)))))\n"
)


def test_only_what_is_named_and_inside(tmp_path: Path) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    (mine / "data").mkdir(parents=True)
    repository.mkdir()
    for name in ("data/a.csv", "b.csv", "c.csv", ".env", "known.csv"):
        (mine / name).write_text("x")
    (mine / "out.csv").symlink_to("/etc/hostname")
    (repository / "known.csv").write_text("x")
    said = "Read data/a.csv, known.csv and out.csv; not ../x.csv, /etc/passwd or .env."
    assert named_inputs(said, ["b.csv"], mine, repository) == ("data/a.csv", "b.csv")


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap does not work here")
@pytest.mark.xdist_group("bubblewrap-sandbox")
def test_a_run_finds_the_users_file(tmp_path: Path) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    mine.mkdir()
    repository.mkdir()
    (mine / "week.csv").write_text("a,b\n1,2\n3,4\n")
    (repository / "count.py").write_text(READS)
    (repository / "README.md").write_text(
        "# Count\n\nCount the rows:\n\n```bash\npython count.py --table example.csv\n```\n"
    )
    done = subprocess.run(
        [
            sys.executable, "-m", "ml_agent", "solve", "count the rows of the table week.csv", "--repo", str(repository),
            "--run", "full", "--sandbox", "local", "--network", "none", "--navigator", "grounded", "--json", "--quiet",
        ],
        capture_output=True, text=True, timeout=100, check=False, cwd=mine,
        env={**os.environ, "ML_AGENT_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert (done.returncode, result["ending"]) == (0, "completed"), result["message"]
    assert "week.csv" in result["answer"]["text"]
    assert (Path(result["folder"]) / "logs").is_dir() and "rows 3" in result_log(result)


def result_log(result: dict[str, object]) -> str:
    logs = sorted((Path(str(result["folder"])) / "logs").glob("*.log"))
    return "\n".join(log.read_text() for log in logs)
