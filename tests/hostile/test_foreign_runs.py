"""Mirrors, foreign runs, agents' records and foreign folders: none runs anything, leads out or fills the machine."""

import hashlib
import json
import os
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ml_agent.benchmarks.data import Task, task_of
from ml_agent.benchmarks.repositories import LaidRepository, lay_repositories
from ml_agent.cli import run
from ml_agent.runs import RunFolder
from ml_agent.sandbox.errors import SandboxUnavailableError
from ml_agent.sandbox.files import check_room
from ml_agent.view.report import write_report
from tests.servers.git_folders import commit_files, write_files


class Mirror:
    """A git directory, object by object: git itself would make none of these."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "refs/heads").mkdir(parents=True)
        (folder / "objects").mkdir()
        (folder / "HEAD").write_text("ref: refs/heads/main\n")

    def put(self, kind: str, content: bytes) -> str:
        raw = f"{kind} {len(content)}\0".encode() + content
        name = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        place = self.folder / "objects" / name[:2] / name[2:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(zlib.compress(raw))
        return name

    def tree(self, *entries: tuple[str, str, str]) -> str:
        return self.put("tree", b"".join(f"{m} {n}\0".encode() + bytes.fromhex(sha) for m, n, sha in entries))

    def commit(self, tree: str) -> str:
        who = "a <a@localhost> 1600000000 +0000"
        return self.put("commit", f"tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n".encode())


def lay(mirror: Mirror, tree: str) -> LaidRepository:
    return lay_at(mirror, mirror.commit(tree))


def lay_at(mirror: Mirror, commit: str) -> LaidRepository:
    root = mirror.folder.parents[2]
    fields = {
        "github_id": 1,
        "id": 1,
        "github": "https://github.com/o/r",
        "path": ".",
        "instruction": "",
        "kind": "bash",
    }
    task = msgspec.convert({**fields, "output": "", "arguments": {}, "oracle": "", "commit": commit}, Task)
    (laid,) = lay_repositories([task], root / "deep/er/repos", {}, root / "mirrors")
    return laid


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    return Mirror(tmp_path / "mirrors/o+r/repo")


PROMISE = pytest.mark.promise(
    "`bench repos --mirrors` runs nothing that a mirror names, and writes below REPOS only.",
    by="tools.work_tree: object files are read without git and without configuration",
)


@PROMISE
def test_a_mirrors_settings_run_nothing(mirror: Mirror, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (mirror.folder / "config").write_text(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
        f'[remote "origin"]\n\turl = {tmp_path}\n\tpromisor = true\n\tuploadpack = "touch {mark}; false"\n'
    )
    held = mirror.put("blob", b"x")
    laid = lay(mirror, mirror.tree(("100644", "absent.py", "1" * 40), ("100755", "held.py", held)))
    assert (laid.problem, laid.absent) == ("", ("absent.py",)) and not mark.exists()
    assert os.access(tmp_path / "deep/er/repos/r/held.py", os.X_OK)


@PROMISE
@pytest.mark.parametrize("name", ["..", ".git", "a/../../b", "."])
def test_a_mirrors_names_lead_nowhere_else(name: str, mirror: Mirror, tmp_path: Path) -> None:
    inner = mirror.tree(("100644", "mark", mirror.put("blob", b"x")))
    assert lay(mirror, mirror.tree(("40000", name, inner))).problem
    assert not list(tmp_path.rglob("mark"))


@PROMISE
def test_a_mirrors_links_are_not_written_through(mirror: Mirror, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "own").write_text("own")
    aim, text = mirror.put("blob", str(victim).encode()), mirror.put("blob", b"x")
    inner = mirror.tree(("100644", "mark", text))
    assert lay(mirror, mirror.tree(("120000", "a", aim), ("40000", "a", inner))).problem
    to_own = mirror.put("blob", f"{victim}/own".encode())
    assert not lay(mirror, mirror.tree(("120000", ".commit", to_own), ("100644", "a.py", text))).problem
    assert [path.name for path in victim.iterdir()] == ["own"] and (victim / "own").read_text() == "own"


@pytest.mark.promise("What a mirror lays under a pinned SHA is what the SHA names.", by="ml_agent.tools.work_tree")
@pytest.mark.parametrize("kind", ["blob", "tree", "commit"])
def test_a_mirror_that_lays_something_else_under_a_name(kind: str, mirror: Mirror, tmp_path: Path) -> None:
    right, wrong = (mirror.put("blob", content) for content in (b"right", b"wrong"))
    trees = [mirror.tree(("100644", "a.py", blob)) for blob in (right, wrong)]
    commits = list(map(mirror.commit, trees))
    here, other = {"blob": (right, wrong), "tree": trees, "commit": commits}[kind]
    objects = mirror.folder / "objects"
    (objects / other[:2] / other[2:]).rename(objects / here[:2] / here[2:])
    assert "does not match its hash" in lay_at(mirror, commits[0]).problem and not list(tmp_path.rglob("a.py"))


@pytest.mark.promise(
    "A mirror brings no object of another repository of this machine along.", by="ml_agent.tools.work_tree"
)
@pytest.mark.parametrize("way", ["alternates", "objects", "a folder", "a file", "pack"])
def test_a_mirror_borrows_from_nobody(way: str, mirror: Mirror, tmp_path: Path) -> None:
    private = tmp_path / "private"
    commit = commit_files(private, {"private.py": "private"})
    if way == "pack":
        subprocess.run(["git", "repack", "-adq"], cwd=private, check=True)
    theirs, ours = private / ".git/objects", mirror.folder / "objects"
    if way == "alternates":
        write_files(ours, {"info/alternates": f"{theirs}\n"})
    elif way == "objects":
        ours.rmdir()
        ours.symlink_to(theirs)
    else:
        for path in theirs.iterdir() if way == "a folder" else theirs.glob("*/*"):
            place = ours / path.relative_to(theirs)
            place.parent.mkdir(exist_ok=True)
            place.symlink_to(path)
    (mirror.folder / "refs/heads/main").write_text(commit)
    laid = lay_at(mirror, "HEAD")
    assert laid.problem and not list((tmp_path / "deep").rglob("private.py")) and "private.py" not in laid.absent


ROWS = pytest.mark.promise(
    "Rows of others replace and copy nothing of the user's: they name one folder below REPOS, and an address.",
    by="benchmarks.data, benchmarks.repositories",
)


@ROWS
@pytest.mark.parametrize("name", ["...git", "..", "a:..", ".", "a/../.", "a/.git", ".ssh", "a" * 300, "a\0b"])
def test_a_row_names_no_folder_but_one_below(name: str) -> None:
    row = {"github_id": 1, "id": 1, "path": "", "arguments": "{}", "instruction": "x", "type": "Bash Script"}
    with pytest.raises(ValueError, match="does not end in the name"):
        task_of({**row, "output": "", "github": f"https://host.invalid/{name}"})


@ROWS
def test_a_row_replaces_no_folder_of_the_users(mirror: Mirror, tmp_path: Path) -> None:
    own = tmp_path / "deep/er/repos/r"
    write_files(own, {"work.py": "own"})
    tree = mirror.tree(("100644", "a.py", mirror.put("blob", b"x")))
    assert "move it away" in lay(mirror, tree).problem and (own / "work.py").read_text() == "own"
    (own / "work.py").unlink()
    own.rmdir()
    other = mirror.tree(("100644", "b.py", mirror.put("blob", b"x")))
    assert not lay(mirror, tree).problem and not lay(mirror, other).problem  # our own is replaced
    assert sorted(path.name for path in own.iterdir()) == [".commit", "b.py"]


@ROWS
def test_a_row_copies_no_folder_of_the_users(tmp_path: Path) -> None:
    write_files(tmp_path / "private", {"private.py": "private"})
    row = {"github_id": 1, "id": 1, "path": "", "arguments": "{}", "instruction": "x", "type": "Bash Script"}
    task = task_of({**row, "output": "", "github": str(tmp_path / "private"), "commit": "HEAD"})
    (laid,) = lay_repositories([task], tmp_path / "repos", {})
    assert "not an address" in laid.problem and not list((tmp_path / "repos").iterdir())


@pytest.mark.promise(
    "Results of others end no report, and nothing in them is run by a browser.", by="benchmarks.report"
)
@pytest.mark.parametrize("row", ["lmfit", "no row", "../../etc"])
def test_a_report_of_foreign_deliveries(row: str, tmp_path: Path) -> None:
    script = "<script>alert(1)</script>"
    line = {"config": "", "model": script, "result": {"row": row, "agent": f"../../{script}", "refusal": script}}
    (tmp_path / "deliveries.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps(line | {'model': 'm'})}\n")
    known = {"config": "", "model": "m", "result": {"row": "lmfit", "agent": "a", "delivered": True}}
    with (tmp_path / "deliveries.jsonl").open("a") as file:
        file.write(f"{json.dumps(known)}\n")
    assert run(["bench", "report", str(tmp_path)]) in (0, 2)
    page = tmp_path / "report.html"
    assert not page.exists() or script not in page.read_text()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def with_holes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 * 1024**3)


@pytest.mark.promise(
    "A folder with holes is not copied beyond what a sandbox may hold.", by="ml_agent.sandbox.files.check_room"
)
def test_a_file_with_holes_is_not_copied_whole(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    check_room(tmp_path, 1000, tmp_path)
    with_holes(tmp_path / "data.bin")
    with pytest.raises(SandboxUnavailableError, match=r"20\.0 GB"):
        check_room(tmp_path, 10 * 1024**3, tmp_path)


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [a_pipe, with_holes, a_device])
@pytest.mark.promise(
    "A run in which something else stands in the place of its events ends `view` in one line.", by="ml_agent.trajectory"
)
def test_events_that_are_no_file(
    make: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(tmp_path / "fitting", {"fit.py": "import argparse\np = argparse.ArgumentParser()\np.parse_args()\n"})
    folder = str(tmp_path / "run")
    run(["solve", "run fit.py", "--repo", str(tmp_path / "fitting"), "--run", "none", "--quiet", "--out", folder])
    events = tmp_path / "run/trajectory.jsonl"
    events.unlink()
    make(events)
    for words in (["view", folder], ["view", folder, "--json"]):
        capsys.readouterr()
        assert run(words) == 2
        said = capsys.readouterr().err.strip()
        assert "cannot be read" in said and "\n" not in said


@pytest.mark.promise(
    "`view --open` shows the sealed result anew, and nothing that was laid into the run's folder.",
    by="ml_agent.view.report, ml_agent.cli.runs",
)
def test_a_page_that_was_laid_into_a_run_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "fitting", {"fit.py": "import argparse\np = argparse.ArgumentParser()\np.parse_args()\n"})
    folder, secret = tmp_path / "run", tmp_path / "secret.txt"
    run(["solve", "run fit.py", "--repo", str(tmp_path / "fitting"), "--run", "none", "--quiet", "--out", str(folder)])
    secret.write_text("loss: 0.5\nloss: 0.4\nloss: 0.3\ncanary\n")
    write_files(folder, {"outputs/own.txt": "own"})
    for name in ("logs/run-1.log", "outputs/a.csv", "outputs/a.txt"):
        (folder / name).symlink_to(secret)
    os.mkfifo(folder / "logs/run-2.log")
    os.mkfifo(folder / "outputs/b.csv")
    os.mkfifo(folder / "requirements.lock")
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to(secret)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run(["view", str(folder), "--open"]) == 0
    page = (folder / "report.html").read_text()
    assert opened == [(folder / "report.html").as_uri()] and "canary" in secret.read_text()
    assert "canary" not in page and "own.txt" in page and not (folder / "report.html").is_symlink()
    for log in ("run-1.log", "run-2.log"):
        result = json.loads((folder / "run.json").read_text())
        write_report(RunFolder(folder), result | {"sandbox": result["sandbox"] | {"log": log}})
        assert "canary" not in (folder / "report.html").read_text()
