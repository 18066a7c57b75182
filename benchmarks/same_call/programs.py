"""Compares the programs that two answers start; the first difference that matters is the verdict.

The same entry point may be reached as a file, as a module, and as a console script.
"""

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ml_agent.benchmarks.observation.model import Observation, Program
from ml_agent.benchmarks.same_call.options import Options, options_of
from ml_agent.benchmarks.same_call.values import (
    GOOD,
    Folders,
    ReasonClass,
    Verdict,
    failed,
    leads_elsewhere,
    same,
    same_place,
)
from ml_agent.tools.files import Tree
from ml_agent.tools.python_source import read_module

MODULE = "<module>"
"""What Python calls the code of a file itself, among functions."""
_QUIET = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Assign, ast.AnnAssign)


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
    """Whether the repository refuses the candidate for a reason for which it does not refuse the reference."""
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
        if both and (same(first, second) or same_place(first, second, folders)) and not elsewhere:
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


def same_entry(first: Program, second: Program, root: Path) -> bool:
    """Whether two programs are one entry point of the repository, or one only hands over to the other's."""
    if not first.file or not second.file:
        return not first.file and not second.file and first.name == second.name
    one, other = entry_of(first, root), entry_of(second, root)
    passes = any(entry[1] != MODULE and entry in program.chain for entry, program in ((one, second), (other, first)))
    return first.file == second.file or passes


def entry_of(program: Program, root: Path) -> tuple[str, str]:
    """File and function of the first frame on the way to a program's parser that does more than import and call a function."""
    return next((one for one in program.chain if one[1] != MODULE or not _only_calls(one[0], root)), ("", MODULE))


def _only_calls(file: str, root: Path) -> bool:
    """Whether running a file calls one function, without arguments, and does nothing else."""
    tree = read_module(Tree(root), file) or ast.Module(body=[], type_ignores=[])
    acts = [n for n in tree.body if not isinstance(n, _QUIET) and not _is_text(n)]
    if len(acts) == 1 and isinstance(acts[0], ast.If) and "__main__" in ast.dump(acts[0].test):
        acts = [n for n in acts[0].body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    call = acts[0].value if len(acts) == 1 and isinstance(acts[0], ast.Expr) else None
    if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).rpartition(".")[2] == "exit":
        call = call.args[0]
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
