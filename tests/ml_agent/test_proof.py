"""The check of a draft against the repository, the user's values, and the draft before it."""

from pathlib import Path

import pytest

from ml_agent.conversation.verdict import examine, problem_of
from ml_agent.draft import Draft
from ml_agent.navigator import Workspace
from ml_agent.request import Request, Value
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.index import RepoIndex

NAMES = [Value(text=text, value=text, kind="name", required=False) for text in ("wind", "Ridge", "hourly")]
REQUEST = Request(
    instruction="fit a Ridge on wind, hourly",
    values=(*NAMES, Value(text="3", value="3", kind="number", words=("folds",))),
)
FIT = "import argparse\np = argparse.ArgumentParser()\n" + "".join(
    f"p.add_argument('--{name}')\n" for name in ("data", "model", "freq", "folds")
)


def draft(text: str, entry: str = "fit.py") -> Draft:
    return Draft(kind="bash" if text.startswith("python") else "python", text=text, entry=entry)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "fitting"
    root.mkdir()
    for name in ("fit.py", "plot.py"):
        (root / name).write_text(FIT + "print(p.parse_args())\n")
    index = RepoIndex.open(root, "v1", tmp_path / "cache")
    return Workspace(index=index, candidate=Candidate(full_name="o/fitting", url=""))


def test_another_way_must_not_leave_out_what_the_first_one_used(workspace: Workspace) -> None:
    first = examine(draft("python fit.py --data wind --model Ridge --freq hourly --folds 3"), REQUEST, workspace)
    assert first.sound
    for text, entry in (("fold = 3\nprint(fold)", ""), ("python plot.py --data wind --folds 3", "plot.py")):
        other = draft(text, entry)
        assert examine(other, REQUEST, workspace).sound
        refused = examine(other, REQUEST, workspace, first)
        assert not refused.sound and "'Ridge'" in problem_of(refused) and "'3'" not in problem_of(refused)


def test_code_goes_on_with_a_variable_that_the_user_says_is_there(workspace: Workspace) -> None:
    asked = Request(instruction="print the number of nodes of the graph G that I have")
    assert examine(draft("print(len(G))"), asked, workspace).sound
    assert not examine(draft("print(len(H))"), asked, workspace).sound


def test_the_same_way_may_be_mended_by_leaving_something_out(workspace: Workspace) -> None:
    first = examine(draft("python fit.py --data wind --model Ridge --freq hourly --folds 3"), REQUEST, workspace)
    assert examine(draft("python fit.py --data wind --model Ridge --folds 3"), REQUEST, workspace, first).sound


@pytest.mark.parametrize(
    "text",
    ["echo fit Ridge 3", "true # --folds 3", "echo 3 && exit 0", "cd .\nprintf '3\\n'; sleep 1"],
)
def test_an_answer_that_only_says_something_is_none(workspace: Workspace, text: str) -> None:
    found = examine(Draft(kind="bash", text=text), REQUEST, workspace)
    assert not found.sound and "calls no program" in problem_of(found)
    assert "3" not in [one.value for one in found.ledger if one.status != "not found"]


@pytest.mark.parametrize(
    "text",
    [
        "echo start; python fit.py --folds 3",
        "echo 3 | xargs python fit.py --folds",
        "N=3; python fit.py --folds $N; echo done",
        "for n in 3; do python fit.py --folds $n; done",
        "f() { python fit.py --folds 3; }; f",
        "bash -c 'python fit.py --folds 3'",
        "cat > c.txt <<END\n3\nEND\npython fit.py --data c.txt",
        "echo 'a; b' && python fit.py --folds 3",
    ],
)
def test_values_of_what_runs_count(workspace: Workspace, text: str) -> None:
    found = examine(Draft(kind="bash", text=text, source="llm"), REQUEST, workspace)
    assert found.sound, problem_of(found)
    assert "3" in [one.value for one in found.ledger if one.status == "honoured"]


@pytest.mark.parametrize(
    ("said", "text", "sound"),
    [
        ("fit what is in lines.txt", "python fit.py < lines.txt", True),
        ("fit what is in lines.txt", "python fit.py < ./lines.txt", True),
        ("fit what is in other.txt", "python fit.py < other.txt", False),
        ("fit it", "python fit.py < lines.txt", False),
    ],
)
def test_a_file_of_the_users_that_the_sentence_names_is_not_missed(
    said: str, text: str, sound: bool, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "lines.txt").write_text("1\n")
    monkeypatch.chdir(mine)
    request = Request(instruction=said)
    assert examine(draft(text), request, workspace).sound is sound
