"""What version control keeps beside a user's files (addresses with tokens, settings, logs) reaches no model and no program."""

import os
from pathlib import Path

import pytest

from ml_agent.conversation.tools import Toolbox
from ml_agent.inputs import Places, control_folders, sorted_inputs
from ml_agent.named_paths import named_paths
from ml_agent.navigator import Workspace
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.staging import stage
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.errors import RepositoryError, UnsafePathError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.remotes import local_folder
from tests.hostile.conftest import ml_agent
from tests.servers.git_folders import commit_files, write_files

TOKEN = "x-access-token-canary"
PLACES = (
    ".git/config", ".git/HEAD", ".git/logs/HEAD", ".git/packed-refs", "./.git/config", "a/../.git/config", ".git/../.git/config",
    ".GIT/config", "sub/.git", "sub/.git/../.git", "nested/.git/config", ".hg/hgrc", "nested/.SVN/wc.txt", "apart/config",
    "apart/logs/HEAD", "link.txt", "folder/config", "deep/folder/config",
)  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A work tree whose address holds a token, with submodules, other systems' folders, and links to all that."""
    root = tmp_path / "fitting"
    commit_files(root, {"fit.py": "print('fit')\n", "README.md": "# Fit\n", "a/x.txt": "x"})
    hidden = (
        ".git/logs/HEAD", ".git/packed-refs", ".GIT/config", "sub/.git", "nested/.git/config", ".hg/hgrc", "nested/.SVN/wc.txt",
        "apart/config", "apart/logs/HEAD", "apart/HEAD", "apart/objects/x", "apart/refs/x",
    )  # fmt: skip
    for name in hidden:
        write_files(root, {name: f"{TOKEN}\n"})
    with (root / ".git/config").open("a") as file:
        file.write(f'[remote "origin"]\n\turl = https://{TOKEN}@host.invalid/a/b\n')
    (root / "link.txt").symlink_to(".git/config")
    (root / "folder").symlink_to(".git")
    (root / "deep").mkdir()
    (root / "deep/folder").symlink_to("../nested/.git")
    return root


@pytest.mark.promise("Nothing of version control's own is read, whatever way leads there.", by="ml_agent.tools.files")
@pytest.mark.parametrize("place", PLACES)
def test_control_files_are_not_read(place: str, repository: Path) -> None:
    tree = Tree(repository)
    assert not tree.exists(place) and not tree.is_file(place) and place not in tree.files()
    with pytest.raises(UnsafePathError):
        tree.read_text(place)
    assert TOKEN not in str(_toolbox(repository).read(place))


@pytest.mark.promise("No index lists version control's files, and no search finds them.", by="ml_agent.tools.files")
def test_control_files_are_not_listed_or_found(repository: Path) -> None:
    assert RepoIndex.open(repository, "x").files == ("README.md", "a/x.txt", "fit.py")
    box = _toolbox(repository)
    said = [box.read(path) for path in (".", ".git", "sub", "nested", "folder", "apart")]
    said += [box.find(query) for query in (TOKEN, "url = https", "host.invalid")]
    assert not any(TOKEN in str(text) or "host.invalid" in str(text) for text in said)


def _toolbox(root: Path) -> Toolbox:
    index = RepoIndex.open(root, "x")
    return Toolbox(Workspace(index=index, candidate=Candidate(full_name="a/b", url=str(root))), "fit")


@pytest.mark.promise("A folder of version control's own is no repository.", by="ml_agent.tools.remotes")
@pytest.mark.parametrize("place", [".git", "nested/.git", ".GIT", ".hg", ".git/logs"])
def test_a_control_folder_is_no_repository(place: str, repository: Path) -> None:
    with pytest.raises(RepositoryError):
        local_folder(str(repository / place))


@pytest.mark.promise(
    "Only commits of a work tree go into a sandbox, nothing else of version control's.", by="ml_agent.staging"
)
def test_control_files_do_not_go_into_a_sandbox(repository: Path, tmp_path: Path) -> None:
    (repository / ".git/packed-refs").unlink()
    stage(repository, tmp_path / "staged")
    texts = {path: path.read_bytes() for path in (tmp_path / "staged").rglob("*") if path.is_file()}
    assert [path for path, text in texts.items() if TOKEN.encode() in text] == []
    assert sorted(path.name for path in (tmp_path / "staged").iterdir()) == [".git", "README.md", "a", "fit.py"]


@pytest.mark.promise(
    "Of a folder that the user names, a program does not see version control's own.", by="ml_agent.inputs"
)
@pytest.mark.parametrize("sandbox", [pytest.param("docker", marks=pytest.mark.docker), "local"])
@pytest.mark.xdist_group("bubblewrap-sandbox")
def test_shown_folders_are_without_control_files(repository: Path, sandbox: str, tmp_path: Path) -> None:
    if sandbox == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    for folder in (repository, *repository.parents[:4]):
        folder.chmod(folder.stat().st_mode | 0o055)
    hidden = control_folders((repository,))
    assert {path.relative_to(repository).as_posix() for path in hidden} == {
        ".git", ".GIT", ".hg", "nested/.git", "nested/.SVN", "apart",
    }  # fmt: skip
    made = choose(sandbox, Policy(network="none", shown=(repository,), covered=hidden), tmp_path / "logs")
    made.start()
    try:
        ran = made.run(Command(text=f"cat {repository}/fit.py; grep -rs {TOKEN} {repository}/.git {repository}/apart"))
    finally:
        made.stop()
    assert "print" in ran.stdout and TOKEN not in ran.stdout, ran.stderr


def test_a_control_file_is_no_input(repository: Path, tmp_path: Path) -> None:
    (repository / "plain.txt").write_text("x")
    write_files(repository, {"nested/.git/a.txt": "x"})
    (repository / "made.txt").symlink_to("nested/.git/a.txt")
    named = named_paths("nested/.git/a.txt made.txt plain.txt", ())
    assert sorted_inputs(named, (), Places(repository, tmp_path)).taken == ("plain.txt",)


@pytest.mark.promise("A command in a sandbox does not see the address of a work tree.", by="ml_agent.staging")
@pytest.mark.xdist_group("bubblewrap-sandbox")
def test_a_program_that_looks_for_control_files(repository: Path, tmp_path: Path) -> None:
    looks = (
        "import argparse, pathlib\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float)\nparser.parse_args()\n"
        "for path in pathlib.Path('.').rglob('*'):\n    if path.is_file():\n        print(path, path.read_bytes()[:2000])\n"
    )
    (repository / ".git/packed-refs").unlink()
    readme = "# Fit\n\nFit the model:\n\n```bash\npython fit.py --lr 0.5\n```\n"
    write_files(repository, {"fit.py": looks, "README.md": readme})
    out = tmp_path / "out"
    done = ml_agent(
        "solve", "fit the model with lr 0.25", "--repo", str(repository), "--run", "full", "--sandbox", "local", "--network", "none",
        "--navigator", "offline", "--quiet", "--out", str(out), environment={**os.environ, "ML_AGENT_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [path for path in out.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()] == []
