"""A row answered by an agent: what it is told, what counts as its answer, what a failure looks like."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Key, Visible
from ml_agent.benchmarks.predict.rows import Result
from ml_agent.benchmarks.predict.unit import Unit
from ml_agent.benchmarks.subjects.install import Installed
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.subjects.respondent import AgentConfig, answer, answer_of, task_text
from ml_agent.model.budget import Limits
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


def attempt(server: ModelServer, least: Installed, repository: Path, records: Path, calls: int = 2) -> Result:
    limits = Limits(calls=calls, seconds=60)
    config = AgentConfig(
        agent="least", home=least.folder.parent, model="m", base_url=server.url, limits=limits, place=PLACE
    )
    return answer(Unit(key=Key(1, 1), shown=SEEN, root=repository), config, records)


def test_every_attempt_starts_from_the_repository_as_it_was(least: Installed, repository: Path, tmp_path: Path) -> None:
    brain = Scripted(["cp main.py run.sh", "rm main.py"], ["ls > answer.py; git status --short >> answer.py"])
    with ModelServer(brain) as server:
        first, second = (attempt(server, least, repository, tmp_path / f"{n}") for n in (1, 2))
    assert first.output[0].startswith("import argparse") and not first.error
    assert second.output[0].split() == ["answer.py", "main.py", "??", "answer.py"]
    assert second.usage.calls == 2 and second.usage.prompt_tokens > 0
    assert (repository / "examples/main.py").exists() and not (repository / "examples/run.sh").exists()
    assert (tmp_path / "2/1-1-0/run.json").is_file()


def test_no_file_is_an_empty_answer_with_its_reason(least: Installed, repository: Path, tmp_path: Path) -> None:
    with ModelServer(Scripted(["ls"])) as server:
        found = attempt(server, least, repository, tmp_path / "records")
    assert found.output == () and found.error.startswith("no answer was written (budget: the limit on calls")


def test_an_attempt_after_one_that_was_cut_off_finds_nothing_of_it(
    least: Installed, repository: Path, tmp_path: Path
) -> None:
    records, kept = tmp_path / "1-1-0", tmp_path / "1-1-0-cut-2"
    for folder in (records, tmp_path / "1-1-0-cut-1"):
        folder.mkdir()
    (records / "calls.jsonl").write_text("cut off\n")
    with ModelServer(Scripted(["pwd > run.sh"])) as server:
        attempt(server, least, repository, records.parent, calls=1)
    assert "cut off" not in (records / "calls.jsonl").read_text()
    assert (kept / "calls.jsonl").read_text() == "cut off\n"


def test_the_agent_is_told_the_row_and_where_to_write(least: Installed, repository: Path, tmp_path: Path) -> None:
    brain = Scripted(["pwd > run.sh"])
    with ModelServer(brain) as server:
        found = attempt(server, least, repository, tmp_path / "records")
    assert found.output[0].endswith("/workspace/toy/examples")
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
