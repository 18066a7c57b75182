"""Indexes and packages that mean harm: names that look right, builds that read the host or hang, answers without end."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.setup import builder, resolver
from ml_agent.sandbox.task import Source, Task
from tests.sandbox.dated_index import dated_index
from tests.wheels import make_wheel

Make = Callable[..., Sandbox]
LONG_AGO = "2020-01-01"
TRUE = {
    "pdfminer": "pdfminer.six",
    "pydispatch": "PyDispatcher",
    "zope.interface": "zope.interface",
    "cv2": "opencv-python-headless",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
    "skimage": "scikit-image",
    "PIL": "Pillow",
    "Crypto": "pycryptodome",
    "serial": "pyserial",
    "attr": "attrs",
    "dateutil": "python-dateutil",
    "bs4": "beautifulsoup4",
    "google.protobuf": "protobuf",
    "git": "GitPython",
}
"""Modules with their distributions; a stranger's distribution has the name of each module, or of its top."""
UNKNOWN = {"pdfminer", "pydispatch", "zope.interface"}
"""Nothing but the repository itself says where these come from."""


def wheel(folder: Path, name: str, module: str, version: str = "1.0") -> str:
    """A distribution with one module; the name of its file."""
    return make_wheel(folder, name, version, {f"{module.replace('.', '/')}/__init__.py": ""})


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Files of an index with their days, to be added to; it is all there is to install from."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    uploaded = dict[str, str]()
    with dated_index(tmp_path / "index", uploaded) as address:
        monkeypatch.setenv("PIP_INDEX_URL", address)
        yield uploaded


@pytest.mark.slow
@pytest.mark.parametrize("declared", [False, True])
def test_names_that_merely_look_right_are_never_installed(
    make: Make, index: dict[str, str], tmp_path: Path, declared: bool
) -> None:
    folder = tmp_path / "index"
    for module, name in TRUE.items():
        index[wheel(folder, name, module)] = LONG_AGO
        index[wheel(folder, module.partition(".")[0], "sprung", "9.0")] = LONG_AGO
    index[wheel(folder, "PyYAML", "sprung", "9.0")] = time.strftime("%Y-%m-%d")  # as if its account was taken over
    root = tmp_path / "repository"
    root.mkdir()
    (root / "run.py").write_text("".join(f"import {module}\n" for module in TRUE))
    if declared:
        (root / "requirements.txt").write_text("".join(f"{TRUE[module]}\n" for module in UNKNOWN))
    session, task = Session(make("process", network="install"), Source(root=root)), Task(text="python run.py")
    session.prepare(task)
    wanted = {name for module, name in TRUE.items() if declared or module not in UNKNOWN}
    assert set(session.record(task).locked) == {f"{name.lower().replace('.', '-')}==1.0" for name in wanted}
    response = session.run(task)
    assert response.ok is declared, response.stderr
    if not declared:
        assert session.diagnose(response, task).subject == "pdfminer"
        assert not session.install(["sprung @ https://example.org/x.whl"], "a model asks for it").ok


BACKEND = """
import os, pathlib, socket, time, zipfile
def found():
    seen = []
    try:
        seen.append(pathlib.Path({canary!r}).read_text())
    except OSError:
        pass
    try:
        socket.create_connection(("127.0.0.1", {port}), 3)
        seen.append("network")
    except OSError:
        pass
    return seen + [value for value in os.environ.values() if "canary" in value]
def build_wheel(out, *more):
    {first}
    with zipfile.ZipFile(os.path.join(out, "own-1.0-py3-none-any.whl"), "w") as wheel:
        wheel.writestr("own/seen.py", "SEEN = %r" % found())
        wheel.writestr("own-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: own\\nVersion: 1.0\\n")
        wheel.writestr("own-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("own-1.0.dist-info/RECORD", "")
    return "own-1.0-py3-none-any.whl"
"""


def own_package(folder: Path, first: str = "", canary: str = "", port: int = 1) -> Path:
    """A repository whose package is built by code of its own."""
    root = folder / "repository"
    (root / "own").mkdir(parents=True)
    (root / "own/__init__.py").write_text("")
    (root / "backend.py").write_text(BACKEND.format(first=first or "pass", canary=canary, port=port))
    text = '[project]\nname = "own"\nversion = "1.0"\n[build-system]\nrequires = []\n'
    (root / "pyproject.toml").write_text(text + 'build-backend = "backend"\nbackend-path = ["."]\n')
    return root


def test_what_a_build_generates_is_there_when_more_is_installed_after_it(
    make: Make, index: dict[str, str], tmp_path: Path
) -> None:
    root = own_package(tmp_path)
    index[wheel(tmp_path / "index", "PyYAML", "yaml")] = LONG_AGO
    (root / "own/__init__.py").write_text("__import__('yaml')\n")
    (root / "run.py").write_text("import own.seen\n")
    session, task = Session(make("process", network="install"), Source(root=root)), Task(text="python run.py")
    session.prepare(task)
    response = session.run(task)
    assert response.ok, response.stderr


@pytest.mark.slow
def test_a_build_sees_nothing_of_the_host(
    isolated_kind: str, make: Make, index: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "canary").write_text("canary of a file")
    monkeypatch.setenv("A_KEY", "canary of a variable")
    port = int(os.environ["PIP_INDEX_URL"].rpartition(":")[2].partition("/")[0])
    root = own_package(tmp_path, canary=str(tmp_path / "canary"), port=port)
    session = Session(make(isolated_kind, network="install"), Source(root=root))
    session.prepare(Task(text="python -c 'import own'"))
    said = session.sandbox.run(Command(text="python -c 'from own.seen import SEEN; print(SEEN)'"))
    assert said.stdout.strip() == "[]", said


@pytest.mark.slow
def test_a_build_that_hangs_is_ended(
    make: Make, index: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "DESCRIBE_SECONDS", 3.0)
    root = own_package(tmp_path, "time.sleep(1000)")
    session, began = Session(make("bubblewrap", network="install"), Source(root=root)), time.monotonic()
    session.prepare(Task(text="python -c 'import own'"))
    assert time.monotonic() - began < 60
    assert any("timeout after 3 s" in line for line in session.trouble()), session.trouble()
    assert session.sandbox.run(Command(text="python -c 'import own'")).ok


@pytest.mark.slow
def test_a_package_of_thousands_of_versions_is_given_up(
    make: Make, index: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolver, "RESOLVE_SECONDS", 4.0)
    monkeypatch.setattr("ml_agent.sandbox.setup.executor.CLIMB_SECONDS", 5.0)
    (tmp_path / "index").mkdir()
    index |= {f"{name}-{number}.0-py3-none-any.whl": LONG_AGO for name in ("bomb", "fuse") for number in range(3000)}
    root = tmp_path / "repository"
    root.mkdir()
    (root / "requirements.txt").write_text("bomb\nfuse\n")
    session, began = Session(make("bubblewrap", network="install"), Source(root=root)), time.monotonic()
    session.prepare(Task(text="python -c 'print(1)'"))
    assert time.monotonic() - began < 60
    assert session.left_out() and session.run(Task(text="python -c 'print(1)'")).ok


@pytest.mark.slow
def test_an_index_page_of_a_hundred_megabytes(make: Make, index: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index[wheel(folder, "alpha", "alpha")] = LONG_AGO
    index["alpha-2.0" + "x" * 100 * 1024**2 + ".whl"] = LONG_AGO
    root = tmp_path / "repository"
    root.mkdir()
    (root / "requirements.txt").write_text("alpha\n")
    session, began = Session(make("bubblewrap", network="install"), Source(root=root)), time.monotonic()
    session.prepare(Task(text="python -c 'import alpha'"))
    assert time.monotonic() - began < 120
    installed = session.record(Task(text="python -c 'import alpha'")).locked == ("alpha==1.0",)
    assert installed is not bool(session.left_out()), "it is had, or it is said why not"
