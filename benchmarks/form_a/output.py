"""Outcomes as rows of OpenHands' output.jsonl, and their sum.

A row has the fields of OpenHands' EvalOutput at 156d068, and those that its summarise_results.py still reads (`repo`, `eval_script`,
`metrics.success`). `instance_id` is "github_id-id", since an id alone names no row. What is ours stands under `ml_agent`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ml_agent.benchmarks.data import Task
from ml_agent.benchmarks.form_a.row import Outcome, Settings


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A table's line."""

    solver: str
    rows: int
    infrastructure: int
    """Rows that count for nobody."""
    official: int
    """Rows solved by the published rule."""
    executed: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    """Of the agents, summed up."""
    usd: float | None
    """None where the price of something is unknown."""


def as_row(outcome: Outcome, task: Task, settings: Settings) -> dict[str, Any]:
    """The row of output.jsonl."""
    checked, spent = outcome.checked, outcome.spent
    instance = {"instance_id": task.id, "github_id": task.github_id, "github": task.github, "path": task.path}
    usage = {"prompt_tokens": spent.prompt_tokens, "completion_tokens": spent.completion_tokens}
    return {
        "instance_id": str(task.key),
        "instance": {**instance, "instruction": task.instruction, "prefix_code": task.prefix_code},
        "instruction": outcome.told,
        "metadata": {
            "agent_class": outcome.solver,
            "llm_config": {"model": settings.endpoint.model, "temperature": settings.endpoint.temperature},
            "max_iterations": settings.limits.calls,
        },
        "history": [],
        "metrics": {
            "accumulated_cost": spent.usd or 0.0,
            "accumulated_token_usage": usage,
            "token_usages": [{}] * spent.calls,
            "seconds": spent.seconds,
            "success": int(checked.official_success),
        },
        "error": outcome.infrastructure or outcome.error or None,
        "test_result": {
            "eval_script_content": checked.script,
            "eval_output": checked.output,
            "success": int(checked.official_success),
            "eval_exit_code": checked.exit_code,
        },
        "repo": task.github,
        "eval_script": checked.script,
        "eval_output": checked.output,
        "eval_exit_code": checked.exit_code,
        "ml_agent": msgspec.to_builtins(outcome),
    }


def summarise(solver: str, outcomes: Iterable[Outcome]) -> Summary:
    """The line of a table."""
    rows = list(outcomes)
    costs = [row.spent.usd for row in rows]
    known = [cost for cost in costs if cost is not None]
    return Summary(
        solver=solver,
        rows=len(rows),
        infrastructure=sum(not row.counts for row in rows),
        official=sum(row.counts and row.checked.official_success for row in rows),
        executed=sum(row.counts and row.checked.executed for row in rows),
        calls=sum(row.spent.calls for row in rows),
        prompt_tokens=sum(row.spent.prompt_tokens for row in rows),
        completion_tokens=sum(row.spent.completion_tokens for row in rows),
        seconds=round(sum(row.spent.seconds for row in rows), 1),
        usd=sum(known) if len(known) == len(costs) else None,
    )


def summary_table(summary: Summary) -> Mapping[str, Any]:
    """The figures as they are printed and compared; None for a share of no rows, and for a cost whose price or rows are missing."""
    counted, usd = summary.rows - summary.infrastructure, summary.usd

    def share(solved: int) -> float | None:
        return solved / counted if counted else None

    def cost(solved: int) -> float | None:
        """The whole cost by the rows solved, as the paper counts it."""
        return None if usd is None or not solved else usd / solved

    return {
        **msgspec.to_builtins(summary),
        "official_rate": share(summary.official),
        "executed_rate": share(summary.executed),
        "usd_per_solved": cost(summary.official),
    }
