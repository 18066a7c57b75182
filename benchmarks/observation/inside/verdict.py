"""Tells a failure of the answer from the end of what can be known without the libraries.

`judge` takes the exception with which a program ended and says: rejected by its parser, failed (with a code), or `outside`: it may only have
failed because libraries and data are not there. An error counts as a failure only where no unknown value and no missing file had a part in it.
"""

import argparse
import ast
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from . import unknown
from .record import Parsed, Rejected
from .scope import TESTS, Scope, around, tree

CONFIG = (".yaml", ".yml", ".cfg", ".toml", ".ini", ".py", ".sh")
CONVERSIONS = {"int", "float", "complex", "eval", "exec", "literal_eval", "argv"}
SAY_NOTHING = (KeyError, RecursionError, MemoryError, UnicodeError, EOFError)


class TimeUp(BaseException):
    """The program still ran when its time was over."""


class Judgement(NamedTuple):
    """outcome is finished, rejected, failed, outside, timeout or none; code and message belong to rejected and failed."""

    outcome: str
    code: str = ""
    message: str = ""


def judge(error: BaseException, scope: Scope) -> Judgement:
    """What the end of a program says about the answer."""
    if isinstance(error, Rejected):
        return Judgement("rejected", error.kind, error.message)
    if isinstance(error, Parsed):
        return Judgement("finished")
    if isinstance(error, TimeUp):
        return Judgement("timeout")
    if isinstance(error, SystemExit) and (error.code in (None, 0) or unknown.is_unknown(error.code)):
        return Judgement("finished")
    message = f"{type(error).__name__}: {error}"[:400]
    code = failure(error, scope)
    return Judgement("failed", code, message) if code else Judgement("outside", "", message)


def failure(error: BaseException, scope: Scope) -> str:
    """The code of a failure, or "" where the error says nothing about the answer."""
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None and not isinstance(earlier, (StopIteration, ImportError)) and not failure(earlier, scope):
        return ""
    return next(rule(error, _Scene(error, scope)) for kind, rule in RULES if isinstance(error, kind))


class _Scene:
    """Where an error arose."""

    def __init__(self, error: BaseException, scope: Scope) -> None:
        self.error, self.scope, self.frames = error, scope, scope.frames(error)
        self.own = bool(self.frames) and self.frames[-1][0].f_code.co_filename == scope.answer
        """Whether the innermost file of the scope in the traceback is the answer itself."""

    @property
    def nodes(self) -> list[ast.AST]:
        """The syntax nodes around the innermost line of the scope."""
        return around(self.frames[-1][0].f_code.co_filename, self.frames[-1][1]) if self.frames else []

    def refuses(self) -> bool:
        """Whether the innermost statement of the scope raises, asserts, exits, or converts text."""
        words = {getattr(n, "id", None) or getattr(n, "attr", None) for n in self.nodes}
        converts = isinstance(self.error, (ValueError, IndexError, SyntaxError)) and bool(words & CONVERSIONS)
        raises = any(isinstance(n, ast.Raise) for n in self.nodes)
        return isinstance(self.error, (SystemExit, AssertionError)) or converts or raises

    def tainted(self, *, names: bool = True) -> bool:
        """Whether an unknown value, or a file that is not there, had a part; `names`: look at the names on the line, too."""
        text = str(self.error)
        if unknown.MARK in text or "'Unknown" in text or any(map(unknown.is_unknown, self.error.args)):
            return True
        code = self.frames[-1][0].f_code if self.frames else None
        if code is None or code in unknown.BLURRED or code in unknown.ABSENT or any(map(_decided, self.frames)):
            return True
        return names and any(map(unknown.is_unknown, self._values()))

    def _values(self) -> Iterator[Any]:
        """The values of the names that the failing statement, and the tests around it, read."""
        frame = self.frames[-1][0]
        nodes = [n for n in self.nodes if isinstance(n, ast.stmt)]
        blocks = (ast.If, ast.For, ast.While, ast.With, ast.FunctionDef)
        looked: list[ast.AST] = [n for n in nodes[-1:] if not isinstance(n, blocks)]
        looked += [n.test for n in nodes if isinstance(n, TESTS)]
        read = (n.id for top in looked for n in ast.walk(top) if isinstance(n, ast.Name))
        yield from (frame.f_locals.get(name, frame.f_globals.get(name)) for name in read)


def _decided(place: tuple[types.FrameType, int]) -> bool:
    """Whether an unknown value chose the branch in which a line stands."""
    frame, line = place
    lines = unknown.DECIDED.get(frame.f_code, ())
    tests = (n.test for n in around(frame.f_code.co_filename, line) if isinstance(n, TESTS)) if lines else ()
    return any(t.lineno <= n <= (t.end_lineno or 0) for t in tests for n in lines)


def _syntax(error: Any, scene: _Scene) -> str:
    if error.filename == scene.scope.answer:
        return "syntax"
    foreign = error.filename and Path(error.filename).exists()
    return "bad-value" if not foreign and scene.refuses() and not scene.tainted() else ""


def _module(error: Any, scene: _Scene) -> str:
    standard = (error.name or "").partition(".")[0] in sys.stdlib_module_names
    return "" if unknown.MARK in str(error) or (standard and not scene.own) else "no-such-module"


def _name(error: Any, scene: _Scene) -> str:
    """A test of something unknown may have left the branch out that binds a local name."""
    if not scene.frames or _imports_all(scene.frames[-1][0]):
        return ""
    free = isinstance(error, UnboundLocalError) or scene.tainted()
    return "undefined-name" if scene.own or not free else ""


def _file(error: Any, scene: _Scene) -> str:
    """Data may be missing; a configuration or source file that the repository's own folder does not have may not."""
    path = error.filename
    if not isinstance(error, FileNotFoundError) or not isinstance(path, str) or unknown.MARK in path:
        return ""
    full = os.path.realpath(path)
    known = full.startswith(scene.scope.root) and full.endswith(CONFIG) and Path(full).parent.is_dir()
    return "no-such-file" if known else ""


def _type(error: Any, scene: _Scene) -> str:
    """A wrong call counts where the answer makes it; inside the repository it may come from what we made up."""
    counts = scene.own and not scene.tainted(names="argument" not in str(error))
    return "bad-call" if counts else ""


def _attribute(error: Any, scene: _Scene) -> str:
    value = error.obj
    if unknown.is_unknown(value) or id(value) in unknown.HALF or scene.tainted(names=False):
        return ""
    if getattr(value, "__path__", None) and importlib.util.find_spec(f"{value.__name__}.{error.name}"):
        return ""
    of_parser = isinstance(value, argparse.Namespace) and not unknown.HANDED
    path = str(getattr(value, "__file__", None) or "") if isinstance(value, types.ModuleType) else ""
    of_module = bool(path) and scene.scope.has(path) and not vars(value).get("__bench_stumbled__")
    return "no-such-attribute" if of_parser or of_module or scene.own else ""


def _rejection(error: Any, scene: _Scene) -> str:
    """The program refuses its values: by a raise, an assert, an exit, or a conversion of text. Other errors may be our doing."""
    return "rejected-by-hand" if (scene.own or scene.refuses()) and not scene.tainted() else ""


RULES: tuple[tuple[Any, Callable[[Any, _Scene], str]], ...] = (
    (SyntaxError, _syntax),
    (ModuleNotFoundError, _module),
    (NameError, _name),
    (SAY_NOTHING, lambda error, scene: ""),
    (OSError, _file),
    (TypeError, _type),
    (AttributeError, _attribute),
    (BaseException, _rejection),
)


def _imports_all(frame: types.FrameType) -> bool:
    """Whether the file imports all names of some module: it may be one that is not known here."""
    imports = (n for n in ast.walk(tree(frame.f_code.co_filename)) if isinstance(n, ast.ImportFrom))
    return any(one.names[0].name == "*" for one in imports)
