"""Form D: the answer must produce files. The row's inputs are laid into the repository, and its judge looks at what came of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.errors import BenchError
from ml_agent.sandbox.contract import Command, Sandbox
from ml_agent.sandbox.files import check_room, copy_tree
from ml_agent.sandbox.held_folder import held_folder
from ml_agent.sandbox.inner_path import safe_relative
from ml_agent.sandbox.temporary import lent

JUDGE = ".bench-judge.py"
SECONDS = 120.0
MESSAGE = 400
"""Characters that are kept of what a judge says."""


class DeliveryVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge says."""

    there: bool
    message: str = ""
    """Why not, in the judge's words."""


def see_that_all_can_be_judged(tasks: tuple[Task, ...]) -> None:
    """BenchError where a row has no judge."""
    without = [str(t.key) for t in tasks if not t.judge]
    if without:
        raise BenchError(f"--form D needs rows with a judge, such as `--tasks delivery`; {without[0]} has none")


@contextmanager
def with_inputs(task: Task, root: Path) -> Iterator[Path]:
    """A copy of the repository with the row's inputs in the task's folder; the repository itself where there are none.

    No link of either leads out of it: not what is read, nor where it is laid.
    """
    if not task.inputs:
        yield root
        return
    with lent("inputs") as work:
        place = work / root.name
        place.mkdir()
        with held_folder(place) as held:
            inside = (root / task.folder).resolve().relative_to(root.resolve())
            for source, folder in ((root, "."), (Path(task.inputs), inside.as_posix())):
                check_room(source, None, work)
                copy_tree(source, held, safe_relative(folder))
        yield place


def judged(sandbox: Sandbox, folder: str, judge: Path) -> DeliveryVerdict:
    """Run a row's judge in its environment.

    Args:
        sandbox: where run.sh ran.
        folder: the task's, in the workspace; there the judge runs.
        judge: the script; exit code 0 says that everything is there.

    Raises SandboxLostError.
    """
    sandbox.put(judge, f"{folder}/{JUDGE}")
    response = sandbox.run(Command(text=f"python3 {JUDGE}", folder=folder, timeout=SECONDS))
    said = [line for line in (response.stdout + "\n" + response.stderr).splitlines() if line.strip()]
    return DeliveryVerdict(
        there=response.ok, message="" if response.ok else (said[-1] if said else response.ended)[:MESSAGE]
    )
