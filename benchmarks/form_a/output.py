"""Outcomes as rows of OpenHands' output.jsonl, and their sum.

A row has the fields of OpenHands' EvalOutput at 156d068, and those that its summarise_results.py still reads (`repo`, `eval_script`,
`metrics.success`). `instance_id` is "github_id-id", since an id alone names no row. What is ours stands under `ml_agent`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.data import Task
from benchmarks.errors import PredictionFileError
from benchmarks.form_a.row import Outcome, Settings
from benchmarks.predictions import prediction_lines

OURS = "ml_agent"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A table's line."""

    solver: str
    rows: int
    infrastructure: int
    """Rows that count for nobody."""
    official: int
    """Rows solved by the published rule."""
    strict: int
    delivered: int | None
    """Form D: rows whose judge finds what was asked for; None in form A."""
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    """Of the agents, summed up."""
    usd: float | None
    """None where the price of something is unknown."""

    @property
    def counted(self) -> int:
        """Rows that count."""
        return self.rows - self.infrastructure

    @property
    def official_rate(self) -> float | None:
        """Share of the rows that count; None without any."""
        return self.official / self.counted if self.counted else None

    @property
    def strict_rate(self) -> float | None:
        """Likewise, strictly."""
        return self.strict / self.counted if self.counted else None

    @property
    def delivered_rate(self) -> float | None:
        """Likewise, by the rows' judges; None in form A."""
        return None if self.delivered is None or not self.counted else self.delivered / self.counted

    def usd_per_solved(self, strict: bool = False) -> float | None:
        """The whole cost by the rows solved, as the paper counts it; None where the price or the rows are missing."""
        solved = self.strict if strict else self.official
        return None if self.usd is None or not solved else self.usd / solved


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
            "details": {"prompt_version": settings.prompt_version, "calling": settings.calling},
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
        OURS: msgspec.to_builtins(outcome),
    }


def load_outcomes(path: Path) -> list[Outcome]:
    """The outcomes of an output.jsonl of ours; PredictionFileError names the line that is none."""
    found = []
    for number, line in enumerate(prediction_lines(path), start=1):
        try:
            found.append(msgspec.convert(json.loads(line)[OURS], Outcome))
        except (ValueError, KeyError, TypeError, msgspec.ValidationError) as error:
            raise PredictionFileError(f"{path}:{number}: not a row of form A: {error}") from error
    return found


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
        strict=sum(row.counts and row.checked.strict_success for row in rows),
        delivered=_count_delivered(rows),
        calls=sum(row.spent.calls for row in rows),
        prompt_tokens=sum(row.spent.prompt_tokens for row in rows),
        completion_tokens=sum(row.spent.completion_tokens for row in rows),
        seconds=round(sum(row.spent.seconds for row in rows), 1),
        usd=sum(known) if len(known) == len(costs) else None,
    )


def _count_delivered(rows: Sequence[Outcome]) -> int | None:
    if all(row.delivered is None for row in rows):
        return None
    return sum(row.counts and row.delivered is not None and row.delivered.there for row in rows)


def summary_table(summary: Summary) -> Mapping[str, Any]:
    """The figures as they are printed and compared."""
    figures = msgspec.to_builtins(summary)
    return {
        **figures,
        "official_rate": summary.official_rate,
        "strict_rate": summary.strict_rate,
        "delivered_rate": summary.delivered_rate,
        "usd_per_solved": summary.usd_per_solved(),
        "usd_per_strictly_solved": summary.usd_per_solved(strict=True),
    }
