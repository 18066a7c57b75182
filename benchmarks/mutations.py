"""Mutations of references, to show that the strict scorer catches what it should.

`python -m benchmarks.mutations --tasks FILE --repos DIR` takes every reference that passes, makes one mutant of each kind that
applies, and prints the share that is caught.
"""

import ast
import functools
import os
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from ml_agent.benchmarks.data import Task, load_tasks
from ml_agent.benchmarks.scoring import case_of
from ml_agent.benchmarks.strict.bash_text import commands, strip_bash
from ml_agent.benchmarks.strict.score import score
from ml_agent.tools.index import RepoIndex

SCRIPT = re.compile(r"[\w./-]+\.(?:py|sh)\b")
BARS = {"wrong-script": 1.0, "unknown-option": 0.95, "wrong-choice": 1.0, "value-as-comment": 1.0, "missing-module": 1.0,
        "missing-name": 1.0, "undefined-name": 1.0}  # fmt: skip


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One changed answer."""

    kind: str
    text: str


def mutants(task: Task, choices: Mapping[str, Sequence[str]]) -> list[Mutant]:
    """One mutant of each kind that applies to the task's reference.

    Args:
        task: its `output` is changed.
        choices: for shell references, the options of the script that have choices.
    """
    if task.kind == "bash":
        made = {
            "wrong-script": wrong_script(task.output),
            "unknown-option": unknown_option(task.output),
            "wrong-choice": wrong_choice(task.output, choices),
            "value-as-comment": value_as_comment(task.output, task.arguments),
        }
    else:
        made = {name: _python(task.output, change) for name, change in _PYTHON.items()}
    return [Mutant(kind=k, text=t) for k, t in made.items() if t is not None]


def wrong_script(text: str) -> str | None:
    """The script's name with something added."""
    match = SCRIPT.search(text)
    if match is None:
        return None
    stem, _, suffix = match.group().rpartition(".")
    return f"{text[: match.start()]}{stem}_other.{suffix}{text[match.end() :]}"


def unknown_option(text: str) -> str | None:
    """The last long option with a longer name; where there is none, a new option."""
    found = list(re.finditer(r"(?<=\s)--[A-Za-z][\w-]*", text))
    if found:
        at = found[-1].end()
        return f"{text[:at]}_unheard_of{text[at:]}"
    return text.rstrip() + " --unheard_of 3\n" if SCRIPT.search(text) else None


def wrong_choice(text: str, choices: Mapping[str, Sequence[str]]) -> str | None:
    """The value of an option that has choices, changed into none of them."""
    for flag in choices:
        match = re.search(rf"(?<=\s){re.escape(flag)}(?:\s+|=)(['\"]?)([\w.-]+)\1", text)
        if match:
            return text[: match.start(2)] + "no_such_choice" + text[match.end(2) :]
    return None


def value_as_comment(text: str, arguments: Mapping[str, Any]) -> str | None:
    """One value with its option taken out of the command, and put behind it as a comment."""
    for value in map(str, arguments.values()):
        pieces = commands(text)
        lines = [" ".join(_without(piece.words, value)) for piece in pieces]
        rest = "\n".join(lines)
        if rest and value.lower() not in strip_bash(rest).lower() and value.lower() in strip_bash(text).lower():
            return f"{rest} # {value}\n"
    return None


def _without(words: Sequence[str], value: str) -> list[str]:
    kept: list[str] = []
    for word in words:
        if value.lower() in word.lower() and not SCRIPT.search(word):
            if kept and kept[-1].startswith("-") and "=" not in kept[-1] and not word.startswith("-"):
                kept.pop()
            continue
        kept.append(word)
    return kept


def _python(text: str, change: Callable[[ast.Module], bool]) -> str | None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    return ast.unparse(tree) if change(tree) else None


def _own_imports(tree: ast.Module) -> list[ast.ImportFrom]:
    """The imports out of modules of the repository, the last first."""
    found = (node for node in reversed(list(ast.walk(tree))) if isinstance(node, ast.ImportFrom) and node.module)
    return [node for node in found if str(node.module).partition(".")[0] not in _FOREIGN]


def _missing_module(tree: ast.Module) -> bool:
    for node in _own_imports(tree)[:1]:
        node.module = f"{node.module}_other"
        return True
    return False


def _missing_name(tree: ast.Module) -> bool:
    for alias in [node.names[0] for node in _own_imports(tree) if node.names[0].name != "*"][:1]:
        alias.asname, alias.name = alias.asname or alias.name, alias.name + "_other"
        return True
    return False


def _undefined_name(tree: ast.Module) -> bool:
    names = [n for s in tree.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    if names:
        names[-1].id += "_undefined"
    return bool(names)


_PYTHON: dict[str, Callable[[ast.Module], bool]] = {
    "missing-module": _missing_module,
    "missing-name": _missing_name,
    "undefined-name": _undefined_name,
}
_FOREIGN = (
    "torch",
    "PIL",
    "numpy",
    "matplotlib",
    "collections",
    "torchvision",
    "os",
    "transformers",
    "diffusers",
    "typing",
    "skimage",
)


@functools.cache
def index_in_memory(root: Path) -> RepoIndex:
    """The index of a repository; nothing of it is kept on disk."""
    return RepoIndex.open(root, str(root))


def choices_of(task: Task, index: RepoIndex) -> Mapping[str, Sequence[str]]:
    """The options with choices of the script that a shell reference starts."""
    match = SCRIPT.search(task.output)
    if match is None:
        return {}
    path = posixpath.normpath(posixpath.join(task.folder, match.group()))
    found = index.signatures.get(path, ())
    return {flag: o.choices for s in found for o in s.options if o.choices for flag in o.flags}


def catch_rates(tasks: Sequence[Task], repos: Path, jobs: int = 0) -> dict[str, tuple[int, list[str]]]:
    """For each kind: how many mutants there were, and which were not caught."""
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        sound = [
            t
            for t, v in zip(tasks, pool.map(lambda t: score(t.output, case_of(t, repos)), tasks), strict=True)
            if v.passed
        ]
        work: list[tuple[Task, Mutant]] = []
        for task in sound:
            index = index_in_memory(case_of(task, repos).root)
            work += [(task, m) for m in mutants(task, choices_of(task, index) if task.kind == "bash" else {})]
        verdicts = list(pool.map(lambda w: score(w[1].text, case_of(w[0], repos)), work))
    rates: dict[str, tuple[int, list[str]]] = {}
    for (task, mutant), verdict in zip(work, verdicts, strict=True):
        number, missed = rates.get(mutant.kind, (0, []))
        rates[mutant.kind] = (number + 1, missed + ([f"{task.key}: {mutant.text!r}"] if verdict.passed else []))
    return rates


def main(
    tasks: Annotated[str, typer.Option("--tasks")],
    repos: Annotated[Path, typer.Option("--repos")],
    jobs: Annotated[int, typer.Option("--jobs")] = 0,
) -> None:
    """Print the catch rates and what was missed; the exit code says whether all bars are met."""
    rates = catch_rates(load_tasks(tasks).tasks, repos, jobs)
    table = Table("mutation", "mutants", "caught", "bar", box=None)
    good = True
    for kind, (number, missed) in sorted(rates.items()):
        share = 1 - len(missed) / number
        good = good and share >= BARS[kind]
        table.add_row(kind, str(number), f"{100 * share:.1f} %", f"{100 * BARS[kind]:.0f} %")
        for text in missed:
            Console(stderr=True).print(f"missed {kind} {text}", highlight=False, markup=False, soft_wrap=True)
    Console().print(table)
    raise typer.Exit(0 if good else 1)


if __name__ == "__main__":
    typer.run(main)
