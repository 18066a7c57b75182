"""Files that the user names are put where the command runs; no others."""

import json
import os
from pathlib import Path

import pytest

from ml_agent.inputs import named_inputs, outside_inputs
from sandbox.bubblewrap import find_bubblewrap
from sandbox.choose import choose
from sandbox.contract import Command, Policy
from tests.command import run

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


def test_what_may_be_shown(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "data").mkdir(parents=True)
    (mine / "keys").mkdir()
    (mine / ".hidden").mkdir()
    for name in ("data/a.csv", "b.csv", "keys/id_rsa", "keys/c.csv", ".hidden/d.csv", "credentials.json"):
        (mine / name).write_text("x")
    (mine / "link.csv").symlink_to(mine / "keys/id_rsa")
    cache = tmp_path / "cache"
    (cache / "in").mkdir(parents=True)
    good = [f"{mine}/data", f"{mine}/data/a.csv", f"{mine}/b.csv"]
    bad = [
        f"{mine}/keys", f"{mine}/.hidden/d.csv", f"{mine}/credentials.json", f"{mine}/link.csv", f"{cache}/in", str(tmp_path),
        f"{mine}/none.csv", "/etc/passwd", "/", "/tmp", "/proc/self/environ", "/home", str(Path.home()), "/var/run", "/usr/bin",
    ]  # fmt: skip
    said = f"Train on {good[0]} (not {good[1]}), {bad[1]}, {' '.join(bad)}."
    assert outside_inputs(said, [f"x={good[2]}"], [cache]) == (Path(good[0]), Path(good[2]))
    assert outside_inputs("Read data/a.csv", ["b.csv"], []) == ()


@pytest.mark.parametrize("sandbox", [pytest.param("docker", marks=pytest.mark.docker), "local"])
@pytest.mark.xdist_group("bubblewrap-sandbox")
def test_what_is_named_by_absolute_path_is_there_and_cannot_be_changed(tmp_path: Path, sandbox: str) -> None:
    if sandbox == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:3]):  # another user reads it
        folder.chmod(folder.stat().st_mode | 0o055)
    (data / "a.csv").write_text("a,b\n")
    made = choose(sandbox, Policy(network="none", shown=(data,)), tmp_path / "logs")
    made.start()
    try:
        read = made.run(
            Command(text=f"cat {data}/a.csv && ! touch {data}/new && ! rm -f {data}/a.csv && ls {tmp_path}")
        )
    finally:
        made.stop()
    assert (read.exit_code, read.stdout) == (0, "a,b\ndata\n"), read.stderr
    assert sorted(path.name for path in data.iterdir()) == ["a.csv"]


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap does not work here")
@pytest.mark.xdist_group("bubblewrap-sandbox")
@pytest.mark.parametrize("absolute", [False, True])
def test_a_run_finds_the_users_file(tmp_path: Path, absolute: bool) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    mine.mkdir()
    repository.mkdir()
    (mine / "week.csv").write_text("a,b\n1,2\n3,4\n")
    for folder in (mine, *mine.parents[:4]):
        folder.chmod(folder.stat().st_mode | 0o055)
    named = mine / "week.csv" if absolute else "week.csv"
    (repository / "count.py").write_text(READS)
    (repository / "README.md").write_text(
        "# Count\n\nCount the rows:\n\n```bash\npython count.py --table example.csv\n```\n"
    )
    words = (
        "solve", f"count the rows of the table {named}", "--repo", str(repository), "--run", "full", "--sandbox", "local",
        "--network", "none", "--navigator", "grounded", "--json", "--quiet",
    )  # fmt: skip
    done = run(words, os.environ | {"ML_AGENT_CACHE_DIR": str(tmp_path / "cache")}, mine)
    result = json.loads(done.stdout)
    assert (done.returncode, result["ending"]) == (0, "completed"), result["message"]
    assert "week.csv" in result["answer"]["text"]
    assert (Path(result["folder"]) / "logs").is_dir() and "rows 3" in result_log(result)


def result_log(result: dict[str, object]) -> str:
    logs = sorted((Path(str(result["folder"])) / "logs").glob("*.log"))
    return "\n".join(log.read_text() for log in logs)
