"""Repositories that are laid for rows."""

from pathlib import Path

from ml_agent.benchmarks.data import load_tasks
from ml_agent.benchmarks.repositories import lay_repositories


def test_a_sample_that_cannot_be_laid_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    tasks = load_tasks("delivery").tasks
    first, *others = dict.fromkeys(task.repository for task in tasks)
    (tmp_path / first).write_text("in the way")
    laid = {one.name: one.problem for one in lay_repositories(tasks, tmp_path, {})}
    assert laid.pop(first) and list(laid) == others and not any(laid.values())
