import subprocess
from pathlib import Path

import pytest

from ml_agent.tools.errors import RepositoryError
from ml_agent.tools.files import Tree
from ml_agent.tools.ignored import Ignored, ignored_in
from tests.processor_time import within
from tests.servers.git_folders import commit_files, write_files

RULES = "*a*b*c\na**b\nlog*-*-*.t?t\n[!x]*[yz]*q*\n**/out*/**/deep*er*/*\nd*e\\**f*g\n"
PATHS = (
    "aabbcc", "acb", "xaxbxcx", "a/b/c", "log-1-2.txt", "log1-2.txt", "logs/log-a-b-c.tat", "ayq", "xyq", "azzqq", "yq", "out1/x/deeper/f",
    "out/deep/f", "de*fg", "deefg", "ab", "aab/c", "abab",
)  # fmt: skip


def test_stars_are_what_they_are_for_git(tmp_path: Path) -> None:
    commit_files(tmp_path, {".gitignore": RULES})
    asked = subprocess.run(
        ["git", "check-ignore", "--no-index", *PATHS], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    rules = ignored_in(tmp_path)
    assert rules is not None
    said = [path.strip('"') for path in asked.stdout.replace("\\\\", "\\").splitlines()]
    assert [path for path in PATHS if rules.path(path)] == said and said


@pytest.mark.parametrize(
    "rule",
    [
        "*a*a*a*ab",
        "*a" * 100 + "b",
        "*" * 60 + "b",
        "*a?" * 60 + "b",
        "a/**/" * 3 + "b",
        "a/**/" * 12 + "b",
        "a/**/" * 80 + "b",
    ],
)
def test_a_rule_of_many_stars_is_soon_looked_at(rule: str, tmp_path: Path) -> None:
    write_files(tmp_path, {".gitignore": f"{rule}\n"})
    rules = Ignored(Tree(tmp_path))
    names = ["a" * 250, "/".join(["a"] * 60), "/".join(["a" * 200] * 15)]
    assert within(1, lambda: [rules.path(name) for name in names]) == [False] * 3


def test_rules_that_take_too_long_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ml_agent.tools.ignored._SECONDS", -1.0)
    with pytest.raises(RepositoryError, match="give a smaller folder"):
        Ignored(Tree(tmp_path)).path("a")
