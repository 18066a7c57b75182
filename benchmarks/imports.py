"""Finished runs of other agents as predictions: their own files, read for the answer and its cost."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.data import Key
from benchmarks.errors import PredictionFileError
from benchmarks.predictions import Prediction, Usage, load_predictions

Row = Mapping[str, Any]


def import_run(path: Path) -> list[Prediction]:
    """Predictions from preds.json, *.traj, *.traj.json, output.jsonl, our own files, or a folder of trajectories.

    Rows are known by "github_id-id": as the key of preds.json, as the name of a trajectory's file or folder, or as the fields
    of an instance. PredictionFileError where nothing in it is a row.
    """
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.name.endswith((".traj", ".traj.json")))
        found = [p for file in files for p in _trajectory(file)]
    else:
        found = list(_reader(path)(path))
    if not found:
        raise PredictionFileError(f"{path}: no row in it (rows are known by github_id-id)")
    return found


def _reader(path: Path) -> Callable[[Path], Iterator[Prediction]]:
    if path.name.endswith((".traj", ".traj.json")):
        return _trajectory
    if path.suffix == ".json":
        return _preds
    return _lines


def _preds(path: Path) -> Iterator[Prediction]:
    """mini-SWE-agent and SWE-agent: `{instance: {"model_patch", "model_name_or_path"}}`."""
    for name, row in _read(path).items():
        key = _key(name)
        if key is not None and isinstance(row, dict):
            yield _prediction(
                key, row.get("model_patch") or row.get("submission") or "", Usage(), row.get("model_name_or_path", "")
            )


def _trajectory(path: Path) -> Iterator[Prediction]:
    """mini-SWE-agent (.traj.json) and SWE-agent (.traj): the submission and the model's statistics."""
    key = _key(path.name.split(".")[0]) or _key(path.parent.name)
    if key is None:
        return
    info = _read(path).get("info") or {}
    stats = info.get("model_stats") or {}
    usage = Usage(
        prompt_tokens=int(stats.get("tokens_sent") or 0),
        completion_tokens=int(stats.get("tokens_received") or 0),
        calls=int(stats.get("api_calls") or 0),
        usd=float(stats.get("instance_cost") or 0.0),
    )
    yield _prediction(key, info.get("submission") or "", usage, "", str(info.get("exit_status") or ""))


def _lines(path: Path) -> Iterator[Prediction]:
    """OpenHands' output.jsonl, else our own lines."""
    first = next((line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()), "")
    if '"test_result"' not in first:
        yield from load_predictions(path)
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line) if line.strip() else {}
        instance = row.get("instance") or {}
        key = _key(
            f"{instance.get('github_id')}-{instance.get('id', instance.get('instance_id', row.get('instance_id')))}"
        )
        if key is not None:
            yield _open_hands(key, row)


def _open_hands(key: Key, row: Row) -> Prediction:
    metrics = row.get("metrics") or {}
    tokens = metrics.get("accumulated_token_usage") or {}
    usage = Usage(
        prompt_tokens=int(tokens.get("prompt_tokens") or 0),
        completion_tokens=int(tokens.get("completion_tokens") or 0),
        calls=len(metrics.get("costs") or ()),
        usd=float(metrics.get("accumulated_cost") or 0.0),
    )
    script = (row.get("test_result") or {}).get("eval_script_content") or ""
    return _prediction(
        key, script, usage, (row.get("metadata") or {}).get("agent_class", ""), str(row.get("error") or "")
    )


def _prediction(key: Key, answer: str, usage: Usage, subject: str, error: str = "") -> Prediction:
    output = (answer,) if answer.strip() else ()
    return Prediction(
        github_id=key.github_id,
        id=key.id,
        output=output,
        usage=usage,
        subject=subject or "",
        error="" if output else error or "no answer",
    )


def _key(name: str) -> Key | None:
    first, dash, second = str(name).partition("-")
    return Key(int(first), int(second)) if dash and first.isdigit() and second.isdigit() else None


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PredictionFileError(f"{path}: {error}") from error
    if not isinstance(data, dict):
        raise PredictionFileError(f"{path}: a JSON object is expected")
    return data
