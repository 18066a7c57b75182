"""Console scripts."""

from pathlib import Path

import pytest

from ml_agent.tools.signatures.console import console_programs
from ml_agent.tools.signatures.read import SignatureReader

MODULE = """
import argparse
def cli(argv=None):
    parser = argparse.ArgumentParser(description="Fold it.")
    parser.add_argument("--seed", type=int)
    args = parser.parse_args(argv)
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project.scripts]\nfold = "pkg.fold:cli"\n'),
        ("pyproject.toml", '[tool.poetry.scripts]\nfold = "pkg.fold:cli"\n'),
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    fold = pkg.fold:cli\n"),
        (
            "setup.py",
            "from setuptools import setup\nE = {'console_scripts': ['fold=pkg.fold:cli']}\nsetup(entry_points=E)\n",
        ),
        (
            "setup.py",
            "import setuptools\nsetuptools.setup(entry_points='''[console_scripts]\nfold=pkg.fold:cli\n''')\n",
        ),
    ],
)
@pytest.mark.parametrize("folder", ["", "src/"])
def test_declarations(tmp_path: Path, name: str, text: str, folder: str) -> None:
    (tmp_path / folder / "pkg").mkdir(parents=True)
    (tmp_path / folder / "pkg" / "__init__.py").touch()
    (tmp_path / folder / "pkg" / "fold.py").write_text(MODULE)
    (tmp_path / name).write_text(text)
    ((signature,),) = console_programs(SignatureReader(tmp_path)).values()
    assert (signature.kind, signature.name, signature.path) == ("console", "fold", f"{folder}pkg/fold.py")
    assert [o.dest for o in signature.options] == ["seed"] and signature.doc == "Fold it."


def test_broken_files_give_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[[[")
    (tmp_path / "setup.cfg").write_text("no section")
    (tmp_path / "setup.py").write_text("console_scripts (")
    assert not console_programs(SignatureReader(tmp_path))


def test_scripts_without_a_suffix(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(scripts=['bin/fit', 'bin/other'])\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "fit").write_text("#!/usr/bin/env python3\n" + MODULE + "cli()\n")
    (tmp_path / "bin" / "other").write_text("#!/bin/bash\npython -m pack.main $1\n")
    reader = SignatureReader(tmp_path)
    assert reader.read("bin/fit")[0].framework == "argparse"
    found = {name: one for name, (one,) in console_programs(reader).items()}
    assert {name: (one.framework, one.path) for name, one in found.items()} == {
        "fit": ("argparse", "bin/fit"),
        "other": ("none", "bin/other"),
    }
