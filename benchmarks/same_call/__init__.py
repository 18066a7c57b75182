"""The scorer `same call`: does an answer make the call that the reference makes, in whatever words?

`same_call(row, text, root)` looks at both (`benchmarks.observation`) and compares what was seen: `programs` compares what shells
start, by what their parsers made of the words (`options`, `values`), `code` the calls of Python answers.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.data import Task, task_of
from ml_agent.benchmarks.observation import Observation, is_cut, kind_of, observe, unfence
from ml_agent.benchmarks.same_call.code import cannot_tell, compare_calls, plain_code
from ml_agent.benchmarks.same_call.programs import compare_programs
from ml_agent.benchmarks.same_call.values import ReasonClass, Verdict, failed

__all__ = ["ReasonClass", "Verdict", "same_call"]


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
        return failed("refused", "it was stopped before anything was seen of it: score it again where less else runs")
    if task.kind == "bash" and not reference.programs and not reference.calls:
        return failed("no reference", "the reference starts nothing")
    if reference.programs or candidate.programs:
        verdict = compare_programs(reference, candidate, root.resolve())
        if not verdict.passed:
            return verdict
    if task.kind == "python":
        return _code(task, plain, reference, candidate)
    if reference.calls or any(call.own for call in candidate.calls):
        return compare_calls(reference, candidate, task.instruction)
    return Verdict(passed=True)


def _code(task: Task, text: str, reference: Observation, candidate: Observation) -> Verdict:
    if is_cut(reference):
        return _by_text(task, text)  # nothing was seen of it, so no call of the answer can be one too many
    verdict = compare_calls(reference, candidate, task.instruction, task.output)
    return _by_text(task, text) if verdict.passed and cannot_tell(reference) else verdict


def _by_text(task: Task, text: str) -> Verdict:
    """The row's own strings, where the calls say too little."""
    said = _bare(plain_code(text))
    for name, value in task.arguments.items():
        if not any(_bare(str(v)) in said for v in (value, *task.accept.get(name, ()))):
            return failed("missing", f"{name}: {value}")
    for value in task.forbid:
        if _bare(value) in said:
            return failed("unasked", value)
    return Verdict(passed=True)


def _bare(text: str) -> str:
    """Text as it is compared: without blanks, with one kind of quotes, in lower case."""
    return re.sub(r"\s+", "", text).replace('"', "'").lower()
