"""The classes and functions of a repository with all that their source says of them, as what a program can call."""

import ast
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from ml_agent.matching.slots import Slot
from ml_agent.tools.docstrings import descriptions_in
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.model import ApiObject, Parameter
from ml_agent.tools.python_source import read_module
from ml_agent.tools.signatures.model import Option
from ml_agent.values.numbers import number

_SIDE = re.compile(r"(?:^|/)(?:tests?|testing|docs?|benchmarks?|ci|third_party|setup\.py|conftest\.py|test_[^/]*|[^/]*_test\.py)(?:/|$)")  # fmt: skip
_LITERAL = re.compile(r"Literal\[(?P<choices>[^\]]*)\]")
_MOST_HELP = 300
_MOST_METHODS = 60
_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_PLAIN = frozenset({"int", "float", "str", "bool"})
_AROUND = frozenset({"None", "Optional", "Union", "List", "list", "Sequence", "Tuple", "tuple", "Iterable"})
"""What stands around the type of a value."""
_OBJECTS = frozenset({"Tensor", "Module", "Optimizer", "DataFrame", "Dataset", "DataLoader", "Callable", "Image", "Generator"})  # fmt: skip
"""Classes whose objects no request states as a value."""
_TAKES_CODE = re.compile(r"(?:^|_)(?:fn|func|callable|callbacks?|hooks?)$")
"""Names of parameters that take a function, whatever is said of their type."""


class ApiCallable:
    """A class, function or method that code can call.

    Args:
        object: what the index says of it.
        library: of its repository.
        owner: the class of a method.
    """

    def __init__(self, object: ApiObject, library: "Library", owner: "ApiCallable | None" = None) -> None:
        self.object = object
        self.library = library
        self.owner = owner

    @property
    def name(self) -> str:
        """The last part of its dotted name."""
        return self.object.name.rpartition(".")[2]

    @cached_property
    def _node(self) -> _Definition | None:
        """Where it is defined; None where its file cannot be read."""
        tree = self.library.tree(self.object.path)
        nodes = ast.walk(tree) if tree is not None else ()
        found = (node for node in nodes if isinstance(node, _Definition) and node.name == self.name)
        return next((node for node in found if _first_line(node) <= self.object.line <= node.lineno), None)

    @cached_property
    def doc(self) -> str:
        """Its docstring, that of the constructor included."""
        documented = (one for one in self._definitions if isinstance(one, ast.ClassDef | ast.FunctionDef))
        return "\n".join(ast.get_docstring(one) or "" for one in documented).strip() or self.object.doc

    @cached_property
    def _definitions(self) -> tuple[ast.AST | None, ...]:
        """What may have its docstrings: it and its constructor."""
        body = self._node.body if self._node is not None else ()
        return self._node, *(one for one in body if isinstance(one, ast.FunctionDef) and one.name == "__init__")

    @cached_property
    def parameter_docs(self) -> Mapping[str, str]:
        """What its docstring says of its parameters, by name, and what strings below its fields say of these."""
        return {**descriptions_in(*self._definitions), **_field_descriptions(self._node)}

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """What the methods of a class set on `self`, without underscores before it."""
        nodes = ast.walk(self._node) if isinstance(self._node, ast.ClassDef) else ()
        stored = (one for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store))
        names = (one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id == "self")
        return tuple(dict.fromkeys(name for name in names if not name.startswith("_")))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a call takes by name, also what it hands on to the constructors of its bases."""
        own = self.object.parameters
        found = {one.name: one for one in own if one.kind in {"positional", "either", "keyword"}}
        if self.object.kind == "class" and any(one.kind == "keywords" for one in own):
            for base in self.library.index.api.instances.bases(self.object):
                for one in base.parameters:
                    if one.kind in {"either", "keyword"} and one.default is not None:
                        found.setdefault(one.name, one)
        return tuple(found.values())

    @cached_property
    def methods(self) -> tuple["ApiCallable", ...]:
        """The public methods of a class, those of its bases after its own."""
        instances = self.library.index.api.instances
        own = (self.object, *instances.bases(self.object))
        names = list(dict.fromkeys(name for one in own for name in instances.methods(one)))[:_MOST_METHODS]
        made = (instances.method(self.object, name) for name in names)
        return tuple(ApiCallable(one, self.library, self) for one in made if one is not None)

    def slots(self, number: int) -> dict[str, Slot]:
        """Its parameters as slots, by name.

        Args:
            number: of the call in its program; slots of several calls stand side by side.
        """
        seen = self.library.seen_literals.get(self.object.name, {})
        found = {}
        for one in self.parameters:
            if self.name == "forward" and one.required:
                continue  # tensors
            if self.library.wants_object(one.annotation) or _TAKES_CODE.search(one.name):
                continue
            option = _option_of(one, f"{number}.{one.name}", self.parameter_docs.get(one.name, ""))
            texts = seen.get(one.name, ())
            if option.type == "unknown":
                usual = literal_value(self.library.usual_defaults.get(one.name, "None"))
                kinds = [_number_kind(text) for text in texts] or [_number_kind(str(usual))]
                option = msgspec.structs.replace(option, type=kinds[0])
            if one.name in self.list_brackets:
                option = msgspec.structs.replace(option, help=f"{option.help}; several")
            found[one.name] = Slot(option, texts)
        return found

    @cached_property
    def list_brackets(self) -> Mapping[str, str]:
        """The parameters that take several values, with the bracket that opens them."""
        found = {}
        for one in self.parameters:
            shown = literal_value(one.default or self.library.usual_defaults.get(one.name, "None"))
            hint = one.annotation.replace("typing.", "").replace("Optional[", "")
            if isinstance(shown, tuple) or re.match(r"[Tt]uple\b", hint):
                found[one.name] = "("
            elif isinstance(shown, list) or re.match(r"(?:[Ll]ist|Sequence|Iterable|Collection)\b", hint):
                found[one.name] = "["
        return found


def _number_kind(text: str) -> str:
    """The type of an option whose value is written like this."""
    amount = number(text)
    if amount is not None:
        return "int" if amount == amount.to_integral_value() and "." not in text else "float"
    return "bool" if text in {"True", "False"} else "unknown"


def _option_of(parameter: Parameter, dest: str, help: str) -> Option:
    """A parameter in the form in which options are known."""
    shown = literal_value(parameter.default) if parameter.default else None
    hint = parameter.annotation.replace("typing.", "").replace("Optional[", "").rstrip("]").replace(" | None", "")
    kind = _kind(shown, hint.strip())
    choices = _LITERAL.search(parameter.annotation)
    return Option(
        dest=dest,
        flags=(f"--{parameter.name}",),
        type=kind,  # type: ignore[arg-type]
        choices=tuple(re.findall(r"['\"]([^'\"]+)['\"]", choices["choices"])) if choices else parameter.accepted,
        default=None if shown is None else str(shown).strip("[]()") if isinstance(shown, (list, tuple)) else str(shown),
        required=parameter.required
        or literal_value(parameter.default or "0") == "",  # an empty text is no value, either
        help=help[:_MOST_HELP],
        sure=bool(parameter.accepted),
    )


def _kind(shown: object, hint: str) -> str:
    if isinstance(shown, (list, tuple)) and shown:
        shown = shown[0]
    if isinstance(shown, bool):
        return "bool"
    if isinstance(shown, (int, float)):
        # Who writes 1 as the default of a share takes 0.5 as well.
        return "float" if isinstance(shown, float) or "float" in hint or shown in (0, 1) else "int"
    plain = [word for word in re.findall(r"\w+", hint) if word in _PLAIN]
    if "bool" in plain[:1]:
        return "bool"
    if plain:
        return "float" if "float" in plain and "str" not in plain else plain[0]
    if re.search(r"Path\b|PathLike", hint):
        return "path"
    return "str" if isinstance(shown, str) else "unknown"


def literal_value(text: str) -> object:
    """The value of a literal; None where it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _field_descriptions(node: ast.AST | None) -> dict[str, str]:
    """By field of a class: the string that stands below it."""
    body, found = node.body if isinstance(node, ast.ClassDef) else [], dict[str, str]()
    for one, following in itertools.pairwise(body):
        below = following.value if isinstance(following, ast.Expr) else None
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(below, ast.Constant):
            found[one.target.id] = str(below.value)
    return found


def _first_line(node: _Definition) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


class Library:
    """Everything in a repository that code can call.

    Args:
        index: the repository.
        folder: where the code runs.
    """

    def __init__(self, index: RepoIndex, folder: str = ".") -> None:
        self.index = index
        self.folder = folder
        self._trees: dict[str, ast.Module | None] = {}
        self.seen_literals: dict[str, dict[str, tuple[str, ...]]] = {}
        """By object and parameter: the literals that documented code gives it; filled by who reads the examples."""

    def tree(self, path: str) -> ast.Module | None:
        """The syntax tree of a file; None where it cannot be read."""
        if path not in self._trees:
            self._trees[path] = read_module(Tree(self.index.root), path)
        return self._trees[path]

    @cached_property
    def callables(self) -> tuple[ApiCallable, ...]:
        """The public classes and functions outside tests and documents that code can import where it runs."""
        found: dict[str, ApiCallable] = {}
        for one in self.index.api.objects:
            if not _SIDE.search(one.path) and self._module(one):
                found.setdefault(one.name, ApiCallable(self.index.api.whole(one), self))
        return tuple(found.values())

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[ApiCallable]]:
        """By the last part of their names."""
        found: dict[str, list[ApiCallable]] = defaultdict(list)
        for one in self.callables:
            found[one.name].append(one)
        return found

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of all classes, those of one small word left out."""
        return frozenset(name for name in self._own_classes if not name.islower())

    def wants_object(self, annotation: str) -> bool:
        """Whether a parameter is annotated with classes alone whose objects no value of a request is."""
        named = [one.rpartition(".")[2] for one in re.findall(r"[\w.]+", annotation)]
        said = [one for one in named if one not in _AROUND]
        return bool(said) and all(one in _OBJECTS or one in self._own_classes for one in said)

    @cached_property
    def _own_classes(self) -> frozenset[str]:
        return frozenset(one.name for one in self.callables if one.object.kind == "class")

    @cached_property
    def by_dotted(self) -> Mapping[str, ApiCallable]:
        """By where they are defined."""
        return {one.object.name: one for one in self.callables}

    @cached_property
    def usual_defaults(self) -> Mapping[str, str]:
        """By name of a parameter: the literal that most of the repository's functions give it as default."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for module in self.index.api.facts.values():
            for one in (p for definition in module.definitions for p in definition.parameters):
                if one.default is not None and literal_value(one.default) is not None:
                    found[one.name][one.default] += 1
        return {name: counts.most_common(1)[0][0] for name, counts in found.items()}

    def import_of(self, callee: ApiCallable) -> tuple[str, str]:
        """Module and name by which an object is imported: the shortest package that passes it on, else where it is defined."""
        module, name = self._module(callee.object), callee.name
        parts = module.split(".")
        for length in range(1, len(parts) + 1):
            shorter = ".".join(parts[:length])
            found = self.index.api.resolve(f"{shorter}.{name}", self.folder)
            if isinstance(found, ApiObject) and (found.path, found.line) == (callee.object.path, callee.object.line):
                return shorter, name
        return module, name

    def _module(self, object: ApiObject) -> str:
        """The module in which an object is defined, as it is imported where the code runs; "" where it cannot be."""
        return self.index.api.modules.imported_from(self.folder, object.path) or ""
