"""Reads the signatures of entry points: one function for one file, one for many."""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from ml_agent.tools.outline import first_paragraph
from ml_agent.tools.python_source import only_names, without_garbage_collection
from ml_agent.tools.signatures import make_reader, shell_reader, sysargv_reader
from ml_agent.tools.signatures.config_files import configured
from ml_agent.tools.signatures.control_flow import signatures_of
from ml_agent.tools.signatures.frameworks import factories
from ml_agent.tools.signatures.handed_over import library_that_decorates, library_that_runs
from ml_agent.tools.signatures.interpreter import STEPS, STEPS_OF_OTHERS, Interpreter
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.signatures.programs import SHELL, does_something, framework_of, may_run
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.signatures.values import Class, Function, Value
from ml_agent.tools.signatures.yaml_keys import with_comments

RUNS_OTHERS = re.compile(r"\b(?:exec|runpy\.run_\w+|import_module|__import__|load_entry_point)\s*\(|\bargv\b")
"""Ways to start code that is not in the file."""
READERS = re.compile(r"(?<![\w.])((?:\w+\.)*\w*(?:CLI|cli|docopt))\s*\(")
"""What libraries that read command lines are called."""
PARSES = re.compile(r"^[^#\n]*?\b(\w+\.parse_(?:known_)?args\w*)\s*\(", re.MULTILINE)
"""A parser is asked for the words."""
REWRITES = re.compile(
    r"\bsys\.argv(?:\.insert\(\s*1,\s*[\"'](?P<name>[\w-]+)[\"']\s*\)|\.(?:insert|append|extend|remove|pop)\(|(?:\[[^\]\n]*\])?\s*\+?=(?!=))"
)
"""Ways to change the words that a parser will read."""
EXECUTES = re.compile(r"\bexec\(")
"""A script that executes the text of another file, which may read the words (see globals_reader)."""


Keep = Callable[[str, Callable[[], tuple[Signature, ...]]], tuple[Signature, ...]]
"""Gives what is kept of a file, else what the call makes."""


class SignatureReader:
    """Reads the entry points of one repository; what several files share is parsed once."""

    def __init__(
        self,
        root: Path,
        files: frozenset[str] | None = None,
        sources: Sources | None = None,
        keep: Keep = lambda path, make: make(),
    ) -> None:
        self.sources = sources or Sources(root, files)
        self._keep = keep
        self._read: dict[str, tuple[Signature, ...]] = {}
        self._tested: dict[str, tuple[Signature, ...]] = {}

    def read(self, path: str) -> tuple[Signature, ...]:
        """The signatures of one file, () where it is no entry point; never raises."""
        if path not in self._read:
            with without_garbage_collection():
                self._read[path] = self._of(path)
        return self._read[path]

    def _of(self, path: str) -> tuple[Signature, ...]:
        suffix = PurePosixPath(path).suffix
        if suffix in SHELL:
            return shell_reader.read(self.sources, path)
        if make_reader.is_makefile(path):
            return make_reader.read(self.sources, path)
        return self._python(path) if may_run(self.sources, path) else ()

    def parsers(self, path: str) -> tuple[Signature, ...]:
        """The signatures of all parsers that a file makes, whether or not it is an entry point."""
        run = self._follow(path)
        found = _parsed_signatures(run)
        if not found:
            self._run_makers(run)
            found = [s for made in run.made for s in signatures_of(made)]
        return tuple(found)

    def function(self, path: str, module: str, name: str, console: str) -> tuple[Signature, ...]:
        """The signatures of a console script that calls one function of a file."""
        run = Interpreter(self.sources, path, factories())
        run.run_entry(module, name)
        doc = run.modules[path].env.get("__doc__") or ""
        found = [_complete(run, s) for s in self._with_rewriting(_parsed_signatures(run), run)]
        found = found or [*sysargv_reader.read_function(self.sources, path, name)]
        found = found or [_unsure(Signature(path=path, syntax="plain", doc=_first_paragraph(doc)))]
        found = [_failed(s, run) for s in found] if run.failed else found
        return tuple(msgspec.structs.replace(s, kind="console", name=console) for s in found)

    def installed(self, path: str, name: str) -> tuple[Signature, ...]:
        """The signatures of a script that is installed as a command; open where unread."""
        found = self.read(path) or (_unsure(Signature(path=path, syntax="plain")),)
        return tuple(msgspec.structs.replace(s, kind="console", name=name) for s in found)

    def module(self, path: str, name: str) -> tuple[Signature, ...]:
        """The signatures of `python -m name`, whose file is `path`."""
        return tuple(msgspec.structs.replace(s, kind="module", name=name) for s in self.tested(path))

    def only_defines(self, path: str) -> bool:
        """Whether running a file would do nothing: at its top level there are only definitions and imports."""
        tree = self.sources.tree(path)
        if tree is None or path in self.sources.repaired or self.sources.has_effects(path, path):
            return False
        return all(map(only_names, tree.body))

    def decorator(self, path: str) -> str:
        """A library's decorator of a function of a file, which may run it (`@begin.start`); "" where there is none."""
        tree = self.sources.tree(path)
        return library_that_decorates(tree, partial(self._is_foreign, path)) if tree is not None else ""

    def relative_import(self, path: str) -> int:
        """The line of the first relative import that a script reaches before anything else; 0 where there is none.

        None is amiss where the script says itself which package it is of: `__package__ = "keras_retinanet.bin"`.
        """
        tree = self.sources.tree(path)
        if "__package__" in self.sources.words(path) and _names_package(tree):
            return 0
        for node in tree.body if tree is not None else []:
            if isinstance(node, ast.ImportFrom) and node.level > 0:
                return node.lineno
        return 0

    def may_read_arguments(self, path: str) -> str:
        """Why a file without a parser of its own may take words all the same; "" where it does not."""
        text = self.sources.text(path)
        if text is None:
            return "it cannot be read, or is too large"
        if dynamic := RUNS_OTHERS.search(text):
            return f"it runs other code with {dynamic[0].strip(' (')}"
        if reader := READERS.search(text):
            origin = re.search(rf"^from ([\w.]+) import .*\b{reader[1]}\b", text, re.MULTILINE)
            name = f"{origin[1]}.{reader[1]}" if origin else reader[1]
            return f"{name} is not known here and may read them (to add a library: docs/extending.md)"
        if parses := PARSES.search(text):
            line = text.count("\n", 0, parses.start()) + 1
            return f"{parses[1]} at {path}:{line} reads arguments in a way that is not understood"
        tree = self.sources.tree(path)
        if tree is not None and (library := library_that_runs(tree, partial(self._is_foreign, path))):
            return f"{library} may read them, and it is not in the repository (to add a library: docs/extending.md)"
        closure = self.sources.closure(path, path)
        for other in closure:
            if self.sources.asked(other, framework_of):
                return f"{other} reads arguments in a way that is not understood"
        module = next((other for other in closure[1:] if self.sources.asked(other, sysargv_reader.ARGV.search)), "")
        how = "reads arguments in a way that is not understood (to add a library: docs/extending.md)"
        return f"{module} {how}" if module else ""

    def _is_foreign(self, path: str, module: str) -> bool:
        """Whether a module that a file imports is neither of the repository nor of the standard library."""
        top = module.partition(".")[0]
        return (
            top not in sys.stdlib_module_names
            and top not in self.sources.packages()
            and not any(self.sources.resolve(name, 0, path, path) for name in (top, module))
        )

    def tested(self, path: str) -> tuple[Signature, ...]:
        """As `read`, with the values that the program tests by hand after parsing."""
        if path not in self._tested:
            self._tested[path] = self._keep(path, lambda: self._with_tests(path))
        return self._tested[path]

    def configured(self, signature: Signature, values: Mapping[str, Any], folder: str) -> Signature:
        """A signature with the settings of the configuration file that a call in a folder names (ml_collections)."""
        return configured(signature, values, folder, self.sources)

    def _with_tests(self, path: str) -> tuple[Signature, ...]:
        found = self.read(path)
        if all(s.framework in ("none", "shell", "make", "sysargv") for s in found):
            return found
        run = self._follow(path, beyond=True)
        return tuple(_with_tests(run, s) for s in found)

    def _python(self, path: str) -> tuple[Signature, ...]:
        text = self.sources.text(path) or ""
        runs = does_something(text)
        if EXECUTES.search(text) or any(self.sources.asked(p, framework_of) for p in self.sources.closure(path, path)):
            run = self._follow(path)
            found = _parsed_signatures(run)
            if not found and runs and self.sources.asked(path, framework_of):
                self._run_makers(run)
                found = _parsed_signatures(run) or [_unsure(s) for made in run.made for s in signatures_of(made)]
            if run.failed:
                found = [_failed(s, run) for s in found or [Signature(path=path)]]
            if found:
                return tuple(_complete(run, s) for s in self._with_rewriting(found, run))
        return sysargv_reader.read(self.sources, path) if runs and not path.endswith("__init__.py") else ()

    def _with_rewriting(self, signatures: list[Signature], run: Interpreter) -> list[Signature]:
        """Signatures of a program that changes its own command line before it is parsed: they are open.

        A subcommand that is put in where none is named is understood (`run.inserted`).
        """
        files = {path for s in signatures for path in (s.path, *(o.path for o in s.options)) if path}
        files |= {path for event in run.parsed if (path := getattr(event.parser, "path", ""))}
        for path in sorted(files):
            text = self.sources.text(path) or ""
            change = next((m for m in REWRITES.finditer(text) if not m["name"] or m["name"] != run.inserted), None)
            if change is not None:
                line = text.count("\n", 0, change.start()) + 1
                unseen = Unseen(origin="computed", name="it changes its own command line", path=path, line=line)
                return [_left_open(s, unseen) for s in signatures]
        return signatures

    def _follow(self, path: str, *, beyond: bool = False) -> Interpreter:
        reads = self.sources.asked(path, framework_of)
        run = Interpreter(self.sources, path, factories(), steps=STEPS if reads else STEPS_OF_OTHERS, beyond=beyond)
        run.run_script()
        return run

    def _run_makers(self, run: Interpreter) -> None:
        """The script's flow did not lead to a parser: follow the functions that build one."""
        for value in list(run.modules[run.script].env.values()):
            if isinstance(value, (Function, Class)) and value.module.path == run.script and self._makes(run, value):
                run.run_function(value)

    def _makes(self, run: Interpreter, value: Function | Class) -> bool:
        lines = (self.sources.text(run.script) or "").split("\n")
        first, last = value.node.lineno - 1, value.node.end_lineno
        return any(framework_of(line) for line in lines[first:last])


def _parsed_signatures(run: Interpreter) -> list[Signature]:
    """The signatures of the parsers that were asked to parse; several are one command line."""
    parsers = list({id(event.parser): event.parser for event in run.parsed}.values())
    strict = any(event.strict for event in run.parsed)
    found = [signatures_of(parser) for parser in parsers]
    if not found:
        return []
    whole = [msgspec.structs.replace(s, accepts_unknown=s.accepts_unknown or not strict) for s in found[-1]]
    if not run.complete:
        whole = [_unsure(s) for s in whole]
    further = [o for group in found[:-1] for s in group for o in s.options]
    return [msgspec.structs.replace(s, options=_unique((*s.options, *_at_all_levels(further, s)))) for s in whole]


def _at_all_levels(options: Sequence[Option], signature: Signature) -> Iterator[Option]:
    """Options of a parser that reads the words before: they may stand on either side of every subcommand."""
    for level in range(len(signature.subcommand) + 1):
        yield from (msgspec.structs.replace(option, level=level) for option in options)


def _unique(options: Iterable[Option]) -> tuple[Option, ...]:
    """Each option once."""
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...], int], Option] = {}
    for option in options:
        found.setdefault((option.dest, option.flags, option.negative_flags, option.level), option)
    return tuple(found.values())


def _unsure(signature: Signature) -> Signature:
    beyond = Unseen(
        origin="computed", name="options are computed when the program runs", path=signature.path, line=signature.line
    )
    return _left_open(signature, beyond)


def _failed(signature: Signature, run: Interpreter) -> Signature:
    """A signature that an installed package did not read to its end."""
    unseen = (Unseen(origin="package", name=run.failed, path=run.script),)
    return msgspec.structs.replace(signature, accepts_unknown=True, unseen=unseen)


def _left_open(signature: Signature, beyond: Unseen) -> Signature:
    return msgspec.structs.replace(signature, accepts_unknown=True, unseen=(*signature.unseen, beyond))


def _complete(run: Interpreter, signature: Signature) -> Signature:
    """A signature with what the file and its comments say of it."""
    doc = signature.doc or run.modules[run.script].env.get("__doc__") or ""
    return with_comments(run.sources, msgspec.structs.replace(signature, doc=_first_paragraph(doc)))


def _first_paragraph(doc: Value) -> str:
    return first_paragraph(doc) if isinstance(doc, str) else ""


def _with_tests(run: Interpreter, signature: Signature) -> Signature:
    options: list[Option] = []
    for option in signature.options:
        found = run.accepted.get(option.dest)
        if found is not None and not option.switch:
            option = msgspec.structs.replace(
                option, accepted=found.values, accepted_fold=found.fold, accepted_at=found.place
            )
        options.append(option)
    return msgspec.structs.replace(signature, options=tuple(options))


def _names_package(tree: ast.Module | None) -> bool:
    """Whether a script sets `__package__`."""
    nodes = ast.walk(tree) if tree is not None else ()
    return any(
        isinstance(node, ast.Name) and node.id == "__package__" and isinstance(node.ctx, ast.Store) for node in nodes
    )
