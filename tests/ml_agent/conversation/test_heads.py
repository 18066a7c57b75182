"""How a file begins, for a model."""

from pathlib import Path

import pytest

from ml_agent.conversation.files import head_of
from ml_agent.navigator import Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex


def head(root: Path, text: str) -> str:
    (root / "a.py").write_text(text)
    return head_of(
        "a.py", Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="me/x", url="x")), 200
    )


def test_what_says_nothing_of_a_file_is_left_out(tmp_path: Path) -> None:
    text = "#!/usr/bin/env python\n# Licensed to nobody.\nimport os\nfrom a.b import (  # noqa\n    c,\n    d,\n)\nfrom e import f\n"
    assert head(tmp_path, text + "\nimported = 3\nrun(imported)\n") == "imported = 3\nrun(imported)"


@pytest.mark.parametrize("unit", ["from a import (", "from a import (\n", "import ", "from a.", "from a import b\n"])
def test_odd_imports_take_no_time(unit: str, tmp_path: Path) -> None:
    assert len(head(tmp_path, unit * (200_000 // len(unit)))) <= 204


def test_of_data_a_few_lines_show_the_form(tmp_path: Path) -> None:
    (tmp_path / "coins.txt").write_text("".join(f"COIN{n}\n" for n in range(90)))
    (tmp_path / "few.csv").write_text("a,b\n1,2\n")
    workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
    assert head_of("coins.txt", workspace, 600).split("\n")[-2:] == ["COIN7", "..."]
    assert head_of("few.csv", workspace, 600) == "a,b\n1,2"
