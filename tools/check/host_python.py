"""What Python code would do on the machine of whoever runs it, beyond calling the repository and its libraries.

Of the standard library a list of modules may be imported; programs, text that is run, secrets and files elsewhere are risks. It sees
what is written in the usual ways; code that hides it on purpose can, and so can a repository's own.
"""

import ast
import re
import sys
import unicodedata
from collections.abc import Iterator

from ml_agent.tools.check.host_scope import LONGEST, HostRisk, HostScope, host_table
from ml_agent.tools.check.python_names import Names
from ml_agent.tools.python_source import TooDeepError, read_python
from ml_agent.tools.secret_files import is_secret_place
from ml_agent.tools.secret_names import names_a_secret

STARTS = "starts other programs"
RUNS = "runs text as code, or reaches what does"
SECRET = "reads one of your secrets"
NETWORK = "runs code that comes over the network, which you did not name"
SENDS = "sends something to a host that you did not name"
ELSEWHERE = "reads or changes files outside the repository's folder"
_PROGRAMS = re.compile(
    r"(?:os|posix|nt)\.(?:system|popen\w*|exec[lv]\w*|spawn[lv]\w*|posix_spawn\w*|fork\w*|startfile|kill\w*)|(?:IPython\.)?get_ipython|distutils\.spawn\b.*|numpy\.distutils\.exec_command\b.*|psutil\.Popen"
    r"|multiprocessing\.set_executable|asyncio\.(?:subprocess\b.*|create_subprocess_\w+)"
)
_TEXT = re.compile(
    r"(?:builtins\.)?(?:eval|exec|compile|__import__)|builtins|__builtins__|importlib(?:\.(?!import_module$|metadata|resources|reload$).*)?"
    r"|sys\.(?:meta_path|path_hooks|settrace|setprofile)|(?:pickle|cPickle|_pickle|dill|cloudpickle|marshal)\.loads|jsonpickle\.(?:decode|loads)"
    r"|types\.(?:CodeType|FunctionType)|gc\.get_\w+"
)
_SECRETS = re.compile(
    r"keyring\..+|netrc\..+|requests\.utils\.get_netrc_auth|openai\.api_key|wandb\.api\.api_key|huggingface_hub(?:\.\w+)*\.get_token(?:_to_send)?"
    r"|(?:\w+\.)+HfFolder\.get_token"
)
_LOADS = re.compile(r"(?:pickle|cPickle|_pickle|dill|cloudpickle|torch|joblib|numpy|marshal)\.(?:load|Unpickler)")
_LOADS_YAML = re.compile(r"yaml\.(?:load|unsafe_load|full_load)(?:_all)?")
"""What runs text that it loads: what a file holds is the file's, what the code holds is the answer's."""
_SAFE_LOADER = re.compile(r"yaml\.C?(?:Safe|Base)Loader")
_DECODES = re.compile(
    r"base64\.\w+|bytes\.fromhex|bytes|binascii\.\w+|zlib\.decompress|codecs\.\w+|io\.(?:Bytes|String)IO"
)
_NATIVE = frozenset({"load_extension", "load_library", "load_inline", "run_setup"})
"""Methods that build code, or load it from a library."""
_RUNNERS = frozenset(
    [
        "pexpect",
        "plumbum",
        "sh",
        "cffi",
        "pyautogui",
        "pip",
        "ensurepip",
        "setuptools",
        "paramiko",
        "fabric",
        "invoke",
        "docker",
        "git",
    ]
)
"""Libraries that start programs, install packages or work on other machines."""
_HIDDEN_CODE = re.compile(
    r"__(?:import|globals|builtins|subclasses|getattribute)__|\bos\.(?:system|popen|exec\w+)\b|\bsubprocess\.\w+"
)
"""In a text that something may run as code: an expression of a table, a template, the name of what is called."""
_TIMED = re.compile(r"timeit\.(?:timeit|repeat|Timer)")
_FETCHES = re.compile(r"(?:urllib|requests|httpx|aiohttp|wget)\b.*")
_SENDS = re.compile(r"(?:requests|httpx|aiohttp)\.(?:post|put|patch|request)")
_HERE = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?:[:/]|$)")
_SAVES = re.compile(
    r"(?:to|save|dump|export)(?:_\w+)?|savez?\w*|savefig|imsave|imwrite|write_\w+|basicConfig|\w*FileHandler"
)
"""Methods of libraries that write a file."""
_CODE_FILE = re.compile(r"\.(?:py\w?|so|sh)$|(?:^|/)(?:Makefile|conftest\w*)$")
_STARTS = re.compile(r"popen\d?|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?")
"""Methods that start a program whoever has them; `system` does where it is called."""
_TRICKS = frozenset({"__subclasses__", "__globals__", "__builtins__", "__import__", "__loader__", "__getattribute__"})
_REACHED = frozenset({"os", "posix", "nt", "sys", "shutil", "subprocess", "builtins", "importlib", "ctypes", "pty"})
"""Modules that are told apart from their attributes only where one is named."""
_ENVIRONMENT = frozenset({"os.environ", "os.environb", "posix.environ"})
_MAGIC = re.compile(r"^[ \t]*(?:\w[\w ,]*=[ \t]*)?[!%]+[ \t]*[\w./(\[{].*$", re.MULTILINE)
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_ENCODINGS = frozenset({"utf8", "ascii", "latin1", "iso88591", "usascii"})
_WORDS = re.compile(
    r"\b(?:os\s*\.\s*(?:system|popen|exec|spawn|environ|getenv)\w*|subprocess|ctypes|importlib|__import__|__builtins__|getattr)\b"
    r"|(?<![.\w])(?:eval|exec|compile|open)\s*\("
)
"""What is looked for where Python cannot read the text either."""
_OPENS = frozenset({"open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "builtins.open"})
_CHANGES = re.compile(
    r"os\.(?:open|remove|unlink|rmdir|removedirs|renames?|replace|symlink|link|l?chmod|l?chown|truncate|mkfifo)|shutil\.(?:rmtree|move|chown)"
    r"|distutils\.(?:dir_util|file_util)\.\w+"
)
_COPIES = re.compile(r"shutil\.(?:copy\w*|unpack_archive)|urllib\.request\.urlretrieve")
"""What is written is the second of what is given."""
_PATH_CHANGES = frozenset(
    {"write_text", "write_bytes", "unlink", "rmdir", "touch", "chmod", "symlink_to", "hardlink_to"}
)
_PATH_MOVES = frozenset({"rename", "replace", "symlink_to", "hardlink_to", "link_to"})
"""Methods of paths that are given one other path; texts have methods of the same names that are given more."""
_DEEPEST = 10
"""Encodings inside each other that are followed."""
_LONGEST_EXCERPT = 200


def python_risks(text: str, scope: HostScope) -> list[HostRisk]:
    """What the code would do beyond what was asked for; [] where it is fit for the user's own machine.

    Args:
        text: Python code; what Python cannot read is looked through for words.
        scope: what the user asked for.
    """
    if len(text) > LONGEST["python"]:
        return [HostRisk("is too long or nested too deeply to judge", text)]
    found = [*_cookies(text)]
    try:
        tree = _tree(text)
        if tree is None:
            found += [HostRisk(STARTS, match[0].strip()) for match in _MAGIC.finditer(text)]
            tree = _tree(_MAGIC.sub("pass", text))
    except TooDeepError:
        return [*found, HostRisk("is too long or nested too deeply to judge", text)]
    if tree is None:
        return [*found, *(HostRisk(RUNS, match[0]) for match in _WORDS.finditer(unicodedata.normalize("NFKC", text)))]
    return list(dict.fromkeys([*found, *_Walk(tree, text, scope).found()]))


def _tree(text: str) -> ast.Module | None:
    try:
        return read_python(text)
    except TooDeepError:
        raise
    except SyntaxError:
        return None  # said by the check of Python; here words are looked for instead


def _cookies(text: str) -> Iterator[HostRisk]:
    """Lines that make Python read other letters than are written."""
    for line in text.split("\n")[:2]:
        match = _COOKIE.match(line)
        if match is not None and re.sub(r"[-_]", "", match[1].lower()) not in _ENCODINGS:
            yield HostRisk(RUNS, line.strip())


class _Walk:
    """One look through code that parses."""

    def __init__(self, tree: ast.Module, text: str, scope: HostScope) -> None:
        self._tree, self._text, self._names, self._scope = tree, text, Names(tree), scope
        moves = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and self._names.origin(node.func) == "os.chdir"
        ]
        places = [self._names.place(node.args[0]) for node in moves if node.args]
        self._folders = (".", *places)

    def found(self) -> Iterator[HostRisk]:
        """Everything, in no order."""
        for node in ast.walk(self._tree):
            why = self._of(node)
            if why:
                yield HostRisk(why, self._excerpt(node))

    def _of(self, node: ast.AST) -> str:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return self._of_import(node)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            return self._of_name(node)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Constant | ast.BinOp):
            return self._of_path(node)
        return ""

    def _of_import(self, node: ast.Import | ast.ImportFrom) -> str:
        modules = [item.name for item in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        for module in modules:
            top = module.partition(".")[0]
            if (
                top in sys.stdlib_module_names
                and not self._scope.has_module(top)
                and top not in host_table().python_modules
            ):
                return f"imports {top}, which can start programs or run text"
            if top in _RUNNERS and not self._scope.has_module(top) and not self._scope.names(top):
                return STARTS
        if not isinstance(node, ast.ImportFrom):
            return ""
        names = [f"{node.module}.{item.name}" for item in node.names]
        if node.module in _REACHED and any(item.name == "*" for item in node.names):
            return STARTS
        return next((why for name in names if (why := _forbidden(name))), "")

    def _of_name(self, node: ast.Name | ast.Attribute) -> str:
        origin, parent = self._names.origin(node), self._names.parents.get(node)
        if isinstance(node, ast.Attribute) and (
            node.attr in _TRICKS or (node.attr == "__dict__" and self._names.origin(node.value) in _REACHED)
        ):
            return RUNS
        if isinstance(node, ast.Attribute) and (_STARTS.fullmatch(node.attr) or node.attr in _NATIVE):
            return STARTS
        if origin in _REACHED and not isinstance(parent, ast.Attribute):
            return STARTS
        if origin == "sys.modules":
            return "" if _only_set_or_asked(node, parent) else RUNS
        if origin == "importlib" and isinstance(parent, ast.Attribute):
            return ""
        return _forbidden(origin) or (SECRET if self._reads_secret(node, origin, parent) else "")

    def _reads_secret(self, node: ast.AST, origin: str, parent: ast.AST | None) -> bool:
        """Whether a variable that names a secret, or the whole environment, is read."""
        if origin in ("os.getenv", "os.getenvb"):
            return not self._is_harmless(_first(parent))
        if origin not in _ENVIRONMENT:
            return False
        if isinstance(parent, ast.Subscript):
            return isinstance(parent.ctx, ast.Load) and not self._is_harmless(parent.slice)
        if isinstance(parent, ast.Attribute):
            if parent.attr in ("get", "pop", "setdefault"):
                return not self._is_harmless(_first(self._names.parents.get(parent)))
            return parent.attr not in ("update", "__setitem__", "__contains__", "clear")
        return not (isinstance(parent, ast.Compare) and node in parent.comparators)

    def _is_harmless(self, name: ast.AST | None) -> bool:
        text = self._names.text(name)
        return text is not None and not names_a_secret(text)

    def _of_call(self, node: ast.Call) -> str:
        name = self._names.origin(node.func)
        first = node.args[0] if node.args else None
        if name in ("importlib.import_module", "importlib.reload", "runpy.run_module"):
            module = self._names.text(first)
            return RUNS if module is None or module.partition(".")[0] in _REACHED else ""
        if name == "runpy.run_path":
            place = self._names.place(first) if first is not None else "?"
            return RUNS if "?" in place or self._scope.outside(place, self._folders) else ""
        if name in ("getattr", "vars", "operator.attrgetter", "setattr") and first is not None:
            return self._of_getattr(node, first)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "system" and node.args:
            return STARTS
        if self._loads_text(node, name) or (_TIMED.fullmatch(name) and self._names.text(first) is not None):
            return RUNS
        if self._loads_from_afar(node, name):
            return NETWORK
        if _SENDS.fullmatch(name) and self._is_far(first):
            return SENDS
        if name in ("sys.path.append", "sys.path.insert") and node.args:
            place = self._names.place(node.args[-1])
            if place.startswith(("/", "~")) and self._scope.outside(place, self._folders):
                return RUNS
        changed = self._changed_paths(node, name)
        if any(map(self._is_outside, changed)):
            return ELSEWHERE
        made = [place for one in changed if _CODE_FILE.search(place := self._names.place(one))]
        return RUNS if any(not self._scope.names(place) for place in made) else self._of_path(node)

    def _is_far(self, node: ast.AST | None) -> bool:
        """Whether it is an address that the user did not write, on another machine."""
        text = self._names.text(node) or ""
        return "://" in text and _HERE.match(text) is None and not self._scope.names(text)

    def _loads_from_afar(self, node: ast.Call, name: str) -> bool:
        """Whether what comes over the network runs: a model's own code, a repository, a pickle."""
        first = node.args[0] if node.args else None
        words = {word.arg: self._names.values.get(getattr(word.value, "id", ""), word.value) for word in node.keywords}
        source = self._names.text(first) or ""
        if re.search(r"\bhub\.load$", name) and len(source.split("/")) == 2:
            local = self._names.text(words.get("source")) == "local"
            own = source.partition(":")[0].partition("/")[2] == self._scope.repository
            return not (local or own or any(map(self._scope.names, (source, source.partition(":")[0]))))
        trust = words.get("trust_remote_code")
        if trust is not None and not (isinstance(trust, ast.Constant) and not trust.value):
            return not self._scope.names(source) and not self._scope.has_module(source)
        if _LOADS.fullmatch(name) or name == "pandas.read_pickle":
            inner = [self._names.origin(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)]
            return self._is_far(first) or any(map(_FETCHES.fullmatch, inner))
        return False

    def _of_getattr(self, node: ast.Call, first: ast.expr) -> str:
        if self._names.origin(first) in _REACHED:
            return RUNS
        wanted = node.args[-1]
        text = self._names.text(wanted)
        if text is None:
            written = not any(isinstance(part, ast.Name | ast.Attribute) for part in ast.walk(wanted))
            return RUNS if written else ""
        last = text.rpartition(".")[2]
        return RUNS if last in _TRICKS or last in ("system", "os") or _STARTS.fullmatch(last) else ""

    def _loads_text(self, node: ast.Call, name: str) -> bool:
        """Whether what is loaded, and may run, stands in the code itself."""
        if not node.args or not self._is_written_out(node.args[0]):
            return False
        if not _LOADS_YAML.fullmatch(name):
            return _LOADS.fullmatch(name) is not None and self._names.text(node.args[0]) is None
        loaders = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "Loader")]
        return not any(_SAFE_LOADER.fullmatch(self._names.origin(loader)) for loader in loaders)

    def _is_written_out(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether data stands in the code, maybe encoded."""
        node = self._names.values.get(node.id, node) if isinstance(node, ast.Name) else node
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str | bytes)
        if not isinstance(node, ast.Call) or depth > _DEEPEST:
            return isinstance(node, ast.JoinedStr)
        name = self._names.origin(node.func) or ast.unparse(node.func)
        return _DECODES.fullmatch(name) is not None and any(
            self._is_written_out(part, depth + 1) for part in node.args[:1]
        )

    def _changed_paths(self, node: ast.Call, name: str) -> list[ast.expr]:
        """Paths that a call writes to, moves or removes."""
        given = [*node.args, *_keywords(node, "file", "path", "dst", "src", "filename", "fname", "path_or_buf", "f")]
        if name == "shutil.make_archive":
            return given[:1] or _keywords(node, "base_name")
        if name in _OPENS:
            return given[:1] if self._writes(node, 1) else []
        if _CHANGES.fullmatch(name):
            return given
        if _COPIES.fullmatch(name):
            return [*node.args[1:2], *_keywords(node, "extract_dir", "dst", "filename")]
        return self._changed_by_method(node, node.func) if isinstance(node.func, ast.Attribute) else []

    def _changed_by_method(self, node: ast.Call, function: ast.Attribute) -> list[ast.expr]:
        """Paths that a method of a path or an archive changes."""
        method, owner = function.attr, function.value
        if method == "extractall" or (method == "extract" and self._is_archive(owner)):
            place = 0 if method == "extractall" else 1
            return [*node.args[place : place + 1], *_keywords(node, "path")]
        if method in _PATH_MOVES and len(node.args) + len(node.keywords) == 1:
            return [owner, *node.args, *_keywords(node, "target")]
        if (_SAVES.fullmatch(method) and method not in _PATH_CHANGES) or self._names.origin(
            function
        ) == "sqlite3.connect":
            return [*node.args, *_keywords(node, "path", "filename", "fname", "path_or_buf", "f", "file")]
        opens = method == "open" and isinstance(owner, ast.Call | ast.BinOp) and self._writes(node, 0)
        return [owner] if opens or method in _PATH_CHANGES else []

    def _is_archive(self, node: ast.expr) -> bool:
        node = self._names.values.get(node.id, node) if isinstance(node, ast.Name) else node
        name = self._names.origin(node.func) if isinstance(node, ast.Call) else ""
        return name.startswith(("zipfile.", "tarfile."))

    def _writes(self, node: ast.Call, place: int) -> bool:
        modes = [*node.args[place : place + 1], *_keywords(node, "mode")]
        mode = self._names.text(modes[0]) if modes else ""
        return mode is None or bool(set("wax+") & set(mode))

    def _is_outside(self, node: ast.expr) -> bool:
        return bool(self._scope.outside(self._names.place(node), self._folders, own=True))

    def _of_path(self, node: ast.Constant | ast.BinOp | ast.Call) -> str:
        """Files of the user's that hold secrets, and texts that hold code."""
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if _HIDDEN_CODE.search(text) and not isinstance(self._names.parents.get(node), ast.Expr):
            return RUNS
        return SECRET if is_secret_place(self._names.place(node)) else ""

    def _excerpt(self, node: ast.AST) -> str:
        """The code, with the call or the subscript that it stands in."""
        parent = self._names.parents.get(node)
        while (isinstance(parent, ast.Call) and parent.func is node) or (
            isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node
        ):
            node, parent = parent, self._names.parents.get(parent)
        return (ast.get_source_segment(self._text, node) or ast.unparse(node)).strip()[:_LONGEST_EXCERPT]


def _forbidden(origin: str) -> str:
    """Why a dotted name is refused; "" where it is not."""
    if _PROGRAMS.fullmatch(origin):
        return STARTS
    return RUNS if _TEXT.fullmatch(origin) else SECRET if _SECRETS.fullmatch(origin) else ""


def _only_set_or_asked(node: ast.AST, parent: ast.AST | None) -> bool:
    """Whether an entry of `sys.modules` is set, or it is asked whether there is one."""
    if isinstance(parent, ast.Subscript):
        return not isinstance(parent.ctx, ast.Load)
    return isinstance(parent, ast.Compare) and node in parent.comparators


def _keywords(node: ast.Call, *names: str) -> list[ast.expr]:
    return [word.value for word in node.keywords if word.arg in names]


def _first(node: ast.AST | None) -> ast.AST | None:
    """The first argument of a call."""
    return node.args[0] if isinstance(node, ast.Call) and node.args else None
