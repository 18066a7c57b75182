"""The same file from another folder, the same program by another name, and what comes before it."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call
from ml_agent.benchmarks.same_call.values import Folders, leads_elsewhere, same_place

TRAIN = "python train.py --data data/cora -b 16"
FILES = {
    "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    learn = gear.cli:main\n    measure = gear.measure:run\n",
    "setup.py": "from setuptools import setup\nsetup(scripts=['bin/tidy'])\n",
    "gear/__init__.py": "",
    "gear/parser.py": "import argparse\n\ndef build():\n    p = argparse.ArgumentParser()\n    p.add_argument('--data', required=True)\n"
    "    p.add_argument('-b', '--batch', type=int, default=1)\n    p.add_argument('--also', nargs='*')\n    return p\n",
    "gear/cli.py": "from gear.parser import build\n\ndef main():\n    print(build().parse_args())\n\nif __name__ == '__main__':\n    main()\n",
    "gear/measure.py": "from gear.parser import build\n\ndef run():\n    print(build().parse_args())\n",
    "gear/__main__.py": "import sys\nfrom gear.cli import main\n\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "bin/tidy": "#!/usr/bin/env python\nfrom gear.parser import build\nprint(build().parse_args())\n",
    "train.py": "from gear.cli import main\n\nif __name__ == '__main__':\n    main()\n",
    "data/cora/x.csv": "1\n",
    "early.py": "import argparse\n\nfirst = argparse.ArgumentParser(add_help=False)\nfirst.add_argument('--config')\n"
    "found, rest = first.parse_known_args()\nif found.config:\n    open(found.config)\n"
    "parser = argparse.ArgumentParser(parents=[first])\nparser.add_argument('--lr', type=float)\n"
    "parser.add_argument('--workers', type=int, default=1)\nprint(parser.parse_args())\n",
}


@pytest.fixture
def gear(tmp_path: Path) -> Path:
    root = tmp_path / "gear"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def passes(root: Path, reference: str, answer: str) -> bool:
    task = Task(
        github_id=1, id=1, github="https://github.com/some/gear", path="./", arguments={}, instruction="", oracle="",
        kind="bash", output=reference,
    )  # fmt: skip
    return same_call(task, answer, root).passed


@pytest.mark.parametrize(
    "answer",
    [
        "python train.py --data $PWD/data/cora -b 16",
        'python train.py --data "$(pwd)/data/cora" -b 16',
        "cd data && python ../train.py --data cora -b 16",
        "cd data && python ../train.py --data ../data/cora -b 16",
        'words=(--data data/cora)\nwords+=(-b 16)\npython train.py "${words[@]}"',
        "git clone https://github.com/some/Gear.git && cd Gear && python train.py --data data/cora -b 16",
        "git clone --depth 1 git@github.com:some/gear work\ncd work\npython train.py --data data/cora -b 16",
        "python3 -m venv .venv && . .venv/bin/activate && pip install -e . && python train.py --data data/cora -b 16",
        'cd "$(dirname "$0")"\npython train.py --data data/cora -b 16',
        'cd "$(dirname "${BASH_SOURCE[0]}")/data" && python ../train.py --data cora -b 16',
        "virtualenv env; source env/bin/activate; python train.py --data data/cora -b 16",
    ],
)
def test_the_same_call_from_elsewhere(gear: Path, answer: str) -> None:
    assert passes(gear, TRAIN, answer)


@pytest.mark.parametrize(
    "answer",
    [
        "python train.py --data $PWD/data/core -b 16",
        "cd data && python ../train.py --data core -b 16",
        "cd data && python ../train.py --data data/cora -b 16",
        "cd data; python -m gear --data data/cora -b 16",
        'words=(--data data/cora)\npython train.py "${words[@]}"',
        "git clone https://github.com/some/other && cd other && python train.py --data data/cora -b 16",
    ],
)
def test_another_call_from_elsewhere(gear: Path, answer: str) -> None:
    assert not passes(gear, TRAIN, answer)


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("learn --data x -b 2", "python -m gear.cli --data x -b 2"),
        ("learn --data x -b 2", "python -m gear --data x -b 2"),
        ("python -m gear -b 2 --data x", "learn --data x -b 2"),
        ("measure --data x", "measure --batch 1 --data x"),
        ("tidy --data x", "python bin/tidy --data=x"),
    ],
)
def test_a_console_script_is_the_function_that_it_calls(gear: Path, reference: str, answer: str) -> None:
    assert passes(gear, reference, answer)


@pytest.mark.parametrize("answer", ["measure --data x -b 2", "learn --data x", "learn --data x -b 2 --no-such 1"])
def test_another_console_script_is_another_call(gear: Path, answer: str) -> None:
    assert not passes(gear, "learn --data x -b 2", answer)


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        ("python early.py --config absent.yaml --lr 0.50", True),
        ("python early.py --config absent.yaml --lr 0.5 --workers 1", True),
        ("python early.py --config absent.yaml --lr 0.5 --workers 2", False),
        ("python early.py --config absent.yaml", False),
        ("python early.py --config absent.yaml --lr 0.5 --no-such 1", False),
    ],
)
def test_words_for_a_parser_that_is_not_reached_are_read_by_the_signature(gear: Path, answer: str, same: bool) -> None:
    assert passes(gear, "python early.py --config absent.yaml --lr 0.5 --workers 1", answer) == same


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("cd data && python ../train.py --data cora", "cd data && python ../train.py --data cora"),
        ("python train.py --data out/x.pt", "cd gear && python ../train.py --data ../out/x.pt"),
        ("cd gear && python ../train.py --data out/x.pt", "python train.py --data gear/out/x.pt"),
        ("python train.py --data owner/cora", "cd gear && python ../train.py --data owner/cora"),
        ("python train.py --data /data/x.pt", "cd gear && python ../train.py --data /data/x.pt"),
        ("python train.py --data https://a.org/x.pt", "cd gear && python ../train.py --data https://a.org/x.pt"),
        ("python train.py --data data", "cd gear && python ../train.py --data data"),
        ("cd gear && python ../train.py --data ../data/cora", "python train.py --data data/cora"),
    ],
)
def test_a_harmless_change_of_folder(gear: Path, reference: str, answer: str) -> None:
    assert passes(gear, reference, answer)


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("cd gear && python ../train.py --data out/x.pt", "python train.py --data out/x.pt"),
        ("python train.py --data out/x.pt", "cd gear && python ../train.py --data out/x.pt"),
        ("python train.py --data c --also a/b/c", "cd gear && python ../train.py --data c --also a/b/c"),
        ("python train.py --data gear/cli.py", "mkdir gear; cd gear && python ../train.py --data gear/cli.py"),
    ],
)
def test_the_same_path_from_another_folder_is_another_place(gear: Path, reference: str, answer: str) -> None:
    assert not passes(gear, reference, answer)


def test_an_option_that_is_written_takes_a_place() -> None:
    folders = Folders(Path("/r"), ".", "data")
    assert all(leads_elsewhere(name, "res/x", "res/x", folders) for name in ("out", "output-dir", "train.log_file"))
    assert leads_elsewhere("out_dir", "res", "res", folders)
    assert not any(leads_elsewhere(name, "res", "res", folders) for name in ("out", "log", "model"))
    assert not any(leads_elsewhere("model", word, word, folders) for word in ("owner/model", "/r/a.pt", "~/a/b.pt", ""))


def test_lists_of_places_and_addresses() -> None:
    folders = Folders(Path("/r"), ".", "data")
    assert same_place(["data/a", "data/b"], ["a", "/r/data/b"], folders)
    assert not same_place(["data/a"], ["a", "b"], folders)
    assert leads_elsewhere("data", ["a", "data/a/x"], ["a", "data/a/x"], folders)
    assert not same_place("https://x/data/a", "https://x/a", folders)
    assert not same_place("", "..", folders)
    assert not same_place(3, "3", folders)
