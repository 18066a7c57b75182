"""Squatters of names: nothing is installed because it is called like a module that is imported."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.setup_bench import prove
from ml_agent.sandbox.contract import Policy
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task
from tests.sandbox.conftest import build
from tests.sandbox.test_session import wheel
from tests.servers.git_folders import write_files

TRAPS = [
    "pdfminer",
    "pydispatch",
    "Zope",
    "zope",
    "cv2",
    "sklearn",
    "yaml",
    "skimage",
    "PIL",
    "Crypto",
    "serial",
    "attr",
    "dateutil",
    "bs4",
    "google",
    "git",
]
"""Each is called as a module that something else gives, and gives that module, too."""
DECLARED = {"pdfminer.six": "pdfminer", "PyDispatcher": "pydispatch", "zope.interface": "zope"}
PROMISE = "A distribution that merely has the name of a module is never installed."


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    for name in TRAPS:
        wheel(folder, name, "1.0", "sprung = True\n")
    for name in DECLARED:
        wheel(folder, name, "1.0", "")
    for name, value in {"PIP_FIND_LINKS": str(folder), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    return folder


def installed(kind: str, tmp_path: Path, files: dict[str, str]) -> set[str]:
    write_files(tmp_path / "repository", files)
    sandbox = build(kind, tmp_path / "logs", Policy(network="install", run_id="tests"))
    session, task = Session(sandbox, Source(root=tmp_path / "repository")), Task(text="python run.py")
    try:
        prove(session, task)
        return {pin.partition("==")[0] for pin in session.record(task).locked}
    finally:
        session.close()


@pytest.mark.promise(PROMISE, by="sandbox.setup.executor, tools.python_api.distributions")
def test_what_nobody_declares_is_not_taken_by_its_name(isolated_kind: str, index: Path, tmp_path: Path) -> None:
    code = "".join(f"import {name}\n" for name in TRAPS if name != "Zope") + "import zope.interface\n"
    found = installed(isolated_kind, tmp_path, {"run.py": code})
    assert found == set()


@pytest.mark.promise(PROMISE, by="sandbox.setup.executor, tools.python_api.distributions")
def test_what_is_declared_is_taken_and_not_its_like(isolated_kind: str, index: Path, tmp_path: Path) -> None:
    code = "from pydispatch import dispatcher\nimport zope.interface\nimport pdfminer.high_level\n"
    found = installed(isolated_kind, tmp_path, {"run.py": code, "requirements.txt": "\n".join(DECLARED)})
    assert found == {"pdfminer-six", "pydispatcher", "zope-interface"}


NO_REQUIREMENTS = [
    "--index-url http://x.invalid", "-i http://x.invalid", "--find-links=/tmp", "-e /etc", "-e ..", "-e .[all] --target /", "-r /etc/passwd",
    "git+https://x.invalid/a", "a @ git+https://x.invalid/a", "a @ file:///etc", "a@https://x.invalid/a.whl", "./a", "../a", "/tmp/a.whl",
    "https://x.invalid/a.whl", "a==1 --hash=sha256:0", "a --config-settings=x=y", "--python /tmp/python", "--python 3.8 -m a", "a$(id)", "a`id`", "a|id",
    "a'", "a\\", "a\0b", "-", "",
]  # fmt: skip
NO_DEBIAN_PACKAGES = ["a;id", "-oAPT::Update::Pre-Invoke::=id", "./a.deb", "/tmp/a.deb", "bash-", "bash+", "a=1", "a/sid", "a*", "^a", "a b", ""]  # fmt: skip


@pytest.mark.promise("A model can ask for packages by name alone.", by="ml_agent.sandbox.session")
def test_what_a_model_asks_for_is_a_name(tmp_path: Path) -> None:
    sandbox = build("bubblewrap", tmp_path / "logs", Policy(network="install", run_id="tests"))
    session = Session(sandbox, Source(root=tmp_path))
    for word in NO_REQUIREMENTS:
        done = session.install(["numpy<2", word], "it is needed")
        refused = ("not a requirement with a package name", "only the package index can be reached")
        assert not done.ok and done.said[0].startswith(refused) and not done.repairs, word
    for word in NO_DEBIAN_PACKAGES:
        done = session.install([], "it is needed", ["g++", "libgl1", word])
        assert not done.ok and "not the name of a Debian package" in done.said[0] and not done.repairs, word
