"""Which values of a command are taken for files that must be there."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]

PROGRAM = """
    import argparse
    p = argparse.ArgumentParser()
    p.add_argument("--transcript-path", help="Path to save the transcription.")
    p.add_argument("--file", help="output file")
    p.add_argument("--features-path", help="Path to saved features.")
    p.add_argument("--pretrained-from")
    p.add_argument("--source-path")
    p.add_argument("--file-suffix")
    p.add_argument("--dataset")
    p.add_argument("--dataset-path")
    p.add_argument("--table")
    p.add_argument("--save")
    p.add_argument("--input", default="data/in.csv")
    p.parse_args()
"""


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("--transcript-path talk.json", False), ("--file talk.json", False), ("--features-path talk.json", True),
        ("--pretrained-from someone/model-v1-5", False), ("--pretrained-from someone/model.ckpt", True),
        ("--pretrained-from weights/model-v1-5", True), ("--pretrained-from a/b/c", True),
        ("--source-path someone/model", True), ("--file-suffix .jpg", False), ("--file-suffix a.jpg", True),
        ("--dataset someone/texts", False), ("--dataset data/texts", True), ("--dataset-path someone/texts", True),
        ("--table data/point.csv", True), ("--table data/other.csv", False), ("--save data/point.csv", False),
        ("--input data/in.csv", True), ("", False),
    ],
)  # fmt: skip
def test_only_inputs_are_missed(checked: Make, words: str, missing: bool) -> None:
    says = checked({"main.py": PROGRAM, "data/points.csv": "1,2"})
    assert says(f"python main.py {words}") == ["warning no-such-file"] * missing


USES = """
    import argparse
    from pathlib import Path
    import numpy as np
    import pandas as pd
    p = argparse.ArgumentParser()
    p.add_argument("csv", nargs="?")
    p.add_argument("--rows")
    p.add_argument("--weights-of")
    p.add_argument("--plot", type=argparse.FileType("w"))
    p.add_argument("--mesh", type=argparse.FileType())
    p.add_argument("--songs", type=Path, nargs="*")
    p.add_argument("--made")
    p.add_argument("--start")
    p.add_argument("--word")
    p.add_argument("--points", help="path to the points")
    p.add_argument("--data-path")
    p.add_argument("--below-path")
    p.add_argument("--image-path")
    p.add_argument("--root-path", default="set/")
    args = p.parse_args()
    with open(args.csv) as rows:
        pd.read_csv(args.rows)
    np.load(args.weights_of)
    open(args.made, "w")
    open(args.start[5:])
    pd.read_csv(os.path.join(os.path.abspath("tables"), args.below_path))
    Image.open(f"images/{args.image_path}")
"""


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("no.csv", True), ("no", True), ("'my song.mp3'", False), ("'your song.mp3'", True), ("'$HOME/a.csv'", False),
        ("--rows t", True), ("--weights-of w.npz", True), ("--weights-of resnet", False), ("--plot a.png", False),
        ("--mesh b.obj", True), ("--songs mine", True), ("--songs 'my song.mp3' x", True), ("--songs [FILE", False),
        ("--made c.csv", False), ("--start FILE:a.txt", False), ("--word c.d", False), ("--points c.d", True),
        ("--data-path in.csv", False), ("--data-path no.csv", True), ("--data-path in.csv --root-path .", True),
        ("--below-path no.csv", False), ("--image-path no.png", False), ("--root-path no/", True),
    ],
)  # fmt: skip
def test_what_a_program_reads_is_seen_in_its_types_and_in_how_it_uses_them(
    checked: Make, words: str, missing: bool
) -> None:
    says = checked({"main.py": USES, "my song.mp3": "la", "set/in.csv": "1"})
    assert says(f"python main.py {words}") == ["warning no-such-file"] * missing


@pytest.mark.parametrize(
    ("word", "missing"),
    [("{out}/there.csv", False), ("{out}/not.csv", True), ("../out/there.csv", False), ("../out/not.csv", True),
     ("~/there.csv", False), ("~/not.csv", True), ("ignored.csv", False)],
)  # fmt: skip
def test_files_outside_a_repository_are_looked_for_on_the_users_own_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, missing: bool
) -> None:
    out, root = tmp_path / "out", tmp_path / "repository"
    out.mkdir()
    root.mkdir()
    monkeypatch.setenv("HOME", str(out))
    (out / "there.csv").write_text("1")
    (root / "main.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--data')\np.parse_args()\n"
    )
    index = RepoIndex.open(root, "1")
    assert index.files == ("main.py",)
    (root / "ignored.csv").write_text("1")
    text = f"python main.py --data {word.format(out=out)}"
    assert [one.code for one in check_command(text, index, here=root)] == ["no-such-file"] * missing
    assert [one.code for one in check_command(text, index)] == ["no-such-file"] * (word == "ignored.csv")
