"""Form D: inputs are laid, run.sh produces files, the row's judge looks at them."""

from pathlib import Path

import msgspec
import pytest

from ml_agent.benchmarks.data import Task, load_tasks
from ml_agent.benchmarks.engines.local import LocalEngine
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.form_a.delivery import see_that_all_can_be_judged
from ml_agent.benchmarks.form_a.output import summarise, summary_table
from ml_agent.benchmarks.form_a.row import Assignment, Outcome, Settings
from ml_agent.benchmarks.form_a.run import Plan, load, run
from ml_agent.benchmarks.form_a.run import fingerprint as of_plan
from ml_agent.benchmarks.repositories import lay_repositories
from ml_agent.benchmarks.subjects.model import SubjectRun
from ml_agent.benchmarks.subjects.places import Place
from ml_agent.model.endpoint import Endpoint
from ml_agent.sandbox.contract import Sandbox

TASKS = {t.judge.split("/")[-2]: t for t in load_tasks("delivery").tasks}
QUICK = ("letters", "average", "medoids")


class Writer:
    """Leaves a run.sh of the given texts, by instruction."""

    label = "writer"

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def mounts(self) -> tuple[Path, ...]:
        return ()

    def solve(self, assignment: Assignment, sandbox: Sandbox, records: Path) -> SubjectRun:
        records.mkdir(parents=True, exist_ok=True)
        (records / "run.sh").write_text(self.texts[assignment.seen.instruction])
        sandbox.put(records / "run.sh", f"{assignment.task.folder}/run.sh")
        return SubjectRun(
            subject=self.label,
            version="",
            ended="finished",
            seconds=0.0,
            calls=0,
            prompt_tokens=0,
            completion_tokens=0,
            usd=0.0,
            records=records,
        )


def script(task: Task) -> str:
    return task.output if task.kind == "bash" else f"python3 - <<'XX'\n{task.output}\nXX\n"


def outcomes(tasks: list[Task], texts: list[str], tmp_path: Path) -> list[Outcome]:
    repos = tmp_path / "repos"
    assert not any(laid.problem for laid in lay_repositories(tasks, repos, {}))
    solver = Writer(dict(zip([t.instruction for t in tasks], texts, strict=True)))
    place = Place(sandbox="local", unisolated=True)
    settings = Settings(endpoint=Endpoint(model=""), place=place, tries=1, installs=False, delivers=True)
    plan = Plan(tasks=tuple(tasks), repos=repos, out=tmp_path / "out", solver=solver, settings=settings)
    run(plan, LocalEngine())
    found = [load(plan.out / "rows" / of_plan(plan), task) for task in tasks]
    return [o for o in found if o is not None]


def test_references_deliver(tmp_path: Path) -> None:
    tasks = [TASKS[name] for name in QUICK]
    found = outcomes(tasks, [script(t) for t in tasks], tmp_path)
    assert [(o.delivered.there, o.delivered.message) for o in found if o.delivered] == [(True, "")] * len(QUICK)
    summary = summarise("writer", found)
    assert (summary.delivered, summary_table(summary)["delivered_rate"]) == (3, 1.0)
    assert not list((tmp_path / "repos").rglob("letters*")), "inputs are laid into a copy"


def test_what_runs_but_does_not_deliver(tmp_path: Path) -> None:
    task = TASKS["average"]
    (outcome,) = outcomes([task], [script(task).replace(" runs/c.json", "")], tmp_path)
    assert outcome.checked.official_success
    assert outcome.delivered and not outcome.delivered.there and "runs is 2, not 3" in outcome.delivered.message


@pytest.mark.slow
def test_all_references_deliver(tmp_path: Path) -> None:
    tasks = [t for name, t in TASKS.items() if name != "shops"]  # its script needs packages that are not here
    found = outcomes(tasks, [script(t) for t in tasks], tmp_path)
    assert all(o.delivered and o.delivered.there for o in found), found


def test_rows_without_a_judge_are_no_form_d() -> None:
    tasks = tuple(TASKS.values())
    see_that_all_can_be_judged(tasks)
    with pytest.raises(BenchError, match="needs rows with a judge"):
        see_that_all_can_be_judged((*tasks, msgspec.structs.replace(tasks[0], judge="")))
    assert len(tasks) == 10 and all(t.inputs for t in tasks)
