"""Lines of predictions, and files of them."""

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import MOST_BYTES, Key, whole
from ml_agent.benchmarks.errors import PredictionFileError
from ml_agent.files import read_lines


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What the answers of one row cost."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    usd: float = 0.0


def total(usages: Iterable[Usage]) -> Usage:
    """What several answers cost together."""
    several = list(usages)
    return Usage(**{name: sum(getattr(one, name) for one in several) for name in Usage.__struct_fields__})


class Prediction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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
    """Read a JSONL file of predictions; a single text as output is one answer. PredictionFileError names the line."""
    found: dict[Key, Prediction] = {}
    for number, line in enumerate(prediction_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = whole(json.loads(line))
            if isinstance(row.get("output"), str):
                row["output"] = [row["output"]]
            prediction = msgspec.convert(row, Prediction)
        except (ValueError, RecursionError, msgspec.ValidationError, AttributeError) as error:
            raise PredictionFileError(f"{path}:{number}: {error}") from error
        if prediction.key in found:
            raise PredictionFileError(f"{path}:{number}: {prediction.key} again")
        found[prediction.key] = prediction
    if not found:
        raise PredictionFileError(f"{path}: no predictions")
    return list(found.values())


def prediction_lines(path: Path) -> list[str]:
    """The lines of such a file. PredictionFileError where it cannot be read."""
    try:
        return read_lines(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        said = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None) or error
        raise PredictionFileError(f"{path}: {said}") from error


def dump_prediction(prediction: Prediction) -> str:
    """One line of a file of predictions; usage is always there."""
    row = {"github_id": prediction.github_id, "id": prediction.id, "output": list(prediction.output)}
    row["usage"] = msgspec.to_builtins(prediction.usage)
    for name in ("error", "subject"):
        if getattr(prediction, name):
            row[name] = getattr(prediction, name)
    return json.dumps(whole(row), ensure_ascii=False)
