"""What is checked: the commands that the documents of a repository show, and what becomes of them when one thing is wrong."""

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ml_agent.benchmarks.check_truth.mutate import mutants
from ml_agent.tools.check.repository import checked_repository
from ml_agent.tools.commandline.edit import Lookup
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.index import RepoIndex

Mutation = Literal[
    "", "unknown-option", "wrong-choice", "wrong-type", "missing-required", "misspelt-script", "misspelt-console",
    "wrong-keyword",
]  # fmt: skip
DOCUMENTS = (".md", ".rst", ".txt", ".ipynb", ".html")
_PLACEHOLDER = re.compile(r"<(?![<(&=\d])\s*[\w][\w ./:|-]*>|(?<![$\w'\"]){[A-Za-z_][\w ,/-]*}")
_CUT = re.compile(r"(?:^|\s)(?:\.\.\.|…|\[\.\.\.\])(?:\s|$)|\[(?:OPTIONS|options|--?\w)")
"""Words for something that is left out: no command to run."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One command or one piece of Python to check."""

    root: Path
    text: str
    folder: str
    """Where it runs, relative to the repository."""
    kind: Literal["bash", "python"]
    mutation: Mutation = ""
    """What is wrong with it; "" for a text of the documents."""
    place: str = ""
    """FILE:LINE of the document."""


def documented(index: RepoIndex, most: int) -> list[Case]:
    """The commands and Python blocks that documents show, each once, evenly drawn where there are more than `most` of a kind.

    A command counts where it calls a script, a module or a console script of the repository, with nothing left to fill in.
    """
    found: dict[tuple[str, str], Case] = {}
    consoles = checked_repository(index).consoles
    for example in index.examples:
        text = example.text
        if not example.path.endswith(DOCUMENTS) or _CUT.search(text) or _PLACEHOLDER.search(text) or len(text) > 4000:
            continue
        if example.kind == "bash" and (not _is_ours(text, consoles) or (len(text.split()) == 1 and "/" in text)):
            continue
        if example.kind == "python" and not (example.api and _does_something(text)):
            continue
        place = f"{example.path}:{example.line}"
        case = Case(root=index.root, text=text, folder=example.workdir, kind=example.kind, place=place)
        found.setdefault((text, example.workdir), case)
    commands = [case for case in found.values() if case.kind == "bash"]
    code = [case for case in found.values() if case.kind == "python"]
    return [*_draw(commands, most), *_draw(code, most // 2)]


def _does_something(code: str) -> bool:
    """Whether Python does more than import and define: fragments that show a class are no programs."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    defines = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(not isinstance(node, defines) for node in tree.body)


def _is_ours(text: str, consoles: Collection[str]) -> bool:
    return any(
        call.target in ("script", "shell") or _is_module(call) or call.name in consoles
        for call in parse_command(text).invocations
    )


def _is_module(invocation: Invocation) -> bool:
    return invocation.target == "module" and invocation.name.partition(".")[0] not in ("pip", "venv", "torch", "spacy")


def _draw(cases: Sequence[Case], most: int) -> list[Case]:
    if len(cases) <= most:
        return list(cases)
    return [cases[round(n * (len(cases) - 1) / max(1, most - 1))] for n in range(most)]


def mutated(case: Case, index: RepoIndex) -> Iterator[Case]:
    """The case with one thing wrong, once for each kind of fault that applies."""
    for mutation, text in mutants(case.text, case.kind, lookup(index, case.folder), index):
        if text != case.text:
            yield msgspec.structs.replace(case, text=text, mutation=mutation)


def lookup(index: RepoIndex, folder: str) -> Lookup:
    """The signatures of what a command calls from a folder of a repository."""
    repository = checked_repository(index)
    return lambda invocation: repository.signatures(invocation, folder)
