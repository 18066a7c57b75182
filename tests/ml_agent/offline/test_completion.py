"""Code from a document gets what it needs to run where the task's folder is."""

from pathlib import Path

from ml_agent.offline.completion import NameSources, complete
from ml_agent.tools.index import RepoIndex

CODE = "net = build(3)\nprint(net)\n"


def sources(root: Path, workdir: str) -> NameSources:
    return NameSources(earlier=(), others=(), index=RepoIndex.open(root, "one"), workdir=workdir)


def test_a_missing_name_is_imported_as_the_folder_does(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "nets.py").write_text("def build(width):\n    return width\n")
    assert complete(CODE, sources(tmp_path, ".")).startswith("from src.nets import build\n")
    assert complete(CODE, sources(tmp_path, "src")).startswith("from nets import build\n")


def test_the_text_of_a_statement_is_no_module(tmp_path: Path) -> None:
    (tmp_path / "a import os; os.getcwd() #.py").write_text("def build(width):\n    return width\n")
    assert complete(CODE, sources(tmp_path, ".")) == CODE
