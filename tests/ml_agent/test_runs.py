"""Run folders: made, found, locked, deleted."""

import json
from pathlib import Path

import pytest

from ml_agent.errors import ConfigurationError, RunLockedError, UsageError
from ml_agent.runs import delete_run, find_run, list_runs, new_run
from ml_agent.trajectory import Trajectory, read_trajectory


def test_a_run_is_found_by_folder_id_and_beginning(tmp_path: Path) -> None:
    folder = new_run(tmp_path, None, {"job": {}})
    assert find_run(tmp_path, str(folder.path)).id == folder.id
    assert find_run(tmp_path, folder.id).id == folder.id
    assert find_run(tmp_path, folder.id[:-2]).id == folder.id
    assert [run.id for run in list_runs(tmp_path)] == [folder.id]


def test_an_unknown_or_ambiguous_name_is_an_error(tmp_path: Path) -> None:
    new_run(tmp_path, tmp_path / "aa1", {})
    new_run(tmp_path, tmp_path / "aa2", {})
    with pytest.raises(UsageError, match="not known"):
        find_run(tmp_path, "zz")
    with pytest.raises(UsageError, match="several runs"):
        find_run(tmp_path, "aa")


def test_out_must_be_new_or_empty_and_writable(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    with pytest.raises(UsageError, match="not an empty folder"):
        new_run(tmp_path, tmp_path / "full", {})
    assert (tmp_path / "full" / "file").read_text() == "mine"
    with pytest.raises(ConfigurationError, match="cannot be written"):
        new_run(tmp_path, Path("/proc/self/nowhere/run"), {})


def test_a_run_is_worked_on_by_one_process_at_a_time(tmp_path: Path) -> None:
    folder = new_run(tmp_path, None, {})
    with folder.locked(), pytest.raises(RunLockedError):
        delete_run(folder)
    delete_run(folder)
    assert list_runs(tmp_path) == []


def test_a_damaged_config_is_a_usage_error(tmp_path: Path) -> None:
    folder = new_run(tmp_path, None, {})
    (folder.path / "config.json").write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        folder.config()
    with pytest.raises(UsageError, match="cannot be read"):
        find_run(tmp_path, str(folder.path))
    assert list_runs(tmp_path) == []


def test_a_run_that_somebody_else_made_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = new_run(tmp_path, None, {"settings": {"base_url": ""}})
    config = json.loads((folder.path / "config.json").read_text())
    (folder.path / "config.json").write_text(
        json.dumps({**config, "settings": {"base_url": "https://foreign.invalid"}})
    )
    with pytest.raises(UsageError, match="not a run made by you"):
        find_run(tmp_path, str(folder.path))
    (folder.path / "config.json").write_text(json.dumps(config))
    assert find_run(tmp_path, folder.id).id == folder.id
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "other"))  # another user, another machine
    with pytest.raises(UsageError, match="not known"):
        find_run(tmp_path, folder.id)


def test_without_a_place_for_the_key_a_run_is_made_and_cannot_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "file/cache"))
    folder = new_run(tmp_path / "runs", None, {})
    assert folder.path.is_dir() and list_runs(tmp_path / "runs") == []


def test_the_trajectory_keeps_no_secret_and_survives_a_cut_line(tmp_path: Path) -> None:
    trajectory = Trajectory(tmp_path / "t.jsonl", secrets=("sk-12345678", "", "x"))
    trajectory.emit("request", headers={"x": "Bearer sk-12345678"}, api_key="other")
    with trajectory.path.open("a") as file:
        file.write('{"event": "half')
    events = list(read_trajectory(trajectory.path))
    assert [event["event"] for event in events] == ["request"]
    assert "sk-12345678" not in trajectory.path.read_text()
    assert json.loads(trajectory.path.read_text().splitlines()[0])["api_key"] == "***"
