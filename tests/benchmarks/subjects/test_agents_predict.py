"""A row answered by an agent: what it is told, what counts as its answer, what a failure looks like."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Visible
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.subjects.predict import Trial, answer_of, attempt, task_text
from ml_agent.benchmarks.subjects.testing import LeastAgent
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from tests.servers.model_server import Answer, ModelServer, Seen

SEEN = Visible(
    instruction="Train it for 5 epochs.",
    github="https://github.com/o/toy.git",
    path="examples",
    prefix_code="pip install x",
)
PLACE = Place(sandbox="local", unisolated=True)


class Scripted:
    """Plays each attempt's commands; an attempt begins with a request of one message."""

    def __init__(self, *attempts: list[str]) -> None:
        self._attempts: Iterator[list[str]] = iter(attempts)
        self._commands: Iterator[str] = iter(())
        self.told: list[str] = []

    def __call__(self, seen: Seen) -> Answer:
        if len(seen.body["messages"]) == 1:
            self._commands = iter(next(self._attempts))
            self.told.append(seen.text)
        return Answer("bash", {"command": next(self._commands, "true")})


def trial(server: ModelServer, least: Installed, calls: int = 2) -> Trial:
    endpoint = Endpoint(model="m", base_url=server.url)
    limits = Limits(calls=calls, seconds=60)
    return Trial(subject=LeastAgent(), installed=least, endpoint=endpoint, limits=limits, place=PLACE)


def test_every_attempt_starts_from_the_repository_as_it_was(least: Installed, repository: Path, tmp_path: Path) -> None:
    brain = Scripted(["cp main.py run.sh", "rm main.py"], ["ls > answer.py; git status --short >> answer.py"])
    with ModelServer(brain) as server:
        first, second = (attempt(trial(server, least), SEEN, repository, tmp_path / f"{n}") for n in (1, 2))
    assert first.text.startswith("import argparse") and not first.error
    assert second.text.split() == ["answer.py", "main.py", "??", "answer.py"]
    assert second.usage.calls == 2 and second.usage.prompt_tokens > 0
    assert (repository / "examples/main.py").exists() and not (repository / "examples/run.sh").exists()
    assert (tmp_path / "2/run.json").is_file()


def test_no_file_is_an_empty_answer_with_its_reason(least: Installed, repository: Path, tmp_path: Path) -> None:
    with ModelServer(Scripted(["ls"])) as server:
        found = attempt(trial(server, least), SEEN, repository, tmp_path / "records")
    assert found.text == "" and found.error.startswith("no answer was written (budget: the limit on calls")


def test_an_attempt_after_one_that_was_cut_off_finds_nothing_of_it(
    least: Installed, repository: Path, tmp_path: Path
) -> None:
    records, kept = tmp_path / "records", tmp_path / "records-cut-2"
    for folder in (records, tmp_path / "records-cut-1"):
        folder.mkdir()
    (records / "calls.jsonl").write_text("cut off\n")
    with ModelServer(Scripted(["pwd > run.sh"])) as server:
        attempt(trial(server, least, calls=1), SEEN, repository, records)
    assert "cut off" not in (records / "calls.jsonl").read_text()
    assert (kept / "calls.jsonl").read_text() == "cut off\n"


def test_the_agent_is_told_the_row_and_where_to_write(least: Installed, repository: Path, tmp_path: Path) -> None:
    brain = Scripted(["pwd > run.sh"])
    with ModelServer(brain) as server:
        found = attempt(trial(server, least), SEEN, repository, tmp_path / "records")
    assert found.text.endswith("/workspace/toy/examples")
    for words in (
        "Train it for 5 epochs.",
        "github.com/o/toy",
        "run.sh",
        "answer.py",
        "pip install x",
        "Folder of the task: examples",
    ):
        assert words in brain.told[0]


def test_the_oracle_is_not_told() -> None:
    shown = Visible(instruction="x", github="https://github.com/o/toy", oracle="python secret.py")
    assert "secret.py" not in task_text(shown) and "Folder of the task: ." in task_text(shown)


@pytest.mark.parametrize(
    ("files", "answer"),
    [
        ({"run.sh": "#!/bin/bash\npython a.py --x 1\n"}, "python a.py --x 1"),
        ({"answer.py": "import a\na.run()\n"}, "import a\na.run()"),
        ({"run.sh": "#!/bin/bash\nset -e\n# go\npython3 answer.py\n", "answer.py": "import a"}, "import a"),
        ({"run.sh": "python a.py --x 1", "answer.py": "import a"}, "python a.py --x 1"),
        ({"run.sh": "", "answer.py": "import a"}, "import a"),
        ({"run.sh": "python main.py"}, "python main.py "),
        ({"run.sh": "bash train.sh\necho done"}, "bash train.sh \necho done"),
        ({"run.sh": "python answer.py"}, "python answer.py "),
        ({}, ""),
    ],
)
def test_which_file_is_the_answer(files: dict[str, str], answer: str) -> None:
    assert answer_of(files) == answer
