"""What is kept beyond a run: environments for other repositories, and files that tools of the user's read by themselves."""

import base64
import hashlib
import os
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from ml_agent.delivery.expectation import CreatedFile, Expectation, Judgement
from ml_agent.delivery.expectation import Source as Origin
from ml_agent.outputs import collect
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.contract import Policy
from ml_agent.sandbox.local import BubblewrapSandbox
from ml_agent.sandbox.local_place import setups
from ml_agent.sandbox.session import Session
from ml_agent.sandbox.task import Source, Task
from tests.ml_agent.replay.test_tape import Echo
from tests.sandbox.test_session import wheel
from tests.servers.git_folders import write_files

BROKEN = "brokenpkg-1.0.dist-info"
OWN_PIP = "open('/workspace/own-pip-ran', 'w').close(); print('evil==1.0')\n"
GIT = {
    "HEAD": "ref: refs/heads/main\n",
    "objects/x": "x",
    "refs/x": "x",
    "config": '[core]\n\tbare = true\n\tfsmonitor = "touch sprung"\n',
}
HIDDEN = (
    ".envrc",
    ".vscode/tasks.json",
    "a/.hg/hgrc",
    ".GIT/config",
    "a/.git",
    ".svn/x",
    "_darcs/prefs/x",
    "HEAD",
    "a/head",
    "AGENTS.md",
    "a/Claude.md",
    "\u200c.git/config",
    "a/.g\u200dit/config",
)


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package whose installation fails late, when something of it is there, and one that is had; no cache of the machine's."""
    wheels = tmp_path / "wheels"
    wheel(wheels, "torch", "1.0", "")
    content = {"brokenpkg/__init__.py": "", f"{BROKEN}/METADATA": "Metadata-Version: 2.1\nName: brokenpkg\nVersion: 1.0\n",
               f"{BROKEN}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
               f"{BROKEN}/entry_points.txt": "[console_scripts]\nfoo = brokenpkg\n"}  # fmt: skip
    with zipfile.ZipFile(wheels / "brokenpkg-1.0-py3-none-any.whl", "w") as archive:
        lines = ""
        for name, text in content.items():
            archive.writestr(name, text)
            sha = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            lines += f"{name},sha256={sha},{len(text)}\n"
        archive.writestr(f"{BROKEN}/RECORD", f"{lines}{BROKEN}/RECORD,,\n")
    for name, value in (("PIP_FIND_LINKS", str(wheels)), ("PIP_NO_INDEX", "1"), ("PIP_CONFIG_FILE", "/dev/null")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    if find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")


def _session(root: Path, tmp_path: Path, notes: list[str], version: str = "x") -> Session:
    sandbox = BubblewrapSandbox(Policy(network="install", run_id="tests"), tmp_path / "logs")
    return Session(sandbox, Source(root=root, version=version), note=notes.append)


@pytest.mark.promise(
    "A kept environment is taken only for the very content, need and place that it was made for.",
    by="ml_agent.sandbox.setup.executor",
)
def test_a_kept_environment_serves_for_just_the_same(broken: None, tmp_path: Path) -> None:
    taken = []
    for number, (version, code) in enumerate(
        (("x", "import torch\n"), ("x", "import torch\n"), ("y", "import torch\n"))
    ):
        root, notes = tmp_path / str(number), list[str]()
        write_files(root, {"run.py": code, "requirements.txt": "torch\n", "secret-notes.txt": "private\n"})
        session = _session(root, tmp_path, notes, version)
        try:
            session.prepare(Task(text="python run.py"))
        finally:
            session.close()
        taken.append("cached environment" in notes[0])
    assert taken == [False, True, False]
    assert [path for path in setups().rglob("*") if path.name in ("run.py", "secret-notes.txt")] == []


def test_where_all_failed_nothing_is_kept(broken: None, tmp_path: Path) -> None:
    for number in range(2):
        root, notes = tmp_path / str(number), list[str]()
        write_files(root, {"run.py": "import brokenpkg\n", "requirements.txt": "brokenpkg\n"})
        session = _session(root, tmp_path, notes)
        try:
            session.prepare(Task(text="python run.py"))
        finally:
            session.close()
        assert notes[0].startswith("environment: as declared")
    assert not list(setups().glob("*/note.json"))


@pytest.mark.promise(
    "What is installed is what was resolved: no program says it, and none changes it.", by="ml_agent.sandbox.session"
)
def test_a_program_neither_tells_nor_changes_what_is_installed(broken: None, tmp_path: Path) -> None:
    code = "import glob, sys\nfor f in glob.glob(sys.prefix + '/lib/python3*/site-packages'):\n    open(f + '/evil.pth', 'w').write('import os')\n"
    root = tmp_path / "repository"
    write_files(root, {"run.py": code, "requirements.txt": "torch\n", "pip/__init__.py": OWN_PIP, "uv.py": OWN_PIP})
    session, task = _session(root, tmp_path, []), Task(text="python run.py")
    try:
        response = session.run(task)
        assert "Read-only file system" in response.stderr
        assert session.record(task).locked == ("torch==1.0",)
    finally:
        session.close()


class Made(Echo):
    """One in which every file is there."""

    def get(self, path: str, most: int = 0) -> bytes:
        return GIT.get(path.rpartition("sub/")[2], "x").encode()


def _outputs(paths: Iterable[str], place: Path, *expected: Judgement) -> tuple[set[str], set[str]]:
    made = [CreatedFile(path=path, size=1) for path in paths]
    kept, stayed = collect(Made(), made, place, expected)
    return set(kept), {one.path for one in stayed}


@pytest.mark.promise("Nothing that a run made is obeyed by git where it comes out.", by="ml_agent.outputs")
def test_no_folder_of_gits_own_comes_out_under_another_name(tmp_path: Path) -> None:
    _outputs([*(f"sub/{name}" for name in GIT), *GIT, "result.csv"], tmp_path / "outputs")
    for place in (tmp_path / "outputs/sub", tmp_path / "outputs"):
        done = subprocess.run(
            ["git", "rev-parse", "--git-dir"],
            cwd=place,
            env={"GIT_CEILING_DIRECTORIES": str(tmp_path), "PATH": os.defpath},
            capture_output=True,
        )
        assert done.returncode != 0, done.stdout
    assert (tmp_path / "outputs/result.csv").exists()


@pytest.mark.promise(
    "Hidden files and version control's own stay in the sandbox, but for hidden ones that the user names.",
    by="ml_agent.outputs",
)
def test_what_tools_read_by_themselves_stays_in_the_sandbox(tmp_path: Path) -> None:
    assert _outputs([*HIDDEN, "a/result.csv"], tmp_path / "outputs") == ({"a/result.csv"}, set(HIDDEN))


@pytest.mark.promise("No name that comes out shows another than it is.", by="ml_agent.outputs")
def test_a_name_that_nobody_sees_as_it_is_comes_out_only_where_it_was_asked_for(tmp_path: Path) -> None:
    turned, joined = "out/report\u202etxt.exe", "out/\u0645\u06cc\u200c\u0631\u0648\u062f.csv"
    assert _outputs([turned, "\u2066a/b.csv", "c.csv"], tmp_path / "outputs") == ({"c.csv"}, {turned, "\u2066a/b.csv"})
    asked = Expectation(kind="file", path=joined, source="request")
    one = Judgement(expectation=asked, verdict="delivered", said="", path=joined)
    assert _outputs([joined], tmp_path / "outputs", one) == ({joined}, set())


def test_a_hidden_file_comes_out_only_where_the_sentence_names_it(tmp_path: Path) -> None:
    def judged(path: str, found: str, source: Origin = "request") -> Judgement:
        return Judgement(
            expectation=Expectation(kind="file", path=path, source=source), verdict="delivered", said="", path=found
        )

    for path, one in {
        ".cache/x.json": judged(".cache/", ".cache"), ".x.json": judged(".x.json", ".x.json"), ".github/out.csv": judged("out.csv", ".github/out.csv"),
    }.items():  # fmt: skip
        assert _outputs([path], tmp_path / "outputs", one) == ({path}, set())
    for path, one in {
        "out/.envrc": judged("out/*", "out/.envrc"), ".envrc": judged(".envrc", ".envrc", "option"), ".hg/hgrc": judged(".hg/hgrc", ".hg/hgrc"),
    }.items():  # fmt: skip
        assert _outputs([path], tmp_path / "outputs", one) == (set(), {path})
