"""Programs without the user's values: documented examples, and calls built from signatures."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ml_agent.matching.python_library import ApiCallable, Library
from ml_agent.matching.python_programs import Call, Program, read_program
from ml_agent.matching.python_retrieval import LibraryIndex
from ml_agent.tools.examples import Example
from ml_agent.tools.files import Tree

UNSET = "..."
"""What stands for a value of which nothing is known yet."""
_MODELS = frozenset(["model", "net", "network", "backbone", "encoder", "module", "student", "generator", "denoiser"])
_MOST_SOURCES = 4
_MOST_DEEP = 3
_SHORTEST = 3
"""Letters of the name of a variable."""
_LARGE = 60_000


class Skeleton(NamedTuple):
    """A program to be filled."""

    program: Program
    example: Example | None
    """What it was made from; None for calls built from signatures."""
    callables: tuple[ApiCallable, ...] = ()
    """Those for whose sake it was built."""


class ExampleUsage:
    """How a repository itself uses its callables, in documents and in code.

    Args:
        library_index: the documented examples.
    """

    def __init__(self, library_index: LibraryIndex) -> None:
        self._library_index = library_index
        self._library = library_index.library
        self._known: dict[str, tuple[tuple[Program, Call], ...]] = {}

    def of(self, callee: ApiCallable) -> tuple[tuple[Program, Call], ...]:
        """The calls of a callable that documents and a few source files show."""
        key = callee.object.name
        if key not in self._known:
            programs = [one.program for one in self._library_index.examples_by_name.get(key, ())[:8]]
            if len(programs) < 2 and callee.owner is None:
                programs += self._sources(callee)
            self._known[key] = tuple((p, c) for p in programs for c in p.calls if c.callee.object.name == key)
            self._note(callee)
        return self._known[key]

    def methods(self, callee: ApiCallable) -> list[ApiCallable]:
        """The method of a class that is called most where the class is used; none where nothing is called."""
        counts: Counter[str] = Counter()
        for program, made in self.of(callee):
            used = {one.callee.name for one in program.calls if made.variable and _receiver(one.node) == made.variable}
            counts.update(sorted(used - {"forward", "__call__", "to", "eval", "train", "cuda"}))
        common = counts.most_common(1)
        return [one for one in callee.methods if common and one.name == common[0][0]]

    def _note(self, callee: ApiCallable) -> None:
        """Keep the literals that were seen, by parameter."""
        seen: dict[str, dict[str, None]] = {}
        for _, call in self._known[callee.object.name]:
            for name, value in call.arguments.items():
                if (text := text_of_literal(value)) is not None:
                    seen.setdefault(name, {})[text] = None
        self._library.seen_literals[callee.object.name] = {name: tuple(texts)[:12] for name, texts in seen.items()}

    def _sources(self, callee: ApiCallable) -> list[Program]:
        """Programs of the repository that import a callable."""
        found: list[Program] = []
        for module in self._library.index.api.facts.values():
            if module.path == callee.object.path or len(found) >= _MOST_SOURCES:
                continue
            if any(item.name == callee.name for item in module.imports):
                tree, folder = Tree(self._library.index.root), module.path.rpartition("/")[0] or "."
                text = tree.read_text(module.path, 4 * _LARGE) if tree.is_file(module.path) else ""
                program = read_program(text, self._library, folder) if len(text) < _LARGE else None
                if program is not None:
                    found.append(program)
        return found


def _receiver(node: ast.Call) -> str:
    """The variable whose method a call calls."""
    func = node.func
    return func.value.id if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else ""


def text_of_literal(node: ast.expr) -> str | None:
    """A literal as it would be typed: texts without quotes, several with commas; None for anything else."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)


class ProgramBuilder:
    """Writes programs from signatures.

    Args:
        library: of the repository.
        usages: how it uses its callables.
        score: how well a callable fits the request.
    """

    def __init__(self, library: Library, usages: ExampleUsage, score: Callable[[ApiCallable], float]) -> None:
        self._library = library
        self._usages = usages
        self._score = score

    def program(
        self, callables: Sequence[ApiCallable], methods: Mapping[str, Sequence[ApiCallable]]
    ) -> Skeleton | None:
        """The calls of some callables, each after what it needs.

        Args:
            callables: classes and functions.
            methods: by class: which of its methods are called.
        """
        page = _ProgramLines(self._library)
        for callee in callables:
            self._variable_for(callee, page, 0)
        for callee in callables:
            for method in methods.get(callee.object.name, ()):
                page.method(method, page.made[callee.object.name], self._arguments(method, page, 1))
        program = read_program(page.text, self._library, self._library.folder)
        return Skeleton(program, None, tuple(callables)) if program is not None and program.calls else None

    def _variable_for(self, callee: ApiCallable, page: "_ProgramLines", depth: int) -> str:
        """The variable that holds what a callable gives."""
        key = callee.object.name
        if key not in page.made:
            page.made[key] = UNSET  # a class that needs itself
            page.call(callee, self._arguments(callee, page, depth))
        return page.made[key]

    def _arguments(self, callee: ApiCallable, page: "_ProgramLines", depth: int) -> list[tuple[str, str]]:
        found = []
        for one in callee.parameters:
            if not one.required:
                continue
            need = self._need(callee, one.name, one.annotation) if depth < _MOST_DEEP else None
            value = self._variable_for(need, page, depth + 1) if need is not None else UNSET
            found.append((one.name if one.kind != "positional" else "", value))
        return found

    def _need(self, callee: ApiCallable, name: str, annotation: str) -> ApiCallable | None:
        """The class whose instance a parameter wants; None where it wants a value."""
        usual = self._usual(callee, name)
        if usual is not None:
            return usual
        if self._library.seen_literals.get(callee.object.name, {}).get(name) or name in self._library.usual_defaults:
            return None
        hint = re.findall(r"\w+", annotation)
        known = (one for word in hint for one in self._library.by_name.get(word, ()))
        annotated = next((one for one in known if one.object.kind == "class"), None)
        if annotated is not None:
            return annotated
        said = _pieces(name)
        others = [one for one in self._classes if one.object.name != callee.object.name]
        fitting = [one for one in others if _pieces(one.name) == said]
        if not fitting and said[-1] not in _MODELS:
            fitting = [one for one in others if _pieces(one.name)[-len(said) :] == said]
        elif not fitting and re.search(r"Module|^$", annotation):
            fitting = [one for one in others if self._score(one) > 0 and self._is_module(one)]
        return max(fitting, key=self._score, default=None)

    @cached_property
    def _classes(self) -> list[ApiCallable]:
        return [one for one in self._library.callables if one.object.kind == "class"]

    def _is_module(self, callee: ApiCallable) -> bool:
        return self._library.index.api.instances.has(callee.object, "load_state_dict") is True

    def _usual(self, callee: ApiCallable, name: str) -> ApiCallable | None:
        """What documented code gives there."""
        for program, call in self._usages.of(callee):
            value = call.arguments.get(name)
            if isinstance(value, ast.Name):
                maker = next((one for one in program.calls if one.variable == value.id), None)
                if maker is not None and maker.callee.owner is None:
                    return maker.callee
        return None


def _pieces(name: str) -> list[str]:
    """The words of an identifier, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)] or [name.lower()]


class _ProgramLines:
    """Lines of a program that is being written."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._imports: dict[str, None] = {}
        self._locals: dict[str, str] = {}
        self._lines: list[str] = []
        self.made: dict[str, str] = {}

    @property
    def text(self) -> str:
        """The program."""
        return "\n".join([*self._imports, "", *self._lines]) + "\n"

    def call(self, callee: ApiCallable, arguments: Sequence[tuple[str, str]]) -> None:
        """A line that calls a class or function."""
        module, name = self._library.import_of(callee)
        taken = self._locals.setdefault(name, module) != module
        local = f"{name}_{len(self._locals)}" if taken else name
        self._imports[f"from {module} import {name}{f' as {local}' if taken else ''}"] = None
        variable = self._variable(callee)
        self.made[callee.object.name] = variable
        self._lines.append(f"{variable} = {local}({_argument_list(arguments)})")

    def method(self, method: ApiCallable, receiver: str, arguments: Sequence[tuple[str, str]]) -> None:
        """A line that calls a method."""
        target = receiver if method.name in {"forward", "__call__"} else f"{receiver}.{method.name}"
        variable = self._variable(method)
        self._lines.append(f"{variable} = {target}({_argument_list(arguments)})")

    def _variable(self, callee: ApiCallable) -> str:
        words = _pieces(callee.name)
        base = words[-1] if callee.object.kind == "class" and words and words[-1].isalpha() else "result"
        if base in {"vit", "gpt", "net"} or len(base) < _SHORTEST:
            base = "model"
        name, number = base, 2
        while name in self.made.values() or name in self._locals:
            name, number = f"{base}{number}", number + 1
        return name


def _argument_list(arguments: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name}={value}" if name else value for name, value in arguments)
