"""Score predictions by row: official, strict, corrected or same-call."""

import errno
import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from ml_agent.benchmarks import official
from ml_agent.benchmarks.data import Task, missing_place, repository_folder
from ml_agent.benchmarks.error_classes import CANNOT_BE_JUDGED, classify
from ml_agent.benchmarks.metrics import KS, official_pass, rate, unbiased_pass
from ml_agent.benchmarks.predictions import Prediction
from ml_agent.benchmarks.same_call import Verdict as SameCall
from ml_agent.benchmarks.same_call import same_call
from ml_agent.benchmarks.scored import ScoredRow
from ml_agent.benchmarks.strict.score import Case, Verdict, score
from ml_agent.tools import plugins
from ml_agent.tools.errors import PluginError

Mode = Literal["official", "strict", "corrected", "same-call"]
GATES = "official gates (rules 1-2)"
NO_PREDICTION = "no prediction"
OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO)
"""Errors that say nothing about the answer."""


class Row(ScoredRow, frozen=True, kw_only=True):
    """The verdicts on the outputs of one row, also those that are only summed up."""

    arguments: tuple[bool, ...] = ()
    type: tuple[bool, ...] = ()
    executes: tuple[bool | None, ...] = ()
    hits: tuple[float, ...] = ()
    """Share of the values present, by output."""


class Verdicts(msgspec.Struct, frozen=True, kw_only=True):
    """What a row holds for each of its outputs, by the names of `Row`."""

    passed: tuple[bool, ...]
    reason: tuple[str, ...]
    error_class: tuple[str, ...] = ()
    arguments: tuple[bool, ...] = ()
    type: tuple[bool, ...] = ()
    executes: tuple[bool | None, ...] = ()
    hits: tuple[float, ...] = ()
    gates: tuple[bool, ...] = ()


RowJudge = Callable[[Task, Prediction, Path], Verdicts]


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row that does not count, and why."""

    key: str
    reason: str
    by_rule: bool = False
    """Whether the mode leaves it out, or it is none of the tasks; every other such row was to be judged and could not."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """All verdicts, and what follows from them."""

    mode: str
    rows: tuple[Row, ...]
    """Rows that count."""
    subject: str = ""
    apart: tuple[Row, ...] = ()
    """Official mode: rows that the official script drops, because they have other than five outputs."""
    left_out: tuple[LeftOut, ...] = ()
    """Corrected mode: rows whose reference does not pass strict; every mode: rows that cannot be judged."""

    def summary(self) -> dict[str, object]:
        """The documented JSON object."""
        both = self.rows + self.apart
        data: dict[str, object] = {
            "mode": self.mode,
            "subject": self.subject,
            "n": len(self.rows),
            **figures(self.rows),
        }
        if self.apart:
            data["dropped_by_the_official_script"] = {"n": len(self.apart), **figures(self.apart)}
        data["left_out"] = msgspec.to_builtins(self.left_out)
        data["rows"] = [_as_scored(r) for r in both]
        return data


def figures(rows: Sequence[Row]) -> dict[str, float | None]:
    """Pass@k and the shares of each rule; None where nothing was measured."""
    passes = [r.passed for r in rows]
    data: dict[str, float | None] = {f"pass@{k}": official_pass(passes, k) for k in KS}
    data |= {f"unbiased_pass@{k}": unbiased_pass(passes, k) for k in KS}
    data["arguments"] = rate([v for r in rows for v in r.arguments])
    data["type"] = rate([v for r in rows for v in r.type])
    data["executes"] = rate([v for r in rows for v in r.executes if v is not None])
    hits = [h for r in rows for h in r.hits]
    data["parameter_hit_precision"] = sum(hits) / len(hits) if hits else None
    return data


def _as_scored(row: Row) -> dict[str, object]:
    names = {one.encode_name for one in msgspec.structs.fields(ScoredRow)}
    return {name: value for name, value in msgspec.to_builtins(row).items() if name in names}


def modes() -> tuple[str, ...]:
    """All ways to judge: ours, and those that installed packages add."""
    return (*get_args(Mode), *plugins.names(plugins.SCORERS))


def score_all(tasks: Sequence[Task], predictions: Sequence[Prediction], repos: Path, mode: str, jobs: int = 0) -> Score:
    """Judge every output of every prediction; a row without one is a row that was not answered, and fails.

    Args:
        tasks: the rows; predictions for other rows are left out and say so.
        predictions: at most one a row.
        repos: folder with the repositories by lower-case name.
        mode: which rules; one of `modes()`.
        jobs: outputs judged at the same time; 0 takes one for each processor.
    """
    by_key = {t.key: t for t in tasks}
    left_out = [
        LeftOut(key=str(p.key), reason="no such row among the tasks", by_rule=True)
        for p in predictions
        if p.key not in by_key
    ]
    answered = [(by_key[p.key], p) for p in predictions if p.key in by_key]
    pairs = answered + [(t, _nothing(t)) for t in unanswered(tasks, predictions)]
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        if mode == "official":
            return msgspec.structs.replace(_official(pairs, repos, left_out), subject=subject_of(predictions))
        absent = {str(t.key): why for t, _ in pairs if (why := missing_place(t, repos))}
        left_out += [LeftOut(key=key, reason=why) for key, why in absent.items()]
        pairs = [(t, p) for t, p in pairs if str(t.key) not in absent]
        if mode == "corrected":
            broken = broken_references([t for t, _ in pairs], repos, pool)
            left_out += broken
            keys = {b.key for b in broken}
            pairs = [(t, p) for t, p in pairs if str(t.key) not in keys]
        judge = _judge(mode)
        rows = list(pool.map(lambda pair: _row_of(judge, pair[0], pair[1], repos), pairs))
    return Score(mode=mode, rows=tuple(rows), subject=subject_of(predictions), left_out=tuple(left_out))


def unanswered(tasks: Sequence[Task], predictions: Sequence[Prediction]) -> list[Task]:
    """The rows without a prediction."""
    predicted = {p.key for p in predictions}
    return [t for t in tasks if t.key not in predicted]


def _nothing(task: Task) -> Prediction:
    """What stands in a file of predictions where a row was not answered."""
    return Prediction(github_id=task.github_id, id=task.id, output=(), error=NO_PREDICTION)


def _judge(mode: str) -> RowJudge:
    if plugins.is_added(plugins.SCORERS, mode, get_args(Mode)):
        return functools.partial(_judge_added, mode)
    return _judge_same_call if mode == "same-call" else _judge_strictly


def _row_of(judge: RowJudge, task: Task, prediction: Prediction, repos: Path) -> Row:
    """The verdicts of all outputs, each judged by itself: one that breaks the scorer fails alone."""
    single = [msgspec.structs.replace(prediction, output=(text,)) for text in prediction.output]
    each = [_judge_guarded(judge, task, one, repos) for one in single] or [judge(task, prediction, repos)]
    names = Verdicts.__struct_fields__
    joined: dict[str, Any] = {name: tuple(v for one in each for v in getattr(one, name)) for name in names}
    return Row(
        github_id=task.github_id, id=task.id, repository=task.repository, kind=task.kind, usage=prediction.usage,
        instruction=task.instruction, reference=task.output, answer="".join(prediction.output[:1]), **joined,
    )  # fmt: skip


def _judge_guarded(judge: RowJudge, task: Task, prediction: Prediction, repos: Path) -> Verdicts:
    """One output's verdict; whatever the output brings about is a failure that says so, and the machine's own trouble is raised."""
    try:
        return judge(task, prediction, repos)
    except PluginError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
            raise
        failed = judge(task, msgspec.structs.replace(prediction, output=()), repos)
        said = " ".join(f"{type(error).__name__} {error}".split())[:300]
        classes = tuple(CANNOT_BE_JUDGED if name == "no answer" else name for name in failed.error_class)
        return msgspec.structs.replace(failed, reason=(f"{CANNOT_BE_JUDGED}: {said}",), error_class=classes)


def _added_verdict(mode: str, task: Task, text: str, root: Path) -> tuple[bool, str]:
    """What an added scorer says. PluginError where that is no verdict."""
    match plugins.load(plugins.SCORERS, mode)(task, text, root):
        case (bool() as passed, str() as reason):
            return passed, reason
        case other:
            whose, given = plugins.made_by(plugins.SCORERS, mode), type(other).__name__
            raise PluginError(f"{whose}: scorer {mode!r} gives {given} where (passes, why not) is expected")


def _judge_added(mode: str, task: Task, prediction: Prediction, repos: Path) -> Verdicts:
    root = repository_folder(task, repos) or repos / task.repository
    found = [_added_verdict(mode, task, text, root) for text in prediction.output]
    passed, reasons = zip(*(found or [(False, _no_answer(prediction.error))]), strict=True)
    return Verdicts(passed=passed, reason=reasons)


def subject_of(predictions: Sequence[Prediction]) -> str:
    """Who answered, where all lines agree."""
    names = {p.subject for p in predictions}
    return names.pop() if len(names) == 1 else ""


def broken_references(tasks: Sequence[Task], repos: Path, pool: Executor) -> list[LeftOut]:
    """The rows whose own reference does not pass strict, with the reason."""

    def own(task: Task) -> Row:
        reference = Prediction(github_id=task.github_id, id=task.id, output=(task.output,))
        return _row_of(_judge_strictly, task, reference, repos)

    return [
        LeftOut(key=str(t.key), reason=f"its reference fails: {row.reason[0]}", by_rule=True)
        for t, row in zip(tasks, pool.map(own, tasks), strict=True)
        if not all(row.passed)
    ]


def case_of(task: Task, repos: Path) -> Case:
    """What the strict scorer holds an answer to this row against."""
    root = repository_folder(task, repos) or repos / task.repository
    return Case(
        root=root, path=task.folder, kind=task.kind, arguments=task.arguments, prefix_code=task.prefix_code,
        reference=task.output,
    )  # fmt: skip


def _judge_strictly(task: Task, prediction: Prediction, repos: Path) -> Verdicts:
    case = case_of(task, repos)
    verdicts = [_verdict(text, case, prediction.error) for text in prediction.output or ("",)]
    return Verdicts(
        passed=tuple(v.passed for v in verdicts),
        reason=tuple(v.reason for v in verdicts),
        error_class=tuple("" if v.passed else classify(v.reason, case.root) for v in verdicts),
        arguments=tuple(v.arguments for v in verdicts),
        type=tuple(v.type for v in verdicts),
        executes=tuple(v.executes for v in verdicts),
        hits=tuple(1 - len(v.missing) / len(task.arguments) if task.arguments else 1.0 for v in verdicts),
        gates=_gates(prediction, task),
    )


def _judge_same_call(task: Task, prediction: Prediction, repos: Path) -> Verdicts:
    root = repository_folder(task, repos) or repos / task.repository
    outputs = prediction.output or ("",)
    verdicts = [same_call(task, text, root) for text in outputs]
    return Verdicts(
        passed=tuple(v.passed for v in verdicts),
        reason=tuple(_same_call_reason(v, prediction.error) for v in verdicts),
        error_class=tuple(v.reason_class for v in verdicts),
        type=tuple(v.reason_class not in ("not the kind", "no answer") for v in verdicts),
        executes=tuple(v.reason_class not in ("refused", "no answer") for v in verdicts),
        hits=tuple(_hits(text, task) for text in outputs),
        gates=_gates(prediction, task),
    )


def _same_call_reason(verdict: SameCall, error: str) -> str:
    if verdict.reason_class == "no answer":
        return _no_answer(error)
    return "" if verdict.passed else f"{verdict.reason_class}: {verdict.detail}"


def _verdict(text: str, case: Case, error: str) -> Verdict:
    if text.strip():
        return score(text, case)
    values = tuple(str(v) for v in case.arguments.values())
    return Verdict(arguments=not values, type=False, executes=False, reason=_no_answer(error), missing=values)


def _no_answer(error: str) -> str:
    return f"no-answer: {error}".rstrip(": ")


def _official(pairs: Sequence[tuple[Task, Prediction]], repos: Path, left_out: Sequence[LeftOut]) -> Score:
    """Serial, as published: one answer after the other in the repository's own environment."""
    whole = official.can_execute([t for t, _ in pairs])
    judge = functools.partial(_judge_officially, whole=whole)
    rows = [(p, _row_of(judge, t, p, repos)) for t, p in pairs]
    complete = official.settings().outputs
    return Score(
        mode="official" if whole else GATES,
        rows=tuple(r for p, r in rows if len(p.output) == complete),
        apart=tuple(r for p, r in rows if len(p.output) != complete),
        left_out=tuple(left_out),
    )


def _judge_officially(task: Task, prediction: Prediction, repos: Path, whole: bool) -> Verdicts:
    arguments = tuple(official.validate_arguments(o, task.arguments) for o in prediction.output)
    kinds = tuple(official.validate_type(o, task.kind) for o in prediction.output)
    runs = tuple(
        official.executes(output, task, repos) if whole and first and second else None
        for output, first, second in zip(prediction.output, arguments, kinds, strict=True)
    )
    rows = list(zip(arguments, kinds, runs, strict=True))
    return Verdicts(
        passed=tuple(a and k and r is not False for a, k, r in rows) or (False,),
        reason=tuple(_official_reason(a, k, r) for a, k, r in rows) or (_no_answer(prediction.error),),
        arguments=arguments,
        type=kinds,
        executes=runs,
        hits=tuple(_hits(o, task) for o in prediction.output),
        gates=_gates(prediction, task),
    )


def _official_reason(arguments: bool, kind: bool, runs: bool | None) -> str:
    return "arguments" if not arguments else "type" if not kind else "execution" if runs is False else ""


def _gates(prediction: Prediction, task: Task) -> tuple[bool, ...]:
    """Rules 1 and 2 by output; where there is none, they hold of nothing."""
    both = (
        official.validate_arguments(o, task.arguments) and official.validate_type(o, task.kind)
        for o in prediction.output
    )
    return tuple(both) or (False,)


def _hits(output: str, task: Task) -> float:
    values = [str(v).lower() for v in task.arguments.values()]
    return sum(v in output.lower() for v in values) / len(values) if values else 1.0
