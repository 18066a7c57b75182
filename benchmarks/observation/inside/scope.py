"""The files that count: the repository's and the answer's own, and what their syntax trees say about a line."""

import ast
import functools
import os
import types
from pathlib import Path

TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)
_open = open
"""As it was before anything was replaced."""


class Scope:
    """The files of a repository and of an answer.

    Args:
        root: the repository's folder.
        answer: the file of the answer's own Python code, or "".
    """

    def __init__(self, root: str, answer: str) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.answer = answer

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
