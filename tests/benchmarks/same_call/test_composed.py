"""Calls of hydra programs are the same where the same configuration is composed."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.same_call import same_call


@pytest.mark.parametrize(
    ("reference", "answer", "reason"),
    [
        ("model=big", "model.layers=24", ""),
        ("model.layers=24", "model=big", ""),
        ("model=big lr=0.3", "--config-name other", ""),
        ("lr=0.2", "--config-name config lr=0.2", ""),
        ("lr=0.2", "-cn=config model=small lr=2e-1 resume=null", ""),
        ("-m lr=0.1,0.2", "--multirun lr=0.1,0.2", ""),
        ("model=big", "model=wide", "unasked"),
        ("model.layers=24", "model=wide", "unasked"),
        ("model=big", "lr=0.1", "missing"),
        ("lr=0.1", "--config-name other", "other value"),
        ("--config-name other", "--config-name config", "missing"),
        ("-m lr=0.1,0.2", "-m lr=0.1,0.3", "other value"),
        ("lr=0.2", "lr=0.2 resume=a.pt", "unasked"),
        ("lr=0.2", "lr=0.2 --cfg job", "unasked"),
        ("lr=0.2", "lr=0.2 -m", "unasked"),
        ("lr=0.2 --cfg=job", "-c job lr=0.2", ""),
        ("lr=0.2 --info", "lr=0.2", "missing"),
        ("-m lr=0.1,0.2", "lr=0.1,0.2", "missing"),
        ("lr=0.2", "lr=0.2 --help", "unasked"),
        ("--config-name other lr=0.2 +note=a +tag=b", "--config-name other +tag=b +note=a lr=0.2", ""),
        ("--config-name other lr=0.2 +note=a", "+note=a --config-name=config lr=0.2", "missing"),
        ("--config-name other +note=a", "--config-name other +note=b", "other value"),
        ("--config-name other +note=a", "--config-name other ++note=a", ""),
        ("--config-name other +note=a", "--config-name other note=a", "missing"),
        ("--config-name other +note=a", "--config-name other ~note=a", "missing"),
        ("--config-name other +resume=a.pt", "--config-name other resume=a.pt", ""),
        ("model=big +note=a", "+note=a model.layers=24", ""),
        ("model=big +note=a", "model=wide +note=a", "unasked"),
        ("lr=0.2 ~resume", "lr=0.2", "missing"),
        ("++note=a ++note=b", "++note=b ++note=a", "other value"),
        ("+t={a:1} ++t.a=2", "++t.a=2 +t={a:1}", "other value"),
        ("--config-name absent lr=0.2 +note=a", "--config-name absent +note=a lr=0.2", ""),
        ("--config-name absent lr=0.2", "--config-name gone lr=0.2", "other value"),
        ("--config-name absent lr=0.2", "--config-name absent lr=0.3", "other value"),
    ],
)
def test_the_composed_configuration_decides(kit: Path, reference: str, answer: str, reason: str) -> None:
    task = Task(
        github_id=1, id=1, github="https://github.com/some/kit", path="./", arguments={}, instruction="", oracle="",
        kind="bash", output=f"python composing.py {reference}",
    )  # fmt: skip
    verdict = same_call(task, f"python composing.py {answer}", kit)
    assert verdict.reason_class == reason, verdict
