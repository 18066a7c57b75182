"""Whole rows: the agent, its run.sh, the judgement, trouble told apart, many rows that can be cut and gone on with."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.form_a.check import Rules
from ml_agent.benchmarks.form_a.output import as_row, summarise, summary_table
from ml_agent.benchmarks.form_a.row import AgentSolver, Assignment, Job, Outcome, Settings, solve_row
from ml_agent.benchmarks.form_a.run import OUTPUT, Plan, fingerprint, run
from ml_agent.benchmarks.subjects.agents import LeastAgent
from ml_agent.benchmarks.subjects.model import SubjectRun
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.model.budget import Limits
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.contract import Sandbox
from ml_agent.sandbox.errors import SandboxLostError, SandboxUnavailableError
from tests.servers.model_server import Answer, Misbehaviour, ModelServer, Seen, refusal

PLACE = Place(sandbox="local", unisolated=True)
KEY = "sk-this-must-stay-outside"
MAIN = (
    "import argparse, time\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int)\np.add_argument('--sleep', type=float)\n"
    "a = p.parse_args()\ntime.sleep(a.sleep or 0)\nif a.epochs == 13: raise SystemExit(3)\nif a.epochs == 14: 1 / 0\nprint('done', a.epochs)\n"
)


@pytest.fixture(scope="session")
def solver(tmp_path_factory: pytest.TempPathFactory) -> AgentSolver:
    subject = LeastAgent()
    return AgentSolver(subject, subject.install(tmp_path_factory.mktemp("agents")))


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    folder = tmp_path / "repos"
    (folder / "toy/examples").mkdir(parents=True)
    (folder / "toy/examples/main.py").write_text(MAIN)
    return folder


def task(number: int = 1, epochs: int = 5) -> Task:
    return Task(
        github_id=3, id=number, github="https://github.com/o/toy", path="./examples", arguments={"epochs": str(epochs)},
        instruction=f"Train it for {epochs} epochs.", oracle="python secret.py", kind="bash", output="python reference.py",
    )  # fmt: skip


class Writer:
    """A model that writes this run.sh, whatever the row."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self._lock = threading.Lock()

    def __call__(self, seen: Seen) -> Answer:
        with self._lock:
            self.seen.append(seen)
        return Answer("bash", {"command": f"cat > run.sh <<'XX'\n{self.script}\nXX"})


def settings(server: ModelServer, **changes: Any) -> Settings:
    endpoint = Endpoint(model="m", base_url=server.url, api_key=KEY)
    fixed = Settings(endpoint=endpoint, limits=Limits(calls=1, seconds=60), place=PLACE, installs=False)
    return msgspec.structs.replace(fixed, **changes)


def solve(script: str, solver: AgentSolver, repos: Path, tmp_path: Path, epochs: int = 5, **changes: Any) -> Outcome:
    with ModelServer(Writer(script)) as server:
        job = Job(task=task(epochs=epochs), root=repos / "toy", solver=solver, settings=settings(server, **changes))
        return solve_row(job, tmp_path / "records")


def test_a_run_sh_that_trains_as_it_should(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    outcome = solve("python main.py --epochs 5", solver, repos, tmp_path)
    checked = outcome.checked
    assert outcome.counts and checked.official_success and checked.executed and checked.exit_code == 0, checked
    assert outcome.spent.calls == 1 and "done 5" in checked.output


@pytest.mark.parametrize(
    ("script", "executed"), [("python main.py --epochs 5 --sleep 900", True), ("sleep 900", False)]
)
def test_a_run_sh_that_goes_on_and_on(
    script: str, executed: bool, solver: AgentSolver, repos: Path, tmp_path: Path
) -> None:
    checked = solve(script, solver, repos, tmp_path, rules=Rules(official_seconds=0.5, seconds=1.0)).checked
    assert (checked.official_success, checked.executed, checked.exit_code) == (True, executed, 124), checked


def test_a_run_sh_that_fails(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    checked = solve("python main.py --epochs 14", solver, repos, tmp_path, epochs=14).checked
    assert (checked.official_success, checked.executed, checked.exit_code) == (False, False, 1)
    assert checked.reason.startswith("traceback: ZeroDivisionError")


def test_no_run_sh_solves_nothing(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    with ModelServer(lambda seen: Answer("bash", {"command": "ls"})) as server:
        outcome = solve_row(
            Job(task=task(), root=repos / "toy", solver=solver, settings=settings(server)), tmp_path / "records"
        )
    assert outcome.counts and not outcome.checked.official_success and outcome.checked.reason.startswith("no-script")


def test_the_agent_sees_nothing_that_only_scorers_may_see(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    brain = Writer("true")
    with ModelServer(brain) as server:
        solve_row(Job(task=task(), root=repos / "toy", solver=solver, settings=settings(server)), tmp_path / "records")
    told = brain.seen[0].text
    assert "Train it for 5 epochs." in told and "/workspace/toy/examples" in told
    assert "secret.py" not in told and "reference.py" not in told


@pytest.mark.docker
def test_in_a_container(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    with ModelServer(Writer("id -un; python main.py --epochs 5")) as server:
        job = Job(
            task=task(),
            root=repos / "toy",
            solver=solver,
            settings=settings(server, place=Place(sandbox="docker"), installs=True),
        )
        outcome = solve_row(job, tmp_path / "records")
    assert outcome.checked.executed, outcome
    assert (
        outcome.checked.output.split() == ["agent", "done", "5"]
        and "find the task repo at: /workspace/toy/examples\n" in outcome.told
    )


def failing_at_first(times: int) -> Misbehaviour:
    return lambda seen, answer: refusal(503, "overloaded") if seen.number <= times else None


def test_trouble_of_the_endpoint_is_not_the_agents_and_is_tried_again(
    solver: AgentSolver, repos: Path, tmp_path: Path
) -> None:
    with ModelServer(Writer("python main.py --epochs 5"), failing_at_first(2)) as server:
        outcome = solve_row(
            Job(task=task(), root=repos / "toy", solver=solver, settings=settings(server)), tmp_path / "records"
        )
    assert outcome.counts and outcome.checked.executed and outcome.tries == 3


def test_trouble_that_stays_counts_for_nobody(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    with ModelServer(Writer("python main.py --epochs 5"), failing_at_first(99)) as server:
        outcome = solve_row(
            Job(task=task(), root=repos / "toy", solver=solver, settings=settings(server)), tmp_path / "records"
        )
    assert not outcome.counts and "overloaded" in outcome.infrastructure and outcome.tries == 3


class Unlucky:
    """A solver whose sandbox fails it so many times before it does its work, for 0.25 USD each time that it works."""

    label = "unlucky"

    def __init__(self, error: Callable[[], Exception], times: int) -> None:
        self.error, self.times = error, times

    def mounts(self) -> tuple[Path, ...]:
        return ()

    def solve(self, assignment: Assignment, sandbox: Sandbox, records: Path) -> SubjectRun:
        if self.times:
            self.times -= 1
            raise self.error()
        records.mkdir(parents=True, exist_ok=True)
        script = records / "run.sh"
        script.write_text("python main.py --epochs 5")
        sandbox.put(script, f"{assignment.task.folder}/run.sh")
        return SubjectRun(
            subject="unlucky",
            version="1",
            ended="finished",
            seconds=1.0,
            calls=2,
            prompt_tokens=10,
            completion_tokens=5,
            usd=0.25,
        )


def test_a_lost_sandbox_is_begun_again(repos: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        solver = Unlucky(lambda: SandboxLostError("gone"), 1)
        outcome = solve_row(
            Job(task=task(), root=repos / "toy", solver=solver, settings=settings(server)), tmp_path / "records"
        )
    assert outcome.counts and outcome.checked.executed and (outcome.tries, outcome.spent.usd) == (2, 0.25)


def plan(server: ModelServer, solver: Any, repos: Path, tmp_path: Path, **changes: Any) -> Plan:
    tasks = (task(1), task(2, epochs=6), task(3))
    made = Plan(tasks=tasks, repos=repos, out=tmp_path / "out", solver=solver, settings=settings(server))
    return msgspec.structs.replace(made, **changes)


def test_many_rows_are_resumed_and_summed_up(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    with ModelServer(Writer("python main.py --epochs 5")) as server:
        first = plan(server, solver, repos, tmp_path, tasks=(task(1),))
        assert run(first, LocalEngine()).summary.official == 1
        done = run(plan(server, solver, repos, tmp_path), LocalEngine())
        assert len(server.requests) == 3 and done.without_result == 0
    summary = done.summary
    assert (summary.rows, summary.official, summary.executed, summary.usd) == (3, 3, 3, None)
    assert summary_table(summary)["usd_per_solved"] is None
    lines = [json.loads(line) for line in (tmp_path / "out" / OUTPUT).read_text().splitlines()]
    assert [line["instance_id"] for line in lines] == ["3-1", "3-2", "3-3"]
    assert all(line["ml_agent"]["checked"]["executed"] for line in lines)
    assert KEY not in (tmp_path / "out" / OUTPUT).read_text()


@pytest.mark.slow
def test_rows_side_by_side(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    with ModelServer(Writer("python main.py --epochs 5")) as server:
        assert run(plan(server, solver, repos, tmp_path), LocalEngine(2)).summary.official == 3


def test_other_settings_are_another_run(solver: AgentSolver, repos: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        made = plan(server, solver, repos, tmp_path)
        other = msgspec.structs.replace(made, settings=settings(server, reply_tokens=7))
        moved = msgspec.structs.replace(
            made, settings=settings(server, endpoint=Endpoint(model="m", base_url="http://x", api_key="k"))
        )
    assert fingerprint(made) != fingerprint(other) and fingerprint(made) == fingerprint(moved)


def test_a_bad_row_is_a_row_and_the_rest_goes_on(repos: Path, tmp_path: Path) -> None:
    gone = msgspec.structs.replace(task(2), github="https://github.com/o/absent")
    with ModelServer() as server:
        solver = Unlucky(lambda: OSError(28, "No space left on device"), 1)
        made = plan(server, solver, repos, tmp_path, tasks=(task(1), gone, task(3)))
        done = run(made, LocalEngine())
        assert done.without_result == 2 and "No space left" in done.failed[0]
        summary = done.summary
        assert (summary.rows, summary.infrastructure, summary.official) == (3, 2, 1)
        table = summary_table(summary)
        assert (table["executed_rate"], table["usd_per_solved"]) == (1.0, 0.25)
        lines = (tmp_path / "out" / OUTPUT).read_text().splitlines()
        reasons = [json.loads(line)["ml_agent"]["infrastructure"] for line in lines]
        assert "No space left" in reasons[0] and reasons[1].startswith("no repository absent")
        assert run(msgspec.structs.replace(made, retry_failed=True), LocalEngine()).without_result == 1


def test_a_machine_without_the_sandbox_is_trouble_too(repos: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        solver = Unlucky(lambda: SandboxUnavailableError("no engine"), 99)
        summary = run(plan(server, solver, repos, tmp_path, tasks=(task(1),)), LocalEngine()).summary
    assert (summary.rows, summary.infrastructure) == (1, 1)


def test_rows_have_openhands_shape_and_are_read_back(repos: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        run(plan(server, Unlucky(lambda: OSError("x"), 0), repos, tmp_path), LocalEngine())
    path = tmp_path / "out" / OUTPUT
    row = json.loads(path.read_text().splitlines()[0])
    assert {"instance_id", "test_result", "instruction", "metadata", "history", "metrics", "error", "instance"} <= set(
        row
    )
    assert set(row["test_result"]) == {"eval_script_content", "eval_output", "success", "eval_exit_code"}
    assert (
        row["metrics"]["accumulated_cost"] == 0.25 and row["test_result"]["success"] == row["metrics"]["success"] == 1
    )


def test_the_sum_of_nothing_has_no_rate() -> None:
    assert summary_table(summarise("s", []))["official_rate"] is None


def test_an_unknown_price_makes_the_sum_unknown(least_settings: Settings) -> None:
    known = Outcome(github_id=1, id=1, solver="s")
    unknown = msgspec.structs.replace(known, spent=msgspec.structs.replace(known.spent, usd=None))
    assert summarise("s", [known, unknown]).usd is None
    assert as_row(unknown, task(), least_settings)["metrics"]["accumulated_cost"] == 0.0


@pytest.fixture
def least_settings() -> Settings:
    return Settings(endpoint=Endpoint(model="m"))
