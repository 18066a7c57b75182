import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.tools.errors import UnsafePathError
from ml_agent.tools.files import Tree


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "private.txt").write_text("secret")
    return folder


@pytest.fixture
def root(tmp_path: Path, outside: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("# Title\n")
    (folder / "src" / "run.py").write_text("print(1)\n")
    (folder / "inside").symlink_to("src/run.py")
    (folder / "out").symlink_to(outside / "private.txt")
    (folder / "outfolder").symlink_to(outside)
    (folder / "loop").symlink_to("loop")
    (folder / "zero").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture
def tree(root: Path) -> Tree:
    return Tree(root)


def test_reads_text_of_files_and_of_links_that_stay_inside(tree: Tree) -> None:
    assert tree.read_text("README.md") == "# Title\n"
    assert tree.read_text("./src/../src/run.py") == "print(1)\n"
    assert tree.read_text("inside") == "print(1)\n"
    assert tree.size("inside") == 9


def test_text_is_decoded_with_replacement_and_unix_line_ends(root: Path, tree: Tree) -> None:
    (root / "windows.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\xff\n")
    assert tree.read_text("windows.txt") == "a\nb\nc\ufffd\n"


def test_reads_no_more_than_asked(tree: Tree) -> None:
    assert tree.read_bytes("README.md", 3) == b"# T"
    assert tree.read_text("README.md", 3) == "# T"


@pytest.mark.parametrize(
    "path",
    [
        "../outside/private.txt",
        "src/../../outside/private.txt",
        "/etc/passwd",
        "out",
        "outfolder/private.txt",
        "a\0b",
        "loop",
        "zero",
        "pipe",
        "x" * 5000,
    ],
)
def test_what_is_outside_or_no_file_is_refused(tree: Tree, path: str) -> None:
    with pytest.raises((UnsafePathError, FileNotFoundError)):
        tree.read_text(path)
    assert not tree.is_file(path)


def test_outside_is_an_error_of_its_own(tree: Tree) -> None:
    with pytest.raises(UnsafePathError, match="outside the repository"):
        tree.read_text("../outside/private.txt")
    with pytest.raises(UnsafePathError, match="not a regular file"):
        tree.read_text("pipe")
    with pytest.raises(FileNotFoundError):
        tree.read_text("none.txt")
    with pytest.raises(IsADirectoryError):
        tree.read_text("src")


def test_a_socket_is_no_file(root: Path, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # socket paths are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert "socket" not in tree.files()
        with pytest.raises(UnsafePathError):
            tree.read_bytes("socket")


def test_lists_regular_files_and_inner_links_only(root: Path, tree: Tree) -> None:
    for path in (
        ".git/config",
        "src/__pycache__/run.pyc",
        "env/pyvenv.cfg",
        "env/lib/site.py",
        ".github/ci.yml",
        "runs/1/run.json",
        "runs/1/trajectory.jsonl",
        "runs/1/checkpoints.sqlite",
        "runs/1/answer.sh",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    (root / os.fsdecode(b"caf\xe9")).write_text("")
    assert tree.files() == (".github/ci.yml", "README.md", "inside", "src/run.py")
    assert tree.files("src") == ("src/run.py",)


@given(path=st.text(alphabet="./\\~ab \0\n", max_size=30))
def test_no_path_leads_outside(path: str) -> None:
    tree = Tree(Path(__file__).parent)
    try:
        assert tree.resolve(path).is_relative_to(tree.root)
    except UnsafePathError as error:
        assert "\n" not in str(error)
