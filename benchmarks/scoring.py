"""Judges predictions by a mode: `official` (the published rules 1 and 2), `same-call`, or a scorer that a package adds.

`score_all` takes rows and predictions and gives a `Score`: a `ScoredRow` for each row that counts, with a verdict for each of its answers, and
why other rows are left out. It is what `bench score --json` prints, and what `bench compare` and `bench report` read again (`load_scored`).
"""

import errno
import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, get_args

import msgspec

from ml_agent.benchmarks import official
from ml_agent.benchmarks.data import Task, missing_place, repository_folder
from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.metrics import KS, official_pass, rate
from ml_agent.benchmarks.predictions import Prediction, Usage
from ml_agent.benchmarks.same_call import reference_trouble, same_call
from ml_agent.tools import plugins
from ml_agent.tools.errors import PluginError

Mode = Literal["official", "same-call"]
GATES = "official gates (rules 1-2)"
"""What the mode `official` is called in scores: without the published environments rule 3 is not applied."""
NO_PREDICTION, NO_ANSWER, CANNOT_BE_JUDGED, REFUSED = "no prediction", "no answer", "cannot be judged", "refused"
OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO)
"""Errors that say nothing about the answer."""
CLASSES = {
    "E1": "another language than asked for",
    "E2": "a script, choice, module or name that the repository does not have, or another entry point",
    "E3": "values dropped or changed, or options that nobody asked for or that the program does not take",
    "E4": "a syntax error, or a name that was never defined",
    "E5": "no answer, nothing that runs, or the wrong folder",
}
"""The paper's error classes (Appendix G.9), decided by what the scorer saw and not by a model."""
_CLASS_OF = {
    reason: name
    for name, reasons in {
        "E1": "not the kind",
        "E2": "wrong entry, no-such-file, bad-choice, no-such-module, no-such-name, no-such-attribute, bad-value,"
        " rejected-by-hand",
        "E3": "missing, other value, unasked, unknown-option, missing-required, missing-value, bad-type, bad-call, conflict,"
        " flags, usage",
        "E4": "syntax, undefined-name, no-such-command",
        "E5": "no answer, nothing-runs, only-shows, no-such-folder",
    }.items()
    for reason in reasons.split(", ")
}
"""The class of each reason of same-call, and of each code of what refuses an answer."""


class ScoredRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a subject: a verdict for each output, and the texts that a report opens."""

    github_id: int
    id: int
    passed: tuple[bool, ...]
    reason: tuple[str, ...] = ()
    error_class: tuple[str, ...] = msgspec.field(default=(), name="class")
    """Of CLASSES; "" for outputs that pass, and where it cannot be told."""
    arguments: tuple[bool, ...] = ()
    """By rule 1 of the published scorer."""
    type: tuple[bool, ...] = ()
    """By its rule 2."""
    executes: tuple[bool, ...] = ()
    """Whether nothing refuses it; empty where that was not looked at."""
    repository: str = ""
    kind: str = ""
    usage: Usage = Usage()
    gates: tuple[bool, ...] = ()
    """Whether the published rules 1 and 2 pass each output; empty where they do not even pass the row's own reference."""
    instruction: str = ""
    reference: str = ""
    answer: str = ""
    """The first one."""

    @property
    def key(self) -> str:
        """The row's name."""
        return f"{self.github_id}-{self.id}"

    @property
    def first(self) -> bool:
        """Whether the first answer passes."""
        return any(self.passed[:1])


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row that does not count, and why."""

    key: str
    reason: str
    by_rule: bool = False
    """Whether it is none of the tasks; every other such row was to be judged and could not."""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One subject on its rows."""

    mode: str
    rows: tuple[ScoredRow, ...]
    """Rows that count."""
    subject: str = ""
    left_out: tuple[LeftOut, ...] = ()
    name: str = ""
    """Of the file that it was read from, without the ending; what its runs left behind lies in a folder of this name."""

    def summary(self) -> dict[str, object]:
        """The documented JSON object."""
        data: dict[str, object] = {"mode": self.mode, "subject": self.subject, "n": len(self.rows)}
        data |= figures(self.rows)
        return data | {
            "left_out": msgspec.to_builtins(self.left_out),
            "rows": msgspec.to_builtins(self.rows),
        }


def figures(rows: Sequence[ScoredRow]) -> dict[str, float | None]:
    """Pass@k and the shares of each rule; None where nothing was measured."""
    data = {f"pass@{k}": official_pass([row.passed for row in rows], k) for k in KS}
    for name in ("arguments", "type", "executes"):
        data[name] = rate([one for row in rows for one in getattr(row, name)])
    return data


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
    foreign = [p for p in predictions if p.key not in by_key]
    left_out = [LeftOut(key=str(p.key), reason="no such row among the tasks", by_rule=True) for p in foreign]
    pairs = [(by_key[p.key], p) for p in predictions if p.key in by_key]
    silent = Prediction(github_id=0, id=0, output=(), error=NO_PREDICTION)
    pairs += [(t, silent) for t in unanswered(tasks, predictions)]
    if mode != "official":
        absent = {str(t.key): why for t, _ in pairs if (why := missing_place(t, repos))}
        left_out += [LeftOut(key=key, reason=why) for key, why in absent.items()]
        pairs = [(t, p) for t, p in pairs if str(t.key) not in absent]
    judge = _judge(mode)
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        if judge is _by_call:
            troubles = list(pool.map(lambda pair: reference_trouble(pair[0], _root(pair[0], repos)), pairs))
            left_out += [
                LeftOut(key=str(pair[0].key), reason=why, by_rule=True)
                for pair, why in zip(pairs, troubles, strict=True)
                if why
            ]
            pairs = [pair for pair, why in zip(pairs, troubles, strict=True) if not why]
        rows = tuple(pool.map(lambda pair: _row(judge, pair[0], pair[1], repos), pairs))
    return Score(
        mode=GATES if mode == "official" else mode,
        rows=rows,
        subject=subject_of(predictions),
        left_out=tuple(left_out),
    )


def _root(task: Task, repos: Path) -> Path:
    return repository_folder(task, repos) or repos / task.repository


def unanswered(tasks: Sequence[Task], predictions: Sequence[Prediction]) -> list[Task]:
    """The rows without a prediction."""
    predicted = {p.key for p in predictions}
    return [t for t in tasks if t.key not in predicted]


def subject_of(predictions: Sequence[Prediction]) -> str:
    """Who answered, where all lines agree."""
    names = {p.subject for p in predictions}
    return names.pop() if len(names) == 1 else ""


Judge = Callable[[Task, str, Path], tuple[bool, str]]
"""Whether an answer passes, and why not."""


def _judge(mode: str) -> Judge:
    if plugins.is_added(plugins.SCORERS, mode, get_args(Mode)):
        return functools.partial(_added, mode)
    return _officially if mode == "official" else _by_call


def _row(judge: Judge, task: Task, prediction: Prediction, repos: Path) -> ScoredRow:
    """The verdicts of all outputs, each judged by itself: one that breaks the scorer fails alone."""
    root = _root(task, repos)
    nothing = f"{NO_ANSWER}: {prediction.error}".rstrip(": ")
    outputs = prediction.output or ("",)
    verdicts = [_guarded(judge, task, text, root) for text in prediction.output] or [(False, nothing)]
    reasons = tuple(reason for _, reason in verdicts)
    own = official.validate_arguments(task.output, task.arguments) and official.validate_type(task.output, task.kind)
    arguments = tuple(official.validate_arguments(text, task.arguments) for text in outputs)
    kinds = tuple(bool(text.strip()) and official.validate_type(text, task.kind) for text in outputs)
    return ScoredRow(
        github_id=task.github_id,
        id=task.id,
        passed=tuple(passed for passed, _ in verdicts),
        reason=reasons,
        error_class=tuple(map(class_of, reasons)),
        arguments=arguments,
        type=kinds,
        executes=tuple(not reason.startswith((REFUSED, NO_ANSWER)) for reason in reasons) if judge is _by_call else (),
        repository=task.repository,
        kind=task.kind,
        usage=prediction.usage,
        gates=tuple(map(all, zip(arguments, kinds, strict=True))) if own else (),
        instruction=task.instruction,
        reference=task.output,
        answer="".join(prediction.output[:1]),
    )


def _guarded(judge: Judge, task: Task, text: str, root: Path) -> tuple[bool, str]:
    """One output's verdict; whatever the output brings about is a failure that says so, and the machine's own trouble is raised."""
    if not text.strip():
        return False, NO_ANSWER
    try:
        return judge(task, text, root)
    except (PluginError, BenchError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
            raise
        said = " ".join(f"{type(error).__name__} {error}".split())[:300]
        return False, f"{CANNOT_BE_JUDGED}: {said}"


def _officially(task: Task, text: str, root: Path) -> tuple[bool, str]:
    arguments, kind = official.validate_arguments(text, task.arguments), official.validate_type(text, task.kind)
    return arguments and kind, "" if arguments and kind else "type" if arguments else "arguments"


def _by_call(task: Task, text: str, root: Path) -> tuple[bool, str]:
    found = same_call(task, text, root)
    return found.passed, "" if found.passed else f"{found.reason_class}: {found.detail}"


def _added(mode: str, task: Task, text: str, root: Path) -> tuple[bool, str]:
    """What an added scorer says. PluginError where that is no verdict."""
    match plugins.load(plugins.SCORERS, mode)(task, text, root):
        case (bool() as passed, str() as reason):
            return passed, reason
        case other:
            whose, given = plugins.made_by(plugins.SCORERS, mode), type(other).__name__
            raise PluginError(
                f"the scorer {mode!r} of {whose} returned a value of type {given}; it must return (passed, reason)"
            )


def class_of(reason: str) -> str:
    """The paper's class of a reason of same-call ("refused: CODE: …" by its code); "" where it cannot be told."""
    first, _, rest = reason.partition(": ")
    return _CLASS_OF.get(rest.partition(": ")[0] if first == REFUSED else first, "")


def load_scored(path: Path) -> Score:
    """Read what `bench score --json` printed; BenchError where it is not that."""
    try:
        data = msgspec.json.decode(path.read_bytes())
        data["subject"], data["name"] = data.get("subject") or path.stem, path.stem
        return msgspec.convert(data, Score)
    except (OSError, ValueError, RecursionError, TypeError, AttributeError) as error:
        raise BenchError(f"{path} is not the output of `ml-agent bench score --json` ({error})") from error
