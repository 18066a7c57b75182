"""How a file begins, for a model."""

import resource
import struct
import zipfile
from pathlib import Path

import pytest

from ml_agent.conversation.files import facts_of, head_of, named_files
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


def test_what_is_no_text_says_what_it_is_and_a_pattern_means_its_first_file(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "b.gif").write_bytes(b"GIF89a\3\0\2\0" + bytes(3) + b"," + bytes(9) + b"\2\1x\0;")
    (tmp_path / "games" / "a.sgf").write_text("(;GM[1])")
    (tmp_path / "games" / "c.sgf").write_text("(;GM[1])")
    workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
    assert named_files("Replay games/*.sgf beside games/b.gif.", workspace, 5) == ["games/a.sgf", "games/b.gif"]
    assert (head_of("games/b.gif", workspace, 99), facts_of("games/b.gif", workspace)) == ("", "GIF")


def test_an_archive_that_unpacks_to_gigabytes_is_not_unpacked_here(tmp_path: Path) -> None:
    head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (600000000,), }\n"
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w", force_zip64=True) as member,
    ):
        member.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head)
        for _ in range(600):
            member.write(bytes(1_000_000))
    workspace = Workspace(index=RepoIndex.open(tmp_path, "v"), candidate=Candidate(full_name="me/x", url="x"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    facts_of("bomb.npz", workspace)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KB
    assert named_files("Multiply a * b and **c.", workspace, 5) == []
