"""Files of instructions: every line has a result, also those that cannot be answered, and a second call only does the rest."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ml_agent.errors import UsageError
from ml_agent.many import MOST, read_instructions
from tests.command import ml_agent, run


def many(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run `ml-agent solve-many`."""
    return ml_agent("solve-many", *arguments)


def test_every_line_has_a_result_and_a_second_call_does_the_rest(repository: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [{"instruction": f"fit the model with learning rate 0.{n}", "repo": str(repository)} for n in range(2, 5)]
    lost = {"instruction": "fit it", "repo": str(tmp_path / "nowhere"), "id": "lost"}
    file.write_text("\n".join(json.dumps(row) for row in [*rows, lost]))
    done = many(str(file), "--out", str(out), "--jobs", "2", "--run", "none")
    assert done.returncode == 1
    results = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert set(results) == {"1", "2", "3", "lost"}
    assert all(f"--lr 0.{n}" in results[str(n - 1)]["answer"] for n in range(2, 5))
    assert results["lost"]["exit_code"] == 2 and "nowhere" in results["lost"]["message"]

    cut = out.read_text().splitlines(keepends=True)
    out.write_text("".join(cut[:2]) + cut[2][:20])
    again = many(str(file), "--out", str(out), "--run", "none")
    assert len(again.stderr.splitlines()) == 2
    assert {json.loads(line)["id"] for line in out.read_text().splitlines()} == set(results)


def test_what_the_surroundings_prevented_is_tried_again_and_said(repository: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [{"id": name, "instruction": "fit the model with learning rate 0.2"} for name in ("far", "near", "lost")]
    file.write_text("".join(json.dumps({**row, "repo": str(repository)}) + "\n" for row in rows))
    codes = {"far": 4, "near": 3, "lost": 2, "other": 4}
    earlier = [{"id": name, "exit_code": code, "ending": "error", "message": ""} for name, code in codes.items()]
    out.write_text("".join(json.dumps(row) + "\n" for row in earlier))
    done = many(str(file), "--out", str(out), "--run", "none")
    assert "retrying" in done.stderr.splitlines()[0] and "far, near" in done.stderr.splitlines()[0]
    results = [json.loads(line) for line in out.read_text().splitlines()]
    assert {row["id"]: row["exit_code"] for row in results} == {"lost": 2, "other": 4, "far": 0, "near": 0}
    assert len(results) == 4 and done.returncode == 1


def test_a_host_that_does_not_answer_is_of_the_surroundings(repository: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    row = {"id": "far", "instruction": "fit the model with learning rate 0.2", "repo": "https://localhost:1/a/b"}
    file.write_text(json.dumps(row) + "\n")
    many(str(file), "--out", str(out), "--run", "none")
    first = json.loads(out.read_text())
    assert first["exit_code"] == 4 and "cannot be reached" in first["message"]
    file.write_text(json.dumps({**row, "repo": str(repository)}) + "\n")
    assert many(str(file), "--out", str(out), "--run", "none").returncode == 0
    assert [json.loads(line)["exit_code"] for line in out.read_text().splitlines()] == [0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"instruction": "a", "rpo": "b"}', "in.jsonl:1"),
        ('{"id": "1"}', "in.jsonl:1"),
        ('{"instruction": "a", "id": "2"}\nb', "same id"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(text)
    done = many(str(file), "--out", str(tmp_path / "out.jsonl"))
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1


def test_solve_takes_a_file_of_instructions_too(repository: Path, tmp_path: Path) -> None:
    row = {"instruction": "fit the model with learning rate 0.2", "repo": str(repository)}
    (tmp_path / "in.jsonl").write_text(json.dumps(row) + "\n")

    def solve(*more: str) -> "subprocess.CompletedProcess[str]":
        return run(("solve", "--many", "in.jsonl", *more), os.environ, tmp_path)

    done = solve("--run", "none", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    (result,) = map(json.loads, (tmp_path / "results.jsonl").read_text().splitlines())
    assert "--lr 0.2" in result["answer"]
    for more in (("--repo", "x"), ("--json",), ("--sandbox", "none", "--run", "full")):
        refused = solve(*more)
        assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1, refused


def test_a_file_without_end_and_a_name_given_twice_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_text("x\n" * (MOST + 1))
    with pytest.raises(UsageError, match="100,000 are read; split it"):
        read_instructions(file)
    file.write_text('{"id": "a", "instruction": "x"}\n' * 2)
    with pytest.raises(UsageError, match="two lines have the same id 'a'"):
        read_instructions(file)
