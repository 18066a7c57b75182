"""Compares Python answers by the calls of the repository's functions that they were seen to make."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ml_agent.benchmarks.observation.model import CodeCall, Observation
from ml_agent.benchmarks.same_call.values import GOOD, Verdict, failed, is_unknown, plain, same
from ml_agent.tools.python_source import parse_python

IN_TEXT = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SWITCHES = frozenset(
    {"eval", "train", "to", "cuda", "cpu", "half", "float", "double", "bfloat16", "requires_grad_", "close"}
)
"""Methods that set a mode or a place, or tidy up: whoever leaves them out or adds them makes the same call."""
TELLS_LITTLE = (0.0, 1.0, -1.0)
"""Numbers that stand in any code."""


def compare_calls(reference: Observation, candidate: Observation, instruction: str, code: str = "") -> Verdict:
    """Compare Python answers.

    Args:
        reference: what the row's own answer does.
        candidate: what is judged.
        instruction: the request; values of the reference that it names count also in calls of libraries.
        code: the reference's Python; the calls that stand alone in it must be made, whatever they are given.
    """
    if candidate.failure and candidate.failure != reference.failure:
        return failed("refused", f"{candidate.failure}: {candidate.message}")
    wanted = required(reference.calls, standing_alone(code))
    made = [c for c in candidate.calls if c.own]
    if wanted and not any(_same_name(w, c) for w in wanted for c in made):
        return failed("wrong entry", f"{_names(made)} is called, not {_names(wanted)}")
    known = [plain(v) for v in said(candidate)]
    for call in wanted:
        candidates = [c for c in made if _same_name(call, c)]
        others = [c for c in made if not any(_same_name(w, c) for w in wanted)]
        if not candidates and others:
            return failed("wrong entry", f"{_names(others)} is called, not {call.name}")
        verdict = _best(call, candidates, known)
        if not verdict.passed:
            return verdict
    for call in reference.calls:
        verdict = _best(call, [c for c in made if _same_name(call, c)], known) if call.own else GOOD
        if verdict.reason_class == "unasked":
            return verdict
    odd = _too_many(reference, made, known)
    if odd is not None:
        return odd
    for value in asked_for(reference, instruction):
        if not any(same(value, v) or _lies_in(v, value) for v in known):
            return failed("missing", f"{value!r} is nowhere in the code")
    return GOOD


def name_of(call: CodeCall) -> str:
    """The name of a call without what it belongs to."""
    return call.name.removesuffix(".__init__").rpartition(".")[2].removesuffix("()")


def standing_alone(code: str) -> set[str]:
    """Names of what a program calls for what it does, not for what it gives."""
    tree = parse_python(code) or ast.Module(body=[], type_ignores=[])
    calls = [n.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    return {getattr(c.func, "attr", "") or getattr(c.func, "id", "") for c in calls} - {""}


def is_switch(call: CodeCall) -> bool:
    """Whether a call sets a mode or a place, or tidies up; a `train` of the repository's own that takes no mode trains."""
    name = name_of(call)
    return name in SWITCHES and (name != "train" or "(" in call.name or "mode" in call.defaults)


def _too_many(reference: Observation, made: Sequence[CodeCall], known: Sequence[Any]) -> Verdict | None:
    """A call of the repository with values of its own that the reference does not make."""
    for call in made:
        twins = [c for c in reference.calls if c.own and _same_name(c, call)]
        of_library = "(" in call.name and not twins
        feeds = bool(twins) and name_of(call)[:1].isupper()
        if of_library or feeds or is_switch(call) or not _sets(call):
            continue
        if all(any(True for _ in _differences(twin, call, known)) for twin in twins):
            return failed("unasked", f"{call.name} is called, too")
    return None


def _sets(call: CodeCall) -> bool:
    """Whether a call is given a plain value that is not the default."""
    return any(_tells(v, call.defaults.get(k)) and _is_plain(v) for k, v in call.arguments.items())


def _is_plain(value: Any) -> bool:
    """Whether a value is a number, a text or a list of them, and no thing and no configuration."""
    return any(map(_is_plain, value)) if isinstance(value, list) else not isinstance(value, dict)


def _lies_in(path: Any, folder: Any) -> bool:
    """Whether a path names the folder as well: whoever writes a file into it need not spell the folder alone."""
    return isinstance(path, str) and isinstance(folder, str) and path.startswith(folder.rstrip("/") + "/")


def required(calls: Sequence[CodeCall], alone: Collection[str]) -> list[CodeCall]:
    """The repository's calls that are given a value of their own, or stand `alone` for what they do; all where there is none."""
    own = [c for c in calls if c.own]
    told = (c for c in own if any(_tells(v, c.defaults.get(k)) for k, v in c.arguments.items()))
    return [*told, *(c for c in own if name_of(c) in alone and not is_switch(c))] or own


def _tells(value: Any, default: Any) -> bool:
    """Whether an argument is a known value and not the default."""
    return not is_unknown(value) and not same(value, default)


def _same_name(first: CodeCall, second: CodeCall) -> bool:
    return first.name == second.name


def _names(calls: Sequence[CodeCall]) -> str:
    return ", ".join(dict.fromkeys(c.name for c in calls)) or "nothing of the repository"


def _best(call: CodeCall, candidates: Sequence[CodeCall], known: Sequence[Any]) -> Verdict:
    """The verdict on the call that comes nearest."""
    if not candidates:
        return failed("missing", f"{call.name} is not called")
    found = [list(_differences(call, candidate, known)) for candidate in candidates]
    return min(found, key=len, default=[])[0] if all(found) else GOOD


def _differences(wanted: CodeCall, got: CodeCall, known: Sequence[Any]) -> Iterator[Verdict]:
    defaults = {**wanted.defaults, **got.defaults}
    for name in dict.fromkeys([*wanted.arguments, *got.arguments]):
        first, second = (c.arguments.get(name, defaults.get(name)) for c in (wanted, got))
        left_out = is_unknown(first) and name in wanted.arguments and name not in got.arguments
        if not left_out and same(first, second) and (not is_unknown(second) or _stands(first, known)):
            continue
        shown = f"{wanted.name}({name}={second!r}) where the reference has {first!r}"
        if name not in wanted.arguments:
            yield failed("unasked", shown)
        elif name in got.arguments:
            yield failed("other value", shown)
        else:
            yield failed("missing", shown)


def _stands(value: Any, known: Sequence[Any]) -> bool:
    """Whether a value that cannot be followed into the call stands somewhere in the code."""
    if value is None or isinstance(value, (bool, dict, list)):
        return True
    return any(same(value, v) for v in known)


def said(observation: Observation) -> list[Any]:
    """All values that stand in the code or reach a call."""
    return [*observation.constants, *(v for c in observation.calls for a in c.arguments.values() for v in _flat(a))]


def _flat(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [v for inner in value.values() for v in _flat(inner)]
    return [v for inner in value for v in _flat(inner)] if isinstance(value, list) else [value]


def asked_for(reference: Observation, instruction: str) -> list[Any]:
    """The literals of the reference that the request names."""
    numbers = {float(m.replace(",", "").replace("_", "")) for m in IN_TEXT.findall(instruction)}
    lower = instruction.lower()
    found: list[Any] = []
    for value in reference.constants:
        if isinstance(value, str):
            as_words = rf"(?<!\w){re.escape(value.lower())}(?!\w)"  # "eval" does not stand in "evaluation"
            named = len(value) > 2 and not value.isdigit() and re.search(as_words, lower) is not None
        else:
            named = float(value) in numbers and float(value) not in TELLS_LITTLE
        if named and value not in found:
            found.append(value)
    return found
