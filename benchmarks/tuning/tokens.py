"""Lessons as tokens of the model that is tuned, by the vocabulary that its own file holds."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from gguf import GGUFReader
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

if TYPE_CHECKING:
    from ml_agent.benchmarks.tuning.lessons import Lesson  # a machine that only trains needs nothing of the program

_NORMAL = 1
"""The type of a token that stands for text."""
_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How the Qwen2 family splits text before its vocabulary is applied."""


class Branch(NamedTuple):
    """One request behind what its program's requests have in common, and its answer."""

    question: list[int]
    answer: list[int]


class Program(NamedTuple):
    """One program's lesson."""

    head: list[int]
    branches: list[Branch]


class ChatFormat:
    """The model's way of writing a conversation down.

    Args:
        model: its file, opened.
        systems: what is said first, by kind of lesson.
    """

    def __init__(self, model: GGUFReader, systems: Mapping[str, str]) -> None:
        tokens = model.fields["tokenizer.ggml.tokens"].contents()
        kinds = model.fields["tokenizer.ggml.token_type"].contents()
        merges = [tuple(one.split(" ")) for one in model.fields["tokenizer.ggml.merges"].contents()]
        known = {token: place for place, token in enumerate(tokens) if kinds[place] == _NORMAL}
        self._tokenizer = Tokenizer(models.BPE(vocab=known, merges=merges))
        self._tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_WORDS), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        self._start, self.end = tokens.index("<|im_start|>"), tokens.index("<|im_end|>")
        self._systems = {kind: self._turn("system", text) for kind, text in systems.items()}

    def program(self, lesson: "Lesson") -> Program:
        """A lesson as tokens."""
        branches = [
            Branch(
                [*self._read(one.question), self.end, *self._read("\n"), self._start, *self._read("assistant\n")],
                [*self._read(one.answer), self.end],
            )
            for one in lesson.requests
        ]
        before = f"user\n{lesson.head}\n\n" if lesson.head else "user\n"
        return Program([*self._systems[lesson.kind], self._start, *self._read(before)], branches)

    def _turn(self, who: str, text: str) -> list[int]:
        return [self._start, *self._read(f"{who}\n{text}"), self.end, *self._read("\n")]

    def _read(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def used_tokens(programs: Iterable[Program]) -> Any:
    """The tokens that occur, sorted: the others need no row of the embedding."""
    found: set[int] = set()
    for one in programs:
        found.update(one.head, *(several for branch in one.branches for several in branch))
    return np.array(sorted(found))


def short(programs: Iterable[Program], head: int, branch: int) -> list[Program]:
    """Those whose common part is short enough, with the requests that are.

    Args:
        programs: all.
        head: tokens of the common part.
        branch: tokens of a request with its answer.
    """
    kept = []
    for one in programs:
        fitting = [b for b in one.branches if len(b.question) + len(b.answer) <= branch]
        if fitting and len(one.head) <= head:
            kept.append(Program(one.head, fitting))
    return kept
