"""Reads the command line of an interpreter or a launcher: which program it starts, with which words; and starts it.

It runs inside the sandbox under the Python of the answer, so it has the standard library alone and reads launchers itself.
"""

import ast
import importlib
import importlib.util
import operator
import os
import re
import runpy
import sys
import tempfile
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import calls
from .finder import statement_by_statement

WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs", "-Q")
CONSOLE = "--console"
"""What stands before a console script's name and `module:function`; no interpreter knows such a word."""
# Modules that prepare or test: whoever starts them does not start the repository's program.
NOT_OURS = ("pip", "venv", "ensurepip", "compileall", "spacy", "nltk.downloader", "unittest", "pytest")
LONGEST = 1_000_000
"""Characters of a program that is read from standard input."""
GIVEN = re.compile(r"-[bBdEiIOPqRsSuvx]*([cm])(.*)", re.DOTALL)
"""A module or code, also behind switches in one word, and with what is given in the same word: -um, -cpass."""


class NoSuchScript(Exception):
    """The file to run does not exist."""


class Target:
    """One program: a file, a module or a function of one."""

    function = ""
    """What a console script calls."""

    def __init__(self, path: str = "", module: str = "", words: Sequence[str] = (), own: bool = False) -> None:
        """`words` follow the program; `own` code is the answer's (`-c`, or standard input) and none of the repository's."""
        self.path, self.module, self.words, self.own = path, module, list(words), own
        self.first = str(Path.cwd()) if module or own else str(Path(path).parent)
        """The folder that Python puts first on its import path."""


def read(given: Sequence[str], launchers: Sequence[str]) -> Target | None:
    """The target of `[launcher] words…`; None where nothing is run (`--version`, `-m pip`, nothing on standard input).

    Args:
        given: what stands behind the interpreter.
        launchers: programs and modules that start a Python script.
    """
    words = list(given)
    if words and words[0] in launchers:
        return _launched(words[1:])
    if words[:1] == [CONSOLE]:
        return _console(words[1], words[2], words[3:])
    while words:
        word = words.pop(0)
        if given_by := GIVEN.fullmatch(word):
            rest = [given_by[2], *words] if given_by[2] else words
            return _module(rest, launchers) if given_by[1] == "m" else _code(rest)
        if word in WITH_VALUE:
            words = words[1:]
        elif word == "-" or not word.startswith("-"):
            return _script(word, words)
        elif word in ("-V", "--version", "-h", "--help"):
            return None
    return _standard_input([])


def _standard_input(words: Sequence[str]) -> Target | None:
    """`python - <<END`: what is read there is the answer's own code."""
    text = sys.stdin.read(LONGEST)
    return _code([text, *words]) if text.strip() else None


def _script(name: str, words: Sequence[str]) -> Target | None:
    """A file, or a folder with a `__main__.py`."""
    if name == "-":
        return _standard_input(words)
    path = Path.cwd() / name
    if path.is_dir() and (path / "__main__.py").is_file():
        path = path / "__main__.py"
    if not path.is_file():
        raise NoSuchScript(f"can't open file {name!r}: no such file")
    full = os.path.normpath(path)
    return Target(path=full, words=words, own=os.environ.get("BENCH_ANSWER") == full)


def _module(words: Sequence[str], launchers: Sequence[str]) -> Target | None:
    """What `-m` names."""
    if not words or words[0] in NOT_OURS:
        return None
    return _launched(words[1:]) if words[0] in launchers else Target(module=words[0], words=words[1:])


def _console(name: str, place: str, words: Sequence[str]) -> Target:
    """A command that the repository's installation makes, which calls `module:function`."""
    named, _, function = place.partition(":")
    found = Target(path=name, module=named, words=words)
    found.function = function
    return found


def _launched(words: Sequence[str]) -> Target | None:
    """The program that a launcher starts: its first word that names a Python file, or the module after -m."""
    for at, word in enumerate(words):
        if word.endswith(".py") and "=" not in word:
            return _script(word, words[at + 1 :])
        if word in ("-m", "--module") and at + 1 < len(words):
            return Target(module=words[at + 1], words=words[at + 2 :])
    raise NoSuchScript("the launcher (such as torchrun) is not followed by a program")


def _code(words: Sequence[str]) -> Target:
    """`python -c TEXT`: the text is the answer's own code."""
    handle, path = tempfile.mkstemp(suffix=".py", text=True)
    with os.fdopen(handle, "w") as file:
        file.write(words[0] if words else "")
    return Target(path=path, words=words[1:], own=True)


def execute(target: Target, harmless: Callable[[BaseException], bool]) -> None:
    """Run a program; the answer's own code goes on with an unknown value after a call or statement that says nothing."""
    if target.module:
        _find_module(target.module)
    if target.function:
        operator.attrgetter(target.function)(importlib.import_module(target.module))()
        return
    if target.module:
        sys.modules["__main__"] = types.ModuleType("__main__")
        # as the interpreter does: what it set can still be seen at its end
        runpy._run_module_as_main(target.module)  # type: ignore[attr-defined]
        return
    source = Path(target.path).read_bytes()
    module = types.ModuleType("__main__")
    names: dict[str, Any] = vars(module)
    names.update(__file__=target.path, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    if target.own:
        names[calls.NAME] = calls.carry_out(harmless)
        statement_by_statement(calls.rewrite(ast.parse(source, target.path), own=True), target.path, names, harmless)
        return
    exec(compile(source, target.path, "exec", dont_inherit=True), names)


def _find_module(name: str) -> None:
    """Raise as an import would where the module to run does not exist (runpy hides which one is missing)."""
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    if importlib.util.find_spec(name) is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def origin(target: Target) -> str:
    """The file of a program: of a module that `-m` runs, or in which a console script's function stands; "" where there is none."""
    if not target.module:
        return target.path
    try:
        spec = importlib.util.find_spec(target.module)
        if not target.function and spec is not None and spec.submodule_search_locations:
            spec = importlib.util.find_spec(f"{target.module}.__main__")
    except (ImportError, ValueError, AttributeError):
        return ""
    return str(spec.origin or "") if spec is not None else ""
