"""Compares the programs that two answers start; the first difference that matters is the verdict."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.observation.inside.record import ONLY_SHOWS
from ml_agent.benchmarks.observation.model import Observation, Program
from ml_agent.benchmarks.same_call.entries import same_entry
from ml_agent.benchmarks.same_call.options import Options, options_of
from ml_agent.benchmarks.same_call.values import Folders, Reading, leads_elsewhere, plain, same, same_place
from ml_agent.benchmarks.same_call.verdict import GOOD, ReasonClass, Verdict, failed


def compare_programs(reference: Observation, candidate: Observation, root: Path) -> Verdict:
    """Compare shell answers: each program of the reference must be started with the same options, and no other."""
    refused = _refusal(reference, candidate)
    rest = list(candidate.programs)
    for wanted in reference.programs:
        candidates = [p for p in rest if same_entry(wanted, p, root)]
        if not candidates:
            if refused is not None:
                return refused
            if candidate.programs and all(any(same_entry(w, p, root) for w in reference.programs) for p in rest):
                return failed("missing", f"{wanted.file or wanted.name} is not started")
            started = ", ".join(filter(None, (p.file or p.name for p in candidate.programs))) or "nothing"
            return failed("wrong entry", f"{started} is started, not {wanted.file or wanted.name}")
        differences, nearest = min(
            ((_differences(wanted, p, root), p) for p in candidates), key=lambda pair: len(pair[0])
        )
        if differences:
            return refused if refused is not None else differences[0]
        rest.remove(nearest)
    if refused is not None:
        return refused
    if rest:
        return failed("unasked", f"{rest[0].file or rest[0].name} is started, too")
    return GOOD


def _refusal(reference: Observation, candidate: Observation) -> Verdict | None:
    """Whether the repository refuses the candidate for a reason for which it does not refuse the reference, or only one of them shows a help."""
    if ONLY_SHOWS in (reference.failure, candidate.failure) and reference.message != candidate.message:
        shows = candidate.failure == ONLY_SHOWS
        return failed("unasked" if shows else "missing", (candidate if shows else reference).message)
    if not candidate.failure or candidate.failure == reference.failure:
        return None
    if candidate.failure == "nothing-runs" and candidate.programs:
        return None
    reason: ReasonClass = "wrong entry" if candidate.failure == "no-such-file" else "refused"
    return failed(reason, f"{candidate.failure}: {candidate.message}")


def _differences(wanted: Program, got: Program, root: Path) -> list[Verdict]:
    both = wanted.parsed and got.parsed
    asked, said = (options_of(p, root, believe_parser=both) for p in (wanted, got))
    if asked.subcommand != said.subcommand:
        shown = " ".join(said.subcommand) or "no subcommand"
        return [failed("wrong entry", f"{shown} where the reference has {' '.join(asked.subcommand) or 'none'}")]
    folders = Folders(root, wanted.folder, got.folder)
    return [*_options(asked, said, folders), *_environment(wanted, got)]


def _options(asked: Options, said: Options, folders: Folders) -> list[Verdict]:
    """What is missing, then what has another value, then what nobody asked for."""
    missing, other, unasked = [], [], []
    for name in sorted({*asked.values, *said.values}):
        first, second = _value(asked, said, name), _value(said, asked, name)
        elsewhere = name in asked.given and leads_elsewhere(first, second, folders)
        both = (first is ABSENT) == (second is ABSENT)
        if (
            both
            and (same(first, second, _reading(asked, said, name)) or same_place(first, second, folders))
            and _same_truth(asked.words.get(name, ()), said.words.get(name, ()))
            and not elsewhere
        ):
            continue
        shown = f"{name}: {_printable(second)} where the reference has {_printable(first)}"
        shown += f", from the folder {folders.second} and not {folders.first}" if elsewhere else ""
        if name not in asked.given:
            unasked.append(failed("unasked", shown))
        elif name in said.given:
            other.append(failed("other value", shown))
        else:
            missing.append(failed("missing", shown))
    return [*missing, *other, *unasked]


def _reading(asked: Options, said: Options, name: str) -> Reading:
    """How text of an option is read, as its type says; where that is not known, null only where nothing is a value of it."""
    if name in asked.texts | said.texts:
        return "text"
    return "any" if name in asked.nullable | said.nullable else "set"


def _same_truth(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether both say yes or both say no: `type=bool` takes "False" for true, and whoever writes it means something else."""
    one, other = ([plain(w) for w in words] for words in (first, second))
    return not (len(one) == len(other) == 1 and isinstance(one[0], bool) and isinstance(other[0], bool)) or one == other


class _Absent:
    """No value at all."""


ABSENT = _Absent()


def _value(options: Options, others: Options, name: str) -> Any:
    """What is set, or what is so without being set; of a list of places nothing is so."""
    if name in options.values:
        return options.values[name]
    return options.defaults.get(name, others.defaults.get(name, ABSENT))


def _printable(value: Any) -> str:
    return "nothing" if value is ABSENT else repr(value)[:200]


def _environment(wanted: Program, got: Program) -> Iterable[Verdict]:
    """What differs in the variables of the reference, and in those that the answer sets for a Python program that reads them."""
    read = {n for n in got.environment if got.file.endswith(".py") and not n.endswith("VISIBLE_DEVICES")}
    for name in sorted({*wanted.environment, *read}):
        first, second = wanted.environment.get(name), got.environment.get(name)
        if first is None:
            yield failed("unasked", f"variable {name}: {second}")
        elif second is None:
            yield failed("missing", f"variable {name}")
        elif not same(first, second):
            yield failed("other value", f"variable {name}: {second} where the reference has {first}")
