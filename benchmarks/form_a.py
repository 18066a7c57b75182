"""Form A (ML-Bench-A): an agent works on a row in a sandbox and leaves a run.sh there, which is then run and judged.

Published (OpenHands, run_infer.py): `timeout 120s bash run.sh` succeeds with exit code 0, with 124 (still running then), and with any
other where the output has the word KeyboardInterrupt. Nothing looks at what it did: `sleep 200` and `true` succeed.

Executed: it also starts something of the repository, and runs longer than that without a traceback, to exit code 0 or to the end of
the time.
"""

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks import work
from ml_agent.benchmarks.data import Task, Visible, repository_folder, visible
from ml_agent.benchmarks.engines import Engine, Work
from ml_agent.benchmarks.observation.repository import libraries_of
from ml_agent.benchmarks.predictions import Usage
from ml_agent.benchmarks.results import Line
from ml_agent.benchmarks.subjects.places import index_variables
from ml_agent.benchmarks.work import (
    SCRIPT,
    Assignment,
    RowResult,
    accounted,
    at_work,
    with_key,
    with_tries,
)
from ml_agent.sandbox.contract import Command, Response, Sandbox
from ml_agent.tools.commandline.shell import parse_command

STILL_RUNNING = 124
KEPT = 20_000
"""Characters of the output that are kept, from its end."""
_TRACEBACK = "Traceback (most recent call last)"
_IMPORT = re.compile(r"(?:^|['\";])\s*(?:from|import)\s+([A-Za-z_]\w*)", re.MULTILINE)
_IDLE = frozenset({"echo", "printf", "cat", "ls", "pip", "conda"})


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How long run.sh may run, in seconds."""

    official_seconds: float = 120.0
    seconds: float = 300.0


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
    """What to do and where to put it."""

    tasks: tuple[Task, ...]
    repos: Path
    """The repositories at their pinned commits, by lower-case name."""
    rules: Rules = Rules()


def run(plan: Plan, engine: Engine) -> list[Checked]:
    """Do every row that has no result yet; the results in order. BenchError where they cannot be kept."""
    sent = msgspec.structs.replace(plan, tasks=())  # an item is sent with all of it
    todo = Work(carry_out=functools.partial(_row, plan=sent), lost=functools.partial(_lost, plan=sent), label=_label)
    return work.run_rows(plan, Line[Checked], todo, plan.tasks, engine)


def _label(task: Task) -> str:
    return str(task.key)


def _lost(task: Task, reason: str, plan: Plan) -> Checked:
    return Checked(row=_label(task), agent=plan.agent.label, infrastructure=reason)


def _row(task: Task, plan: Plan) -> Checked:
    root = repository_folder(task, plan.repos)
    if root is None:
        return _lost(task, f"no repository {task.repository} in {plan.repos}", plan)
    return solve_row(msgspec.structs.replace(plan, tasks=(task,)), root.resolve())


def solve_row(plan: Plan, root: Path) -> Checked:
    """Do the one row of a plan: the agent in its sandbox, then its run.sh in the same."""
    (task,), terms = plan.tasks, with_key(plan.terms)
    seen = visible(task, "agent")
    job = Assignment(seen=seen, root=root, told=lambda folder: task_text(seen, folder), writes=(SCRIPT,))

    def attempt(done: Checked, folder: Path) -> Checked:
        with at_work(plan.agent, job, terms, folder) as (run, sandbox):
            done = accounted(done, run)
            if done.infrastructure:
                return done
            used = functools.partial(uses, root=root, folder=task.folder)
            checked = check(sandbox, job.folder, terms.installs, plan.rules, used)
            return msgspec.structs.replace(done, checked=checked)

    first = Checked(row=_label(task), agent=plan.agent.label)
    return with_tries(first, terms, plan.out.absolute() / "records" / _label(task), attempt)


def check(sandbox: Sandbox, folder: str, installs: bool, rules: Rules, used: Callable[[str], bool]) -> ScriptVerdict:
    """Run the run.sh in a folder of the sandbox that the agent worked in. Raises SandboxLostError.

    Args:
        sandbox: Where the agent worked.
        folder: The task's, in the workspace.
        installs: Whether run.sh may install packages.
        rules: How long it may run.
        used: Whether a script starts something of the repository.
    """
    try:
        script = sandbox.get(f"{folder}/{SCRIPT}").decode("utf-8", "replace")
    except (FileNotFoundError, ValueError):  # ValueError: a path that leads out of the workspace
        return ScriptVerdict(exit_code=127, reason="no-script: run.sh was not written")
    # one run serves both rules: what a script did before the official time does not depend on how long it may go on
    variables = index_variables() if installs else {}
    response = sandbox.run(Command(text=f"bash {SCRIPT}", folder=folder, timeout=rules.seconds, environment=variables))
    output = Path(response.log).read_text("utf-8", "replace") if response.log else response.stdout + response.stderr
    return judge(response, output, used(script), rules, script)


def judge(response: Response, output: str, used: bool, rules: Rules, script: str = "") -> ScriptVerdict:
    """The judgement of a run.

    Args:
        response: How it ended.
        output: All that it said.
        used: Whether it starts something of the repository.
        rules: The times.
        script: Its text.
    """
    code = _exit_code(response, rules)
    reason = _reason(response, output) if used else "not-the-repository: run.sh starts nothing of it"
    return ScriptVerdict(
        script=script,
        output=output[-KEPT:],
        exit_code=code,
        seconds=response.seconds,
        official_success=code in (0, STILL_RUNNING) or "KeyboardInterrupt" in output,
        executed=not reason,
        reason=reason,
    )


def _exit_code(response: Response, rules: Rules) -> int:
    if response.seconds >= rules.official_seconds or response.ended == "timeout":
        return STILL_RUNNING
    if response.exit_code is not None:
        return response.exit_code
    return 128 + (response.signal or 9)


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
    """The figures of an agent; None for a share of no rows, and for a cost whose price or rows are missing."""
    counted = [row for row in rows if not row.infrastructure]
    usage = functools.reduce(Usage.plus, (row.usage for row in rows), Usage())
    official = sum(row.checked.official_success for row in counted)
    executed = sum(row.checked.executed for row in counted)
    return {
        "agent": rows[0].agent if rows else "",
        "rows": len(rows),
        "without_result": len(rows) - len(counted),
        "official": official,
        "executed": executed,
        **msgspec.to_builtins(usage),
        "official_rate": official / len(counted) if counted else None,
        "executed_rate": executed / len(counted) if counted else None,
        "usd_per_solved": usage.usd / official if usage.usd is not None and official else None,
    }
