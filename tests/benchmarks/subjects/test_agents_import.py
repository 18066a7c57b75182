"""Finished runs of other programs become predictions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.benchmarks.data import Key
from ml_agent.benchmarks.errors import PredictionFileError
from ml_agent.benchmarks.subjects.imports import answer_in, import_runs, key_of

PATCH = """diff --git a/examples/notes.md b/examples/notes.md
new file mode 100644
--- /dev/null
+++ b/examples/notes.md
@@ -0,0 +1 @@
+not this
diff --git a/examples/run.sh b/examples/run.sh
new file mode 100644
index 0000000..29d4a66
--- /dev/null
+++ b/examples/run.sh
@@ -0,0 +1,2 @@
+#!/bin/bash
+python main.py --epochs 5
"""


def swe(submission: str) -> dict[str, object]:
    stats = {"instance_cost": 0.1, "tokens_sent": 90, "tokens_received": 4, "api_calls": 2}
    return {"trajectory": [], "info": {"exit_status": "submitted", "submission": submission, "model_stats": stats}}


def mini(submission: str) -> dict[str, object]:
    info = {"exit_status": "Submitted", "submission": submission, "model_stats": {"instance_cost": 0.0, "api_calls": 1}}
    return {"info": info, "messages": [], "trajectory_format": "mini-swe-agent-1.1"}


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("name", "key"), [("1-17", Key(1, 17)), ("ml-bench__3-71", Key(3, 71)), ("task_8-235", Key(8, 235))]
)
def test_rows_are_found_in_names(name: str, key: Key) -> None:
    assert key_of(name) == key


@pytest.mark.parametrize("name", ["django__django-1234", "", "17", "1-17-x"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="github_id-id"):
        key_of(name)


def test_the_answer_is_the_file_that_a_patch_adds() -> None:
    assert answer_in(PATCH) == "python main.py --epochs 5"
    assert answer_in("python main.py --lr 1") == "python main.py --lr 1"
    assert answer_in(PATCH.partition("diff --git a/examples/run.sh")[0]) == ""


def test_a_changed_file_keeps_its_other_lines() -> None:
    body = "--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,2 @@\n cd src\n-python old.py --lr 2\n+python new.py --lr 1\n"
    assert answer_in(f"diff --git a/run.sh b/run.sh\n{body}") == "cd src\npython new.py --lr 1"


def test_swe_agent_trajectory_and_preds(tmp_path: Path) -> None:
    write(tmp_path / "1-17/1-17.traj", swe(PATCH))
    write(tmp_path / "preds.json", {"1-17": {"model_name_or_path": "m", "instance_id": "1-17", "model_patch": PATCH}})
    (found,) = import_runs(tmp_path).predictions
    assert (found.key, found.output, found.subject) == (Key(1, 17), ("python main.py --epochs 5",), "swe-agent")
    assert (found.usage.prompt_tokens, found.usage.calls, found.usage.usd) == (90, 2, 0.1)
    (alone,) = import_runs(tmp_path / "preds.json").predictions
    assert alone.output == found.output and alone.subject == "m"


def test_several_runs_of_a_row_are_its_attempts(tmp_path: Path) -> None:
    for number, text in enumerate(["python a.py --x 1", "python b.py --x 1"]):
        write(tmp_path / f"run-{number}/2-3.traj.json", mini(text))
    (found,) = import_runs(tmp_path).predictions
    assert found.output == ("python a.py --x 1", "python b.py --x 1") and found.usage.calls == 2


def test_openhands_output(tmp_path: Path) -> None:
    used = {
        "accumulated_cost": 0.02,
        "accumulated_token_usage": {"prompt_tokens": 50, "completion_tokens": 5},
        "token_usages": [{}, {}],
    }
    result = {"eval_script_content": "#!/bin/bash\npython main.py --lr 1", "success": 1, "eval_exit_code": 0}
    row = {"instance_id": "17", "instance": {"github_id": 1, "id": 17}, "test_result": result, "metrics": used}
    failed = {"instance_id": "18", "instance": {"github_id": 1, "id": 18}, "test_result": {}, "error": "it crashed"}
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(failed) + "\n")
    first, second = import_runs(path).predictions
    assert first.output == ("python main.py --lr 1",) and (first.usage.usd, first.usage.calls) == (0.02, 2)
    assert second.output == ("",) and second.error == "it crashed"


def test_our_own_predictions_stay_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path / "out.jsonl", {"github_id": 1, "id": 2, "output": ["a", "b"], "usage": {"calls": 3}})
    (found,) = import_runs(path).predictions
    assert found.output == ("a", "b") and found.usage.calls == 3


def test_a_broken_run_is_a_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path / "1-1.traj", swe("python a.py --x 1"))
    (tmp_path / "1-2.traj").write_text("{")
    write(tmp_path / "no-row.traj", swe("x"))
    write(tmp_path / "1-3.traj", {"info": None})
    imported = import_runs(tmp_path)
    assert [p.key for p in imported.predictions] == [Key(1, 1)] and len(imported.problems) == 3


def test_a_row_of_somebody_else_is_a_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = write(tmp_path / "preds.json", {"other": {"model_patch": "x"}, "3-7": {"model_patch": "python a.py --x 1"}})
    imported = import_runs(path)
    assert [p.key for p in imported.predictions] == [Key(3, 7)] and "'other' is not named" in imported.problems[0]
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps({"instance_id": "3-7", "test_result": {}}) + "\n{broken\n")
    imported = import_runs(path)
    assert len(imported.predictions) == len(imported.problems) == 1 and "(row 2)" in imported.problems[0]


def test_a_run_is_known_by_its_folder_too(tmp_path: Path) -> None:
    write(tmp_path / "3-7/run.traj.json", mini("python a.py --x 1"))
    write(tmp_path / "3-8/run.traj.json", mini(""))
    first, second = import_runs(tmp_path).predictions
    assert first.key == Key(3, 7) and (second.output, second.error) == (("",), "Submitted")


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PredictionFileError, match="no runs in it"):
        import_runs(tmp_path)
    with pytest.raises(PredictionFileError, match="no such file"):
        import_runs(tmp_path / "absent")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: text.strip()))
def test_a_patch_gives_back_the_line_that_it_adds(line: str) -> None:
    line = f"python x.py {line}".strip()
    patch = f"diff --git a/run.sh b/run.sh\nnew file mode 100644\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+{line}\n"
    if len(line.splitlines()) == 1:
        assert answer_in(patch) == line


def test_a_list_of_answers_adds_the_rows_that_the_runs_beside_it_lack(tmp_path: Path) -> None:
    write(tmp_path / "1-1.traj", swe("python a.py"))
    write(tmp_path / "1-2.traj", swe(""))
    listed = {
        "1-1": {"model_patch": "python b.py"},
        "1-2": {"model_patch": "python c.py"},
        "1-3": {"model_patch": "python d.py"},
    }
    write(tmp_path / "preds.json", listed)
    found = {str(p.key): p.output for p in import_runs(tmp_path).predictions}
    assert found == {"1-1": ("python a.py",), "1-2": ("python c.py",), "1-3": ("python d.py",)}


@pytest.mark.parametrize("content", [{"1-1": {"model_patch": "python a.py"}, "1-2": "text"}, {"1-1": {}, "1-2": None}])
def test_an_entry_that_is_no_object_is_told_as_that(content: object, tmp_path: Path) -> None:
    imported = import_runs(write(tmp_path / "preds.json", content))
    assert len(imported.predictions) == 1
    assert "1-2: " in imported.problems[0] and "where an object is expected" in imported.problems[0]
