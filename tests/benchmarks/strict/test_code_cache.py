"""Which files of a repository are compiled beforehand."""

from pathlib import Path

from benchmarks.strict import code_cache


def test_what_compiles_is_kept_and_nothing_else(tmp_path: Path) -> None:
    """Also what Python warns of."""
    for name, text in {"odd.py": "if 1 is 1:\n    x = '\\d'\n", "bad.py": "x = (\n", "zero.py": "\0"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    names = ("odd.py", "bad.py", "zero.py", "link.py", "none.py")
    code_cache.keep([str(tmp_path / name) for name in names], tmp_path)
    assert len(list(code_cache.folder().iterdir())) == 1
