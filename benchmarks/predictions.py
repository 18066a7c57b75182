"""What every form and every agent reports: what a run cost and how it ended, and predictions, which are what `bench score` judges."""

import json
from pathlib import Path
from typing import Literal

import msgspec

from ml_agent.benchmarks.data import MOST_BYTES, Key, whole
from ml_agent.benchmarks.errors import BenchError
from ml_agent.files import read_lines
from ml_agent.model.budget import Usage as Spent

Ended = Literal["finished", "failed", "budget", "timeout", "out-of-memory", "lost"]
"""How a run of an agent ended. finished: by itself; failed: with an error; budget: a limit refused a request; lost: the sandbox is gone."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer or a run cost."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Part of the prompt tokens."""
    calls: int = 0
    """Requests to the model."""
    seconds: float = 0.0
    usd: float | None = 0.0
    """None where the model's price is unknown."""

    @property
    def tokens(self) -> int:
        """Prompt and completion."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, other: "Usage") -> "Usage":
        """What both cost together."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            calls=self.calls + other.calls,
            seconds=round(self.seconds + other.seconds, 3),
            usd=None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


def spent(usage: Spent, seconds: float) -> Usage:
    """What a budget says was used; `seconds` of wall time."""
    names = ("prompt_tokens", "completion_tokens", "cached_tokens", "calls")
    counts = {name: getattr(usage, name) for name in names}
    return Usage(**counts, seconds=round(seconds, 3), usd=None if usage.cost is None else round(usage.cost, 6))


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to one row; they run from the row's folder."""

    github_id: int
    id: int
    output: tuple[str, ...]
    usage: Usage = Usage()
    error: str = ""
    """Why there is no answer, or not the whole of one."""
    subject: str = ""
    """Who answered: navigator or agent, model, setting."""

    @property
    def key(self) -> Key:
        """The row's name."""
        return Key(self.github_id, self.id)


def load_predictions(path: Path) -> list[Prediction]:
    """Read a JSONL file of predictions; a single text as output is one answer. BenchError names the line."""
    found: dict[Key, Prediction] = {}
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = whole(json.loads(line))
            if isinstance(row.get("output"), str):
                row["output"] = [row["output"]]
            prediction = msgspec.convert(row, Prediction)
        except (ValueError, RecursionError, msgspec.ValidationError, AttributeError) as error:
            raise BenchError(f"{path}:{number}: this line is not a prediction: {error}") from error
        if prediction.key in found:
            raise BenchError(f"{path}:{number}: an earlier line has the row {prediction.key}, too: remove one")
        found[prediction.key] = prediction
    if not found:
        raise BenchError(f"{path} contains no predictions")
    return list(found.values())


def _lines(path: Path) -> list[str]:
    try:
        return read_lines(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        said = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None) or error
        raise BenchError(f"{path}: {said}") from error


def dump_prediction(prediction: Prediction) -> str:
    """One line of a file of predictions."""
    return json.dumps(whole(msgspec.to_builtins(prediction)), ensure_ascii=False)
