"""`python -m benchmarks.mcp_agent rows|run`."""

import argparse
import asyncio
import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
from openai import AsyncOpenAI

from ml_agent.benchmarks.data import KINDS, Task, load_tasks, repository_folder
from ml_agent.benchmarks.mcp_agent.agent import converse, request_of
from ml_agent.benchmarks.mcp_agent.functions import served, shell
from ml_agent.benchmarks.predictions import Prediction, dump_prediction, load_predictions

SEED = 17
ROWS = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the rows, or answer them; 2 where the repositories of too few rows are there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mcp_agent", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("rows", "run"):
        one = commands.add_parser(name)
        one.add_argument("--repos", type=Path, required=True, help="folder with one folder a repository")
        one.add_argument("--tasks", default="wild", help="rows; for `rows`: those to draw from")
        one.add_argument("--out", type=Path, required=True)
        if name == "run":
            one.add_argument("--base-url", required=True)
            one.add_argument("--model", required=True)
            one.add_argument("--api-key", default="none")
            one.add_argument("--tools", action="store_true", help="the tools of `ml-agent mcp`, besides the shell")
    options = parser.parse_args(arguments)
    tasks = load_tasks(options.tasks).tasks
    if options.command == "run":
        asyncio.run(answer(list(tasks), options))
        return 0
    drawn = draw(list(tasks), options.repos)
    options.out.write_bytes(b"".join(row_of(task) + b"\n" for task in drawn))
    print(f"{len(drawn)} rows: {', '.join(task.repository for task in drawn)}", file=sys.stderr)
    return 0 if len(drawn) == ROWS else 2


def draw(tasks: list[Task], repos: Path) -> list[Task]:
    """One bash row of each of ten repositories that are there, by a fixed seed."""
    chance = random.Random(SEED)
    found: dict[str, list[Task]] = {}
    for task in tasks:
        if task.kind == "bash" and repository_folder(task, repos) is not None:
            found.setdefault(task.repository, []).append(task)
    names = sorted(found)
    return [chance.choice(found[name]) for name in sorted(chance.sample(names, min(ROWS, len(names))))]


def row_of(task: Task) -> bytes:
    """A row as the bench reads it."""
    published = {kind: name for name, kind in KINDS.items()}
    row = {**msgspec.to_builtins(task), "type": published[task.kind]}
    return msgspec.json.encode({name: value for name, value in row.items() if name != "kind"})


async def answer(tasks: list[Task], options: argparse.Namespace) -> None:
    """Answer the rows that are not answered yet, each in a conversation of its own; a line as soon as it is there."""
    done = {one.key for one in load_predictions(options.out)} if options.out.exists() else set()
    client = AsyncOpenAI(base_url=options.base_url, api_key=options.api_key, timeout=3600, max_retries=0)
    for task in tasks:
        repository = repository_folder(task, options.repos)
        if task.key in done or repository is None:
            continue
        async with AsyncExitStack() as stack:
            work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ml-agent-mcp-")))
            functions = [stack.enter_context(shell(repository.resolve(), task.path, work))]
            tools, instructions = await stack.enter_async_context(served()) if options.tools else ([], "")
            asked = request_of(task, str(repository.resolve()))
            answered = await converse(client, options.model, asked, [*functions, *tools], instructions)
        subject = "agent with our tools" if options.tools else "agent alone"
        line = Prediction(
            github_id=task.github_id, id=task.id, output=(answered.text,), usage=answered.usage, subject=subject,
            error="" if answered.text else "no answer",
        )  # fmt: skip
        with options.out.open("a", encoding="utf-8") as file:
            file.write(dump_prediction(line) + "\n")
        called = ", ".join(f"{name} {count}" for name, count in answered.called.items())
        print(
            f"{task.key} {task.repository}: {answered.usage.calls} requests ({called}): {answered.text}",
            file=sys.stderr,
        )


if __name__ == "__main__":
    sys.exit(main())
