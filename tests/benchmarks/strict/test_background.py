"""Programs that an answer leaves in the background are waited for, and no longer than the limit."""

import time
from pathlib import Path

import pytest

from ml_agent.benchmarks.strict import execute
from ml_agent.benchmarks.strict.execute import Job, run
from ml_agent.benchmarks.strict.libraries import of_repository

TRAIN = "python examples/train.py --dataset cora"


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize(
    "form", ["{} &", "nohup {} &", "nohup {} > /tmp/o.log 2>&1 &", "({} &); exit 0", "setsid {} &", "{} &\nwait"]
)
def test_what_runs_in_the_background_is_judged(form: str, record: bool, repository: Path) -> None:
    libraries = of_repository(repository)
    for text, code in ((TRAIN, ""), (f"{TRAIN} --epochs many", "bad-type")):
        done = run(Job(root=repository, path=".", text=form.format(text), kind="bash", record=record), libraries)
        assert (done.code, len(done.programs)) == (code, 1), done


def test_what_never_ends_is_left_at_the_limit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "BACKGROUND_SECONDS", 1)
    began = time.monotonic()
    done = run(
        Job(root=repository, path=".", text=f"tail -f README.md setup.py 2>&1 &\n{TRAIN}", kind="bash"),
        of_repository(repository),
    )
    assert done.ok and time.monotonic() - began < 30
