"""What a run in a container left does the run again on a machine that has only Python and git."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import docker
import pytest
from docker.types import Mount

from ml_agent.sandbox.image import ensure_image
from tests.servers.git_folders import commit_files
from tests.wheels import make_wheel

RUN = """
import alpha, argparse, json
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
args = parser.parse_args()
open("logs/all.txt", "w").write("begun")
json.dump({"lr": args.lr, "alpha": alpha.VALUE}, open("out.json", "w"))
print("epoch 1 loss 0.5")
"""
FILES = {
    "fit.py": RUN,
    "requirements.txt": "alpha==1.0\n",
    "README.md": "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    commit_files(tmp_path / "repository", FILES)
    return tmp_path / "repository"


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all there is to install from; a newer one would give another result."""
    folder = tmp_path / "wheels"
    for number in (1, 2):
        make_wheel(folder, "alpha", f"{number}.0", {"alpha.py": f"VALUE = {number}\n"})
    for name, value in {"FIND_LINKS": str(folder), "NO_INDEX": "1", "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    return folder


def on_a_fresh_machine(run: Path, script: str, *folders: Path) -> dict[str, Any]:
    """Run a script of the run folder in a new container without network; what it wrote into out.json."""
    trusting = run / "gitconfig"  # the repository is another user's there
    trusting.write_text("[safe]\n\tdirectory = *\n")
    client = docker.from_env()
    try:
        text = f"bash {run}/{script} /tmp/again >&2 && cat /tmp/again/repository/out.json && echo"
        said = client.containers.run(
            ensure_image(client),
            ["bash", "-c", text],
            remove=True,
            network_mode="none",
            mounts=[Mount(str(folder), str(folder), type="bind", read_only=True) for folder in (run, *folders)],
            environment={name: value for name, value in os.environ.items() if name.startswith("PIP_")}
            | {"GIT_CONFIG_GLOBAL": str(trusting)},
        )
    finally:
        client.close()
    found: dict[str, Any] = json.loads(said)
    return found


@pytest.mark.docker
@pytest.mark.slow
def test_a_run_is_done_again_elsewhere(repository: Path, wheels: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "ml_agent", "solve", "fit the model with learning rate 0.25", "--repo"]
    command += [str(repository), "--sandbox", "docker", "--network", "install", "--run", "full", "--out", str(out)]
    done = subprocess.run([*command, "--json", "--quiet"], capture_output=True, text=True, timeout=110, check=False)
    result = json.loads(done.stdout)
    assert (result["evidence"], result["sandbox"]["name"]) == ("completed", "docker"), result["message"]
    first = json.loads((out / "outputs/out.json").read_text())
    assert first == {"lr": 0.25, "alpha": 1}
    assert (out / "requirements.lock").read_text().startswith("alpha==1.0 --hash=sha256:")
    (repository / "fit.py").write_text("raise SystemExit('the working folder moved on')\n")
    assert on_a_fresh_machine(out, "reproduce.sh", repository, wheels) == first
