"""Scripts that are links to others."""

from pathlib import Path

from ml_agent.tools.signatures.read import SignatureReader, linked_script
from ml_agent.tools.signatures.sources import Sources
from tests.tools.conftest import write_files

TRAIN = """
import argparse
from data import add
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
add(parser)
parser.parse_args()
"""


def _linked(root: Path) -> SignatureReader:
    write_files(
        root,
        {
            "first/train.py": TRAIN,
            "first/data.py": "def add(parser):\n    parser.add_argument('--first')\n",
            "second/data.py": "def add(parser):\n    parser.add_argument('--second')\n",
        },
    )
    (root / "second/train.py").symlink_to("../first/train.py")
    return SignatureReader(root, frozenset({"first/train.py", "first/data.py", "second/data.py", "second/train.py"}))


def test_a_link_takes_what_its_file_takes_with_the_modules_beside_that(tmp_path: Path) -> None:
    (signature,) = _linked(tmp_path).read("second/train.py")
    assert signature.path == "second/train.py"
    assert [(one.dest, one.path) for one in signature.options] == [
        ("lr", "second/train.py"),
        ("first", "first/data.py"),
    ]


def test_a_link_out_of_the_repository_stands_for_no_file_of_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"outside/train.py": TRAIN})
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/train.py").symlink_to("../outside/train.py")
    (tmp_path / "inside/loop.py").symlink_to("loop.py")
    sources = Sources(tmp_path / "inside", frozenset({"train.py", "loop.py"}))
    assert [linked_script(sources, path) for path in ("train.py", "loop.py")] == ["train.py", "loop.py"]
