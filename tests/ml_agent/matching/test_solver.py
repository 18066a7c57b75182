"""From a request to a command, on a small repository."""

from pathlib import Path

import msgspec
import pytest

from ml_agent.matching.answers import command
from ml_agent.matching.entries import RepositoryFacts
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.retrieval import EntryIndex
from ml_agent.matching.solver import answers_of_entries, callee_of, doubtful_count, solve
from ml_agent.matching.terms import alphanumeric
from ml_agent.tools.index import RepoIndex

TRAIN = """
import argparse
p = argparse.ArgumentParser(description="Train a tagger")
p.add_argument("--epochs", type=int, default=10, help="number of epochs")
p.add_argument("--config", default="configs/small.json", help="configuration file")
p.add_argument("--save-dir", default="runs", help="folder for checkpoints")
p.parse_args()
"""
TAG = """
import argparse
p = argparse.ArgumentParser(description="Tag sentences of a text file with a trained model")
p.add_argument("--checkpoint", required=True, help="trained weights")
p.add_argument("--input", required=True, help="text file with one sentence a line")
p.add_argument("--output", default="tags.txt", help="where the tags are written")
p.parse_args()
"""


@pytest.fixture
def entry_index(tmp_path: Path) -> EntryIndex:
    """Two scripts and two configurations."""
    for name, text in {
        "train.py": TRAIN,
        "tag.py": TAG,
        "configs/small.json": "{}",
        "configs/large.json": "{}",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "one")))


def answer(entry_index: EntryIndex, text: str) -> str | None:
    return command(solve(read_request(text), entry_index, shipped())[0], ".")


def test_the_entry_point_is_the_one_that_is_described(entry_index: EntryIndex) -> None:
    assert str(answer(entry_index, "Train the tagger for 7 epochs")).startswith("python train.py")
    assert str(answer(entry_index, "Tag the sentences in texts/a.txt with the weights w/best.pt")).startswith(
        "python tag.py"
    )


def test_an_entry_point_far_behind_the_first_two_is_not_filled(entry_index: EntryIndex) -> None:
    said = read_request("Train the tagger for 7 epochs")
    entries = [one.entry for one in entry_index.ranked(said)]
    several = [(9.0, entries[0]), (2.0, entries[1]), (4.0, entries[0]), (2.0, entries[1])]
    near = answers_of_entries(said, several[:3], shipped())
    assert len(answers_of_entries(said, several, shipped())) == len(near)
    assert len(answers_of_entries(said, several[:2], shipped())) < len(near)


def test_a_configuration_that_must_be_given_is_one_of_the_repositorys(tmp_path: Path) -> None:
    script = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config', required=True)\np.parse_args()\n"
    )
    for name, text in {"main.py": script, "configs/small.py": "", "configs/deep/large.py": "", "other.py": ""}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    facts = RepositoryFacts(RepoIndex.open(tmp_path, "two"))
    (entry,) = [one for one in facts.entries if one.signature.path == "main.py"]
    assert set(entry.slots[0].vocabulary) == {"configs/small.py", "configs/deep/large.py"}


def test_a_required_choice_is_the_one_that_is_meant(tmp_path: Path) -> None:
    script = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config', required=True)\np.parse_args()\n"
    )
    for name, text in {"main.py": script, "configs/small_birds.py": "", "configs/large_birds.py": ""}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    entry_index = EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "three")))
    assert answer(entry_index, "Run the large variant of birds") == "python main.py --config configs/large_birds.py"


def test_nothing_unasked_is_given(entry_index: EntryIndex) -> None:
    assert answer(entry_index, "Train the tagger for 7 epochs") == "python train.py --epochs 7"


def test_a_spelled_option_wins(entry_index: EntryIndex) -> None:
    assert "--epochs 3" in str(answer(entry_index, "Train the tagger with --epochs 3"))


def test_options_that_nothing_is_known_of_are_kept_where_unknown_ones_are_read(tmp_path: Path) -> None:
    script = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int)\np.parse_known_args()\n"
    )
    (tmp_path / "main.py").write_text(script)
    entry_index = EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "four")))
    expected = "python main.py --epochs 3 --model.lr 0.01"
    assert answer(entry_index, "Run main.py with --model.lr 0.01 for 3 epochs") == expected


def test_what_a_makefile_says_anyhow_is_not_said_again(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("IMAGE ?= tagger\nPORT ?= 80\n\nserve:\n\techo $(IMAGE) -p $(PORT)\n")
    entry_index = EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "five")))
    assert answer(entry_index, "make serve with the tagger image on port 9090") == "make serve PORT=9090"


def test_a_program_is_called_as_its_documents_call_it(tmp_path: Path) -> None:
    files = {
        "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    tagit = scripts.tag:main\n",
        "scripts/tag.py": TAG.replace("p.parse_args()", "")
        + "\ndef main():\n    p.parse_args()\n\nif __name__ == '__main__':\n    main()\n",
        "README.md": "Tag:\n\n    python scripts/tag.py --checkpoint a.pt --input b.txt\n\nor\n\n    python scripts/tag.py --checkpoint c.pt --input d.txt\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "two"))).entries
    assert [one.signature.kind for one in found if "tag" in one.signature.path] == ["python"]


def test_the_name_of_a_program_without_its_ending_is_none_of_its_values(tmp_path: Path) -> None:
    script = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args()\n"
    (tmp_path / "cyclegan.py").write_text(script, encoding="utf-8")
    (entry,) = RepositoryFacts(RepoIndex.open(tmp_path, "here")).entries
    assert alphanumeric("CycleGAN") in callee_of(entry).names


def test_what_an_example_goes_on_with_is_not_kept_where_all_begins_afresh(tmp_path: Path) -> None:
    program = TRAIN.replace("p.parse_args()", 'p.add_argument("--resume", action="store_true")\np.parse_args()')
    (tmp_path / "train.py").write_text(program)
    (tmp_path / "README.md").write_text(
        "```bash\npython train.py --epochs 400 --config configs/base_40.json --resume\n```\n"
    )
    entry_index = EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "one")))
    kept = "Train with configs/base_40.json for 400 epochs"
    assert "--resume" in str(answer(entry_index, kept))
    assert "--resume" not in str(answer(entry_index, f"{kept}, from scratch"))


def test_what_an_example_leaves_to_the_reader_is_not_kept(tmp_path: Path) -> None:
    program = TRAIN.replace("p.parse_args()", 'p.add_argument("--data")\np.add_argument("--team")\np.parse_args()')
    (tmp_path / "train.py").write_text(program)
    shown = (
        "python train.py --epochs 400 --save-dir runs/base_400 --data /path/to/data --team YOUR_TEAM --config $UNSET"
    )
    (tmp_path / "README.md").write_text(f"```bash\n{shown}\n```\n")
    entry_index = EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "one")))
    assert (
        answer(entry_index, "Train for 400 epochs into runs/base_400")
        == "python train.py --epochs 400 --save-dir runs/base_400"
    )


def test_a_launching_script_goes_behind_its_program_where_no_script_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "launch.sh").write_text('N=$1\nshift\ntorchrun --nproc_per_node=$N train.py "$@"\n')
    entry_index = EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "one")))
    assert "python train.py" in str(answer(entry_index, "Train the tagger for 7 epochs"))
    assert "launch.sh" in str(answer(entry_index, "Train the tagger with the script launch.sh for 7 epochs"))


SHARED = {
    "args.py": "import argparse\ndef read():\n    p = argparse.ArgumentParser()\n    for name in ('lr', 'data', 'epochs'):\n"
    "        p.add_argument('--' + name)\n    return p.parse_args()\n",
    "train.py": "from args import read\nread()\nprint('train')\n",
    "test.py": "from args import read\nread()\nprint('test')\n",
}


def write(folder: Path, files: dict[str, str]) -> RepositoryFacts:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return RepositoryFacts(RepoIndex.open(folder, "written"))


def test_programs_that_share_a_parser_are_different_ones(tmp_path: Path) -> None:
    paths = {one.signature.path for one in EntryIndex(write(tmp_path, SHARED)).entries}
    assert {"train.py", "test.py"} <= paths


def test_a_file_that_starts_a_program_and_is_shown_nowhere_is_that_program(tmp_path: Path) -> None:
    own = (
        TAG.replace("p.parse_args()", "")
        + "\ndef main():\n    p.parse_args()\n\nif __name__ == '__main__':\n    main()\n"
    )
    files = {"tool/tag.py": own, "tool/__init__.py": "", "go.py": "from tool.tag import main\nmain()\n"}
    assert len(EntryIndex(write(tmp_path, files)).entries) == 1


@pytest.mark.parametrize(
    "text", ["Run two/run.py with a rate of 3", "Run python -m two.run with a rate of 3", "Start two/run.py: rate 3"]
)
def test_of_files_with_one_name_that_is_called_whose_path_or_module_is_said(tmp_path: Path, text: str) -> None:
    program = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--rate{}', type=int)\np.parse_args()\n"
    files = {f"{name}/run.py": program.format("" if name == "two" else "s") for name in ("one", "two", "zoo")}
    (answer, *_) = solve(read_request(text), EntryIndex(write(tmp_path, files)), shipped())
    assert answer.entry.signature.path == "two/run.py"


def test_the_repository_and_a_module_are_no_values_of_what_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "deep-net"
    facts = write(
        folder,
        {
            "models/han/__main__.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr')\np.parse_args()\n"
        },
    )
    (entry,) = facts.entries
    callee = callee_of(entry, "runs/a")
    assert {alphanumeric(name) for name in ("deep-net", "models.han", "han")} <= callee.names
    assert callee.folders == ("models/han", "runs/a")


def test_what_a_program_says_of_itself_is_told_without_its_shortest_words(tmp_path: Path) -> None:
    text = '"""Sample a chain of HTML."""\nimport argparse\np = argparse.ArgumentParser()\np.add_argument("--chain")\np.parse_args()\n'
    (entry,) = write(tmp_path, {"sample.py": text}).entries
    assert callee_of(entry).described == {"sample", "chain", "html"}


SWITCHES = """
import argparse
p = argparse.ArgumentParser(description="Segment pictures")
p.add_argument("--input", help="folder of pictures")
p.add_argument("--optimize", dest="optimize", action="store_true")
p.add_argument("--no-optimize", dest="optimize", action="store_false")
p.set_defaults(optimize=True)
p.add_argument("--no-skipping", dest="skipping", action="store_false")
p.parse_args()
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("segment the pictures in pics/ with optimize=False", "--no-optimize"),
        ("segment the pictures in pics/ without skipping", "--no-skipping"),
        ("segment --input pics/ --no-optimize", "--no-optimize"),
        ("segment the pictures in pics/ with optimization", ""),
    ],
)
def test_a_switch_that_stores_false_is_given(text: str, expected: str, tmp_path: Path) -> None:
    """Its flag stands in the command, and not that of its contrary."""
    (tmp_path / "segment.py").write_text(SWITCHES)
    made = str(answer(EntryIndex(RepositoryFacts(RepoIndex.open(tmp_path, "one"))), text))
    assert made.split()[2:] == ["--input", "pics/", *expected.split()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Train with large.json", "configs/large.json"),
        ("Train with ./configs/large.json", "configs/large.json"),
        ("Train with the configuration mine/large.json", "mine/large.json"),
    ],
)
def test_a_file_elsewhere_is_no_known_one_of_its_name(text: str, expected: str, entry_index: EntryIndex) -> None:
    assert str(answer(entry_index, text)) == f"python train.py --config {expected}"


def test_a_value_that_may_belong_elsewhere_is_doubtful(entry_index: EntryIndex) -> None:
    sure = solve(read_request("Train the tagger with --epochs 7"), entry_index, shipped())[0]
    (placed,) = sure.assignment.placed
    unsure = msgspec.structs.replace(
        sure, assignment=msgspec.structs.replace(sure.assignment, placed=(msgspec.structs.replace(placed, score=1.0),))
    )
    assert (doubtful_count(sure), doubtful_count(unsure)) == (0, 1)
