"""A program that nests folders deeper than anybody does ends as any other: no walk of ours breaks, the run has its result."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.temporary import remove
from tests.hostile.conftest import ml_agent
from tests.servers.git_folders import write_files

HELD_BY = "ml_agent.tools.walk"
NEST = """
import argparse, os
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float)
args = p.parse_args()
open("result.json", "w").write('{"lr": %s}' % args.lr)
for name in ("d", "d" * 200):
    here = os.open(".", os.O_RDONLY)
    for _ in range(1500):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here))
print("fitted")
"""
README = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"


@pytest.mark.parametrize("way", [pytest.param("docker", marks=pytest.mark.docker), "local"])
def test_1500_folders_in_each_other_end_no_run(way: str, tmp_path: Path) -> None:
    if way == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    write_files(tmp_path / "fitting", {"fit.py": NEST, "README.md": README})
    out, kept = tmp_path / "out", tmp_path / "kept"
    words = ["solve", "fit the model with lr 0.25 and save it as result.json", "--repo", str(tmp_path / "fitting")]
    words += ["--run", "full", "--sandbox", way, "--network", "none", "--out", str(out), "--keep-outputs", str(kept)]
    done = ml_agent(*words, "--quiet")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done
    result = json.loads((out / "run.json").read_text())
    assert (result["evidence"], result["outputs"][-1]) == ("delivered", "result.json"), result["message"]
    assert json.loads((kept / "result.json").read_text()) == {"lr": 0.25}
    assert ml_agent("resume", str(out), "--quiet").returncode == 0
    assert ml_agent("view", str(out)).returncode == 0


@pytest.fixture
def nested(tmp_path: Path) -> Iterator[Path]:
    """A repository in which the program ran on the host."""
    root = tmp_path / "fitting"
    write_files(root, {"fit.py": NEST, "README.md": README, "data/a.txt": "a"})
    subprocess.run([sys.executable, "fit.py", "--lr", "1"], cwd=root, check=True, timeout=60)
    yield root
    remove(root)


def test_such_folders_in_a_repository_are_no_trouble(nested: Path) -> None:
    words = ["solve", f"fit the model with lr 0.25 on data and {nested}/d", "--repo", str(nested)]
    words += ["--run", "none"] if find_bubblewrap() is None else ["--sandbox", "local"]
    done = ml_agent(*words, "--network", "none", "--quiet", cwd=nested)
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr, done
