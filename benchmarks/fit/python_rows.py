"""Python rows, understood, and how a program stands to the reference of one."""

import ast
import functools
import json
import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.benchmarks.same_call import values as values_of
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.python_library import ApiCallable, Library
from ml_agent.matching.python_programs import Program, read_program
from ml_agent.matching.python_reading import read_python_request
from ml_agent.matching.python_retrieval import LibraryIndex
from ml_agent.matching.python_skeletons import ExampleUsage
from ml_agent.tools.index import RepoIndex

_UNKNOWN = object()
_EXTRA = 0.3
"""What a call that the reference has not costs: a third of all that there is."""


class Row(NamedTuple):
    """One row whose reference calls what its repository offers."""

    repository: str
    key: str
    statement: ParsedRequest
    reference: Program
    library_index: LibraryIndex
    usages: ExampleUsage
    data: dict[str, Any]


class Verdict(NamedTuple):
    """How a program stands to the reference."""

    shared: float
    """How many of the reference's calls and arguments it has, less what it has of its own."""
    exact: bool
    entry: bool
    """Whether it makes all calls, whatever it gives them."""


@functools.cache
def read_library(root: Path, cache: Path, folder: str) -> tuple[LibraryIndex, ExampleUsage]:
    """The callables of a repository and how it uses them."""
    library_index = LibraryIndex(Library(RepoIndex.open(root, f"{root.name}-fit", cache), folder))
    return library_index, ExampleUsage(library_index)


def load(sources: Sequence[Path], repositories: Path, cache: Path) -> list[Row]:
    """The Python rows of some files whose repositories are at hand and whose references call what these have."""
    found = []
    for source in sources:
        for line in source.read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            name = str(data.get("repo") or data["github"].rstrip("/").rpartition("/")[2]).lower()
            if not data["type"].startswith("Python") or not (repositories / name).is_dir():
                continue
            folder = posixpath.normpath(data.get("path") or ".").lstrip("/") or "."
            library_index, usages = read_library((repositories / name).resolve(), cache, folder)
            reference = read_program(data["output"], library_index.library, folder)
            if reference is not None and reference.calls:
                found.append(
                    Row(
                        name,
                        f"{name}-{data['id']}",
                        read_python_request(data["instruction"], (), library_index.library.classes),
                        reference,
                        library_index,
                        usages,
                        data,
                    )
                )
    return found


def judge(reference: Program, candidate: Program | None) -> Verdict:
    """Compare the calls of two programs as they stand in the code."""
    if candidate is None:
        return Verdict(-1.0, False, False)
    required = [
        call
        for call in reference.calls
        if any(_tells(call.callee, name, value) for name, value in call.arguments.items())
    ] or list(reference.calls)
    total, hits, exact, entry = 0.0, 0.0, True, True
    for call in required:
        same_name = [one for one in candidate.calls if one.callee.object.name == call.callee.object.name]
        total += 1 + len(call.arguments)
        if not same_name:
            exact = entry = False
            continue
        good, bad = max(
            (_compare(call.callee, call.arguments, one.arguments) for one in same_name), key=lambda one: one[0] - one[1]
        )
        hits += 1 + good - 0.5 * bad
        exact = exact and not bad
    extra = {one.callee.object.name for one in candidate.calls if one.callee.owner is None} - {
        one.callee.object.name for one in reference.calls
    }
    return Verdict(hits / total - _EXTRA * len(extra), exact and not extra, entry)


def _compare(callee: ApiCallable, wanted: Mapping[str, ast.expr], got: Mapping[str, ast.expr]) -> tuple[int, int]:
    good = bad = 0
    for name in dict.fromkeys([*wanted, *got]):
        first, second = (_value(callee, name, given.get(name)) for given in (wanted, got))
        unknown = first is _UNKNOWN or second is _UNKNOWN
        alike = (
            (first is second or (first is _UNKNOWN and name in wanted and name in got))
            if unknown
            else values_of.same(first, second)
        )
        good += alike and name in wanted
        bad += not alike
    return good, bad


def _value(callee: ApiCallable, name: str, node: ast.expr | None) -> Any:
    if node is None:
        default = next((one.default for one in callee.parameters if one.name == name), None)
        node = ast.parse(default, mode="eval").body if default else None
    try:
        return ast.literal_eval(node) if node is not None else _UNKNOWN
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _tells(callee: ApiCallable, name: str, node: ast.expr) -> bool:
    value, default = _value(callee, name, node), _value(callee, name, None)
    return value is not _UNKNOWN and (default is _UNKNOWN or not values_of.same(value, default))
