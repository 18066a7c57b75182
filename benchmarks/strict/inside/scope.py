"""Which files and values count: the repository's files, the answer's own, and what the user's answer gives."""

import ast
import os
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .syntax import tree


class Scope:
    """The files of a repository and of an answer.

    Args:
        root: the repository's folder.
        answer: the file of the answer's own Python code, or "".
        words: the words of the command line.
    """

    def __init__(self, root: str, answer: str, words: Sequence[str]) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.answer = answer
        self.words = {part.lower() for word in words for part in (word, *word.split("="))}
        if answer:
            constants = (n.value for n in ast.walk(tree(answer)) if isinstance(n, ast.Constant))
            self.words |= {str(value).lower() for value in constants}

    def given(self, value: Any) -> bool:
        """Whether a value stands on the command line or in the answer's code."""
        return isinstance(value, (str, int, float)) and str(value).lower() in self.words

    def has(self, path: str) -> bool:
        """Whether a file counts."""
        return path == self.answer or os.path.realpath(path).startswith(self.root)

    def name(self, path: str) -> str:
        """A file's name for reports."""
        return "answer" if path == self.answer else str(Path(os.path.realpath(path)).relative_to(self.root))

    def frames(self, error: BaseException) -> list[tuple[types.FrameType, int]]:
        """(frame, line) of files that count, outermost first: those that called the place of the catch, then the traceback's."""
        trace = error.__traceback__
        below: list[tuple[types.FrameType, int]] = []
        frame = trace.tb_frame.f_back if trace else None
        while frame:
            below.insert(0, (frame, frame.f_lineno))
            frame = frame.f_back
        while trace:
            below.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        return [(f, n) for f, n in below if self.has(f.f_code.co_filename)]
