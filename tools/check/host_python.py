"""What Python code would do on the machine of whoever runs it, beyond calling the repository and its libraries.

It is read by allowing: code may import the repository, libraries that it uses or that are widely used, and what `host.toml` lists of
the standard library; the places that it names lie below the working folder, or the user named them. Code that hides on purpose what
it does can do more, and so can a repository's own.
"""

import ast
import re
import sys
from collections.abc import Iterator

from ml_agent.tools.check.host_scope import LONGEST, HostRisk, HostScope, host_table
from ml_agent.tools.check.python_names import MODULES, Names
from ml_agent.tools.libraries import known_libraries
from ml_agent.tools.python_source import TooDeepError, read_python
from ml_agent.tools.secret_files import is_secret_place
from ml_agent.tools.secret_names import names_a_secret

STARTS = "may start other programs, or run text as code"
UNLISTED = "is neither the repository's, nor a library that it uses or that is well known, nor listed as harmless"
SECRET = "reads one of your secrets"
NETWORK = "runs code from the network that you did not ask for"
SENDS = "sends something to a host that you did not name"
ELSEWHERE = "names a path outside the repository that your request does not name"
WRITES = "writes a file that programs run as code"
UNREADABLE = "is not Python that can be read, or is too long or nested too deeply to judge"
_INSTALLERS = frozenset({"pip", "setuptools", "pkg_resources", "cffi", "psutil", "IPython", "wget", "gdown"})
"""Of the widely used libraries those that install, build or start something: only with a repository that uses them."""
_COMPUTED = frozenset(
    ["eval", "exec", "compile", "globals", "locals", "vars", "getattr", "setattr", "delattr", "breakpoint", "chr"]
)
"""Builtins that run text, or reach by a computed name what is not allowed by its own."""
_PLAIN = frozenset(["__name__", "__file__", "__doc__", "__version__", "__init__", "__class__", "__len__", "__call__"])
_STARTS = re.compile(
    r"popen\d?|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|load_(?:extension|(?:op_)?library|inline)|run_setup|check_(?:output|call)",
    re.I,
)
"""Attributes that start a program, or load a library, whoever has them; `system` does where it is called."""
_RUNS = re.compile(
    r"typing\.(?:get_type_hints|ForwardRef)|inspect\.get_annotations|string\.Formatter|torch\.distributed\.(?:run|launch\w*)(?:\..*)?"
)
"""What is allowed by the name of its module, and evaluates text or starts a program."""
_SECRETS = re.compile(
    r"openai\.api_key|wandb\.api\.api_key|huggingface_hub\..*get_token\w*|.*\bHfFolder\b.*|requests\.utils\b.*"
)
_TEXT_OF_CODE = re.compile(
    r"__[a-z]+__[.(\[]|\bos\.(?:system|popen|exec\w+)\b|\bsubprocess\.\w+|!!python|trust_remote_code|\bimport\s+\w+\s*;"
)
"""In a text that something may run: an expression of a table, a template, the name of what is called."""
_LOADS = re.compile(
    r"(?:pickle|cPickle|_pickle|dill|cloudpickle|torch|joblib|numpy|marshal|jsonpickle|yaml|pandas)"
    r"\.(?:(?:unsafe_|full_)?load(?:s|_all)?|Unpickler|decode|read_pickle)"
)
"""What may run what it loads: it is given a file."""
_FILE = re.compile(r"(?:io\.|codecs\.|gzip\.|bz2\.|lzma\.)?open|os\.path\.\w+|pathlib\.Path|str")
_SENDS = re.compile(r"(?:requests|httpx|aiohttp|urllib3)\.(?!get$|head$)\w+|mlflow\.set_(?:tracking|registry)_uri")
_HERE = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?:[:/]|$)")
_PATH = re.compile(r"(?:/[\w.~*?-]|~[\w/]|\.\.(?:/|$))[^\n]*|[^\s]*/\.\.(?:/.*)?")
_PLACES = ast.Constant | ast.JoinedStr | ast.BinOp | ast.Call | ast.Subscript
_OF_FILES = re.compile(r"(?:os|shutil|glob|pathlib|io|zipfile)\..+|open")
_CACHE = re.compile(r"~/\.cache/?")
"""The folder of downloads, which examples of libraries name."""
_CODE_FILE = re.compile(r"\.(?:py\w?|pth|so|sh)$|(?:^|/)(?:Makefile|conftest\w*)$")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_ENCODINGS = frozenset({"utf8", "ascii", "latin1", "iso88591", "usascii"})
_LONGEST_EXCERPT = 200


def python_risks(text: str, scope: HostScope) -> list[HostRisk]:
    """What the code would do beyond what was asked for; [] where it is fit for the user's own machine."""
    try:
        tree = read_python(text) if len(text) <= LONGEST["python"] else None
    except (TooDeepError, SyntaxError):
        tree = None
    if tree is None:
        return [HostRisk(UNREADABLE, text)]
    return list(dict.fromkeys([*_cookies(text), *_Walk(tree, text, scope).found()]))


def _cookies(text: str) -> Iterator[HostRisk]:
    """Lines that make Python read other letters than are written."""
    for line in text.split("\n")[:2]:
        match = _COOKIE.match(line)
        if match is not None and re.sub(r"[-_]", "", match[1].lower()) not in _ENCODINGS:
            yield HostRisk(STARTS, line.strip())


class _Walk:
    """One look through code that parses."""

    def __init__(self, tree: ast.Module, text: str, scope: HostScope) -> None:
        self._tree, self._text, self._names, self._scope = tree, text, Names(tree), scope

    def found(self) -> Iterator[HostRisk]:
        """Everything, in no order."""
        for node in ast.walk(self._tree):
            why = self._of(node)
            if why:
                yield HostRisk(why, self._excerpt(node))

    def _of(self, node: ast.AST) -> str:
        if isinstance(node, ast.Import):
            return self._of_names(*(item.name for item in node.names))
        if isinstance(node, ast.ImportFrom) and not node.level:
            return self._of_names(*(f"{node.module}.{item.name}" for item in node.names))
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
            return self._of_name(node) or (self._of_place(node) if getattr(node, "attr", "") == "parent" else "")
        if isinstance(node, ast.Call) and (why := self._of_call(node)):
            return why
        return self._of_place(node) if isinstance(node, _PLACES) else ""

    def _of_names(self, *names: str) -> str:
        """Why one of the dotted names may not be imported; "" where all may."""
        for name in names:
            top, _, inner = name.partition(".")
            if self._is_standard(top):
                if not self._is_listed(name) and not self._has_listed(name):
                    return UNLISTED
            elif not self._is_library(top) or MODULES & {part.lstrip("_") for part in inner.split(".")}:
                return UNLISTED
            if _SECRETS.fullmatch(name):
                return SECRET
            if _RUNS.fullmatch(name):
                return STARTS
        return ""

    def _is_standard(self, top: str) -> bool:
        """Whether it is a module of the standard library, and none of the repository stands in its place."""
        imported = top in sys.stdlib_module_names and top in self._names.tops
        return top in MODULES or (imported and not self._scope.has_module(top))

    def _is_listed(self, name: str) -> bool:
        """Whether a name of the standard library, or a module around it, is listed as harmless."""
        parts, table = name.split("."), host_table()
        return any(".".join(parts[:count]) in table.python_modules for count in range(1, len(parts) + 1))

    def _has_listed(self, module: str) -> bool:
        return any(name.startswith(f"{module}.") for name in host_table().python_modules)

    def _is_library(self, top: str) -> bool:
        scope = self._scope
        known = top in known_libraries() and top not in _INSTALLERS
        return known or scope.has_module(top) or scope.has_library(top) or scope.names(top)

    def _of_name(self, node: ast.Name | ast.Attribute) -> str:
        if isinstance(node, ast.Attribute):
            hidden = node.attr.startswith("__") and node.attr not in _PLAIN
            called = node.attr == "system" and isinstance(self._names.parents.get(node), ast.Call)
            if hidden or called or _STARTS.fullmatch(node.attr):
                return STARTS
        name = self._names.origin(node)
        if isinstance(node, ast.Name) and not name:
            hidden = node.id.startswith("__") and node.id not in _PLAIN
            return STARTS if (hidden or node.id in _COMPUTED) and node.id not in self._names.own else ""
        if isinstance(self._names.parents.get(node), ast.Attribute):
            return ""
        if _RUNS.fullmatch(name):
            return STARTS
        top = name.partition(".")[0]
        if name.startswith("os.environ") or name in ("os.getenv", "environ"):
            return self._of_environment(node)
        if self._is_standard(top) and not self._is_listed(name):
            return UNLISTED
        return SECRET if _SECRETS.fullmatch(name) and isinstance(node.ctx, ast.Load) else ""

    def _of_environment(self, node: ast.AST) -> str:
        """A variable may be read that is no secret, and set where programs do not find, start or trust something by it."""
        parent = self._names.parents.get(node)
        if isinstance(parent, ast.Compare) and node in parent.comparators:
            return ""
        given = parent.slice if isinstance(parent, ast.Subscript) else _first(parent)
        name = self._names.text(given)
        sets = not isinstance(getattr(parent, "ctx", ast.Load()), ast.Load)
        if name is None or (not sets and names_a_secret(name)):
            return SECRET
        return STARTS if host_table().refused_environment.fullmatch(name) and name not in ("HOME", "USER") else ""

    def _of_call(self, node: ast.Call) -> str:
        name = self._names.origin(node.func)
        given = [*node.args, *(word.value for word in node.keywords)]
        if _LOADS.fullmatch(name) and not all(map(self._is_file, given[:1])):
            return NETWORK
        if any(word.arg == "eval_str" for word in node.keywords):
            return STARTS
        if self._loads_from_afar(node, name):
            return NETWORK
        if _SENDS.fullmatch(name) and not any(map(self._is_near, given)):
            return SENDS
        if _OF_FILES.fullmatch(name) and any(self._names.place(one) == "/" for one in given):
            return ELSEWHERE
        written = self._written(node, name)
        if written is not None and _CODE_FILE.search(place := self._names.place(written)):
            return "" if self._scope.names(place) else WRITES
        return ""

    def _is_file(self, node: ast.expr) -> bool:
        """Whether what is loaded is named, or opened, here: not fetched, and not written out in the code."""
        node = self._names.values.get(node.id, node) if isinstance(node, ast.Name) else node
        parts = list(ast.walk(node))
        calls = [self._names.origin(part.func) for part in parts if isinstance(part, ast.Call)]
        held = [part.value for part in parts if isinstance(part, ast.Constant)]
        return all(map(_FILE.fullmatch, calls)) and not any(isinstance(one, bytes) or "://" in str(one) for one in held)

    def _is_near(self, node: ast.expr) -> bool:
        """Whether it is an address on this machine, or one that the user wrote."""
        text = self._names.text(node) or ""
        return "://" in text and (_HERE.match(text) is not None or self._scope.names(text))

    def _loads_from_afar(self, node: ast.Call, name: str) -> bool:
        """Whether a model's own code, or a repository, comes over the network and runs."""
        first = node.args[0] if node.args else None
        words = {word.arg: self._names.values.get(getattr(word.value, "id", ""), word.value) for word in node.keywords}
        source = self._names.text(first) or ""
        if re.search(r"\bhub\.load$", name) and "://" not in source:
            own = source.partition(":")[0].partition("/")[2] == self._scope.repository != ""
            local = self._names.text(words.get("source")) == "local"
            return not (local or own or any(map(self._scope.names, (source, source.partition(":")[0]))))
        trust = words.get("trust_remote_code")
        trusted = trust is not None and not (isinstance(trust, ast.Constant) and not trust.value)
        return trusted and not self._scope.names(source) and not self._scope.has_module(source)

    def _written(self, node: ast.Call, name: str) -> ast.expr | None:
        """The path of what a call opens to write; None where it opens nothing."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("write_text", "write_bytes"):
            return node.func.value
        given = {word.arg: word.value for word in node.keywords}
        of_path = (
            name.rpartition(".")[2] != "open" and isinstance(node.func, ast.Attribute) and node.func.attr == "open"
        )
        modes = [*node.args[(0 if of_path else 1) :][:1], *([given["mode"]] if "mode" in given else [])]
        mode = self._names.text(modes[0]) if modes else ""
        if not (of_path or name.rpartition(".")[2] == "open") or (mode is not None and not set("wax+") & set(mode)):
            return None
        return node.func.value if of_path else next(iter([*node.args, *given.values()]), None)  # type: ignore[attr-defined]

    def _of_place(self, node: ast.AST) -> str:
        """Places elsewhere, files that hold secrets, and texts that hold code."""
        if isinstance(self._names.parents.get(node), ast.Expr):
            return ""  # a docstring
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _TEXT_OF_CODE.search(node.value):
            return STARTS
        place = self._names.place(node)
        if is_secret_place(place):
            return SECRET
        if place == "~":
            return "" if isinstance(node, ast.Constant) else ELSEWHERE
        away = _PATH.fullmatch(place) and not _CACHE.fullmatch(place) and self._scope.outside(place, own=True)
        return ELSEWHERE if away else ""

    def _excerpt(self, node: ast.AST) -> str:
        """The code, with the call or the subscript that it stands in."""
        parent = self._names.parents.get(node)
        while (isinstance(parent, ast.Call) and parent.func is node) or (
            isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node
        ):
            node, parent = parent, self._names.parents.get(parent)
        return (ast.get_source_segment(self._text, node) or ast.unparse(node)).strip()[:_LONGEST_EXCERPT]


def _first(node: ast.AST | None) -> ast.AST | None:
    """The first argument of a call."""
    return node.args[0] if isinstance(node, ast.Call) and node.args else None
