"""What is planned from what a repository says."""

import subprocess
from pathlib import Path

import pytest

from ml_agent.sandbox.contract import Response
from ml_agent.sandbox.setup.builder import BuildFailure, Tree, _shown, _tree_of, said_by
from ml_agent.sandbox.setup.declared import read_declared
from ml_agent.sandbox.setup.imports import scan_imports
from ml_agent.sandbox.setup.system import packages_for
from ml_agent.sandbox.setup.uv import Metadata
from ml_agent.tools.entries import entries_of
from ml_agent.tools.python_api.distributions import distributions_of, normalized, provides
from ml_agent.tools.python_api.requirements import conda_to_pip, parse, wanted_by, wanted_python


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def test_optional_lazy_and_typing_imports(tmp_path: Path) -> None:
    text = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import pandas
try:
    import apex_of_something
except ImportError:
    apex_of_something = None
def show():
    import matplotlib.pyplot as plt
"""
    write(tmp_path, "run.py", text)
    needs = scan_imports(tmp_path, [tmp_path / "run.py"])
    assert (needs.dotted, needs.later) == ((), ("matplotlib",))


def test_what_a_module_may_do_without_is_not_followed(tmp_path: Path) -> None:
    text = """
from contextlib import suppress
with suppress(ImportError):
    from .backends import hdf
with suppress(OSError, ModuleNotFoundError):
    import tables
with suppress(OSError):
    import six
"""
    write(tmp_path, "convert/__init__.py", text)
    write(tmp_path, "convert/backends/__init__.py", "")
    write(tmp_path, "convert/backends/hdf.py", "import something_with_hdf\n")
    write(tmp_path, "run.py", "import convert\n")
    assert scan_imports(tmp_path, [tmp_path / "run.py"]).dotted == ("six",)


def test_a_module_named_after_what_it_imports_is_not_that(tmp_path: Path) -> None:
    write(tmp_path, "convert/__init__.py", "from .backends import dynd\n")
    write(tmp_path, "convert/backends/__init__.py", "")
    write(tmp_path, "convert/backends/dynd.py", "from dynd import nd\n")
    write(tmp_path, "convert/backends/json.py", "")
    write(tmp_path, "run.py", "import convert\n")
    needs = scan_imports(tmp_path, [tmp_path / "run.py"])
    assert needs.paths == ()
    assert needs.dotted[0] == "dynd"


def test_what_only_old_build_tools_take_is_built_with_these(tmp_path: Path) -> None:
    write(tmp_path, "setup.py", "from setuptools import setup\nimport numpy\nsetup(name='old', use_2to3=True)\n")
    said = subprocess.run(["bash", "-c", _shown(str(tmp_path))], capture_output=True, text=True, check=True)
    tree = _tree_of(str(tmp_path), "2021-09-22", Response(ended="exited", exit_code=0, stdout=said.stdout))
    assert isinstance(tree, Tree)
    assert tree.requires == ("setuptools", "wheel", "numpy", "setuptools<58")


def test_a_header_of_another_python_is_in_no_system_package() -> None:
    assert packages_for("a.cpp:181:12: fatal error: longintrepr.h: No such file or directory") == ()
    assert packages_for("a.cpp:181:12: fatal error: gsl/gsl_math.h: No such file or directory") == ("libgsl-dev",)


def test_circular_imports_and_broken_files_end(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "import b\nimport six\n")
    write(tmp_path, "b.py", "import a\nimport c\n")
    write(tmp_path, "c.py", "def broken(:\n")
    assert scan_imports(tmp_path, [tmp_path / "a.py"]).dotted == ("six",)


def test_entries_through_shell_scripts_and_modules(tmp_path: Path) -> None:
    write(tmp_path, "scripts/run.sh", "export X=1\npython -u main.py \\\n  --a 1\n")
    write(tmp_path, "main.py", "")
    write(tmp_path, "pack/train.py", "")
    write(tmp_path, "sub/go.py", "")
    root = tmp_path.resolve()

    def names(text: str, folder: str = ".") -> list[str]:
        return [path.relative_to(root).as_posix() for path in entries_of(text, root, folder)]

    assert names("bash scripts/run.sh") == ["main.py"]
    assert names("CUDA_VISIBLE_DEVICES=0 python3 -W ignore main.py --x 1 && cd sub && python go.py") == [
        "main.py",
        "sub/go.py",
    ]
    assert names("python -m pack.train --lr 1") == ["pack/train.py"]
    assert names("torchrun --nproc_per_node 1 main.py") == ["main.py"]
    assert names("python -m torch.distributed.launch --nproc_per_node=2 main.py") == ["main.py"]
    assert names("python -m paddle.distributed.launch --gpus 0,1 main.py") == ["main.py"]
    assert names("python go.py", "sub") == ["sub/go.py"]
    assert names("python ../outside.py; python -c 'import os'; echo main.py 'un") == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("numpy==1.21  # comment", ("numpy", "numpy==1.21")),
        ("torch @ file:///croot/torch_1", ("torch", "torch")),
        ("scikit_learn[extra]>=1 ; python_version > '3.0'", ("scikit-learn", "scikit_learn[extra]>=1")),
        ("dataclasses==0.8; python_version < '3.7'", None),
        ("git+https://github.com/x/y.git#egg=y", ("y", "git+https://github.com/x/y.git#egg=y")),
        ("-e .", None),
        ("--index-url https://x", None),
        ("./local", None),
        ("pywin32==306 ; sys_platform == 'win32'", None),
        ("abc==1.0 --hash=sha256:00", ("abc", "abc==1.0")),
        ("not a requirement !!", None),
    ],
)
def test_lines_of_requirements(line: str, expected: tuple[str, str] | None) -> None:
    assert parse(line) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("numpy=1.21.2=py38h1", "numpy==1.21.2"),
        ("pytorch::pytorch=1.12", "torch==1.12.*"),
        ("python=3.8", ""),
        ("cudatoolkit=11.3", ""),
        ("pandas>=1.0", "pandas>=1.0"),
        ("libgcc-ng=9", ""),
        ("tabulate", "tabulate"),
        ("conda-forge::opencv", "opencv-python-headless"),
    ],
)
def test_conda_as_pip(item: str, expected: str) -> None:
    assert conda_to_pip(item) == expected


def test_everything_that_says_what_is_needed(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "-r more/base.txt\nsix\n")
    write(tmp_path, "more/base.txt", "numpy<2\n")
    write(
        tmp_path,
        "setup.py",
        "from setuptools import setup\nneeds = ['pandas>=1']\nsetup(name='x', install_requires=needs, python_requires='>=3.6')",
    )
    write(tmp_path, "setup.cfg", "[options]\ninstall_requires =\n    click\n")
    write(
        tmp_path,
        "pyproject.toml",
        "[tool.poetry.dependencies]\npython = '^3.8'\ntermcolor = '^2.1'\nrich = {version = '13.0', optional = true}\n",
    )
    write(tmp_path, "environment.yml", "dependencies:\n  - python=3.8\n  - scipy=1.7.1\n  - pip:\n    - einops==0.4\n")
    write(
        tmp_path,
        "README.md",
        "```\npip install fire==0.4  # cli\n!conda install -c x tqdm\npip install -r requirements.txt\n```\n",
    )
    found = {wanted.name: wanted.text for wanted in wanted_by(tmp_path)}
    assert found["numpy"] == "numpy<2" and found["six"] == "six" and found["pandas"] == "pandas>=1"
    assert found["click"] == "click" and found["scipy"] == "scipy==1.7.1" and found["einops"] == "einops==0.4"
    assert found["termcolor"] in ("termcolor<3,>=2.1", "termcolor>=2.1,<3") and found["rich"] == "rich==13.0"
    assert found["fire"] == "fire==0.4" and found["tqdm"] == "tqdm" and "requirements-txt" not in found
    assert wanted_python(tmp_path) == ">=3.8,<4"


def test_the_nearest_requirements_come_first(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "numpy==1.0\n")
    write(tmp_path, "examples/a/requirements.txt", "numpy==2.0\n")
    write(tmp_path, "docs/requirements.txt", "numpy==3.0\n")
    assert wanted_by(tmp_path, tmp_path / "examples/a")[0].text == "numpy==2.0"
    assert wanted_by(tmp_path)[0].text == "numpy==1.0"


def test_what_the_package_says_comes_before_requirements_of_tests_and_documents(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[project]\nname = 'x'\ndependencies = ['numpy', 'scikit-learn']\n")
    write(tmp_path, "requirements-test.txt", "numpy==1.21.5\npytest==7.0\n")
    write(tmp_path, "docs/requirements.txt", "sklearn\n")
    found = [wanted.text for wanted in wanted_by(tmp_path)]
    assert found == ["numpy", "scikit-learn", "pytest==7.0", "sklearn"]
    write(tmp_path, "requirements.txt", "numpy==1.26.4\n")
    assert wanted_by(tmp_path)[0].text == "numpy==1.26.4"


def test_names_of_distributions() -> None:
    assert distributions_of("cv2")[0] == "opencv-python-headless"
    assert distributions_of("google.protobuf.message") == ("protobuf",)
    assert distributions_of("some_module") == ("some-module",)
    assert (
        provides("opencv_python", "cv2") and provides("Scikit.Learn", "sklearn.svm") and not provides("numpy", "torch")
    )
    assert normalized("Foo._-Bar") == "foo-bar"


_CMAKE = (
    'CMake Error: CMake was unable to find a build program corresponding to "Unix Makefiles".  CMAKE_MAKE_PROGRAM is not set.',
    "CMake Error: CMAKE_CXX_COMPILER not set, after EnableLanguage",
)


@pytest.mark.parametrize(
    ("said", "packages"),
    [
        (_CMAKE[0], ("build-essential", "python3-dev")),
        (_CMAKE[1], ("build-essential", "python3-dev")),
        ("error: [Errno 2] No such file or directory: 'x86_64-linux-gnu-g++'", ("build-essential", "python3-dev")),
        ("unable to execute 'gcc': No such file or directory", ("build-essential",)),
        ("src/x.c:1:10: fatal error: Python.h: No such file or directory", ("python3-dev",)),
        ("x.c:1:10: fatal error: gmp.h: No such file or directory", ("libgmp-dev",)),
        ("/usr/bin/ld: cannot find -lglpk: No such file or directory", ("libglpk-dev",)),
        ("make: g++: No such file or directory", ("build-essential",)),
        ("error: command 'gfortran' failed: No such file or directory", ("gfortran",)),
        ("ERROR: CMake must be installed to build this", ("cmake", "build-essential")),
        ("RuntimeError: Cargo is required to compile the tokenizer", ("cargo",)),
        ("it builds nothing", ()),
    ],
)
def test_what_a_build_lacks(said: str, packages: tuple[str, ...]) -> None:
    assert packages_for(said) == packages


def test_what_a_build_lacks_is_seen_before_a_long_traceback() -> None:
    traceback = [f'  File "setup.py", line {number}, in run' for number in range(60)]
    last = "subprocess.CalledProcessError: Command '['cmake']' returned non-zero exit status 1."
    response = Response(ended="exited", exit_code=1, stdout="\n".join([*_CMAKE, *traceback, last]))
    failure = BuildFailure(lines=said_by(response))
    assert packages_for("\n".join(failure.lines)) == ("build-essential", "python3-dev")
    assert "CMAKE_MAKE_PROGRAM is not set" in failure.line


def test_of_a_long_build_the_first_errors_are_told() -> None:
    reason = "src/x.cpp:33:7: error: 'uint64_t' does not name a type"
    commands = [f"g++ -c part_{number}.cpp -o part_{number}.o" for number in range(60)]
    end = "error: command '/usr/bin/g++' failed with exit code 1"
    done = Response(ended="exited", exit_code=1, stdout="\n".join([reason, *commands, end]))
    assert said_by(done)[0] == reason and said_by(done)[-1] == end
    assert BuildFailure(lines=said_by(done)).line == reason


def test_versions_that_only_old_installers_took_are_read() -> None:
    said = Metadata.read("Name: a\nVersion: 1\nRequires-Dist: pytz (>=2011k)\nRequires-Dist: cython>=0.x\n")
    assert said.requires == ("pytz (>=2011)", "cython>=0")


@pytest.mark.parametrize(
    ("path", "text", "versions"),
    [
        (
            "setup.py",
            "classifiers=['Programming Language :: Python :: 3.8', 'Programming Language :: Python :: 3']",
            [8],
        ),
        ("tox.ini", "[tox]\nenvlist = py37,py310\n", [10, 7]),
        (".github/workflows/ci.yml", "matrix:\n  python-version: [3.8, '3.9']\n", [9, 8]),
        (".travis.yml", 'python:\n  - 3.6\n  - "3.7"\n', [7, 6]),
        ("environment.yml", "dependencies:\n  - python=3.8\n  - numpy=1.3.4\n", [8]),
        ("pyproject.toml", "dependencies = ['torch==3.8.1', 'numpy>=1.13']", []),
    ],
)
def test_pythons_that_a_repository_says_it_works_with(
    tmp_path: Path, path: str, text: str, versions: list[int]
) -> None:
    write(tmp_path, path, text)
    assert [minor for _, minor in read_declared(tmp_path, tmp_path).tested] == versions
