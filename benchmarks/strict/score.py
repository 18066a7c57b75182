"""Judge one answer by the strict rules."""

import functools
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ml_agent.benchmarks.kept_rows import read_kept
from ml_agent.benchmarks.strict import on_disk
from ml_agent.benchmarks.strict.execute import STILL_RUNNING, Execution, Job, run
from ml_agent.benchmarks.strict.inside.parsers import ONLY_SHOWS
from ml_agent.benchmarks.strict.libraries import of_repository
from ml_agent.benchmarks.strict.script_variables import variables_of_scripts
from ml_agent.benchmarks.strict.stated import missing_values
from ml_agent.benchmarks.strict.text import Kind, kind_of, strip, unfence

_OF_THE_MACHINE = ("nothing-runs", "spoilt-report")
"""Failures that may also come of a machine that is short of time or memory."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer is held against."""

    root: Path
    """The repository's folder."""
    path: str
    """Folder of the task, relative to it."""
    kind: Kind
    arguments: Mapping[str, object]
    prefix_code: str = ""
    reference: str = ""
    """The row's own answer: where that only shows a help or a version, an answer may, too."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The three rules, and the first reason against the answer."""

    arguments: bool
    type: bool
    executes: bool
    reason: str = ""
    """Stable code, then what it is about: "unknown-option: --foo"; empty where the answer passes."""
    missing: tuple[str, ...] = ()
    """The values that are not used."""
    failure: str = ""
    """Why it does not execute, in the form of `reason`; set also where another rule fails first."""
    place: str = ""
    """Where the failure arose, as file:line."""

    @property
    def passed(self) -> bool:
        """Whether the answer keeps all three rules."""
        return self.arguments and self.type and self.executes


def score(answer: str, case: Case) -> Verdict:
    """Judge one answer; the rules are decided apart from each other, the reason names the first that fails."""
    text = unfence(answer)
    kind = kind_of(text)
    libraries = of_repository(case.root)
    read = libraries.environment
    if kind == "bash":
        read |= variables_of_scripts(text, case.root, case.path)
    missing = missing_values(strip(text, kind, lambda name: name in read), case.arguments, kind)
    done = _execute(case.root, case.path, text, kind, case.prefix_code)
    if done.code == ONLY_SHOWS and _reference_shows(case):
        done = msgspec.structs.replace(done, ok=True)
    failure = "" if done.ok else f"{done.code}: {done.message}"
    reason = failure
    if missing:
        reason = "value-not-used: " + ", ".join(missing)
    elif kind != case.kind:
        reason = f"wrong-type: {kind} where {case.kind} is wanted"
    return Verdict(
        arguments=not missing,
        type=kind == case.kind,
        executes=done.ok,
        reason=reason,
        missing=tuple(missing),
        failure=failure,
        place=done.place,
    )


def _reference_shows(case: Case) -> bool:
    text = unfence(case.reference)
    shown = _execute(case.root, case.path, text, kind_of(text), case.prefix_code) if text.strip() else None
    return shown is not None and shown.code == ONLY_SHOWS


@functools.lru_cache(maxsize=4096)
def _execute(root: Path, path: str, text: str, kind: Kind, prefix_code: str) -> Execution:
    """Run an answer, or say what became of it before; an end that may be the machine's own is not kept."""
    file = on_disk.kept_file("strict-runs", root, (path, kind, prefix_code, text))
    kept = read_kept(file, Execution)
    if kept is not None:
        return kept
    done = run(Job(root=root, path=path, text=text, kind=kind, prefix_code=prefix_code), of_repository(root))
    done = msgspec.structs.replace(done, programs=(), trace="")
    if done.message != STILL_RUNNING and done.code not in _OF_THE_MACHINE:
        on_disk.keep(file, done)
    return done
