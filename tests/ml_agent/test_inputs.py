"""Files that the user names are put where the command runs; no others."""

import json
import os
from pathlib import Path
from typing import Literal

import pytest

from ml_agent import solve
from ml_agent.delivery.expected import expectations
from ml_agent.draft import Draft
from ml_agent.errors import UsageError
from ml_agent.inputs import Places, inputs_of, not_found, nowhere, outside_inputs, sorted_inputs
from ml_agent.named_paths import named_paths
from ml_agent.sandbox.bubblewrap import find_bubblewrap
from ml_agent.sandbox.choose import choose
from ml_agent.sandbox.contract import Command, Policy
from ml_agent.tools.index import RepoIndex
from tests.command import run

READS = (
    "import argparse, csv\nparser = argparse.ArgumentParser()\nparser.add_argument('--table', help='the measurements')\n"
    "args = parser.parse_args()\nprint('rows', len(list(csv.reader(open(args.table)))))\n"
)


def test_only_what_is_named_and_inside(tmp_path: Path) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    (mine / "data").mkdir(parents=True)
    repository.mkdir()
    for name in ("data/a.csv", "b.csv", "c.csv", ".env", "known.csv"):
        (mine / name).write_text("x")
    (mine / "out.csv").symlink_to("/etc/hostname")
    (repository / "known.csv").write_text("x")
    said = "Read data/a.csv, known.csv and out.csv; not ../x.csv, /etc/passwd or .env."
    named = named_paths(said, ["b.csv"])
    assert sorted_inputs(named, (), Places(mine, repository)).taken == ("data/a.csv", "b.csv")


@pytest.mark.parametrize(
    ("said", "arguments", "lost"),
    [
        ("Train on /nowhere/a.csv with 3 trees.", (), ["/nowhere/a.csv"]),
        ("Read the table '/no where/b.csv' and sort it.", (), ["/no where/b.csv"]),
        ("Sort it.", (("input", "/nowhere/c.csv"), ("output", "/nowhere/d.csv")), ["/nowhere/c.csv"]),
        ("Train on {there} and write /nowhere/out.csv.", (), []),
        ("Train on a.csv, data/b.csv, /nowhere/corpus and /nowhere/*.csv.", (), []),
        ("Read from https://example.org/nowhere/a.csv.", (), []),
        ("Train on /data/known.csv.", (), []),
        ("Use the model of /workspace/x.pt.", (), []),
    ],
)
def test_an_input_that_is_nowhere(
    said: str, arguments: tuple[tuple[str, str], ...], lost: list[str], tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/known.csv").write_text("x")
    (tmp_path / "there.csv").write_text("x")
    said = said.replace("{there}", str(tmp_path / "there.csv"))
    assert nowhere(said, arguments, RepoIndex.open(tmp_path, "v")) == lost


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ("Find duplicates among the pictures in landscape_images and write pairs.csv.", ["landscape_images"]),
        ("Colourise gray.jpg.", ["gray.jpg"]),
        ("Sort the files from the folder holiday by size; save it to sorted/list.txt", ["holiday"]),
        ("Count the words of the texts in 'my letters'.", ["my letters"]),
        ("Train on mine.csv with the images in data/known and the pictures of cats, 3 epochs, to model.pt.", []),
        ("Describe the images in colour with yolov5.s and scikit-learn 1.2, as in fig.1, save to out/a.png", []),
        ("No, use 25 epochs and call the file quart.json.", []),
        ("Use the file quart.json.", ["quart.json"]),
        ("Train on https://example.org/nowhere/a.csv and use *.png.", []),
    ],
)
def test_inputs_that_a_run_must_bring_itself(said: str, lost: list[str], tmp_path: Path) -> None:
    root, mine = tmp_path / "root", tmp_path / "mine"
    (root / "data/known").mkdir(parents=True)
    (root / "data/known/a.png").write_text("x")
    mine.mkdir()
    (mine / "mine.csv").write_text("x")
    outputs = [one.path for one in expectations(said, ())]
    assert not_found(said, RepoIndex.open(root, "v"), mine, outputs) == lost


def test_an_input_that_is_nowhere_is_told_before_anything_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "repository"
    root.mkdir()
    (root / "count.py").write_text(READS)
    (root / "README.md").write_text("# Count\n\nCount rows:\n\n```bash\npython count.py --table a.csv\n```\n")
    lines: list[str] = []
    with pytest.raises(UsageError, match="/nowhere/a"):
        solve(
            "Count the rows of /nowhere/a.csv.", repo=root, navigator="offline", sandbox="local", unisolated=True,
            on_event=lambda event: lines.append(event.text), out=tmp_path / "out",
        )  # fmt: skip
    assert not any("environment" in line for line in lines)


def test_what_is_named_and_not_taken_is_said_with_the_reason(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    files_below(tmp_path, "x.csv", "mine/.hidden.csv", "mine/id_rsa.pem", "mine/a.csv", "mine/.git/config.txt")
    (mine / "link.csv").symlink_to("../x.csv")
    named = named_paths("count a.csv, link.csv, ../x.csv, .hidden.csv, id_rsa.pem, .git/config.txt, none.csv", ())
    for workspace in (tmp_path / "repository", mine):  # the repository may be the user's folder itself
        said = sorted_inputs(named, (), Places(mine, workspace)).refused
        assert "link.csv: a link to outside your folder; give its absolute path instead" in said
        assert "../x.csv: outside your folder; give its absolute path instead" in said
    said = sorted_inputs(named, (), Places(mine, tmp_path / "repository")).refused
    assert {*said[2:]} == {
        ".hidden.csv: hidden",
        "id_rsa.pem: named like a secret",
        ".git/config.txt: version control's own",
    }


def files_below(folder: Path, *names: str) -> None:
    """Files with a letter in them."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("count --table 'two words.csv'", ("two words.csv",)),
        ("count “two words.csv” here", ("two words.csv",)),
        ('count --table="my folder/two words.csv"', ("my folder/two words.csv",)),
        ("count ./data/a.csv.", ("data/a.csv",)),
        ("count './two words.csv'", ("two words.csv",)),
        ("count data/bare", ("data/bare",)),
        ("count 'bare'", ("bare",)),
        ("count bare", ()),
        ("count .../data/a.csv or .hidden.csv", ()),
    ],
)
def test_names_with_blanks_with_a_dot_in_front_and_without_any(
    tmp_path: Path, said: str, taken: tuple[str, ...]
) -> None:
    files_below(tmp_path, "two words.csv", "my folder/two words.csv", "data/a.csv", "data/bare", "bare", "words.csv", ".hidden.csv")  # fmt: skip
    assert sorted_inputs(named_paths(said, ()), (), Places(tmp_path, tmp_path / "none")).taken == taken


def test_a_word_that_only_an_option_makes_a_file(tmp_path: Path) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    files_below(mine, "bare", "fast")
    files_below(repository, "sub/known.csv")
    options = "".join(
        f"parser.add_argument('--{name}')\n" for name in ("table-file", "mode", "other-file", "third-file")
    )
    (repository / "count.py").write_text(f"import argparse\nparser = argparse.ArgumentParser()\n{options}parser.parse_args()\n")  # fmt: skip
    words = "--table-file bare --mode fast --other-file known.csv --third-file 'no where.csv'"
    draft = Draft(kind="bash", text=f"python count.py {words}", entry="count.py")
    found = inputs_of(named_paths(f"count with {words}", ()), draft, RepoIndex.open(repository, "1"), mine)
    assert (found.taken, found.absent) == (("bare",), ("no where.csv",))


def test_a_folder_that_the_command_is_given_goes_in_unless_it_may_hold_secrets(tmp_path: Path) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    files_below(mine, "tiles/a.png", "plain/b.png", "results/c.png", "keys/id_rsa", "clone/.git/config", "mosaic/d.png")
    files_below(repository, "mosaic/known.png")
    code = "import sys\npicture = sys.argv[1]\ntile_dir = sys.argv[2]\noutput_dir = sys.argv[3]\n"
    (repository / "mosaic.py").write_text(code)

    def found(tiles: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        draft = Draft(kind="bash", text=f"python mosaic.py a.png {tiles} results", entry="mosaic.py")
        words = named_paths(f"a plain mosaic of a.png with the folder {tiles} into results", ())
        one = inputs_of(words, draft, RepoIndex.open(repository, tiles), mine)
        return one.taken, one.refused

    assert found("tiles") == (("tiles",), ())
    assert found("mosaic") == ((), ()), "the repository has one"
    assert found("keys") == ((), ("keys: a folder with something named like a secret",))
    assert found("clone") == ((), ("clone: a folder with version control data in it",))


@pytest.mark.parametrize(
    ("kind", "text", "taken"),
    [
        ("python", 'import lib\nlib.turn("photos/", out="turned")', ("photos",)),
        ("python", 'import glob\nfor path in glob.glob("./photos/*.jpg"):\n    print(path)', ("photos",)),
        ("python", "import lib\nlib.turn(photos)", ()),
        ("bash", "python -m lib photos", ("photos",)),
        ("bash", "for one in photos/*.jpg; do python turn.py --picture $one; done", ("photos",)),
        ("bash", "python turn.py --picture photos/a.jpg", ("photos",)),
        ("bash", "python turn.py --output photos", ()),
    ],
)
def test_a_folder_that_the_answer_reads_goes_in(
    kind: Literal["bash", "python"], text: str, taken: tuple[str, ...], tmp_path: Path
) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    files_below(mine, "photos/a.jpg", "turn/b.jpg")
    files_below(repository, "lib.py")
    options = "".join(f"p.add_argument('--{name}')\n" for name in ("picture", "output"))
    (repository / "turn.py").write_text(f"import argparse\np = argparse.ArgumentParser()\n{options}p.parse_args()\n")
    draft = Draft(kind=kind, text=text, entry="turn.py" if "turn.py" in text else "")
    words = named_paths("turn those in photos/ by 10 degrees", ())
    assert inputs_of(words, draft, RepoIndex.open(repository, "0"), mine).taken == taken


def test_no_part_of_a_word_is_an_absolute_path(tmp_path: Path) -> None:
    mine = str(tmp_path)
    files_below(tmp_path, "two", "two words.csv", "a.csv")
    for said in (f".{mine}/a.csv", f"..{mine}/a.csv", f"${{ROOT}}{mine}/a.csv", f"$(pwd){mine}/a.csv", f"'x'{mine}/a.csv", f"<dir>{mine}/a.csv"):  # fmt: skip
        assert outside_inputs(f"Read {said} now", (), []) == (), said
    assert outside_inputs(f"Read '{mine}/two words.csv'", (), []) == (tmp_path / "two words.csv",)
    assert outside_inputs(f"Read '{mine}/two others.csv'", (), []) == ()
    for said in (f"({mine}/a.csv)", f"--x={mine}/a.csv", f"`{mine}/a.csv`", f"`count {mine}/a.csv now`", f"{mine}/a.csv:"):  # fmt: skip
        assert outside_inputs(f"Read {said}", (), []) == (tmp_path / "a.csv",), said


def test_what_may_be_shown(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "data").mkdir(parents=True)
    (mine / "keys").mkdir()
    (mine / ".hidden").mkdir()
    for name in ("data/a.csv", "b.csv", "keys/id_rsa", "keys/c.csv", ".hidden/d.csv", "credentials.json"):
        (mine / name).write_text("x")
    (mine / "link.csv").symlink_to(mine / "keys/id_rsa")
    cache = tmp_path / "cache"
    (cache / "in").mkdir(parents=True)
    good = [f"{mine}/data", f"{mine}/data/a.csv", f"{mine}/b.csv"]
    bad = [
        f"{mine}/keys", f"{mine}/.hidden/d.csv", f"{mine}/credentials.json", f"{mine}/link.csv", f"{cache}/in", str(tmp_path),
        f"{mine}/none.csv", "/etc/passwd", "/", "/tmp", "/proc/self/environ", "/home", str(Path.home()), "/var/run", "/usr/bin",
    ]  # fmt: skip
    said = f"Train on {good[0]} (not {good[1]}), {bad[1]}, {' '.join(bad)}."
    assert outside_inputs(said, [f"x={good[2]}"], [cache]) == (Path(good[0]), Path(good[2]))
    assert outside_inputs("Read data/a.csv", ["b.csv"], []) == ()


@pytest.mark.parametrize("sandbox", [pytest.param("docker", marks=pytest.mark.docker), "local"])
@pytest.mark.xdist_group("bubblewrap-sandbox")
def test_what_is_named_by_absolute_path_is_there_and_cannot_be_changed(tmp_path: Path, sandbox: str) -> None:
    if sandbox == "local" and find_bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:3]):  # another user reads it
        folder.chmod(folder.stat().st_mode | 0o055)
    (data / "a.csv").write_text("a,b\n")
    made = choose(sandbox, Policy(network="none", shown=(data,)), tmp_path / "logs")
    made.start()
    try:
        read = made.run(
            Command(text=f"cat {data}/a.csv && ! touch {data}/new && ! rm -f {data}/a.csv && ls {tmp_path}")
        )
    finally:
        made.stop()
    assert (read.exit_code, read.stdout) == (0, "a,b\ndata\n"), read.stderr
    assert sorted(path.name for path in data.iterdir()) == ["a.csv"]


@pytest.mark.skipif(find_bubblewrap() is None, reason="bubblewrap does not work here")
@pytest.mark.xdist_group("bubblewrap-sandbox")
@pytest.mark.parametrize("absolute", [False, True])
def test_a_run_finds_the_users_file(tmp_path: Path, absolute: bool) -> None:
    name = "the week.csv"
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    mine.mkdir()
    repository.mkdir()
    (mine / name).write_text("a,b\n1,2\n3,4\n")
    for folder in (mine, *mine.parents[:4]):
        folder.chmod(folder.stat().st_mode | 0o055)
    quoted = f"'{mine / name if absolute else name}'"
    (repository / "count.py").write_text(READS)
    (repository / "README.md").write_text(
        "# Count\n\nCount the rows:\n\n```bash\npython count.py --table example.csv\n```\n"
    )
    words = (
        "solve", f"count the rows of the table {quoted}", "--repo", str(repository), "--run", "full", "--sandbox", "local",
        "--network", "none", "--navigator", "offline", "--json", "--quiet",
    )  # fmt: skip
    done = run(words, os.environ | {"ML_AGENT_CACHE_DIR": str(tmp_path / "cache")}, mine)
    result = json.loads(done.stdout)
    assert (done.returncode, result["ending"]) == (0, "completed"), result["message"]
    assert name in result["answer"]["text"]
    assert (Path(result["folder"]) / "logs").is_dir() and "rows 3" in result_log(result)


def result_log(result: dict[str, object]) -> str:
    logs = sorted((Path(str(result["folder"])) / "logs").glob("*.log"))
    return "\n".join(log.read_text() for log in logs)


def test_a_file_that_nobody_has_is_told_before_the_run(tmp_path: Path) -> None:
    files_below(tmp_path, "repository/README.md", "mine/known.csv")
    (tmp_path / "repository/count.py").write_text(READS.replace("table", "input"))
    for name, told in (("nowhere.csv", True), ("known.csv", False)):
        words = ("solve", f"count the rows with --input {name}", "--repo", "../repository", "--run", "none", "--navigator", "offline")  # fmt: skip
        done = run(words, os.environ | {"ML_AGENT_CACHE_DIR": str(tmp_path / "cache")}, tmp_path / "mine")
        assert done.returncode == 0, done.stderr
        assert (f"{name}: not found in your folder or in the repository" in done.stderr) is told, done.stderr


def test_a_pattern_means_the_files_of_the_folder_that_it_fits(tmp_path: Path) -> None:
    mine, repository = tmp_path / "mine", tmp_path / "repository"
    files_below(mine, "pics/a.png", "pics/b.png", "pics/notes.txt", "c.png", "pics/.d.png", "pics/id_rsa")
    files_below(mine, "old/trajectory.jsonl", "old/checkpoints.sqlite", "old/e.png")
    files_below(repository, "pics/b.png")
    index = RepoIndex.open(repository, "1")

    def taken(said: str) -> tuple[str, ...]:
        return inputs_of(named_paths(said, ()), Draft(kind="bash", text="lay"), index, mine).taken

    assert taken("lay out pics/*.png as map.png") == ("pics/a.png",), "the repository has b.png itself"
    assert taken("lay out 'pics/?.png'") == ("pics/a.png",)
    assert taken("lay out pics/*, please") == ("pics/a.png", "pics/notes.txt")
    assert taken("lay out */e.png, *.png") == ("c.png",), "what lies in a run is no input"
    for said in ("2*3 of *them*", "lay out */*", "lay out ../mine/*.png", "is it in pics?", "a. *b* c"):
        assert taken(said) == (), said


def test_an_absolute_pattern_shows_the_files_that_it_fits_and_of_many_their_folder(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    files_below(
        mine, "a/1.png", "a/2.png", "a/.3.png", "a/notes.txt", "b/4.png", "keys/id_rsa", "keys/5.png", "keys/sub/6.png"
    )
    (mine / "a/7.png").symlink_to(mine / "keys/id_rsa")

    def shown(said: str) -> list[str]:
        return [path.relative_to(mine).as_posix() for path in outside_inputs(said, (), [])]

    assert shown(f"lay out {mine}/a/*.png as map.png") == ["a/1.png", "a/2.png"]
    assert shown(f"lay out '{mine}/*/?.png'") == ["a/1.png", "a/2.png", "b/4.png", "keys/5.png"]
    assert shown(f"lay out {mine}/k*/id*") == shown(f"lay out {mine}/../mine/*/*/*.png") == []
    assert shown(f"lay out {mine}/*/*/*.png") == shown("lay out /home/*/pics/*.png and /*/*.png, /etc/*.conf") == []
    files_below(mine, *(f"many/{n}.png" for n in range(101)), *(f"keys/{n}.jpg" for n in range(101)))
    assert shown(f"lay out {mine}/many/*.png") == ["many"]
    assert shown(f"lay out {mine}/keys/*.jpg") == [], "a key lies among them"


@pytest.mark.parametrize("shown", [True, False])
def test_no_file_goes_in_where_none_may_be_shown(shown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files_below(tmp_path, "repository/README.md", "mine/known.csv")
    (tmp_path / "repository/count.py").write_text(READS.replace("table", "input"))
    monkeypatch.chdir(tmp_path / "mine")
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path / "cache"))
    words = "count the rows with --input known.csv"
    result = solve(words, repo=str(tmp_path / "repository"), run="none", navigator="offline", show_inputs=shown)
    told = "".join(path.read_text() for path in result.folder.glob("*.jsonl"))
    assert ("known.csv: your own files are not given to runs that a coding agent starts" in told) is not shown
