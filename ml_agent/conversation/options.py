"""What is told of options beyond their signature: descriptions in documents, printed help, keys of configurations, further values."""

import ast
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import PurePosixPath

import msgspec

from ml_agent.conversation.listing import options_of
from ml_agent.navigator import Workspace
from ml_agent.numbers import number
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.content_cache import source_hash
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.errors import ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_source import parse_python, read_module
from ml_agent.tools.retrieval import tokenize
from ml_agent.tools.signatures.comments import with_comments
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.yaml_keys import flat_options, load_yaml
from ml_agent.tools.usage.entry import holds_placeholder, is_metavar, quoted_placeholders
from ml_agent.user_values import TRUTH

_ROW = re.compile(
    r"[ \t`|]{0,8}(-{1,2}[A-Za-z][^:|\n]{0,80}?)[ \t`]{0,4}(?::|\||\s[-\u2013\u2014])[ \t]{1,4}(\S.{0,600})"
)
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w\\-]{0,60}")
_WORDS = 3
"""Of a description; less is a value."""
_SOME = 3
"""Rows that are a list of a program's options, where no name says whose they are."""


def with_descriptions(signature: Signature, workspace: Workspace) -> Signature:
    """A signature whose options without a help text have what documents say of them.

    Args:
        signature: of an entry point.
        workspace: where. Lists count that stand with the program's name, or that are of several of its options.
    """
    silent = {flag: option for option in signature.options if not option.help for flag in option.flags}
    names = {signature.name, PurePosixPath(signature.path).name} - {""}
    of_program: dict[str, str] = {}
    of_lists: dict[str, str] = {}
    for passage in workspace.index.passages if silent else ():
        rows = dict(reversed(list(_rows(passage, silent))))
        if any(name in passage.text for name in names):
            of_program = rows | of_program
        elif len(rows) >= _SOME:
            of_lists = rows | of_lists
    said = of_lists | of_program
    if not said:
        return signature
    options = (msgspec.structs.replace(one, help=one.help or said.get(one.dest, "")) for one in signature.options)
    return msgspec.structs.replace(signature, options=tuple(options))


def _rows(passage: Passage, silent: dict[str, Option]) -> Iterator[tuple[str, str]]:
    """The dest of each option that a line of prose begins with, and what it says; a line about several options is none."""
    code = {line for block in passage.blocks for line in block.text.split("\n")}
    for line in passage.text.split("\n"):
        row = _ROW.match(line) if line not in code else None
        flags = [flag.replace("\\", "") for flag in _FLAG.findall(row[1])] if row else []
        meant = {silent[flag].dest for flag in flags if flag in silent}
        text = max(row[2].split(" | "), key=len).strip(" |") if row else ""
        if len(meant) == 1 and len(text.split()) >= _WORDS:
            yield meant.pop(), text


_HELP_ROW = re.compile(r"\s*--?[A-Za-z]")
_OF_EVERY_PROGRAM = re.compile(r"(?:-h, --help|--help|--version|-V, --version)\b")
_INDENTED = re.compile(r"\s{4}")
_ROW_SHORT, _ROW_SAID = 60, 240
"""Characters of a row; of one that shares words with the request the more."""
_FEW = 2
"""Rows that are no help text."""


def printed_help(signature: Signature, sentence: str, workspace: Workspace, most: int) -> str:
    """The options of a program as the repository's documents print its help; "" where they do not.

    Args:
        signature: of the program.
        sentence: the user's; rows that share words with it are told at length.
        workspace: where.
        most: characters.
    """
    names = {signature.name, signature.path.rpartition("/")[2]} - {""}
    usage = re.compile(
        rf"^[^\w\n]{{0,8}}usage:\s+(?:python[\d.]*\s+)?(?:\S*/)?(?:{'|'.join(map(re.escape, names))})\s", re.I | re.M
    )
    wanted = set(tokenize(sentence))
    for passage in workspace.index.passages:
        begun = usage.search(passage.text)
        rows = list(_help_rows(passage.text[begun.end() :])) if begun else []
        if len(rows) > _FEW:
            return _in_short(rows, wanted, most)
    return ""


def _help_rows(text: str) -> Iterator[str]:
    """The options of a help text, each on one line with what is said of it; to the next program's."""
    row = ""
    for line in text.splitlines():
        if re.match(r"\W{0,8}usage:", line, re.IGNORECASE):
            break
        if _HELP_ROW.match(line):
            yield from [row] if row else []
            row = " ".join(line.split())
        elif row and _INDENTED.match(line):
            row += " " + " ".join(line.split())
        elif row and line.strip():
            yield row
            row = ""
    yield from [row] if row else []


def _in_short(rows: Sequence[str], wanted: set[str], most: int) -> str:
    """Rows in their order, as many as there is room for, those of the request first."""
    shared = {row: len(wanted & set(tokenize(row))) for row in rows if not _OF_EVERY_PROGRAM.match(row)}
    short = {row: row[: _ROW_SAID if shared[row] else _ROW_SHORT] for row in shared}
    kept: set[str] = set()
    for row in sorted(shared, key=lambda one: -shared[one]):
        if sum(len(short[one]) + 1 for one in kept) + len(short[row]) <= most:
            kept.add(row)
    return "\n".join(short[row] for row in shared if row in kept)


_MOST_FILES, _MOST_NAMES = 200, 20
_NAMED = re.compile(r"""["']([\w./-]{1,120}\.ya?ml)["']""")
"""A file of settings in a text of code."""
_COMPOSED = re.compile(r"""\bcompose\(\s{0,40}(?:config_name\s?=\s?)?["']([\w./-]{1,120})["']""")
_FOLDER = re.compile(r"""\bconfig_(?:path|module)\s?=\s?["']([\w./-]{1,120})["']""")
"""What a program of hydra's composes itself, and from where."""
_HOLDS = re.compile(r"(?:^|_)(?:opts?|options|overrides?|set|settings|cfg|yml|yaml)(?:_|$)")
_SEVERAL = frozenset({"*", "+", "..."})


def takes_settings(signature: Signature) -> bool:
    """Whether a command line may change what a configuration says: it takes more than its parser lists, or words that are settings."""
    held = (one for one in signature.options if one.nargs in _SEVERAL and one.type in ("str", "unknown"))
    return signature.accepts_unknown or any(_HOLDS.search(one.dest.lower()) for one in held)


def read_by_name(signature: Signature, workspace: Workspace) -> list[str]:
    """The YAML files whose keys an entry point may take beside its options: those that its code names, or composes with hydra, the nearest first."""
    if not signature.accepts_unknown or signature.framework == "none":
        return []
    key = ("read by name", source_hash(__file__), signature.path)
    found: list[str] = workspace.index.keep(key, list[str], lambda: _read_by_name(signature.path, workspace))
    return found


def _read_by_name(path: str, workspace: Workspace) -> list[str]:
    sources = workspace.index.sources
    found: dict[str, None] = {}
    for code in islice(sources.closure(path, path) if path.endswith(".py") else (), _MOST_FILES):
        folders = (posixpath.dirname(code), posixpath.dirname(path), "")
        for name in islice(_names(sources.text(code) or ""), _MOST_NAMES):
            places = (posixpath.normpath(posixpath.join(folder, name)) for folder in folders)
            found |= dict.fromkeys(islice((place for place in places if sources.exists(place)), 1))
    return list(found)


def _names(code: str) -> Iterator[str]:
    yield from _NAMED.findall(code)
    for name in _COMPOSED.findall(code):
        for folder in _FOLDER.findall(code):
            yield f"{folder.replace('.', '/') if '/' not in folder else folder}/{name.removesuffix('.yaml')}.yaml"


def keys_of(path: str, words: str, workspace: Workspace, most: int) -> str:
    """The keys of a YAML file with their values, those first that share words with what is asked for; "" where it has none."""
    sources = workspace.index.sources
    data = load_yaml(sources, path) if path.endswith((".yaml", ".yml")) else None
    options = (
        [msgspec.structs.replace(one, nargs="?") for one in flat_options(data, path, sources.text(path) or "")]
        if data
        else []
    )
    return (
        options_of(with_comments(sources, Signature(path=path, options=tuple(options))), words, most) if options else ""
    )


_MOST_SEARCHED, _MOST_BYTES, _MOST_OF_ALL = 1500, 200_000, 12_000_000
"""Files that are looked through for neighbours, bytes of one that is, and of all of them."""
_MOST_READ, _MOST_PARSED, _MOST_VALUES = 6, 300, 2000
"""Files that are read for one value, files that are parsed at all, each once, and values that are looked up."""
_MOST, _FEWEST = 60, 2
"""Neighbours of one value; more are a dictionary."""
_MOST_DECLARING, _MOST_COMPARED, _MOST_CALLS, _MOST_LOOKED_UP, _MOST_TOLD = 8, 40, 50, 4, 10
_NAME = re.compile(r"(?=.*[A-Za-z])[\w.+/@][\w.+/@-]{0,47}")
"""No option: a program that looks for "--model" among its words does not hold it for a model."""
_SETS_UP = frozenset({"setup.py", "versioneer.py", "conftest.py"})
"""Files whose words no program takes: their lists are keywords, classifiers, requirements."""
_PATH_NAME = re.compile(
    r"(?:^|_)(?:path|dir|directory|folder|file|root|out|output|ckpt|checkpoint)s?(?:_|$)|(?:path|dir|file)$"
)
_CASES = frozenset({"lower", "upper", "strip", "casefold"})


def further_values(signature: Signature, index: RepoIndex) -> dict[str, tuple[str, ...]]:
    """By dest: words that an option without known choices may take beside its default; few that are sure to be alternatives."""
    key = ("further values", source_hash(__file__), signature.path, signature.name, *signature.subcommand)
    found: dict[str, tuple[str, ...]] = index.keep(
        key, dict[str, tuple[str, ...]], lambda: _further_values(signature, index)
    )
    return found


def _further_values(signature: Signature, index: RepoIndex) -> dict[str, tuple[str, ...]]:
    seen, compared = seen_values(signature, index), _compared_values(signature, index)
    found = {}
    for option in signature.options:
        if (
            option.switch
            or option.choices
            or option.accepted
            or option.type not in {"str", "unknown"}
            or _PATH_NAME.search(option.dest)
        ):
            continue
        known = [option.default or "", *seen.get(option.dest, ())[:_MOST_LOOKED_UP]]
        words = [text for text in known if text and number(text) is None and text.lower() not in TRUTH]
        beside = [one for text in words for one in _neighbours(index).of(text)]
        told = dict.fromkeys([*beside, *filter(_NAME.fullmatch, compared.get(option.dest, ()))])
        values = tuple(one for one in told if one != option.default)
        if 0 < len(values) <= _MOST_TOLD:
            found[option.dest] = values
    return found


@lru_cache(maxsize=64)
def seen_values(signature: Signature, index: RepoIndex) -> Mapping[str, tuple[str, ...]]:
    """By dest: the values that the repository's documented calls of an entry point give, placeholders left out."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    several = index.signatures.get(signature.path, ())
    for example in (one for one in index.examples if one.kind == "bash" and one.entry == signature.path):
        for call in parse_command(quoted_placeholders(example.text)).invocations[:_MOST_CALLS]:
            if (
                posixpath.basename(call.name) not in {posixpath.basename(signature.path), signature.name}
                or choose(several, call.words) != signature
            ):
                continue
            for dest, value in parse_call(signature, call.words).values.items():
                for one in value if isinstance(value, list) else [value]:
                    if "$" not in str(one) and not (holds_placeholder(one) or is_metavar(one, dest)):
                        found[dest].setdefault(str(one))
    return {dest: tuple(values) for dest, values in found.items()}


def _compared_values(signature: Signature, index: RepoIndex) -> dict[str, list[str]]:
    """By dest: the texts with which the files that declare or run an entry point compare its options."""
    names = frozenset(option.dest for option in signature.options)
    paths = dict.fromkeys((signature.path, *(option.path for option in signature.options)))
    found: dict[str, list[str]] = defaultdict(list)
    for path in [path for path in paths if path.endswith(".py")][:_MOST_DECLARING]:
        module = read_module(Tree(index.root), path)
        for node in ast.walk(module) if module is not None else ():
            if (
                isinstance(node, ast.Compare)
                and (name := _option_read(node.left)) in names
                and len(found[name]) < _MOST_COMPARED
            ):
                found[name] += [text for text in _texts_right(node) if text not in found[name]]
    return found


def _option_read(node: ast.expr) -> str:
    """The option that an expression reads: `args.name`, `args["name"]`, `args.name.lower()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASES:
        node = node.func.value
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.id if isinstance(node, ast.Name) else ""


def _texts_right(node: ast.Compare) -> Iterator[str]:
    """The texts on the right of `==`, `!=` or `in`."""
    for operator, right in zip(node.ops, node.comparators, strict=True):
        parts = right.elts if isinstance(right, ast.List | ast.Tuple | ast.Set) else [right]
        if isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            yield from (one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str))


@lru_cache(maxsize=8)
def _neighbours(index: RepoIndex) -> "_Neighbours":
    return _Neighbours(index)


class _Neighbours:
    """Other keys of a value's table, other elements of its list, what else a variable is compared with, functions registered like it."""

    def __init__(self, index: RepoIndex) -> None:
        self._tree = Tree(index.root)
        paths = (path for path in index.files if path.endswith(".py") and posixpath.basename(path) not in _SETS_UP)
        self._paths = sorted(paths, key=lambda path: (path.count("/"), path))[:_MOST_SEARCHED]
        self._found: dict[str, tuple[str, ...]] = {}
        self._parsed: dict[str, list[list[str]]] = {}

    def of(self, value: str) -> tuple[str, ...]:
        """What stands beside a value, in the order of the source; () for what is no name or stands nowhere."""
        if value not in self._found:
            if len(self._found) == _MOST_VALUES:
                return ()
            self._found[value] = tuple(self._look_up(value)) if len(value) > 1 and _NAME.fullmatch(value) else ()
        return self._found[value]

    @cached_property
    def _texts(self) -> Sequence[tuple[str, str]]:
        found, left = [], _MOST_OF_ALL
        for path in self._paths:
            try:
                text = self._tree.read_text(path, _MOST_BYTES)
            except (ToolError, OSError):
                continue
            found.append((path, text))
            left -= len(text)
            if left < 0:
                break
        return found

    def _look_up(self, value: str) -> list[str]:
        marks = (f'"{value}"', f"'{value}'", f"def {value}(")
        found: dict[str, None] = {}
        read = 0
        for path, text in self._texts:
            if not any(mark in text for mark in marks):
                continue
            for group in self._groups_in(path, text):
                if value in group:
                    found.update(dict.fromkeys(group))
            read += 1
            if read == _MOST_READ or len(found) > _MOST:
                break
        return [one for one in found if one != value][:_MOST]

    def _groups_in(self, path: str, text: str) -> list[list[str]]:
        """The groups of a file that may be ones of alternatives; each file is parsed once."""
        if path not in self._parsed:
            module = parse_python(text) if len(self._parsed) < _MOST_PARSED else None
            groups = _groups(module) if module is not None else iter(())
            self._parsed[path] = [group for group in groups if _FEWEST <= len(group) <= _MOST]
        return self._parsed[path]


def _groups(module: ast.Module) -> Iterator[list[str]]:
    """Texts of a module that stand for each other."""
    compared: dict[str, list[str]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Dict):
            yield _texts_of([key for key in node.keys if key is not None])
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield _texts_of(node.elts)
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name | ast.Attribute | ast.Subscript):
            compared.setdefault(ast.unparse(node.left), []).extend(_texts_of(node.comparators))
    yield from (list(dict.fromkeys(several)) for several in compared.values())
    alike: dict[str, list[str]] = {}
    for function in module.body:  # those with the same decorators, and those without whose names begin alike
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
            marks = ", ".join(ast.unparse(one) for one in function.decorator_list)
            alike.setdefault(marks or f"def {function.name.partition('_')[0]}", []).append(function.name)
    yield from alike.values()


def _texts_of(nodes: Sequence[ast.expr]) -> list[str]:
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return list(dict.fromkeys(text for text in texts if len(text) > 1 and _NAME.fullmatch(text)))
