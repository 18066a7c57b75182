"""What the first message of a conversation holds of the references, without any model: `python -m benchmarks.first_message`.

Of a command: its entry point, and its options by name. Of Python code: the repository's own names that it uses, and keyword arguments.
"""

import argparse
import ast
import json
import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ml_agent.account import called
from ml_agent.benchmarks.data import Task, load_tasks, repository_folder, visible
from ml_agent.benchmarks.navigators import open_workspace
from ml_agent.conversation.first_message import open_thread, system
from ml_agent.navigator import Given, Workspace
from ml_agent.prompts import functions
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.tokens import count_tokens
from ml_agent.understanding import understood


class FirstMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The first message of one row."""

    key: str
    kind: str
    tokens: int
    """With the system's part, without the functions."""
    seconds: float
    """To read the request and make the message, the repository being indexed."""
    names: tuple[str, ...]
    """What the reference uses of the repository."""
    missing: tuple[str, ...]
    """Of these what the message does not hold."""
    read: bool = True
    """False where the reference is no code that can be read: its names are not known."""


def main() -> int:
    """Print each row's tokens and what its first message lacks, then the medians and shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", required=True, help="rows, as `ml-agent bench` takes them")
    parser.add_argument("--repos", required=True, type=Path, help="folder of the repositories")
    parser.add_argument("--sample", type=Path, help="JSON list of keys: only these rows")
    options = parser.parse_args()
    keys = json.loads(options.sample.read_text()) if options.sample else None
    openings = []
    for task in load_tasks(options.tasks, keys).tasks:
        opening = measure(task, options.repos)
        openings.append(opening)
        print(f"{opening.key:7} {opening.kind:6} {opening.tokens:5} {' '.join(opening.missing)}", flush=True)
    report(openings)
    return 0


def measure(task: Task, repos: Path) -> FirstMessage:
    """The first message of a row, and what of its reference is in it."""
    shown = visible(task, "agent")
    root = repository_folder(task, repos)
    if root is None:
        raise SystemExit(f"{task.repository} is not in {repos}")
    workspace = open_workspace(root, shown)
    began = time.perf_counter()
    request = understood(
        shown.instruction, Given(repository=shown.github, path=shown.path, prefix_code=shown.prefix_code)
    )
    thread = open_thread(request, workspace)
    seconds = time.perf_counter() - began
    text = f"{system()}\n{thread.opening}\n\n{thread.task}"
    found = names_of(task, workspace)
    names = found or ()
    evidence = thread.opening  # the sentence itself is none
    return FirstMessage(
        key=str(task.key), kind=task.kind, tokens=count_tokens(text).n, seconds=seconds, names=names,
        missing=tuple(name for name in names if not _holds(evidence, name)),
        read=found is not None,
    )  # fmt: skip


def names_of(task: Task, workspace: Workspace) -> tuple[str, ...] | None:
    """What a reference uses of the repository, each name once; None where it is no code that can be read."""
    try:
        return tuple(
            dict.fromkeys(_of_code(task, workspace) if task.kind == "python" else _of_command(task, workspace))
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # another Python's, cut off, or nested without end
        return None


def report(openings: list[FirstMessage]) -> None:
    """Medians and shares of all rows, by kind."""
    tools = count_tokens(json.dumps(functions.tools(can_run=False, places=False))).n
    for kind in ("bash", "python", ""):
        every = [one for one in openings if kind in ("", one.kind)]
        some = [one for one in every if one.read]
        if len(every) > len(some):
            print(f"{kind or 'all':6} {len(every) - len(some)} references not read")
        if not some:
            continue
        sizes = sorted(one.tokens for one in some)
        names = sum(len(one.names) for one in some)
        missing = sum(len(one.missing) for one in some)
        print(
            f"{kind or 'all':6} {len(some)} rows: tokens median {statistics.median(sizes):.0f}, "
            f"nine of ten below {sizes[int(0.9 * (len(sizes) - 1))]}, most {sizes[-1]} (functions: {tools}); seconds median "
            f"{statistics.median(one.seconds for one in some):.2f}, mean {statistics.mean(one.seconds for one in some):.2f}; names shown "
            f"{names - missing} of {names}; rows with all {sum(not one.missing for one in some)}, with the entry point "
            f"{sum(not one.names or one.names[0] not in one.missing for one in some)}"
        )


def _holds(text: str, name: str) -> bool:
    """Whether a text has a name, in either spelling of its words."""
    plain = "[-_]".join(map(re.escape, re.split("[-_]", name)))
    return re.search(rf"(?<![\w-]){plain}(?!\w)|--{plain}(?!\w)", text) is not None


def _of_command(task: Task, workspace: Workspace) -> Iterator[str]:
    """The entry point and the options that a command gives."""
    for call in parse_command(task.output).invocations:
        signature = called(call, workspace.path, workspace.index)
        if signature is None:
            continue
        yield call.name if call.target != "module" else signature.path
        known = {flag for option in signature.options for flag in (*option.flags, *option.negative_flags, option.dest)}
        for word in call.words:
            name = word.partition("=")[0]
            if name in known or (name.startswith("--") and len(name) > 2):
                yield name.lstrip("-") if len(name.lstrip("-")) > 1 else name


def _of_code(task: Task, workspace: Workspace) -> Iterator[str]:
    """The repository's names that code uses, the most particular ones first, and its keyword arguments."""
    modules = workspace.index.api.facts.values()
    known = {one.name.rpartition(".")[2] for module in modules for one in module.definitions}
    for node in ast.walk(ast.parse(task.output)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in known and not name.startswith("__"):
                yield name
                yield from (word.arg for word in node.keywords if word.arg)


if __name__ == "__main__":
    raise SystemExit(main())
