"""The files that count: the repository's and the answer's own, and what their syntax trees say about a line."""

import ast
import functools
import os
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)
EXITS = ("exit", "_exit", "quit", "error", "abort", "fail")
_open = open
"""As it was before anything was replaced."""


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
        """A file's name in reports: relative to the repository."""
        return "answer" if path == self.answer else str(Path(os.path.realpath(path)).relative_to(self.root))

    def frames(self, error: BaseException) -> list[tuple[types.FrameType, int]]:
        """(frame, line) of the files that count, outermost first: from the start of the program to where the error arose."""
        trace = error.__traceback__
        found: list[tuple[types.FrameType, int]] = []
        frame = trace.tb_frame.f_back if trace else None
        while frame:
            found.insert(0, (frame, frame.f_lineno))
            frame = frame.f_back
        while trace:
            found.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        return [(frame, line) for frame, line in found if self.has(frame.f_code.co_filename)]


@functools.cache
def source(path: str) -> bytes:
    """The content of a file; empty where it cannot be read."""
    try:
        with _open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


@functools.cache
def tree(path: str) -> ast.Module:
    """The syntax tree of a file; an empty one where it cannot be read."""
    try:
        return ast.parse(source(path))
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


@functools.cache
def around(path: str, line: int) -> list[ast.AST]:
    """The syntax nodes that contain a line, outermost first."""
    return [
        n for n in ast.walk(tree(path)) if getattr(n, "lineno", line + 1) <= line <= (getattr(n, "end_lineno", 0) or 0)
    ]


@functools.cache
def safe_truth(path: str, line: int) -> bool | None:
    """The truth value of an unknown test on this line with which the program goes on; None where either will do."""
    for node in reversed(around(path, line)):
        if isinstance(node, (ast.If, ast.Assert)) and node.test.lineno <= line <= (node.test.end_lineno or 0):
            test, truth = node.test, True
            while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, truth = test.operand, not truth
            if isinstance(node, ast.Assert):
                return truth
            if ends(node.body):
                return not truth
            return truth if node.orelse and ends(node.orelse) else None
    return None


def ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a block ends by raising an error or by leaving the program."""
    last = body[-1]
    call = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return isinstance(last, ast.Raise)
    return (getattr(call.func, "attr", None) or getattr(call.func, "id", "")) in EXITS
