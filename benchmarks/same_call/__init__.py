"""The scorer `same call`: does an answer make the call that the reference makes, in whatever words?

`same_call(row, text, root)` looks at both (`benchmarks.observation`) and compares what was seen: `programs` compares what shells
start, by what their parsers made of the words (`options`, `values`), `code` the calls of Python answers.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.data import Task, task_of
from ml_agent.benchmarks.observation import Observation, is_cut, kind_of, observe, unfence
from ml_agent.benchmarks.same_call.code import compare_calls
from ml_agent.benchmarks.same_call.programs import compare_programs
from ml_agent.benchmarks.same_call.values import ReasonClass, Verdict, failed

__all__ = ["ReasonClass", "Verdict", "reference_trouble", "same_call"]


def same_call(row: Task | Mapping[str, Any], text: str, root: Path) -> Verdict:
    """Judge one answer by the call that it makes. BenchError where answers cannot be run here.

    Args:
        row: a task, or a row as it stands in a file of rows (`ValueError` where a field is off).
        text: the answer, with or without a code fence.
        root: the folder of the row's repository; nothing in it is changed.
    """
    task = row if isinstance(row, Task) else task_of(row)
    plain = unfence(text)
    if not plain.strip():
        return failed("no answer", "there is no answer")
    if kind_of(plain) != task.kind:
        return failed("not the kind", f"{kind_of(plain)} where {task.kind} is wanted")
    reference = observe(task.output, root, task.folder, task.prefix_code)
    candidate = observe(plain, root, task.folder, task.prefix_code)
    if is_cut(candidate) and not is_cut(reference):
        return failed("refused", "it was stopped before it did anything: score it again on a less busy machine")
    if trouble := _trouble(task, reference):
        return failed("no reference", trouble)
    if reference.programs or candidate.programs:
        verdict = compare_programs(reference, candidate, root.resolve())
        if not verdict.passed:
            return verdict
    if task.kind == "python":
        return compare_calls(reference, candidate, task.instruction, task.output)
    if reference.calls or any(call.own for call in candidate.calls):
        return compare_calls(reference, candidate, task.instruction)
    return Verdict(passed=True)


def reference_trouble(task: Task, root: Path) -> str:
    """Why no answer to a row can be judged by what its reference does; "" where it can."""
    return _trouble(task, observe(task.output, root, task.folder, task.prefix_code))


def _trouble(task: Task, reference: Observation) -> str:
    if task.kind == "bash":
        return "" if reference.programs or reference.calls else "the reference starts nothing"
    if is_cut(reference):
        return "the reference was stopped before anything was seen of it"
    fails_early = reference.failure and not any(call.own for call in reference.calls)
    return f"the reference fails before it calls the repository: {reference.message}" if fails_early else ""
