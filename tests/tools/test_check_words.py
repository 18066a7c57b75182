"""The check of what stands around a script: launchers, shells, options of getopts, words by place, make and installed scripts."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

TRAIN = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
GETOPTS = """\
#!/bin/bash
while getopts "n:xv" opt; do
  case $opt in
    n) N=$OPTARG;; x) X=1;; v) V=1;; *) exit 3;;
  esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || exit 3
echo "$N $X $1"
"""
FILES = {
    "t.py": TRAIN,
    "train.py": TRAIN,
    "sub/deep.py": TRAIN,
    "o.sh": GETOPTS,
    "two.py": "import sys\ndef main():\n    with open(sys.argv[1]) as f:\n        print(f, sys.argv[2])\nif __name__ == '__main__':\n    main()\n",
    "maybe.py": "import sys\na = sys.argv[1]\nb = sys.argv[2] if len(sys.argv) > 2 else 'b'\nif a:\n    print(sys.argv[3])\n",
    "hands_on.py": "import sys\nname = sys.argv[1]\ndel sys.argv[1]\nprint(name)\n",
    "leaves.py": "import sys\ndef main():\n    if len(sys.argv) < 2:\n        return\n    print(sys.argv[1])\nmain()\n",
    "Makefile": "EPOCHS ?= 3\nDATASET = cora\n.PHONY: train lint\ntrain: data\n\tpython train.py $(EPOCHS) $(DATASET) $(OTHER)\n"
    "data:\n\ttrue\n%.pdf: %.tex\n\tlatex $<\nlint test:\n\ttrue\n",
    "docs/Makefile": "html:\n\ttrue\n",
    "docs/other.mk": "paper:\n\ttrue\n",
    "open/Makefile": "include rules.mk\nall:\n\ttrue\n",
    "nb/run.ipynb": '{"cells": [{"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": "lr = 1"}]}',
    "setup.py": "from setuptools import setup\nsetup(scripts=['bin/fold', 'bin/show.sh'], entry_points={'gui_scripts': ['lm_eval=sub.deep:main']})\n",
    "bin/fold": "#!/usr/bin/env python3\n" + TRAIN,
    "bin/show.sh": "echo $1\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> RepoIndex:
    root = tmp_path_factory.mktemp("repository")
    write(root, FILES)
    return RepoIndex(root, "1")


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text))


STARTS = [
    "srun --partition gpu", "srun --nodes 1 --exclusive", "mpirun --bind-to none", "mpirun --np 4 --mca btl self",
    "uv run --env-file f", "poetry -C . run", "conda run -n env --no-capture-output", "srun --unheard of it",
]  # fmt: skip


@pytest.mark.parametrize("start", STARTS[:-1])
def test_the_words_behind_launchers_are_read(index: RepoIndex, start: str) -> None:
    assert check_command(f"{start} python t.py --lr 1", index) == []
    assert [f.subject for f in check_command(f"{start} python t.py --bad 1", index)][:1] == ["--bad"]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("uv run -m train --bad", "--bad"),
        ("uv run --module train --bad", "--bad"),
        ('bash -c "python train.py --bad"', "--bad"),
        ("bash -lc 'cd sub && python deep.py --bad'", "--bad"),
        ("cd sub; sh -c 'python deep.py --bad'", "--bad"),
        ("srun -N 1 bash -c 'bash -c \"python train.py --bad\"'", "--bad"),
        ("bash -c 'python nosuch_file_here.py'", "nosuch_file_here.py"),
    ],
)
def test_what_is_wrong_inside_is_found(index: RepoIndex, text: str, subject: str) -> None:
    (found, *_) = check_command(text, index)
    assert (found.subject, found.severity) == (subject, "error")


@pytest.mark.parametrize(
    "text",
    [
        "bash -lc 'python train.py --lr 1'",
        "bash -c 'cd sub && python deep.py'",
        "bash -ec 'ls' x",
        "uv run -m train --lr 1",
    ],
)
def test_nothing_is_wrong_inside(index: RepoIndex, text: str) -> None:
    assert check_command(text, index) == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("python two.py a", ["missing-required"]),
        ("python two.py", ["missing-required", "missing-required"]),
        ("python two.py a b", []),
        ("python two.py a $X", []),
        ("python two.py --help", []),
        ("python maybe.py", ["missing-required"]),
        ("python maybe.py a", []),
        ("python leaves.py", []),
        ("python hands_on.py", ["missing-required"]),
        ("python hands_on.py train --x", ["cannot-tell"]),
        ("fold --lr 1", []),
        ("fold --bad 1", ["unknown-option"]),
        ("show.sh x", []),
        ("lmevl --x", ["no-such-command"]),
        ("lm-evl --x", ["no-such-command"]),
    ],
)  # fmt: skip
def test_words_by_place_and_notebooks(index: RepoIndex, text: str, codes: list[str]) -> None:
    assert [f.code for f in check_command(text, index)] == codes


@pytest.mark.parametrize("prompt", ["$", "%", ">"])
def test_a_prompt_is_no_part_of_a_command(index: RepoIndex, prompt: str) -> None:
    found = check_command(f"cd sub\n{prompt} python deep.py --lr 1", index)
    assert [(one.code, one.severity, one.subject, one.suggestion, one.at) for one in found] == [
        ("syntax", "error", prompt, "python deep.py --lr 1", 2)
    ]
