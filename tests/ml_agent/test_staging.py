"""What of a folder of the user's goes into a sandbox."""

from pathlib import Path

from ml_agent.staging import stage
from tests.servers.git_folders import commit_files, write_files


def test_a_committed_file_is_not_ignored_whatever_patterns_say(tmp_path: Path) -> None:
    root = tmp_path / "speech"
    commit_files(root, {"sample.wav": "RIFF", "data/known.csv": "a", "key.pem": "x", "fit.py": "print(1)"})
    commit_files(root, {".gitignore": "*.wav\ndata/\n"})
    write_files(root, {"mine.wav": "RIFF", "data/new.csv": "b", "data/known.csv": "changed"})
    assert stage(root, tmp_path / "staged") == 3
    staged = [path.relative_to(tmp_path / "staged") for path in (tmp_path / "staged").rglob("*") if path.is_file()]
    shown = sorted(path.as_posix() for path in staged if path.parts[0] != ".git")
    assert shown == [".gitignore", "data/known.csv", "fit.py", "sample.wav"]


def test_without_a_commit_patterns_decide(tmp_path: Path) -> None:
    root = tmp_path / "speech"
    commit_files(root, {"fit.py": "print(1)"})
    (root / ".git" / "refs" / "heads" / "main").unlink()
    write_files(root, {".gitignore": "*.wav\n", "mine.wav": "RIFF"})
    assert stage(root, tmp_path / "staged") == 1
