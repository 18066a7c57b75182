"""What an installation of a repository puts on the import path."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call
from ml_agent.benchmarks.strict.libraries import of_repository

SETUP = "from setuptools import setup\nsetup(name='one', py_modules=['one'])\n"
POETRY = "[tool.poetry]\nname = 'one'\npackages = [{include = 'one', from = 'python'}]\n"
HATCH = "[project]\nname = 'one'\n[tool.hatch.build.targets.wheel]\npackages = ['python/one']\n"
BLACK = "[tool.black]\nline-length = 99\n"


@pytest.mark.parametrize(
    ("files", "installed"),
    [
        ({"setup.py": SETUP}, {".", "src"}),
        ({"setup.py": SETUP, "tests/inner/setup.py": SETUP}, {".", "src"}),
        ({"setup.py": "setup(package_dir={'': 'lib'})\n"}, {".", "src", "lib"}),
        ({"setup.cfg": "[metadata]\nname = one\n[options]\npackage_dir =\n    = lib\n"}, {".", "src", "lib"}),
        ({"pyproject.toml": POETRY}, {".", "src", "python"}),
        ({"pyproject.toml": HATCH}, {".", "src", "python"}),
        ({"src/setup.py": SETUP}, {"src", "src/src"}),
        ({"src/setup.py": SETUP, "src/vendored/deep/setup.py": SETUP}, {"src", "src/src"}),
        ({"src/setup.py": SETUP, "pyproject.toml": BLACK}, {".", "src", "src/src"}),
        ({"first/setup.py": SETUP, "second/setup.py": SETUP}, set()),
        ({"src/setup.cfg": "[flake8]\nmax-line-length = 99\n"}, set()),
        ({"setup.py": "setup(package_dir={'': '../outside'})\n"}, {".", "src"}),
    ],
)
def test_folders_on_the_path(tmp_path: Path, files: dict[str, str], installed: set[str]) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert set(of_repository(tmp_path).installed) == installed


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("import sys\nsys.path.insert(0, 'code')\nfrom one import grow\ngrow(3)\n", ""),
        ("from one import grow\ngrow(size=3)\n", ""),
        ("import sys\nsys.path.insert(0, 'code')\nfrom one import grow\ngrow(4)\n", "other value"),
        ("import sys\nsys.path.insert(0, 'code')\nfrom one import shrink\nshrink(3)\n", "wrong entry"),
    ],
)
def test_an_installed_module_is_the_same_from_its_folder(tmp_path: Path, answer: str, reason: str) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code/setup.py").write_text(SETUP)
    (tmp_path / "code/one.py").write_text("def grow(size):\n    return size\n\n\ndef shrink(size):\n    return size\n")
    task = Task(
        github_id=1, id=1, github="https://github.com/some/one", path="./", arguments={}, instruction="", oracle="",
        kind="python", output="from one import grow\ngrow(3)\n",
    )  # fmt: skip
    verdict = same_call(task, answer, tmp_path)
    assert verdict.reason_class == reason, verdict
