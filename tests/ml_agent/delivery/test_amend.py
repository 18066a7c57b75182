"""Which drafts are made of one whose output is missing, by what the run left behind."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ml_agent.delivery.amend import MOST_NAMED, amendments, missing_text
from ml_agent.delivery.expectation import CreatedFile, Expectation, Judgement, kind_of
from ml_agent.delivery.judge import RunOutputs
from ml_agent.draft import Draft
from ml_agent.navigator import Workspace
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex

ADD = "import argparse\np = argparse.ArgumentParser()\nadd = p.add_argument\n"
PLAIN = "import fit\nfit.run()"


def run_outputs(written: Mapping[str, bytes], stdout: str = "", workdir: str = ".") -> RunOutputs:
    made = tuple(CreatedFile(path=path, size=len(content)) for path, content in written.items())
    return RunOutputs(made=made, read=lambda path, _most: written[path], stdout=stdout, workdir=workdir)


def missing(*paths: str) -> list[Judgement]:
    return [
        Judgement(
            expectation=Expectation(kind=kind_of(path), path=path.rstrip("/")), verdict="missing", said=f"no {path}"
        )
        for path in paths
    ]


def amended(root: Path, options: str, text: str, paths: tuple[str, ...], scene: RunOutputs) -> list[str]:
    (root / "fit.py").write_text(f"{ADD}{options}\np.parse_args()\n")
    workspace = Workspace(index=RepoIndex.open(root, "v"), candidate=Candidate(full_name="me/x", url="x"))
    draft = Draft(
        kind="bash" if text.startswith("python") else "python", text=text, entry="fit.py", workdir=scene.workdir
    )
    return [one.text for one in amendments(draft, missing(*paths), workspace, scene)]


@pytest.mark.parametrize(
    ("options", "written", "path", "found"),
    [
        ("add('--out', default='a.json'); add('--log')", "a.json", "b.json", "python fit.py --out b.json"),
        ("add('--table', default='a.json'); add('--save')", "a.json", "b.json", "python fit.py --table b.json"),
        ("add('--save'); add('--out', default='z.json')", "", "b.json", "python fit.py --save b.json"),
        ("add('--to', help='where it is written')", "", "b.json", "python fit.py --to b.json"),
        ("add('--rate', help='how often it is saved')", "", "b.json", ""),
        ("add('--save'); add('--log')", "", "b.json", ""),
        ("add('--out', type=int)", "", "b.json", ""),
        ("add('--out', choices=['a', 'b'])", "", "b.json", ""),
        ("add('--out', nargs='+')", "", "b.json", ""),
        ("add('--out', type=str, nargs='?')", "", "b.json", "python fit.py --out b.json"),
        ("add('--run-dir', default='runs')", "runs/b.json", "out/b.json", "python fit.py --run-dir out"),
        ("add('--run-dir', default='runs')", "runs/b.json", "b.json", "python fit.py --run-dir ."),
        ("add('--run-dir', default='runs')", "runs/c.json", "out/b.json", ""),
        ("add('--run-dir', default='runs')", "runs/c.json", "out/", "python fit.py --run-dir out"),
        ("add('--out')", "", "*.json", ""),
    ],
)
def test_the_option_that_names_the_output(options: str, written: str, path: str, found: str, tmp_path: Path) -> None:
    drafts = amended(tmp_path, options, "python fit.py", (path,), run_outputs({written: b"[1]"} if written else {}))
    assert [text for text in drafts if "cp " not in text] == ([found] if found else [])


@pytest.mark.parametrize(
    ("text", "written", "paths", "found"),
    [
        ("python fit.py", {"a.json": b"[1]"}, ("b.json",), "python fit.py && cp a.json b.json"),
        ("python fit.py", {"a.json": b"[1]"}, ("o/b.json",), "python fit.py && mkdir -p o && cp a.json o/b.json"),
        ("python fit.py", {"a.json": b"[1]", "x/b.json": b"[1]"}, ("b.json",), "python fit.py && cp x/b.json b.json"),
        ("python fit.py", {"a.json": b"[1]", "c.json": b"[1]"}, ("b.json",), ""),
        ("python fit.py", {"a.json": b"[", "c.json": b"[1]"}, ("b.json",), "python fit.py && cp c.json b.json"),
        ("python fit.py", {"a.txt": b"[1]"}, ("b.json",), "python fit.py && cp a.txt b.json"),
        ("python fit.py", {"a.csv": b"[1]"}, ("b.json",), ""),
        ("python fit.py", {"a.log": b"1"}, ("b.bin",), ""),
        ("python fit.py", {"a.json": b"[1]"}, ("*.json",), ""),
        ("python fit.py", {"b.json": b"["}, ("b.json",), ""),
        ("python fit.py", {"r/1/a": b"1", "r/2/b": b"1"}, ("o/",), "python fit.py && mkdir -p o && cp -r r/. o"),
        ("python fit.py", {"r/1/a": b"1", "b": b"1"}, ("o/",), ""),
        ("python fit.py", {}, ("o/",), ""),
        (
            "python fit.py", {"a.json": b"[1]", "a.csv": b"a,b\n1,2\n"}, ("b.json", "b.csv"),
            "python fit.py && cp a.json b.json && cp a.csv b.csv",
        ),
        ("python fit.py", {"a.json": b"[1]"}, ("b.json", "b.csv"), ""),
        (PLAIN, {"a.json": b"[1]"}, ("b.json",), f"{PLAIN}\n\nimport os\nimport shutil\n\nshutil.copyfile('a.json', 'b.json')\n"),
        (
            PLAIN, {"a.json": b"[1]"}, ("o/b.json",),
            f"{PLAIN}\n\nimport os\nimport shutil\n\nos.makedirs('o', exist_ok=True)\nshutil.copyfile('a.json', 'o/b.json')\n",
        ),
        (PLAIN, {"r/a": b"1"}, ("o/",), f"{PLAIN}\n\nimport os\nimport shutil\n\nshutil.copytree('r', 'o', dirs_exist_ok=True)\n"),
    ],
)  # fmt: skip
def test_what_was_written_elsewhere_is_copied(
    text: str, written: dict[str, bytes], paths: tuple[str, ...], found: str, tmp_path: Path
) -> None:
    assert amended(tmp_path, "", text, paths, run_outputs(written)) == ([found] if found else [])


@pytest.mark.parametrize(
    ("options", "text", "found"),
    [
        ("add('--null', nargs='+'); add('-r')", "python fit.py --null b.json -r 1", "python fit.py -r 1 > b.json"),
        ("add('--null', required=True)", "python fit.py --null b.json", "python fit.py --null b.json > b.json"),
        ("add('table')", "python fit.py b.json", "python fit.py b.json > b.json"),
        ("add('--null', nargs='+')", "python fit.py --null a b.json", "python fit.py --null a b.json > b.json"),
    ],
)
def test_an_option_that_did_not_write_goes_where_what_was_printed_is_kept(
    options: str, text: str, found: str, tmp_path: Path
) -> None:
    assert amended(tmp_path, options, text, ("b.json",), run_outputs({}, "[1]\n")) == [found]


def test_a_copy_is_written_from_where_the_command_runs(tmp_path: Path) -> None:
    scene = run_outputs({"sub/a.json": b"[1]"}, workdir="sub")
    assert amended(tmp_path, "", "python ../fit.py", ("b.json",), scene) == ["python ../fit.py && cp a.json b.json"]
    assert amended(tmp_path, "add('--name', default='')", "python ../fit.py", ("o/",), scene) == []


@pytest.mark.parametrize(
    ("text", "stdout", "path", "written", "found"),
    [
        ("python fit.py", "[1]\n", "b.json", {}, "python fit.py > b.json"),
        ("python fit.py", "[1]\n", "o/b.json", {"x.csv": b"1"}, "mkdir -p o && python fit.py > o/b.json"),
        ("python fit.py", "[1\n", "b.json", {}, ""),
        ("python fit.py", "words\n", "b.txt", {}, "python fit.py > b.txt"),
        ("python fit.py", "words\n", "b.txt", {"x.csv": b"1"}, ""),
        ("python fit.py", "words\n", "b.png", {}, ""),
        ("python fit.py | cat", "[1]\n", "b.json", {}, ""),
        (PLAIN, "[1]\n", "b.json", {}, ""),
        (
            "python fit.py",
            "a: b.csv_a.csv saved\n" * 3,
            "b.csv",
            {"b.csv_a.csv": b"x,y\n1,2\n", "b.csv_b.csv": b"x\n1\n"},
            "",
        ),
        ("python fit.py", "a saved\n" * 3, "b.csv", {"b.npy": b"1"}, ""),
    ],
)
def test_what_was_printed_is_kept(
    text: str, stdout: str, path: str, written: dict[str, bytes], found: str, tmp_path: Path
) -> None:
    assert amended(tmp_path, "", text, (path,), run_outputs(written, stdout)) == ([found] if found else [])


def test_what_is_missing_is_told_with_what_came_instead() -> None:
    made = [CreatedFile(path="x.csv", size=1)]
    assert missing_text([], made, "word\n") == ""
    assert missing_text(missing("b.json"), made, "word\n") == "exit 0, but no b.json\nthe program wrote x.csv"
    told = "exit 0, but no b.json; no c.csv\nthe program wrote no file\nit printed: one | two"
    assert missing_text(missing("b.json", "c.csv"), [], "one\n\ntwo\n") == told
    assert missing_text(missing("b.json"), made * MOST_NAMED, "").endswith("x.csv")
    assert missing_text(missing("b.json"), made * (MOST_NAMED + 1), "").endswith("x.csv, …")
