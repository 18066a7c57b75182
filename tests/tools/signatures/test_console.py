"""Console scripts."""

from pathlib import Path

import pytest

from ml_agent.tools.check.repository import checked_repository
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.console import read_console
from ml_agent.tools.signatures.declared import read_setup
from ml_agent.tools.signatures.interpreter import Interpreter
from ml_agent.tools.signatures.read import SignatureReader
from ml_agent.tools.signatures.sources import Sources

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
    (signature,) = read_console(SignatureReader(tmp_path))
    assert (signature.kind, signature.name, signature.path) == ("console", "fold", f"{folder}pkg/fold.py")
    assert [o.dest for o in signature.options] == ["seed"] and signature.doc == "Fold it."


@pytest.mark.parametrize(
    ("folders", "place"),
    [("{'': 'lib/py'}", "lib/py/pkg/fold.py"), ("{'pkg': 'code', 'pkg.data': 'd'}", "code/fold.py")],
)
def test_packages_may_lie_elsewhere(tmp_path: Path, folders: str, place: str) -> None:
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text(MODULE)
    entry = "entry_points={'console_scripts': ['fold=pkg.fold:cli']}"
    (tmp_path / "setup.py").write_text(f"from setuptools import setup\nsetup(package_dir={folders}, {entry})\n")
    (signature,) = read_console(SignatureReader(tmp_path))
    assert (signature.path, [o.dest for o in signature.options]) == (place, ["seed"])


def test_broken_files_give_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[[[")
    (tmp_path / "setup.cfg").write_text("no section")
    (tmp_path / "setup.py").write_text("console_scripts (")
    assert read_console(SignatureReader(tmp_path)) == ()


TRAIN = "from pkg.flags import FLAGS\n\nFLAGS.parse_args()\n"
FLAGS = "import argparse\nFLAGS = argparse.ArgumentParser()\nFLAGS.add_argument('--epochs', type=int)\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", "from setuptools import setup\nsetup(package_dir={'': 'training'})\n"),
        ("setup.py", "from setuptools import setup\nPLACES = {'': 'training'}\nsetup(package_dir=PLACES)\n"),
        ("setup.cfg", "[options]\npackage_dir =\n    = training\n"),
        ("setup.cfg", "[options.packages.find]\nwhere = training\n"),
        ("pyproject.toml", '[tool.setuptools.package-dir]\n"" = "training"\n'),
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["training"]\n'),
        ("pyproject.toml", '[tool.poetry]\npackages = [{include = "pkg", from = "training"}]\n'),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["training/pkg"]\n'),
        ("pyproject.toml", '[tool.pdm.build]\npackage-dir = "training"\n'),
        ("pyproject.toml", '[tool.maturin]\npython-source = "training"\n'),
    ],
)
def test_a_script_imports_what_is_installed_from_elsewhere(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "training/pkg").mkdir(parents=True)
    for path, held in (("training/pkg/__init__.py", ""), ("training/pkg/flags.py", FLAGS), ("train.py", TRAIN)):
        (tmp_path / path).write_text(held)
    (tmp_path / name).write_text(text)
    reader = SignatureReader(tmp_path)
    assert [o.dest for signature in reader.read("train.py") for o in signature.options] == ["epochs"]
    assert reader.sources.packages() == {"pkg": "training"}


def test_what_a_project_within_holds_is_no_library_of_the_whole(tmp_path: Path) -> None:
    (tmp_path / "inner/src/pkg").mkdir(parents=True)
    (tmp_path / "inner/src/pkg/__init__.py").touch()
    (tmp_path / "inner/setup.py").write_text("from setuptools import setup\nsetup(package_dir={'': 'src'})\n")
    assert SignatureReader(tmp_path).sources.packages() == {}


def test_a_program_is_followed_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fold.py").write_text(MODULE)
    (tmp_path / "pyproject.toml").write_text('[project.scripts]\nfold = "fold:cli"\nunfold = "fold:cli"\n')
    programs = checked_repository(RepoIndex.open(tmp_path, "1")).consoles
    followed: list[str] = []
    follow = Interpreter.run_entry

    def counted(run: Interpreter, module: str, name: str) -> None:
        followed.append(name)
        follow(run, module, name)

    monkeypatch.setattr(Interpreter, "run_entry", counted)
    assert "fold" in programs and "other" not in programs and sorted(programs) == ["fold", "unfold"]
    assert not followed
    assert [one.name for one in programs["unfold"]] == ["unfold"]
    assert programs["unfold"] is programs["unfold"] and followed == ["cli"]


def test_a_function_that_reads_the_command_line_itself(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "a"\n[project.scripts]\ndeploy = "deploy:main"\nother = "deploy:show"\n'
    )
    (tmp_path / "deploy.py").write_text(
        "import sys\n\ndef usual():\n    return 'x'\n\ndef show():\n    print(1)\n\ndef main():\n    source = sys.argv[1]\n"
        "    target = sys.argv[2] if len(sys.argv) > 2 else usual()\n"
    )
    deploy, other = read_console(SignatureReader(tmp_path))
    assert [(one.dest, one.required) for one in deploy.options] == [("source", True), ("target", False)]
    assert (deploy.kind, deploy.name, deploy.whole, other.whole) == ("console", "deploy", True, False)


def test_a_function_that_looks_at_the_command_line_before_a_parser_that_could_not_be_followed(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\n[project.scripts]\nfold = "fold:main"\n')
    (tmp_path / "fold.py").write_text(
        "import sys\nfrom foreign import find\nimport parsers\n\ndef main():\n    print(sys.argv[1])\n    find(parsers).run()\n"
    )
    (tmp_path / "parsers.py").write_text(MODULE)
    (fold,) = read_console(SignatureReader(tmp_path))
    assert fold.accepts_unknown


def test_scripts_without_a_suffix(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nsetup(scripts=['bin/fit', 'bin/tool', 'bin/other'])\n"
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "pack").mkdir()
    (tmp_path / "bin" / "fit").write_text("#!/usr/bin/env python3\n" + MODULE + "cli()\n")
    (tmp_path / "bin" / "tool").write_text("#!/bin/bash\nPY=${PY:-python}\nexec ${PY} -m pack.main $*\n")
    (tmp_path / "bin" / "other").write_text("#!/bin/bash\npython -m pack.main $1\n")
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "main.py").write_text(MODULE + "cli()\n")
    reader = SignatureReader(tmp_path)
    assert reader.read("bin/fit")[0].framework == "argparse"
    found = {one.name: one for one in read_console(reader)}
    assert {name: (one.framework, one.path) for name, one in found.items()} == {
        "fit": ("argparse", "bin/fit"),
        "tool": ("argparse", "bin/tool"),
        "other": ("none", "bin/other"),
    }


def test_a_package_that_only_runs_something_when_it_is_imported_is_no_script(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\n[project.scripts]\nfold = "pack:cli"\n')
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text(
        "import logging\nfrom pack.main import cli\n\nlogging.basicConfig()\n"
    )
    (tmp_path / "pack" / "main.py").write_text(MODULE)
    found = RepoIndex(tmp_path, "1").signatures
    assert [(one.kind, one.framework) for one in found["pack/__init__.py"]] == [("console", "argparse")]


def test_entry_points_of_a_text_are_read_by_its_sections(tmp_path: Path) -> None:
    text = r"'[console_scripts]\n fit = fit:main\n[ other ]\nno = fit:main\n'"
    (tmp_path / "setup.py").write_text(f"from setuptools import setup\nsetup(entry_points={text})\n")
    (tmp_path / "fit.py").write_text("def main(): pass\n")
    sources = Sources(tmp_path, frozenset({"setup.py", "fit.py"}))
    assert read_setup(sources, "").lines == ("fit = fit:main",)
