"""Tells a failure of the answer from the end of what can be known without the libraries."""

import argparse
import ast
import importlib.util
import json
import os
import sys
import types
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from . import bases, seen, unknown
from .guards import Outside
from .parsers import Rejected
from .scope import Scope
from .syntax import TESTS, around, tree

CONFIG = (".yaml", ".yml", ".cfg", ".toml", ".ini", ".py", ".sh")
CONVERSIONS = {"int", "float", "complex", "eval", "exec", "literal_eval", "argv"}


class TimeUp(BaseException):
    """The program still ran when its time was over."""


class Judgement(NamedTuple):
    """outcome is finished, rejected, failed, outside or timeout; code and message belong to rejected and failed."""

    outcome: str
    code: str = ""
    message: str = ""


def judge(error: BaseException, scope: Scope) -> Judgement:
    """What the end of a program says about the answer."""
    if isinstance(error, Rejected):
        return Judgement("rejected", error.kind, error.message)
    if isinstance(error, seen.Parsed):
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
    return next(rule(error, scope) for kind, rule in RULES if isinstance(error, kind))


def _elsewhere(error: Any, scope: Scope) -> str:
    return ""


def _syntax(error: Any, scope: Scope) -> str:
    if error.filename == scope.answer:
        return "syntax"
    if error.filename and Path(error.filename).exists():
        return ""
    return "bad-value" if refuses(error, scope) and not tainted(error, scope) else ""


def _module(error: Any, scope: Scope) -> str:
    top = (error.name or "").partition(".")[0]
    if unknown.MARK in str(error):
        return ""
    return "" if top in sys.stdlib_module_names and not own_frame(error, scope) else "no-such-module"


def _import(error: Any, scope: Scope) -> str:
    if "circular import" in str(error) or tainted(error, scope, names=False):
        return ""
    path = getattr(sys.modules.get(error.name or ""), "__file__", None) or error.path or ""
    return "no-such-name" if own_frame(error, scope) or (path and scope.has(path)) else ""


def _name(error: Any, scope: Scope) -> str:
    frames = scope.frames(error)
    if not frames or stars_unknown(frames[-1][0]):
        return ""
    if isinstance(error, UnboundLocalError) and not own_frame(error, scope):
        return ""  # the repository's code is sound: a test of something unknown left the branch out that binds the name
    return "undefined-name" if own_frame(error, scope) or not tainted(error, scope) else ""


def _file(error: Any, scope: Scope) -> str:
    """Data may be missing; a configuration or source file that the repository's own folder does not have may not."""
    path = error.filename
    if not isinstance(error, FileNotFoundError) or not isinstance(path, str) or unknown.MARK in path:
        return ""
    full = os.path.realpath(path)
    return (
        "no-such-file" if full.startswith(scope.root) and full.endswith(CONFIG) and Path(full).parent.is_dir() else ""
    )


def _type(error: Any, scope: Scope) -> str:
    """A wrong call counts where the answer makes it; inside the repository it may come from what we made up."""
    if (
        not own_frame(error, scope)
        or starred(error, scope)
        or tainted(error, scope, names="argument" not in str(error))
    ):
        return ""
    return "bad-call"


def _attribute(error: Any, scope: Scope) -> str:
    value = error.obj
    if unknown.is_unknown(value) or tainted(error, scope, names=False):
        return ""
    if id(value) in bases.HALF and bases.mentioned(type(value), error.name):
        return ""
    if getattr(value, "__path__", None) and importlib.util.find_spec(f"{value.__name__}.{error.name}"):
        return ""
    mine = own_frame(error, scope) or isinstance(value, argparse.Namespace) or _own_module(value, scope)
    return "no-such-attribute" if mine else ""


def _own_module(value: Any, scope: Scope) -> bool:
    """Whether a thing is a module of the scope that was loaded to its end."""
    path = getattr(value, "__file__", None)
    return isinstance(value, types.ModuleType) and bool(path) and scope.has(str(path)) and not stumbled(value)


def _key(error: Any, scope: Scope) -> str:
    """A key counts where the user's answer gives it: a table of datasets that does not have the dataset."""
    frames, last = scope.frames(error), error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if (
        not frames
        or last is None
        or last.tb_frame is not frames[-1][0]
        or not error.args
        or not scope.given(error.args[0])
    ):
        return ""
    return "" if tainted(error, scope, names=False) else "unknown-key"


def _rejection(error: Any, scope: Scope) -> str:
    """The program refuses its values: by a raise, an assert, an exit, or a conversion of text. Other errors may be our doing."""
    mine = own_frame(error, scope) or refuses(error, scope)
    return "rejected-by-hand" if mine and not tainted(error, scope) else ""


Rule = Callable[[Any, Scope], str]
RULES: tuple[tuple[Any, Rule], ...] = (
    (SyntaxError, _syntax),
    (ModuleNotFoundError, _module),
    (ImportError, _import),
    (NameError, _name),
    (
        (Outside, RecursionError, MemoryError, UnicodeError, EOFError, json.JSONDecodeError, zipfile.BadZipFile),
        _elsewhere,
    ),
    (OSError, _file),
    (TypeError, _type),
    (AttributeError, _attribute),
    (KeyError, _key),
    (BaseException, _rejection),
)


def refuses(error: BaseException, scope: Scope) -> bool:
    """Whether the innermost statement of the scope raises, asserts, exits, or converts text."""
    if isinstance(error, (SystemExit, AssertionError)):
        return True
    frames = scope.frames(error)
    if not frames:
        return False
    frame, line = frames[-1]
    nodes = around(frame.f_code.co_filename, line)
    words = {getattr(n, "id", None) or getattr(n, "attr", None) for n in nodes}
    converts = isinstance(error, (ValueError, IndexError, SyntaxError)) and bool(words & CONVERSIONS)
    return converts or any(isinstance(n, ast.Raise) for n in nodes)


def own_frame(error: BaseException, scope: Scope) -> bool:
    """Whether the innermost file of the scope in the traceback is the answer itself."""
    frames = scope.frames(error)
    return bool(frames) and frames[-1][0].f_code.co_filename == scope.answer


def tainted(error: BaseException, scope: Scope, names: bool = True) -> bool:
    """Whether an unknown value, or a file that is not there, had a part in the error.

    Args:
        error: as it was caught.
        scope: which files count.
        names: also look at the values of the names on the line that failed.
    """
    text = str(error)
    if unknown.MARK in text or "'Unknown" in text or any(unknown.is_unknown(a) for a in error.args):
        return True
    frames = scope.frames(error)
    if not frames:
        return True
    frame, line = frames[-1]
    if frame.f_code in unknown.BLURRED or frame.f_code in unknown.ABSENT:
        return True
    if any(decided(f, n) for f, n in frames):
        return True
    return names and any(unknown.is_unknown(v) for v in values_on(frame, line))


def decided(frame: types.FrameType, line: int) -> bool:
    """Whether an unknown value chose the branch in which the line stands."""
    lines = unknown.DECIDED.get(frame.f_code)
    if not lines:
        return False
    tests = (n.test for n in around(frame.f_code.co_filename, line) if isinstance(n, TESTS))
    return any(t.lineno <= n <= (t.end_lineno or 0) for t in tests for n in lines)


def values_on(frame: types.FrameType, line: int) -> Iterator[Any]:
    """The values of the names that the failing statement, and the tests around it, read."""
    nodes = [n for n in around(frame.f_code.co_filename, line) if isinstance(n, ast.stmt)]
    if not nodes:
        return
    blocks = (ast.If, ast.For, ast.While, ast.With, ast.FunctionDef)
    looked: list[ast.AST] = [] if isinstance(nodes[-1], blocks) else [nodes[-1]]
    looked += [n.test for n in nodes if isinstance(n, TESTS)]
    for top in looked:
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                yield frame.f_locals.get(node.id, frame.f_globals.get(node.id))


def starred(error: BaseException, scope: Scope) -> bool:
    """Whether the failing call hands over `*` or `**` arguments: their number is not known here."""
    frame, line = scope.frames(error)[-1]
    calls = (n for n in around(frame.f_code.co_filename, line) if isinstance(n, ast.Call))
    return any(any(isinstance(a, ast.Starred) for a in c.args) or any(k.arg is None for k in c.keywords) for c in calls)


def stars_unknown(frame: types.FrameType) -> bool:
    """Whether the file imports all names of a module that is unknown or was not loaded to its end."""
    package = str(frame.f_globals.get("__package__") or "").split(".")
    for node in ast.walk(tree(frame.f_code.co_filename)):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = sys.modules.get(".".join(p for p in (base, node.module or "") if p))
            if module is None or isinstance(module, unknown.UnknownModule) or stumbled(module):
                return True
    return False


def stumbled(module: types.ModuleType) -> bool:
    """Whether a module of the repository was not loaded to its end."""
    return bool(vars(module).get("__strict_stumbled__"))
