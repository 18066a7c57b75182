"""Form A: the agent, its run.sh, the judgement; trouble told apart, many rows that can be cut and gone on with."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ml_agent.benchmarks import form_a
from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.form_a import Checked, Plan, do_row, judge, run, summarise, uses
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.subjects.agents import LeastAgent
from ml_agent.benchmarks.subjects.model import SubjectRun
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.benchmarks.work import Agent, Assignment, OwnAgent, PeerAgent, Terms, split
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.contract import Response, Sandbox
from ml_agent.sandbox.errors import SandboxLostError
from tests.servers.model_server import Answer, ModelServer, refusal

PLACE = Place(sandbox="local", unisolated=True)
KEY = "sk-this-must-stay-outside"
MAIN = """import argparse, time
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
p.add_argument("--sleep", type=float)
a = p.parse_args()
time.sleep(a.sleep or 0)
if a.epochs == 14: 1 / 0
print("done", a.epochs)
"""
TRAIN = "python main.py --epochs 5"


@pytest.fixture(scope="session")
def least(tmp_path_factory: pytest.TempPathFactory) -> PeerAgent:
    subject = LeastAgent()
    return PeerAgent(subject, subject.install(tmp_path_factory.mktemp("agents")))


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    root = tmp_path / "repos/toy"
    (root / "examples").mkdir(parents=True)
    (root / "README.md").write_text("# Toy\n\nTrain it:\n\n```bash\ncd examples\npython main.py --epochs 3\n```\n")
    (root / "examples/main.py").write_text(MAIN)
    return tmp_path / "repos"


def task(number: int = 1, github: str = "https://github.com/o/toy") -> Task:
    return Task(
        github_id=3, id=number, github=github, path="./examples", arguments={"epochs": "5"},
        instruction="Train the model for 5 epochs.", kind="bash", output="python reference.py",
    )  # fmt: skip


def writes(script: str) -> ModelServer:
    """A model that writes this run.sh, whatever the row."""
    return ModelServer(lambda seen: Answer("bash", {"command": f"cat > run.sh <<'XX'\n{script}\nXX"}))


def plan(agent: Agent, repos: Path, server: ModelServer | None = None, **changes: Any) -> Plan:
    endpoint = Endpoint(model="m", base_url=server.url, api_key=KEY) if server else Endpoint(model="")
    terms = Terms(endpoint=endpoint, limits=Limits(calls=1, seconds=60), place=PLACE)
    made = Plan(repos=repos, out=repos.parent / "out", agent=agent, terms=terms)
    return msgspec.structs.replace(made, **changes)


def solved(script: str, agent: Agent, repos: Path, **changes: Any) -> Checked:
    with writes(script) as server:
        done = do_row(task(), plan(agent, repos, server, **changes))
        assert all("secret.py" not in seen.text and "reference.py" not in seen.text for seen in server.requests)
        assert all("/workspace/toy/examples" in seen.text for seen in server.requests)
    return done


def test_a_run_sh_that_trains_as_it_should(least: PeerAgent, repos: Path) -> None:
    done = solved(TRAIN, least, repos)
    assert (
        not done.infrastructure
        and done.checked.official_success
        and done.checked.executed
        and done.checked.exit_code == 0
    ), done
    assert done.usage.calls == 1 and "done 5" in done.checked.output


@pytest.mark.parametrize(
    ("script", "official", "executed", "code"),
    [(f"{TRAIN} --sleep 900", True, True, 124), ("python main.py --epochs 14", False, False, 1)],
)
def test_how_a_run_sh_ends(
    script: str,
    official: bool,
    executed: bool,
    code: int,
    least: PeerAgent,
    repos: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "sleep" in script:
        monkeypatch.setattr(form_a, "OFFICIAL_SECONDS", 0.5)
        monkeypatch.setattr(form_a, "SECONDS", 1.0)
    checked = solved(script, least, repos).checked
    assert (checked.official_success, checked.executed, checked.exit_code) == (official, executed, code), checked


@pytest.mark.slow
@pytest.mark.docker
def test_in_a_container(least: PeerAgent, repos: Path) -> None:
    with writes(f"id -un; {TRAIN}") as server:
        made = plan(least, repos, server)
        terms = msgspec.structs.replace(made.terms, place=Place(sandbox="docker"))
        done = do_row(task(), msgspec.structs.replace(made, terms=terms))
    assert done.checked.executed and done.checked.output.split() == ["agent", "done", "5"], done


@pytest.mark.slow
def test_trouble_of_the_endpoint_is_not_the_agents_and_is_tried_again(least: PeerAgent, repos: Path) -> None:
    brain = Answer("bash", {"command": f"echo '{TRAIN}' > run.sh"})
    with ModelServer(
        lambda seen: brain, lambda seen, _: refusal(503, "overloaded") if seen.number <= 2 else None
    ) as server:
        done = do_row(task(), plan(least, repos, server))
    assert done.tries == 3 and not done.infrastructure and done.checked.executed


class Unlucky:
    """An agent that fails so many times before it does its work, for 0.25 USD each time that it works."""

    label = "unlucky"

    def __init__(self, error: Exception, times: int) -> None:
        self.error, self.times = error, times

    def mounts(self) -> tuple[Path, ...]:
        return ()

    def solve(self, job: Assignment, terms: Terms, sandbox: Sandbox | None, records: Path) -> SubjectRun:
        if self.times:
            self.times -= 1
            raise self.error
        assert sandbox is not None
        records.mkdir(parents=True, exist_ok=True)
        (records / "run.sh").write_text(TRAIN)
        sandbox.put(records / "run.sh", f"{job.folder}/run.sh")
        return SubjectRun(ended="finished", usage=Usage(calls=2, prompt_tokens=10, usd=0.25))


@pytest.mark.slow
def test_a_lost_sandbox_is_begun_again(repos: Path) -> None:
    done = do_row(task(), plan(Unlucky(SandboxLostError("gone"), 1), repos))
    assert not done.infrastructure and done.checked.executed and (done.tries, done.usage.usd) == (2, 0.25)


@pytest.mark.slow
def test_many_rows_are_resumed_and_summed_up(least: PeerAgent, repos: Path) -> None:
    with writes(TRAIN) as server:
        several = plan(least, repos, server)
        assert summarise(run([task()], several, LocalEngine()))["official"] == 1
        figures = summarise(run([task(1), task(2)], several, LocalEngine()))
        assert len(server.requests) == 2 and figures["without_result"] == 0
    assert (figures["rows"], figures["official"], figures["executed"], figures["usd"]) == (2, 2, 2, 0.0)
    text = (several.out / several.file).read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["row"] for row in rows] == ["3-1", "3-2"] and KEY not in text


@pytest.mark.slow
def test_a_bad_row_is_a_row_and_the_rest_goes_on(repos: Path) -> None:
    gone = task(2, "https://github.com/o/absent")
    made, tasks = plan(Unlucky(OSError(28, "No space left on device"), 3), repos), [task(1), gone, task(3)]
    done = run(tasks, made, LocalEngine())
    assert "No space left" in done[0].infrastructure and done[1].infrastructure.startswith("no repository absent")
    figures = summarise(done)
    assert (figures["rows"], figures["without_result"], figures["official"], figures["usd"]) == (3, 2, 1, 0.25)
    again = run(tasks, made, LocalEngine())
    assert summarise(again)["without_result"] == 1


@pytest.mark.slow
def test_what_ml_agent_cannot_answer_is_its_failure(repos: Path) -> None:
    (repos / "toy/README.md").write_text("# Nothing\n")
    (repos / "toy/examples/main.py").unlink()
    done = do_row(task(), plan(OwnAgent("offline"), repos))
    assert (
        not done.infrastructure
        and done.ended == "failed"
        and done.error
        and done.checked.reason.startswith("no-script")
    )


def test_a_reproduction_is_split_at_the_program() -> None:
    reproduce = "\n".join([
        "#!/usr/bin/env bash", "set -euo pipefail", 'work=${1:-reproduced}', 'git init -q "$work/repository"',
        'for python in python3.11 python3; do "$python" -c "" && break; done', '"$python" -m venv "$work/venv"', 'export PATH="$work/venv/bin:$PATH" HOME="$work/home"',
        'python -m pip install -q -r "$here/requirements.lock"', '(cd "$work/repository"/. && make data)', 'cd "$work/repository"/examples',
        "export A=1", "python main.py",
    ])  # fmt: skip
    setup, script = split(reproduce, "..")
    assert 'root=$(cd "$(dirname "$0")/.." && pwd)' in script and "git init" not in setup
    assert '(cd "$root"/. && make data)' in setup and "main.py" not in setup
    assert script.endswith('cd "$root"/examples\nexport A=1\npython main.py\n') and "pip install" not in script


TRACEBACK = "Traceback (most recent call last):\n  File ...\nValueError: x\n"


def ended(code: int | None = 0, seconds: float = 5.0, **changes: Any) -> Response:
    return Response(**{"ended": "exited", "exit_code": code, "seconds": seconds, **changes})


@pytest.mark.parametrize(
    ("response", "output", "used", "official", "executed", "code"),
    [
        (ended(0), TRACEBACK, True, True, False, 0),
        (ended(1), "KeyboardInterrupt", True, True, False, 1),
        (ended(0, 200.0), "", True, True, True, 124),
        (ended(0, 200.0), "", False, True, False, 124),
        (ended(None, 300.0, ended="timeout"), TRACEBACK, True, True, False, 124),
        (ended(None, 5.0, ended="out-of-memory", signal=9), "", True, False, False, 137),
    ],
)
def test_both_rules(response: Response, output: str, used: bool, official: bool, executed: bool, code: int) -> None:
    checked = judge(response, output, used)
    assert (checked.official_success, checked.executed, checked.exit_code) == (official, executed, code)
    assert bool(checked.reason) != executed


@pytest.mark.parametrize(
    ("script", "used"),
    [
        ("#!/bin/bash\nset -e\npip install -r ../requirements.txt\npython3 -u train.py > log 2>&1", True),
        ("cd .. && python main.py", True),
        ("python /workspace/toy/main.py", True),
        ("timeout 60 torchrun --nproc_per_node 1 train.py", True),
        ("python -m netlib.train", True),
        ("net-train --lr 0.5", True),
        ("python - <<EOF\nfrom netlib import fit\nfit(lr=0.5)\nEOF", True),
        ("sleep 200", False),
        ("#!/bin/bash\n# python train.py\nexit 0", False),
        ("echo python train.py", False),
        ("pip install netlib", False),
        ("bash run.sh", False),
    ],
)
def test_which_scripts_use_the_repository(script: str, used: bool, tmp_path: Path) -> None:
    for path in ("main.py", "examples/train.py", "src/netlib/__init__.py", "src/netlib/cli.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    scripts = '[project]\nname = "netlib"\n[project.scripts]\nnet-train = "netlib.cli:main"\n'
    (tmp_path / "pyproject.toml").write_text(scripts)
    assert uses(script, tmp_path, "examples") is used
