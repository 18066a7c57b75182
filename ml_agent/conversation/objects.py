"""Which classes and functions of a repository a task in Python likely needs, and what their files define."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from ml_agent.conversation.entries import ASIDE
from ml_agent.conversation.limits import SizeLimits
from ml_agent.conversation.listing import api_line, cut_off, parameters_of, said_of
from ml_agent.conversation.passed_on import with_passed_on
from ml_agent.navigator import Workspace
from ml_agent.tools.docstrings import descriptions_in, result_description
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.python_api.model import ApiObject, Definition, ModuleFacts
from ml_agent.tools.retrieval import tokenize
from ml_agent.user_values import word_list

_CALLED_BY_SIGNS = frozenset({"__call__", "__getitem__", "__iter__", "__len__", "__enter__"})
"""Methods that a program calls without their names."""
_SMOOTH = 3.0
_NAMED = 2.0
_SHOWN = 1.0
_IMPORT = re.compile(
    r"^[^\S\n]*+(?:from\s+([\w.]+)\s+import\s+\(?([\w, ]+)|import\s+([\w.]+)(?:\s+as\s+(\w+))?)", re.MULTILINE
)
_DOTTED = re.compile(r"\b([A-Za-z_]\w*(?:\.\w+)+)\s*\(")
_STAR = re.compile(r"^[^\S\n]*+from\s+([\w.]+)\s+import\s+\*", re.MULTILINE)
_BARE = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\(")
_METHOD = re.compile(r"\.([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"\w+")
_HYPHENATED = re.compile(r"\b\w{1,40}(?:-\w{1,40}){1,3}\b")
_IDENTIFIER = re.compile(r"_|\d|[a-z][A-Z]|[A-Z]{2}")
"""What marks a word as a name of code: "load_wav", "ViViT", "GPT", rather than "data" or "Agent"."""
_CAPITAL = re.compile(r"(?<=[\w,;:(] |\w[('\"]|[ (=]\[)([A-Z][a-z]+)\b")
"""Words with a capital that do not begin a sentence."""
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?!\w)")
_LESSON = re.compile(r"(?:^|/)(?:(?:\w+_)?examples?|tutorials?|samples?|demos?)/")
"""What shows how something is used, and is seldom imported itself."""
_ENOUGH = 3
"""So many classes and functions of its own make those of tests and documents needless."""
_LEAST_NAME = 5
_MOST_NAMES = 100
"""Of one passage that are looked up."""
_MOST_BASES = 8
_BEST = 3
"""So many of the first are told with all their parameters."""
_IN_USE = 3
"""What it is worth for a method that documents call it, beside each word that a request and it have in common."""
_MEMBERS = 240
"""Characters for the names of a class's further members."""
_MOST_DOC = 90
"""Characters of what a method says of itself."""
_MOST_PASSAGES = 300
"""Passages of documents that are looked at for what they use."""


def likely_objects(words: str, workspace: Workspace, most: int, passages: Sequence[Passage] = ()) -> list[ApiObject]:
    """The classes and functions that the words name, that fitting documents use, and that speak of the words; best first."""
    api = workspace.index.api
    scores: dict[str, float] = {}
    objects = {item.name: item for item in api.objects}
    named = _named_objects(words, api)
    count = Counter(_last(item.name) for item in named)
    for item in named:
        _add(scores, item.name, _NAMED / count[_last(item.name)])
    for rank, passage in enumerate(passages):
        for item in dict.fromkeys(_used_objects(passage, api, workspace.path)):
            objects[item.name] = item
            _add(scores, item.name, _SHOWN / (1 + rank))
    said = _NUMBER.sub(" ", words)
    for ranking in (api.search(said, 4 * most), api.search_names(said, 4 * most)):
        for rank, item in enumerate(ranking):
            _add(scores, item.name, 1 / (_SMOOTH + rank))
    for name in scores:
        scores[name] *= 0.3 if ASIDE.search(objects[name].path) or _LESSON.search(objects[name].path) else 1.0
    ordered = sorted(scores, key=lambda name: (-scores[name], name))
    meant = {item.name for item in named}
    own = [name for name in ordered if name in meant or not ASIDE.search(objects[name].path)]
    return [whole(objects[name], workspace.index) for name in (own if len(own) >= _ENOUGH else ordered)[:most]]


def whole(item: ApiObject, index: RepoIndex) -> ApiObject:
    """A class or function with what a call of it takes, and what it hands on."""
    return with_passed_on(index.api.whole(item), index.api, lambda one: _node(one, index))


def _named_objects(words: str, api: ApiIndex) -> list[ApiObject]:
    """The classes and functions whose names words have: as written where the name or they look like code, or in any case where it does."""
    exact = {word for word in _WORD.findall(words) if _IDENTIFIER.search(word)}
    exact |= {found[1] for found in _CAPITAL.finditer(words)}
    spelled = [*_WORD.findall(words), *(word.replace("-", "") for word in _HYPHENATED.findall(words))]
    plain = {word.replace("_", "").lower() for word in spelled if len(word) >= _LEAST_NAME}
    named = ((item, _last(item.name)) for item in api.objects)
    return [
        item
        for item, name in named
        if name in exact or (name.replace("_", "").lower() in plain and _IDENTIFIER.search(name))
    ]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def likely_modules(
    objects: Sequence[ApiObject], passages: Sequence[Passage], workspace: Workspace
) -> list[ModuleFacts]:
    """The files that the task's code likely imports from: those of the likeliest objects, those that documents import."""
    scores: dict[str, float] = {}
    for rank, item in enumerate(objects):
        _add(scores, item.path, 1 / (1 + rank))
    by_path = workspace.index.api.facts
    for rank, passage in enumerate(passages):
        for path in dict.fromkeys(_imported_paths(passage, by_path)):
            _add(scores, path, 1 / (1 + rank))
    return [by_path[path] for path in sorted(scores, key=lambda path: (-scores[path], path)) if path in by_path]


def outline(module: ModuleFacts, words: str, workspace: Workspace, listed: Sequence[ApiObject], most: int) -> str:
    """What a file defines beside what is listed, each with its parameters, what shares words with the task first."""
    said = set(tokenize(words))
    listed_names = {item.name for item in listed}
    items = [item for item in workspace.index.api.objects if item.path == module.path and item.name not in listed_names]
    items.sort(key=lambda one: -len(said & set(tokenize(f"{one.name} {one.doc}"))))
    whole = map(workspace.index.api.whole, items)
    names = [f"{one.name.rpartition('.')[2]}({parameters_of(one.parameters)})" for one in whole]
    kept: list[str] = []
    for name in [*names, *(name for name in module.attributes if name.isupper())]:
        if len(name) + 2 <= most:
            kept.append(name)
            most -= len(name) + 2
    return ", ".join(kept)


class ObjectSizeLimits(NamedTuple):
    """How much is told of one class or function."""

    line: int
    methods: int
    method: int
    said: int = 0
    """Parameters of which the docstring's words are told."""
    members: int = 0
    """Characters for the names of further methods and attributes."""
    used: Mapping[str, float] = {}
    """Methods that come first: how much documents call them."""

    @classmethod
    def of(cls, limits: SizeLimits, place: int, classes: int, used: Mapping[str, float]) -> "ObjectSizeLimits":
        """Of what stands at a place, so many classes among it and what is before it."""
        methods = limits.methods[classes - 1] if 0 < classes <= len(limits.methods) else 0
        said = limits.said[place] if place < len(limits.said) else 0
        members = _MEMBERS if classes == 1 else 0
        line = limits.best_line if place < _BEST else limits.api_line
        return cls(line, methods, limits.method, said, members, used)


def object_lines(item: ApiObject, workspace: Workspace, words: str, room: ObjectSizeLimits) -> str:
    """A class or function in a line, with types and what it gives back, what is said of the parameters that the words speak of, and of
    a class the methods nearest to `words`, with the names of the others.

    Methods that it has of classes of the repository that it is made from count as its own.
    """
    own = _definition(item, workspace)
    line = api_line(item, room.line, own.returns if own is not None and own.kind != "class" else "", words)
    described = parameter_docs(item, workspace) if room.said else {}
    lines = [line, *(f"    {one}" for one in said_of(described, words, room.said))]
    if item.kind != "class":
        return "\n".join(lines)
    public = [one for one in methods_of(item, workspace) if _last(one.name) != "forward"]
    said = set(tokenize(words)) - word_list("stop") - set(tokenize(item.name))
    public.sort(key=lambda one: -_fit(one, said, room.used))
    lines += [f"  .{method_text(one, room.method, words)}" for one in public[: room.methods]]
    others = [_last(one.name) for one in public[room.methods :]] + _attributes(item, workspace)
    members = cut_off(", ".join(f".{name}" for name in dict.fromkeys(others)), room.members)
    return "\n".join([*lines, *([f"  has {members}"] if members and room.members else [])])


def _attributes(item: ApiObject, workspace: Workspace) -> list[str]:
    """What its methods set on `self` beside what it is given."""
    node, given = _node(item, workspace.index), {one.name for one in item.parameters}
    nodes = ast.walk(node) if isinstance(node, ast.ClassDef) else ()
    stored = (one for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store))
    names = (one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id == "self")
    return [name for name in dict.fromkeys(names) if name[0] != "_" and name not in given]


def _fit(method: Definition, said: set[str], used: Mapping[str, float]) -> float:
    name = _last(method.name)
    return len(said & set(tokenize(f"{name} {method.doc}"))) + _IN_USE * used.get(name, 0.0)


def methods_used(passages: Sequence[Passage], index: RepoIndex) -> Mapping[str, float]:
    """By the name of a method how much documents call it: 1 for those in the code of passages, and its share in all documents."""
    shares = _method_shares(index)
    near = {name for one in passages for name in _methods_in(one)}
    return {name: (name in near) + shares.get(name, 0.0) for name in near | shares.keys()}


def _methods_in(passage: Passage) -> set[str]:
    return {name for block in passage.blocks for name in _METHOD.findall(block.text)}


@lru_cache(maxsize=8)
def _method_shares(index: RepoIndex) -> Mapping[str, float]:
    """By the name of a method in how many of the documents' passages it is called, beside the one that is called most."""
    coded = (one for one in index.passages if any(block.text for block in one.blocks))
    count = Counter(name for one in islice(coded, _MOST_PASSAGES) for name in _methods_in(one))
    most = max(count.values(), default=1)
    return {name: number / most for name, number in count.items()}


def parameter_docs(item: ApiObject, workspace: Workspace) -> Mapping[str, str]:
    """What its docstring says of the parameters that it has, by name; of a function with `**kwargs` also of others."""
    node = _node(item, workspace.index)
    said = {**descriptions_in(*_documented(node)), **_field_descriptions(node)}
    names = [one.name for one in item.parameters]
    names += [name for name in said if name.islower()] if any(one.kind == "keywords" for one in item.parameters) else []
    return {name: said[name] for name in dict.fromkeys(names) if said.get(name)}


def result_docs(item: ApiObject, workspace: Workspace) -> str:
    """What its docstring says that it gives back."""
    nodes = _documented(_node(item, workspace.index))
    docs = [ast.get_docstring(one) or "" for one in nodes if isinstance(one, ast.ClassDef | ast.FunctionDef)]
    return result_description("\n".join(docs).strip() or item.doc)


_Defined = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=256)
def _node(item: ApiObject, index: RepoIndex) -> _Defined | None:
    """Where it is defined; None where its file cannot be read."""
    tree = index.sources.definition(item.path, item.line) or index.sources.tree(item.path)
    named = (
        (one for one in ast.walk(tree) if isinstance(one, _Defined) and one.name == _last(item.name)) if tree else ()
    )
    return next((one for one in named if _first_line(one) <= item.line <= one.lineno), None)


def _first_line(node: _Defined) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _documented(node: _Defined | None) -> tuple[ast.AST | None, ...]:
    """What may have its docstrings: it and its constructor."""
    body = node.body if node is not None else ()
    return node, *(one for one in body if isinstance(one, ast.FunctionDef) and one.name == "__init__")


def _field_descriptions(node: _Defined | None) -> dict[str, str]:
    """By field of a class: the string that stands below it."""
    found: dict[str, str] = {}
    for one, following in pairwise(node.body if isinstance(node, ast.ClassDef) else []):
        below = following.value if isinstance(following, ast.Expr) else None
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(below, ast.Constant):
            found[one.target.id] = str(below.value)
    return found


def methods_of(item: ApiObject, workspace: Workspace) -> Iterator[Definition]:
    """The public methods and constructors of a class and of its bases, the nearest class's where several have one; those called by signs among them."""
    seen = set[str]()
    for owner in (item, *islice(workspace.index.api.instances.bases(item), _MOST_BASES)):
        name = _last(owner.name)
        for one in _definitions(owner, workspace):
            short = _last(one.name)
            public = short[0] != "_" or short in _CALLED_BY_SIGNS
            if one.kind != "class" and one.name == f"{name}.{short}" and public and short not in seen:
                seen.add(short)
                yield one


def _definition(item: ApiObject, workspace: Workspace) -> Definition | None:
    """Where it stands in its file: under its last name, or that of its class and its own."""
    names = {_last(item.name), ".".join(item.name.split(".")[-2:])}
    found = (one for one in _definitions(item, workspace) if one.name in names)
    return next((one for one in found if one.line == item.line), None) or next(
        (one for one in _definitions(item, workspace) if one.name == _last(item.name)), None
    )


def _definitions(item: ApiObject, workspace: Workspace) -> tuple[Definition, ...]:
    facts = workspace.index.api.facts.get(item.path)
    return facts.definitions if facts is not None else ()


def method_text(one: Definition, most: int, words: str = "") -> str:
    """A method in a line, with its parameters in so many characters; a property by its name alone."""
    if one.read:
        return _last(one.name)
    returns = f" -> {one.returns}" if one.returns and one.kind != "class" else ""
    says = f"  # {one.doc[:_MOST_DOC].strip()}" if one.doc else ""
    return f"{_last(one.name)}({parameters_of(one.parameters, most, words)}){returns}{says}"


def _used_objects(passage: Passage, api: ApiIndex, folder: str) -> Iterator[ApiObject]:
    """The repository's classes and functions that the code of a passage imports, or calls by their full names."""
    text = "\n".join(block.text for block in passage.blocks)
    short: dict[str, str] = {}
    names = []
    for source, taken, module, local in _IMPORT.findall(text):
        for name, _, other in (one.strip().partition(" as ") for one in taken.split(",")):
            names += [f"{source}.{name}"] if name else []
            short |= {(other or name).strip(): f"{source}.{name}"} if name else {}
        short |= {local: module} if local else {}
    for source in dict.fromkeys(_STAR.findall(text)):
        names += [f"{source}.{name}" for name in dict.fromkeys(_BARE.findall(text))]
    for dotted in dict.fromkeys(_DOTTED.findall(text)):
        head, _, rest = dotted.partition(".")
        names.append(f"{short.get(head, head)}.{rest}")
    for name in list(dict.fromkeys(names))[:_MOST_NAMES]:
        found = api.resolve(name, folder)
        if isinstance(found, ApiObject) and found.kind in ("class", "function"):
            yield found


def _imported_paths(passage: Passage, by_path: Mapping[str, ModuleFacts]) -> Iterator[str]:
    for block in passage.blocks:
        for source, _, module, _ in _IMPORT.findall(block.text):
            path = (source or module).replace(".", "/")
            yield from (one for one in (f"{path}.py", f"src/{path}.py") if one in by_path)


def _add(scores: dict[str, float], name: str, score: float) -> None:
    scores[name] = scores.get(name, 0.0) + score
