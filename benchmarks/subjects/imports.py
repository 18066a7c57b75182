"""Finished runs of other programs, read as predictions.

    preds.json     SWE-agent, mini-SWE-agent: {instance: {model_name_or_path, instance_id, model_patch}}
    *.traj         SWE-agent, named by the instance; *.traj.json: mini-SWE-agent
    output.jsonl   OpenHands: one object a line {instance_id, test_result, metrics, error}; also form A's own
    *.jsonl        our own predictions

An instance is named "github_id-id". What counts as the answer: the file run.sh or answer.py that a patch adds, or the script that a
test result holds. A submission that is no patch is the answer itself.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.data import Key
from ml_agent.benchmarks.errors import PredictionFileError
from ml_agent.benchmarks.predictions import Prediction, Usage, load_predictions, prediction_lines, total
from ml_agent.benchmarks.subjects.agents import read_mini_trajectory, read_swe_trajectory
from ml_agent.benchmarks.subjects.model import ANSWER_FILES
from ml_agent.benchmarks.subjects.records import files_below, from_json, read_json
from ml_agent.benchmarks.subjects.respondent import answer_of

_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, PredictionFileError)
MINI, SWE = ".traj.json", ".traj"
_NAME = re.compile(r"(?:^|[^0-9])(\d+)-(\d+)$")
_CHANGE = re.compile(r"^diff --git ", re.MULTILINE)


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What a file or folder of runs held."""

    predictions: tuple[Prediction, ...]
    problems: tuple[str, ...] = ()
    """Rows that cannot be used, each with the reason."""


def import_runs(path: Path) -> Imported:
    """Read a file, or all runs below a folder; several runs of one row become its answers in the order of their names.

    Answers that only preds.json has are added. Raises PredictionFileError where nothing there can be read.
    """
    found: dict[Key, Prediction] = {}
    problems: list[str] = []
    for source in _sources(path):
        listed = source.name == "preds.json" and source != path
        try:
            if source != path and source.is_symlink():
                raise ValueError("a link; only what lies in the folder itself is read")
            rows = list(_rows(source))
        except _UNREADABLE as error:
            problems.append(f"{source}: {error or type(error).__name__}")
            continue
        for number, row in enumerate(rows, start=1):
            try:
                prediction = _prediction(source, row)
            except _UNREADABLE as error:
                place = str(source) if len(rows) == 1 else f"{source} (row {number})"
                problems.append(f"{place}: {error or type(error).__name__}")
                continue
            before = found.get(prediction.key)
            if before is None or (listed and not any(before.output)):
                found[prediction.key] = prediction
            elif not listed:
                found[prediction.key] = _join(before, prediction)
    if not found:
        raise PredictionFileError(problems[0] if problems else f"{path}: no runs in it")
    return Imported(predictions=tuple(found.values()), problems=tuple(problems))


def key_of(name: str) -> Key:
    """The row that an instance's name ends with; ValueError for another name."""
    match = _NAME.search(name)
    if match is None:
        raise ValueError(f"instance {name!r} is not named github_id-id")
    return Key(int(match[1]), int(match[2]))


def answer_in(submission: str) -> str:
    """The answer in what an agent handed in: a file that its patch adds or changes, else the text itself."""
    if not submission.lstrip().startswith("diff --git "):
        return submission.strip()
    files = {}
    for change in _CHANGE.split(submission)[1:]:
        head, _, body = change.partition("\n")
        name = head.rpartition(" b/")[2].rpartition("/")[2]
        if name in ANSWER_FILES:
            lines = (line[1:] for line in body.splitlines() if re.match(r"[+ ](?!\+\+ )", line))
            files[name] = "\n".join(lines)
    return answer_of(files)


def _sources(path: Path) -> list[Path]:
    """The files that hold runs, those of answers alone last."""
    if not path.is_dir():
        if not path.exists():
            raise PredictionFileError(f"{path}: no such file or folder")
        return [path]
    endings = (MINI, SWE, "output.jsonl", "preds.json")
    named = [file for file in files_below(path) if file.name.endswith(endings)]
    return sorted(named, key=lambda file: (file.name == "preds.json", file.suffix == ".jsonl", file))


def _rows(source: Path) -> Iterator[Any]:
    """What stands for each row of a file: a trajectory's path, an entry, a line or a prediction."""
    if source.name.endswith((MINI, SWE)):
        yield source
    elif source.suffix == ".json":
        entries = read_json(source)
        if not isinstance(entries, dict):
            raise ValueError(f"{type(entries).__name__} where an object of instances is expected")
        yield from entries.items()
    else:
        lines = [line for line in prediction_lines(source) if line.strip()]
        ours = bool(lines) and "output" in from_json(lines[0])
        yield from load_predictions(source) if ours else lines


def _prediction(source: Path, row: Any) -> Prediction:
    if isinstance(row, Prediction):
        return row
    if isinstance(row, str):
        return _openhands(from_json(row))
    if isinstance(row, Path):
        mini = source.name.endswith(MINI)
        name = source.name.removesuffix(MINI if mini else SWE)
        reported = (read_mini_trajectory if mini else read_swe_trajectory)(source.parent, source.name)
        names = ("prompt_tokens", "completion_tokens", "calls", "usd")
        usage = Usage(**{one: value for one in names if (value := getattr(reported, one)) is not None})
        text, subject = answer_in(reported.answer), "mini-swe-agent" if mini else "swe-agent"
        key = key_of(name if _NAME.search(name) else source.parent.name)
        return _made(key, text, usage, subject, "" if text else reported.status)
    name, entry = row
    if not isinstance(entry, dict):
        raise ValueError(f"{name}: {type(entry).__name__} where an object is expected")
    text = answer_in(str(entry.get("model_patch") or ""))
    return _made(
        key_of(str(entry.get("instance_id") or name)), text, Usage(), str(entry.get("model_name_or_path") or "")
    )


def _openhands(row: Mapping[str, Any]) -> Prediction:
    """OpenHands names a row by its `id` alone; its `instance` says of which repository."""
    result, metrics, instance = (row.get(name) or {} for name in ("test_result", "metrics", "instance"))
    tokens = metrics.get("accumulated_token_usage") or {}
    usage = Usage(
        calls=len(metrics.get("token_usages") or metrics.get("costs") or []),
        prompt_tokens=tokens.get("prompt_tokens") or 0,
        completion_tokens=tokens.get("completion_tokens") or 0,
        usd=metrics.get("accumulated_cost") or 0.0,
        seconds=float(metrics.get("seconds") or 0.0),
    )
    key = key_of(str(row["instance_id"])) if "github_id" not in instance else None
    if key is None:
        number = instance.get("id", instance.get("instance_id", row["instance_id"]))
        key = Key(int(instance["github_id"]), int(number))
    script = str(result.get("eval_script_content") or "")
    text = answer_of({"run.sh": script}) if script else answer_in(str(result.get("git_patch") or ""))
    agent = str((row.get("metadata") or {}).get("agent_class") or "openhands")
    return _made(key, text, usage, agent, str(row.get("error") or ""))


def _made(key: Key, text: str, usage: Usage, subject: str, error: str = "") -> Prediction:
    problem = error or ("" if text else "no answer in it")
    return Prediction(github_id=key.github_id, id=key.id, output=(text,), usage=usage, subject=subject, error=problem)


def _join(first: Prediction, second: Prediction) -> Prediction:
    error = "; ".join(dict.fromkeys(text for text in (first.error, second.error) if text))
    usage = total([first.usage, second.usage])
    return msgspec.structs.replace(first, output=(*first.output, *second.output), usage=usage, error=error)
