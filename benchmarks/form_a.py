"""Form A (ML-Bench-A): an agent works on a row in a sandbox and leaves a run.sh there, which is then run in the same and judged.

Two rules judge that run. The published one (OpenHands, run_infer.py) takes `timeout 120s bash run.sh` for a success where it ends with exit
code 0, with 124 (still running then), or with any other if the output has the word KeyboardInterrupt. Nothing looks at what it did, so
`sleep 200` and `true` succeed. *Executed* is ours: run.sh also starts something of the repository, and goes on for 300 s, or to exit code 0
before, without a traceback.

`run` takes rows and gives a `Checked` for each; `check` is the judgement; `summarise` counts.
"""

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks import work
from ml_agent.benchmarks.data import Task, Visible, repository_folder, visible
from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.observation.repository import libraries_of
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.results import RowResult, carry_on
from ml_agent.benchmarks.subjects.places import index_variables
from ml_agent.benchmarks.work import SCRIPT, Assignment, accounted, at_work, with_tries
from ml_agent.sandbox.contract import Command, Response, Sandbox
from ml_agent.tools.commandline.shell import parse_command

OFFICIAL_SECONDS, SECONDS = 120.0, 300.0
"""How long run.sh may run, by the published rule and by ours."""
STILL_RUNNING = 124
"""The exit code of `timeout` for what it ended."""
KEPT = 20_000
"""Characters of the output that are kept, from its end."""
_TRACEBACK = "Traceback (most recent call last)"
_IMPORT = re.compile(r"(?:^|['\";])\s*(?:from|import)\s+([A-Za-z_]\w*)", re.MULTILINE)
_IDLE = frozenset({"echo", "printf", "cat", "ls", "pip", "conda"})


class ScriptVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of a run.sh."""

    script: str = ""
    output: str = ""
    exit_code: int | None = None
    """As `timeout` would have told it after the official time."""
    seconds: float = 0.0
    official_success: bool = False
    executed: bool = False
    reason: str = ""
    """Why it is not executed: a stable code, then what it is about."""


class Checked(RowResult, frozen=True, kw_only=True):
    """What came of a row."""

    checked: ScriptVerdict = ScriptVerdict()


class Plan(work.Plan, frozen=True, kw_only=True):
    """Who does rows, of which repositories, and where results go."""

    repos: Path
    """The repositories at their pinned commits, by lower-case name."""


def run(tasks: Sequence[Task], plan: Plan, engine: Engine) -> list[Checked]:
    """Do every row that has no result yet; the results in order. BenchError where they cannot be kept."""
    do, lost = functools.partial(do_row, plan=plan), functools.partial(_lost, plan=plan)
    return carry_on(plan.series(Checked), Work(carry_out=do, lost=lost, label=_label), tasks, engine)


def _label(task: Task) -> str:
    return str(task.key)


def _lost(task: Task, reason: str, plan: Plan) -> Checked:
    return Checked(row=_label(task), agent=plan.agent.label, infrastructure=reason)


def do_row(task: Task, plan: Plan) -> Checked:
    """Do one row: the agent in its sandbox, then its run.sh in the same."""
    root, seen = repository_folder(task, plan.repos), visible(task, "agent")
    if root is None:
        return _lost(task, f"no repository {task.repository} in {plan.repos}", plan)
    job = Assignment(
        seen=seen, root=root.resolve(), told=lambda folder: task_text(seen, folder), writes=(SCRIPT,), name=task.repository
    )  # fmt: skip

    def attempt(done: Checked, folder: Path) -> Checked:
        with at_work(plan.agent, job, plan.terms, folder) as (run, sandbox):
            done = accounted(done, run)
            return done if done.infrastructure else msgspec.structs.replace(done, checked=check(sandbox, job))

    first = Checked(row=_label(task), agent=plan.agent.label)
    return with_tries(first, plan.terms, plan.out.absolute() / "records" / _label(task), attempt)


def check(sandbox: Sandbox, job: Assignment) -> ScriptVerdict:
    """Run the run.sh in the sandbox that the agent worked in. Raises SandboxLostError."""
    try:
        script = sandbox.get(f"{job.folder}/{SCRIPT}").decode("utf-8", "replace")
    except (FileNotFoundError, ValueError):  # ValueError: a path that leads out of the workspace
        return ScriptVerdict(exit_code=127, reason="no-script: run.sh was not written")
    # one run serves both rules: what a script did before the official time does not depend on how long it may go on
    command = Command(text=f"bash {SCRIPT}", folder=job.folder, timeout=SECONDS, environment=index_variables())
    response = sandbox.run(command)
    output = Path(response.log).read_text("utf-8", "replace") if response.log else response.stdout + response.stderr
    checked = judge(response, output, uses(script, job.root, job.seen.path))
    return msgspec.structs.replace(checked, script=script)


def judge(response: Response, output: str, used: bool) -> ScriptVerdict:
    """The judgement of a run by how it ended, all that it said, and whether its script starts something of the repository."""
    code = _exit_code(response)
    reason = _reason(response, output) if used else "not-the-repository: run.sh starts nothing of it"
    return ScriptVerdict(
        output=output[-KEPT:],
        exit_code=code,
        seconds=response.seconds,
        official_success=code in (0, STILL_RUNNING) or "KeyboardInterrupt" in output,
        executed=not reason,
        reason=reason,
    )


def _exit_code(response: Response) -> int:
    """As `timeout` would have told it after the official time."""
    if response.seconds >= OFFICIAL_SECONDS or response.ended == "timeout":
        return STILL_RUNNING
    return response.exit_code if response.exit_code is not None else 128 + (response.signal or 9)


def _reason(response: Response, output: str) -> str:
    if _TRACEBACK in output:
        last = [line for line in response.error_lines if line.strip()]
        return f"traceback: {last[-1][:200] if last else 'in the output'}"
    if response.ended == "timeout" or response.ok:
        return ""
    return f"exit: {response.exit_code if response.exit_code is not None else response.ended}"


def uses(script: str, root: Path, folder: str) -> bool:
    """Whether a shell script names a file of the repository that it may start, one of its commands, or imports one of its packages."""
    calls = [one for one in parse_command(script).invocations if one.program not in _IDLE]
    words = {word for one in calls for word in (one.program, one.name, *one.words)}
    modules = {one.name.partition(".")[0] for one in calls if one.target == "module"} | set(_IMPORT.findall(script))
    files = {
        place
        for word in words
        if word.endswith((".py", ".sh")) and "\0" not in word
        for place in (root / folder / word, root / word, root.joinpath(*Path(word).parts[3:]))
        if place.is_file() and place.name != SCRIPT
    }
    own = any(
        (place / name).is_dir() or (place / f"{name}.py").is_file()
        for name in modules
        for place in (root, root / "src", root / folder)
    )
    return bool(files) or own or any(one.program in libraries_of(root).console for one in calls)


def task_text(seen: Visible, task_path: str) -> str:
    """What an agent is told, word for word as OpenHands' evaluation tells it (ml_bench/run_infer.py at 156d068). The last two sentences are joined without a blank, as in the source.

    Args:
        seen: What may be known of the row.
        task_path: The task's folder in the sandbox.
    """
    name = seen.github.rstrip("/").rpartition("/")[2]
    prefix = f"Here is the prefix code for the task:\n```bash\n{seen.prefix_code}\n```\n\n" if seen.prefix_code else ""
    return (
        f"Please complete the Machine Learning task in the following repository: {name}\n\n"
        f"{seen.instruction}\n\n"
        "You should create a script named `run.sh` under the specified path in the repo to run the task.\n\n"
        f"You can find the task repo at: {task_path}\n\n"
        f"{prefix}"
        "You should terminate the subprocess after running the task (e.g., call subprocess.Popen(args).wait())."
        'When you think you have completed the task, please finish the interaction using the "finish" tool.\n'
    )


def summarise(rows: Sequence[Checked]) -> dict[str, Any]:
    """How many rows counted and how they came out, and what all of them cost."""
    counted = [row for row in rows if not row.infrastructure]
    return {
        "rows": len(rows),
        "without_result": len(rows) - len(counted),
        "official": sum(row.checked.official_success for row in counted),
        "executed": sum(row.checked.executed for row in counted),
        **msgspec.to_builtins(functools.reduce(Usage.plus, (row.usage for row in rows), Usage())),
    }
