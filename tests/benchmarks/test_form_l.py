"""Form L: every row gets a result, what is done stays done, nothing secret reaches who answers, and results are kept."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ml_agent.benchmarks.data import Key, Task, Visible, load_tasks, whole
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.form_l import Answered, Plan, Respondent, Unit, answer, answer_of, predict
from ml_agent.benchmarks.navigators import answer_text, respondent
from ml_agent.benchmarks.predictions import Prediction, dump_prediction, load_predictions
from ml_agent.benchmarks.results import KeptRows, read_kept
from ml_agent.benchmarks.subjects.agents import LeastAgent
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.work import PeerAgent, Terms
from ml_agent.draft import Draft
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from tests.servers.model_server import Answer, ModelServer, Seen, refusal

TRAIN = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("--epochs", type=int, default=1)
print(p.parse_args())
"""
README = "# Sample\n\nTrain the model. It is easy.\n\n```bash\npython train.py --lr 0.1 --epochs 2\n```\n"


def rows(number: int, **changed: Any) -> list[dict[str, Any]]:
    return [
        {
            "github_id": 1, "github": "https://github.com/some/sample", "path": "./", "arguments": "{'lr': 'SECRET-1'}",
            "instruction": f"Train the model with a learning rate of 0.5 for {n + 3} epochs.",
            "type": "Bash Script", "output": "SECRET-2", "id": n, **changed,
        }
        for n in range(number)
    ]  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    sample = tmp_path / "repos" / "sample"
    sample.mkdir(parents=True)
    (sample / "train.py").write_text(TRAIN)
    (sample / "README.md").write_text(README)
    return tmp_path


def tasks(folder: Path, data: list[dict[str, Any]]) -> tuple[Task, ...]:
    (folder / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in data))
    return load_tasks(str(folder / "rows.jsonl")).tasks


def offline(attempts: int = 1, seconds: float | None = None) -> Respondent:
    terms = Terms(endpoint=Endpoint(model=""), limits=Limits(seconds=seconds))
    return respondent("offline", terms, attempts=attempts)


def plan(folder: Path, number: int = 3, who: Respondent | None = None, **changed: Any) -> Plan:
    made = Plan(
        tasks=tasks(folder, rows(number)), repos=folder / "repos", out=folder / "out.jsonl", who=who or offline()
    )
    return msgspec.structs.replace(made, **changed)


def test_what_is_done_is_not_done_again(bench: Path) -> None:
    done: list[str] = []

    def engine(work: Any, items: Any) -> Any:
        done.extend(item.label for item in items)
        return LocalEngine(1)(work, items)

    assert all(one.output for one in predict(plan(bench), engine)) and done == ["1-0-0", "1-1-0", "1-2-0"]
    found = load_predictions(bench / "out.jsonl")
    assert [p.id for p in found] == [0, 1, 2] and all("0.5" in p.output[0] and p.usage.seconds > 0 for p in found)
    predict(plan(bench, 4), engine)
    assert done[3:] == ["1-3-0"]
    with (bench / "out.jsonl.rows/results.jsonl").open("a") as file:
        file.write('{"config": "cut off')
    predict(plan(bench, 4), engine)
    predict(plan(bench, 1, offline(attempts=2)), engine)
    assert done[4:] == ["1-0-0"]


def test_a_missing_repository_or_folder_is_a_row(bench: Path) -> None:
    gone = tasks(bench, [*rows(1), *rows(1, id=1, github="https://github.com/some/other"), *rows(1, id=2, path="./no")])
    assert [one.error for one in predict(plan(bench, tasks=gone), LocalEngine())] == [
        "", f"no repository other in {bench / 'repos'}", "no folder no in the repository sample",
    ]  # fmt: skip
    assert load_predictions(bench / "out.jsonl")[1].output == ()


def test_a_row_that_takes_longer_than_it_may_is_a_timeout(bench: Path) -> None:
    (found,) = predict(plan(bench, 1, offline(seconds=0.001)), LocalEngine())
    assert found.output == () and found.error.startswith("timeout: more than")


def test_what_scorers_see_changes_nothing(bench: Path) -> None:
    predict(plan(bench, 1), LocalEngine())
    (first,) = load_predictions(bench / "out.jsonl")
    garbage = tasks(bench, rows(1, arguments="{'x': 'garbage'}", type="Python Code", output="garbage"))
    predict(plan(bench, tasks=garbage, out=bench / "second.jsonl"), LocalEngine())
    (second,) = load_predictions(bench / "second.jsonl")
    assert second.output == first.output
    (unit,) = offline().units(garbage[0], bench)
    assert "SECRET" not in repr(unit) and "garbage" not in repr(unit)


def said(unit: Unit, mark: Path | None = None) -> Answered:
    """An answer; the fourth row ends its process, each time or until there is the mark."""
    if unit.key.id == 3 and (mark is None or not mark.exists()):
        if mark is not None:
            mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Answered(row=unit.label, output=("x",))


def test_a_worker_that_dies_costs_its_row_only(bench: Path) -> None:
    who = Respondent(subject="s", fingerprint="f", setting="agent", carry_out=said)
    found = predict(plan(bench, 6, who=who), LocalEngine(2))
    assert [one.error for one in found if not one.output] == ["the worker process died"]
    assert all(one.output for one in predict(plan(bench, 3, who=who), LocalEngine()))


def test_results_that_cannot_be_kept_end_the_run(bench: Path) -> None:
    (bench / "out.jsonl.rows/results.jsonl").mkdir(parents=True)
    with pytest.raises(BenchError, match="cannot be written"):
        predict(plan(bench, 1), LocalEngine())


@pytest.mark.parametrize(
    ("draft", "folder", "text"),
    [
        (Draft(kind="bash", text="python main.py"), ".", "python main.py "),
        (Draft(kind="bash", text="sh run.sh\nls"), ".", "sh run.sh \nls"),
        (Draft(kind="bash", text="python main.py --x 1", workdir="a"), "a/b", "cd ..\npython main.py --x 1"),
        (Draft(kind="python", text="import main", workdir="."), ".", "import main"),
    ],
)
def test_answers_as_they_are_written(draft: Draft, folder: str, text: str) -> None:
    assert answer_text(draft, folder) == text


SEEN = Visible(
    instruction="Train it for 5 epochs.", github="https://github.com/o/toy.git", path="examples", prefix_code="pip install x"
)  # fmt: skip


@pytest.fixture(scope="session")
def least(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return LeastAgent().install(tmp_path_factory.mktemp("agents"))


def attempt(server: ModelServer, least: Installed, bench: Path, calls: int = 2) -> Answered:
    terms = Terms(
        endpoint=Endpoint(model="m", base_url=server.url, api_key="sk-stays"), limits=Limits(calls=calls, seconds=60),
        place=Place(sandbox="local", unisolated=True), tries=1,
    )  # fmt: skip
    root = bench / "repos/sample"
    (root / "examples").mkdir(exist_ok=True)
    (root / "examples/main.py").write_text("import argparse\n")
    unit = Unit(key=Key(1, 1), shown=SEEN, root=root)
    return answer(unit, PeerAgent(LeastAgent(), least), terms, bench / "records")


def test_every_attempt_of_an_agent_starts_from_the_repository_as_it_was(least: Installed, bench: Path) -> None:
    told: list[str] = []

    def brain(seen: Seen) -> Answer:
        told.append(seen.text)
        first = "basename $PWD > run.sh; git status --short >> run.sh; rm main.py"
        return Answer("bash", {"command": first if len(seen.body["messages"]) == 1 else "true"})

    with ModelServer(brain) as server:
        one, other = (attempt(server, least, bench) for _ in range(2))
    assert one.output == other.output and not one.error
    assert one.output[0].startswith("examples\n") and "main.py" not in one.output[0]
    assert one.usage.calls == 2 and one.usage.prompt_tokens > 0
    assert not (bench / "repos/sample/examples/run.sh").exists()
    assert (bench / "records/1-1-0/try-1/calls.jsonl").is_file(), (
        "and of the one before, which was cut off for all we know"
    )
    assert (bench / "records/1-1-0/try-1-cut-1/calls.jsonl").is_file()
    for words in ("Train it for 5 epochs.", "github.com/o/toy", "answer.py", "pip install x", "task: examples"):
        assert words in told[0]


def test_an_agent_that_writes_nothing_has_an_empty_answer_with_its_reason(least: Installed, bench: Path) -> None:
    with ModelServer(lambda seen: Answer("bash", {"command": "ls"})) as server:
        found = attempt(server, least, bench, 1)
    assert found.output == () and found.error.startswith("no answer was written (")
    with ModelServer(misbehaviour=lambda seen, _: refusal(503, "overloaded")) as server:
        assert "overloaded" in attempt(server, least, bench, 1).infrastructure


@pytest.mark.parametrize(
    ("files", "answer"),
    [
        ({"run.sh": "#!/bin/bash\npython a.py --x 1\n"}, "python a.py --x 1"),
        ({"answer.py": "import a\na.run()\n"}, "import a\na.run()"),
        ({"run.sh": "#!/bin/bash\nset -e\n# go\npython3 answer.py\n", "answer.py": "import a"}, "import a"),
        ({"run.sh": "python a.py --x 1", "answer.py": "import a"}, "python a.py --x 1"),
        ({"run.sh": "bash train.sh\necho done"}, "bash train.sh \necho done"),
        ({}, ""),
    ],
)
def test_which_file_is_the_answer(files: dict[str, str], answer: str) -> None:
    assert answer_of(files) == answer


def test_halves_of_characters_are_joined_or_marked(tmp_path: Path) -> None:
    assert whole({"a": ["\ud83d\ude00", "x\ud83d"], "b": 1}) == {"a": ["😀", "x\ufffd"], "b": 1}
    file = tmp_path / "p.jsonl"
    file.write_text(dump_prediction(Prediction(github_id=1, id=2, output=("echo \ud83d",))) + "\n", encoding="utf-8")
    assert load_predictions(file)[0].output == ("echo \ufffd",)


class Kept(msgspec.Struct, frozen=True):
    """One result."""

    name: str
    right: bool


def test_kept_rows_are_there_again_but_for_a_line_that_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "new" / "rows.jsonl"
    odd = Kept("a\u2028b\u0085c\r\n", True)
    KeptRows(file, Kept).add(odd)
    with file.open("ab") as out:
        out.write('{"name": "\u00e9'.encode()[:-1])
    again = KeptRows(file, Kept)
    assert again.rows == [odd]
    again.add(Kept("b", True))
    assert KeptRows(file, Kept).rows == again.rows == [odd, Kept("b", True)]
    for damaged in (b"", b'{"name": "\xff", "right": true}', b'{"name": "a"}', b"[" * 100_000):
        file.write_bytes(damaged)
        assert read_kept(file, Kept) is None and KeptRows(file, Kept).rows == []
