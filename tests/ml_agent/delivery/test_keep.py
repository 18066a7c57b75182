"""What `--keep-outputs` keeps, and what becomes of a run where it cannot."""

import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ml_agent.delivery.keep import keep_outputs
from ml_agent.errors import ConfigurationError
from ml_agent.runs import RunFolder, discarded_on_bad_input
from tests.ml_agent.delivery.test_levels import result_of, solve

FULL = ("--run", "full", "--sandbox", "local")


def test_what_was_made_comes_to_the_user_and_replaces_nothing(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "out.json").write_text("mine")
    run = (*FULL, "--keep-outputs", str(mine))
    done = solve(tmp_path, "good", *run)
    assert done.returncode == 1 and result_of(tmp_path)["exit_code"] == 1 and (mine / "out.json").read_text() == "mine"
    assert "out.json: exists already" in done.stderr and "out.json" in result_of(tmp_path)["kept"]["refused"]
    (tmp_path / "out").rename(tmp_path / "first")
    assert solve(tmp_path, "good", *run, "--force").returncode == 0
    assert (mine / "out.json").read_text() == "[1]"


def test_a_link_in_the_users_folder_is_not_followed(tmp_path: Path) -> None:
    outputs, mine, other = (tmp_path / name for name in ("outputs", "mine", "other"))
    for folder in (outputs / "sub", mine, other):
        folder.mkdir(parents=True)
    (outputs / "sub/a").write_text("new")
    (outputs / "b").write_text("new")
    (other / "b").write_text("old")
    (mine / "sub").symlink_to(other)
    (mine / "b").symlink_to(other / "b")
    for force in (False, True):
        kept = keep_outputs(outputs, ["sub/a", "b"], mine, force)
        assert "sub/a" in kept["refused"] and (other / "b").read_text() == "old" and not (other / "a").exists()
    assert (mine / "b").read_text() == "new" and not (mine / "b").is_symlink()


@pytest.mark.hostile
@pytest.mark.parametrize("place", ["mine", "mine/sub", "shared/mine"])
def test_folders_that_somebody_exchanges_for_links_in_a_race_lead_nowhere(place: str, tmp_path: Path) -> None:
    outputs, other, raced = tmp_path / "outputs", tmp_path / "other", tmp_path / place
    target = raced if place == "shared/mine" else tmp_path / "mine"
    for folder in (outputs / "sub", other / "sub", raced):
        folder.mkdir(parents=True)
    for name in ("sub/a", "b"):
        (outputs / name).write_text("new")
    over, away = threading.Event(), tmp_path / "away"

    def exchange() -> None:
        while not over.is_set():
            try:
                raced.rename(away)
                raced.symlink_to(other)
                time.sleep(0)
                raced.unlink()
                away.rename(raced)
            except OSError:  # the other side was quicker, and has made the folder anew
                shutil.rmtree(away, ignore_errors=True)

    racing = threading.Thread(target=exchange)
    racing.start()
    try:
        kept = [keep_outputs(outputs, ["sub/a", "b"], target, True) for _ in range(3000)]
    finally:
        over.set()
        racing.join()
    assert [path.name for path in other.rglob("*")] == ["sub"]
    assert sum(bool(one["refused"]) for one in kept) > 10, "nothing was exchanged in between"


def test_no_result_is_kept_outside_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    (tmp_path / "run.json").write_text("{}")
    kept = keep_outputs(
        tmp_path / "outputs", ["../run.json", str(tmp_path / "run.json")], tmp_path / "mine/here", False
    )
    assert kept["files"] == [] and set(kept["refused"].values()) == {"points outside the folder"}
    assert [path.name for path in (tmp_path / "mine").rglob("*")] == ["here"]


@pytest.mark.parametrize("place", ["/proc/x", "file/below", "file"])
def test_a_folder_that_cannot_be_made_is_found_before_anything_runs(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    done = solve(tmp_path, "good", *FULL, "--keep-outputs", str(tmp_path / place))
    assert done.returncode == 2 and "--keep-outputs" in done.stderr and not (tmp_path / "out").exists()
    assert (tmp_path / "file").read_text() == "mine"


def test_what_was_not_kept_is_said_in_one_line_beside_the_answer(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "out.json").write_text("mine")
    done = solve(tmp_path, "good", *FULL, "--keep-outputs", str(mine), "-q")
    assert done.returncode == 1 and done.stdout.strip() == "python fit.py"
    assert done.stderr.startswith("not kept: out.json (exists already") and len(done.stderr.splitlines()) == 1
    assert (tmp_path / "out/outputs/out.json").exists()


@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_finds_no_room_leaves_nothing(tmp_path: Path, force: bool) -> None:
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/large").write_bytes(b"x" * 200_000)
    (tmp_path / "outputs/small").write_text("new")
    code = (
        "import resource, sys; from pathlib import Path; from ml_agent.delivery.keep import keep_outputs\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY)); here = Path(sys.argv[1])\n"
        f"print(keep_outputs(here / 'outputs', ['large', 'small'], here / 'mine', {force})['refused'])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "large" in done.stdout and "small" not in done.stdout
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["small"]


def test_a_run_with_a_draft_is_never_discarded(tmp_path: Path) -> None:
    for name, kept in (("started", False), ("draft", True)):
        folder = RunFolder(tmp_path / name)
        folder.path.mkdir()
        folder.trajectory.write_text(f'{{"event": "{name}"}}\n')
        with pytest.raises(ConfigurationError), discarded_on_bad_input(folder):
            raise ConfigurationError("the disk is full")
        assert folder.path.exists() == kept
