"""Which files of a repository are compiled beforehand."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.strict import code_cache
from tests.benchmarks.conftest import fill


def test_what_compiles_is_kept_and_nothing_else(tmp_path: Path) -> None:
    """Also what Python warns of."""
    for name, text in {"odd.py": "if 1 is 1:\n    x = '\\d'\n", "bad.py": "x = (\n", "zero.py": "\0"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    names = ("odd.py", "bad.py", "zero.py", "link.py", "none.py")
    code_cache.keep([str(tmp_path / name) for name in names], tmp_path)
    assert len(list(code_cache.folder().iterdir())) == 1


def test_a_cache_without_room_ends_nothing(tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(small_disk))
    (tmp_path / "plain.py").write_text("x = 1\n")
    folder = code_cache.folder()
    fill(small_disk)
    code_cache.keep([str(tmp_path / "plain.py")], tmp_path)
    assert list(folder.iterdir()) == []
