"""Rows as chat examples for fine-tuning."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import Setting, Task, repository_folder, visible
from ml_agent.benchmarks.own_files import CHAT_EXAMPLES, see_that_it_may_be_replaced
from ml_agent.benchmarks.predict.config import Config
from ml_agent.benchmarks.predict.raw import prompt
from ml_agent.files import write_atomically
from ml_agent.tools.tokens import count_tokens


class ChatExample(msgspec.Struct, frozen=True, kw_only=True):
    """One example, in the form that chat fine-tuning takes."""

    messages: tuple[dict[str, str], ...]
    tokens: int
    """Of all messages, by the tokenizer that was asked for."""
    github_id: int
    id: int


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which examples to make."""

    setting: Setting = "oracle"
    """The paper's three tasks: code, retrieval, oracle."""
    model: str = ""
    """Whose tokenizer counts."""
    context: int | None = None
    """Longer examples are left out; tokens."""


def examples(tasks: Iterable[Task], repos: Path, wanted: Wanted) -> Iterator[ChatExample | str]:
    """An example for each row, or the reason why there is none."""
    config = Config(navigator="raw", setting=wanted.setting, model=wanted.model)
    for task in tasks:
        root = repository_folder(task, repos)
        if root is None and wanted.setting != "oracle":
            yield f"{task.key}: no repository {task.repository} in {repos}"
            continue
        question = prompt(visible(task, wanted.setting), root or repos, config)
        answer = f"```{task.kind}\n{task.output.strip()}\n```"
        tokens = count_tokens(question, wanted.model).n + count_tokens(answer, wanted.model).n
        if wanted.context is not None and tokens > wanted.context:
            yield f"{task.key}: {tokens} tokens"
            continue
        messages = ({"role": "user", "content": question}, {"role": "assistant", "content": answer})
        yield ChatExample(messages=messages, tokens=tokens, github_id=task.github_id, id=task.id)


def write_examples(tasks: Iterable[Task], repos: Path, wanted: Wanted, out: Path) -> tuple[int, list[str]]:
    """Write a JSONL file; returns the number of examples and the reasons of rows without one.

    BenchError where the file holds something else.
    """
    see_that_it_may_be_replaced(out, CHAT_EXAMPLES)
    made = list(examples(tasks, repos, wanted))
    lines = [json.dumps(msgspec.to_builtins(one), ensure_ascii=False) for one in made if not isinstance(one, str)]
    write_atomically(out, "".join(line + "\n" for line in lines))
    return len(lines), [one for one in made if isinstance(one, str)]
