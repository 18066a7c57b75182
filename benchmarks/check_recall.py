"""Does the check find what is wrong before anything runs, and does it keep quiet where nothing is?

    python -m benchmarks.check_recall --tasks FILE --repos DIR [--answers FILE]...

Recall: of the answers that the strict scorer fails for a static reason, the share in which the check finds an error. A reason is
static where the repository and the answer say it without running anything: a file, option, choice, import, name, attribute or
call that is not there, and text that does not parse. What a program decides by its own tests of values, or by data, while it
runs (`rejected-by-hand`, `unknown-key`) is not. False alarms: errors in references that the strict scorer, which runs the
repository's own parser under stubs, does not confirm.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.data import Key, Task, load_tasks
from ml_agent.benchmarks.mutations import index_in_memory
from ml_agent.benchmarks.predictions import load_predictions
from ml_agent.benchmarks.scoring import case_of
from ml_agent.benchmarks.strict.score import score
from ml_agent.benchmarks.strict.text import kind_of, unfence
from ml_agent.tools.check.command import check_command
from ml_agent.tools.check.python import check_python

AT_RUN_TIME = frozenset(["rejected-by-hand", "unknown-key", "failed", "timeout"])
"""Reasons of the strict scorer that need the program to run."""
BAR = 0.95


class JudgedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer as the scorer and as the check see it."""

    key: str
    failure: str
    """Of the strict scorer, "code: message"; empty where the answer executes."""
    errors: tuple[str, ...]
    """Of the check."""

    @property
    def static(self) -> bool:
        """Whether it fails for a static reason."""
        return bool(self.failure) and self.code not in AT_RUN_TIME

    @property
    def code(self) -> str:
        """The scorer's reason."""
        return self.failure.partition(":")[0]


def judge(task: Task, answer: str, repos: Path) -> JudgedAnswer:
    """Both verdicts on one answer, against the repository of its row."""
    case = case_of(task, repos)
    text = unfence(answer)
    check = check_command if kind_of(text) == "bash" else check_python
    found = check(text, index_in_memory(case.root), os.path.normpath(case.path))
    errors = tuple(finding.message for finding in found if finding.severity == "error")
    return JudgedAnswer(key=str(task.key), failure=score(answer, case).failure, errors=errors)


def show(title: str, judged: Sequence[JudgedAnswer]) -> bool:
    """Print recall by reason and what was missed; True where the bar is met."""
    wrong = [one for one in judged if one.static]
    totals, found = Counter(one.code for one in wrong), Counter(one.code for one in wrong if one.errors)
    table = Table("reason", "answers", "flagged", box=None, title=title)
    for code, number in sorted(totals.items()):
        table.add_row(code, str(number), str(found[code]))
    share = found.total() / max(1, totals.total())
    table.add_row("all", str(totals.total()), f"{found.total()} = {100 * share:.1f} %")
    Console().print(table)
    for one in wrong:
        if not one.errors:
            Console().print(f"missed {one.key} {one.failure}", highlight=False, markup=False, soft_wrap=True)
    return share >= BAR


def _answers(paths: Sequence[Path], tasks: dict[Key, Task]) -> Iterator[tuple[Task, str]]:
    for path in paths:
        for prediction in load_predictions(path):
            if prediction.key in tasks:
                yield from ((tasks[prediction.key], text) for text in prediction.output)


def main(
    tasks: Annotated[str, typer.Option("--tasks")],
    repos: Annotated[Path, typer.Option("--repos")],
    answers: Annotated[list[Path] | None, typer.Option("--answers", help="recorded answers; may be repeated")] = None,
) -> None:
    """Print recall and false alarms; the exit code says whether the bar is met and no reference is blamed wrongly."""
    known = {task.key: task for task in load_tasks(tasks).tasks}
    references = [judge(task, task.output, repos) for task in known.values()]
    false = [one for one in references if one.errors and not one.failure]
    blamed = [one for one in references if one.errors]
    Console().print(f"references: {len(references)}, with errors {len(blamed)}, false alarms {len(false)}")
    for one in false:
        Console().print(f"false alarm {one.key}: {one.errors[0]}", highlight=False, markup=False, soft_wrap=True)
    met = show("recorded answers", [judge(task, text, repos) for task, text in _answers(answers or [], known)])
    raise typer.Exit(0 if not false and (met or not answers) else 1)


if __name__ == "__main__":
    typer.run(main)
