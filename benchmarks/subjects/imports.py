"""Finished runs of other programs, read as predictions.

    preds.json     SWE-agent, mini-SWE-agent: {instance: {model_name_or_path, instance_id, model_patch}}
    *.traj         SWE-agent: {trajectory, info{submission, model_stats}}, named by the instance
    *.traj.json    mini-SWE-agent: {messages, info{submission, model_stats}}, named by the instance
    output.jsonl   OpenHands: one object a line {instance_id, test_result, metrics, history, error}; also form A's own
    *.jsonl        our own predictions: {github_id, id, output, usage}

An instance is named "github_id-id". What counts as the answer: the file run.sh or answer.py that a patch adds, or the script that a
test result holds. A submission that is no patch is the answer itself.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.data import Key
from ml_agent.benchmarks.errors import PredictionFileError
from ml_agent.benchmarks.predictions import Prediction, Usage, load_predictions, prediction_lines, total
from ml_agent.benchmarks.subjects.mini_swe_agent import read_trajectory as read_mini
from ml_agent.benchmarks.subjects.model import ANSWER_FILES, Reported
from ml_agent.benchmarks.subjects.predict import answer_of
from ml_agent.benchmarks.subjects.records import files_below, from_json, read_json
from ml_agent.benchmarks.subjects.swe_agent import read_trajectory as read_swe

Row = Callable[[], Prediction]
"""Reads one row; what it raises is that row's problem."""
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError)
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

    Raises PredictionFileError where nothing there can be read.
    """
    problems: list[str] = []
    runs, lists = _sources(path)
    found = _read_all(path, runs, problems)
    for key, listed in _read_all(path, lists, problems).items():
        if key not in found or not any(found[key].output):
            found[key] = listed
    if not found:
        raise PredictionFileError(problems[0] if problems else f"{path}: no runs in it")
    return Imported(predictions=tuple(found.values()), problems=tuple(problems))


def _read_all(path: Path, sources: Iterable[Path], problems: list[str]) -> dict[Key, Prediction]:
    """The rows that files hold, with the answers of all of them; adds what cannot be used."""
    found: dict[Key, Prediction] = {}
    for place, row in _rows(path, sources):
        try:
            prediction = row()
            before = found.get(prediction.key)
            found[prediction.key] = _join(before, prediction) if before else prediction
        except (*_UNREADABLE, PredictionFileError) as error:
            problems.append(f"{place}: {error or type(error).__name__}")
    return found


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
        lines = [line[1:] for line in body.splitlines() if re.match(r"[+ ](?!\+\+ )", line)]
        if name in ANSWER_FILES:
            files[name] = "\n".join(lines)
    return answer_of(files)


def _rows(path: Path, sources: Iterable[Path]) -> Iterator[tuple[str, Row]]:
    """Every row that some file holds, with its place; a file that cannot be read is one row that cannot be."""
    for source in sources:
        try:
            if source != path and source.is_symlink():
                raise ValueError("a link; only what lies in the folder itself is read")
            rows = list(_reader(source)(source))
        except (*_UNREADABLE, PredictionFileError) as error:
            yield str(source), functools.partial(_fail, error)
            continue
        for number, row in enumerate(rows, start=1):
            yield (str(source) if len(rows) == 1 else f"{source} (row {number})"), row


def _fail(error: Exception) -> Prediction:
    raise error


def _sources(path: Path) -> tuple[list[Path], list[Path]]:
    """The files that hold runs, and those of answers alone: runs say more, and count where both have an answer."""
    if not path.is_dir():
        if not path.exists():
            raise PredictionFileError(f"{path}: no such file or folder")
        return [path], []
    named: dict[str, list[Path]] = {name: [] for name in (MINI, SWE, "output.jsonl", "preds.json")}
    for file in files_below(path):
        ending = next((one for one in (MINI, SWE) if file.name.endswith(one)), file.name)
        if ending in named:
            named[ending].append(file)
    trajectories = sorted([*named[MINI], *named[SWE]])
    return [*trajectories, *sorted(named["output.jsonl"])], sorted(named["preds.json"])


def _reader(path: Path) -> Callable[[Path], Iterator[Row]]:
    if path.name.endswith(MINI) or path.suffix == SWE:
        return lambda file: iter([functools.partial(_run, file)])
    return _preds if path.suffix == ".json" else _lines


def _run(path: Path) -> Prediction:
    """A trajectory, known by its own name, else by its folder's."""
    mini = path.name.endswith(MINI)
    name = path.name.removesuffix(MINI if mini else SWE)
    key = key_of(name if _NAME.search(name) else path.parent.name)
    reported = (read_mini if mini else read_swe)(path.parent, path.name)
    text = answer_in(reported.answer)
    subject = "mini-swe-agent" if mini else "swe-agent"
    return _prediction(key, text, _usage(reported), subject, "" if text else reported.status)


def _preds(path: Path) -> Iterator[Row]:
    whole = read_json(path)
    if not isinstance(whole, dict):
        raise ValueError(f"{type(whole).__name__} where an object of instances is expected")
    for name, row in whole.items():
        yield functools.partial(_pred, name, row)


def _pred(name: str, row: Any) -> Prediction:
    if not isinstance(row, dict):
        raise ValueError(f"{name}: {type(row).__name__} where an object is expected")
    key = key_of(str(row.get("instance_id") or name))
    return _prediction(
        key, answer_in(str(row.get("model_patch") or "")), Usage(), str(row.get("model_name_or_path") or "")
    )


def _lines(path: Path) -> Iterator[Row]:
    """OpenHands' output, or our own predictions."""
    lines = [line for line in prediction_lines(path) if line.strip()]
    if lines and "output" in from_json(lines[0]):
        for prediction in load_predictions(path):
            yield functools.partial(_same, prediction)
    else:
        for line in lines:
            yield functools.partial(_openhands, line)


def _same(prediction: Prediction) -> Prediction:
    return prediction


def _openhands(line: str) -> Prediction:
    row: Mapping[str, Any] = from_json(line)
    result, metrics = row.get("test_result") or {}, row.get("metrics") or {}
    script = str(result.get("eval_script_content") or "")
    patch = str(result.get("git_patch") or "")
    reported = Reported(
        calls=len(metrics.get("token_usages") or metrics.get("costs") or []),
        prompt_tokens=(metrics.get("accumulated_token_usage") or {}).get("prompt_tokens"),
        completion_tokens=(metrics.get("accumulated_token_usage") or {}).get("completion_tokens"),
        usd=metrics.get("accumulated_cost"),
    )
    agent = (row.get("metadata") or {}).get("agent_class") or "openhands"
    text = answer_of({"run.sh": script}) if script else answer_in(patch)
    usage = msgspec.structs.replace(_usage(reported), seconds=float((metrics.get("seconds")) or 0.0))
    return _prediction(_row_key(row), text, usage, str(agent), str(row.get("error") or ""))


def _row_key(row: Mapping[str, Any]) -> Key:
    """OpenHands names a row by its `id` alone; its `instance` says of which repository."""
    instance = row.get("instance") or {}
    if "github_id" in instance:
        return Key(int(instance["github_id"]), int(instance.get("id", instance.get("instance_id", row["instance_id"]))))
    return key_of(str(row["instance_id"]))


def _prediction(key: Key, text: str, usage: Usage, subject: str, error: str = "") -> Prediction:
    problem = error or ("" if text else "no answer in it")
    return Prediction(github_id=key.github_id, id=key.id, output=(text,), usage=usage, subject=subject, error=problem)


def _usage(reported: Reported) -> Usage:
    return Usage(
        prompt_tokens=reported.prompt_tokens or 0,
        completion_tokens=reported.completion_tokens or 0,
        calls=reported.calls or 0,
        usd=reported.usd or 0.0,
    )


def _join(first: Prediction, second: Prediction) -> Prediction:
    usage = total([first.usage, second.usage])
    error = "; ".join(dict.fromkeys(text for text in (first.error, second.error) if text))
    return msgspec.structs.replace(first, output=(*first.output, *second.output), usage=usage, error=error)
