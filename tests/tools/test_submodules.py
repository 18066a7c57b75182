"""Submodules that are not checked out, and what the check says of paths below them."""

from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import absent_submodules, say_absent, submodule_of
from tests.tools.conftest import write_files

GITMODULES = """
    [submodule "here"]
    \tpath = lib/here
    \turl = https://example.org/here.git
    [submodule "gone"]
    \tpath = lib/gone/
    [submodule "without"]
    \turl = https://example.org/without.git
    """
FILES = {
    ".gitmodules": GITMODULES,
    "lib/here/run.py": "print(1)\n",
    "main.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config')\np.parse_args()\n",
}
SAID = "lib/gone is a submodule that is not checked out: git submodule update --init"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("python lib/gone/train.py", 1),
        ("cd lib/gone && python train.py", 1),
        ("cd lib && python gone/train.py && python gone/test.py", 1),
        ("python -m lib.gone.train", 1),
        ("./lib/gone/build.sh", 1),
        ("python lib/here/train.py", 0),
        ("python lib/gones/train.py", 0),
        ("python main.py --config x", 0),
        ("git submodule update --init\npython lib/gone/train.py", 0),
    ],
)
def test_a_path_below_a_submodule_that_is_not_there(tmp_path: Path, command: str, said: int) -> None:
    write_files(tmp_path, FILES)
    messages = [finding.message for finding in check_command(command, RepoIndex(tmp_path, "1"))]
    assert messages.count(SAID) == said


def test_which_submodules_are_absent(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    assert absent_submodules(RepoIndex(tmp_path, "1")) == ("lib/gone",)
    assert submodule_of(["lib", "lib/gone/x"], ["lib/gone"]) == "lib/gone"
    assert submodule_of(["lib/gonex"], ["lib/gone"]) == ""
    assert say_absent("abcd").startswith("a, b, c, … are submodules")
