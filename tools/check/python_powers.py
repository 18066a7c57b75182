"""What Python code would do on the machine of whoever runs it, beyond calling the repository: programs, text that is run, secrets, files elsewhere."""

import ast
import re
import unicodedata
from collections.abc import Iterator

from ml_agent.tools.check.power import Power, PowerUse, leaves
from ml_agent.tools.check.python_names import Names
from ml_agent.tools.python_source import TooDeepError, read_python
from ml_agent.tools.secret_files import is_secret_place
from ml_agent.tools.secret_names import names_a_secret

_PROGRAMS = re.compile(
    r"(?:os|posix|nt)\.(?:system|popen\w*|exec[lv]\w*|spawn[lv]\w*|posix_spawn\w*|fork\w*|startfile)"
    r"|(?:subprocess|pty|ctypes|_ctypes|pexpect|_posixsubprocess|commands|cffi|plumbum)(?:\..*)?"
    r"|webbrowser\..+|asyncio\.(?:subprocess\b.*|create_subprocess_\w+)|(?:IPython\.)?get_ipython|sh\.\w+|distutils\.spawn\b.*"
)
_TEXT = re.compile(
    r"(?:builtins\.)?(?:eval|exec|compile|__import__)|builtins|__builtins__|importlib(?:\.(?!import_module$|metadata|resources|reload$).*)?"
    r"|sys\.(?:modules|meta_path|path_hooks|settrace|setprofile)|runpy\.\w+|code\.\w+|codeop\.\w+|imp\.\w+|zipimport\.\w+"
    r"|(?:pickle|cPickle|_pickle|dill|cloudpickle|marshal)\.loads|jsonpickle\.(?:decode|loads)|types\.(?:CodeType|FunctionType)|gc\.get_\w+"
)
_SECRETS = re.compile(
    r"keyring\..+|netrc\.netrc|requests\.utils\.get_netrc_auth|openai\.api_key|wandb\.api\.api_key"
    r"|huggingface_hub(?:\.\w+)*\.get_token(?:_to_send)?|(?:\w+\.)+HfFolder\.get_token"
)
"""What gives a key or a token of the user's to whoever calls or reads it."""
_LOADS = re.compile(r"(?:pickle|cPickle|_pickle|dill|cloudpickle|torch|joblib|numpy|marshal)\.(?:load|Unpickler)")
_LOADS_YAML = re.compile(r"yaml\.(?:load|unsafe_load|full_load)(?:_all)?")
"""What runs text that it loads, where the text asks for it: what a file holds is the file's, what the code holds is the answer's."""
_SAFE_LOADER = re.compile(r"yaml\.C?(?:Safe|Base)Loader")
_DECODES = re.compile(
    r"base64\.\w+|bytes\.fromhex|bytes|binascii\.\w+|zlib\.decompress|codecs\.\w+|io\.(?:Bytes|String)IO"
)
_STARTS = re.compile(r"popen\d?|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?")
"""Methods that start a program whoever has them; `system` does where it is called."""
_TRICKS = frozenset({"__subclasses__", "__globals__", "__builtins__", "__import__", "__loader__", "__getattribute__"})
_MODULES = frozenset({"os", "posix", "nt", "sys", "shutil", "subprocess", "builtins", "importlib", "ctypes", "pty"})
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
    r"os\.(?:open|remove|unlink|rmdir|removedirs|renames?|replace|symlink|link|l?chmod|l?chown|truncate|mkfifo)"
    r"|shutil\.(?:rmtree|move|chown)|distutils\.(?:dir_util|file_util)\.\w+"
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
_LONGEST = 200
"""Characters of an excerpt."""


def python_powers(text: str, workdir: str = ".") -> list[PowerUse]:
    """Programs that it starts, text that it runs, secrets that it reads, files that it changes outside the repository.

    It sees what is written in the usual ways and through simple aliases; code that hides it on purpose can, and so can a repository's own.

    Args:
        text: Python code; what Python cannot read is looked through for words.
        workdir: folder relative to the repository from which it runs.
    """
    found = [*_cookies(text)]
    try:
        tree = _tree(text)
        if tree is None:
            found += [PowerUse("runs-programs", match[0].strip()) for match in _MAGIC.finditer(text)]
            tree = _tree(_MAGIC.sub("pass", text))
    except TooDeepError:
        return [*found, PowerUse("too-long", text)]
    if tree is None:
        return [
            *found,
            *(PowerUse("runs-text", match[0]) for match in _WORDS.finditer(unicodedata.normalize("NFKC", text))),
        ]
    return list(dict.fromkeys([*found, *_Walk(tree, text, workdir).found()]))


def _tree(text: str) -> ast.Module | None:
    try:
        return read_python(text)
    except TooDeepError:
        raise
    except SyntaxError:
        return None  # said by the check of Python; here words are looked for instead


def _cookies(text: str) -> Iterator[PowerUse]:
    """Lines that make Python read other letters than are written."""
    for line in text.split("\n")[:2]:
        match = _COOKIE.match(line)
        if match is not None and re.sub(r"[-_]", "", match[1].lower()) not in _ENCODINGS:
            yield PowerUse("runs-text", line.strip())


class _Walk:
    """One look through code that parses."""

    def __init__(self, tree: ast.Module, text: str, workdir: str) -> None:
        self._tree, self._text, self._names = tree, text, Names(tree)
        moves = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and self._names.origin(node.func) == "os.chdir"
        ]
        away = any(leaves(self._names.place(node.args[0]), workdir) for node in moves if node.args)
        self._workdir, self._folder = workdir, "" if away else "."

    def found(self) -> Iterator[PowerUse]:
        """Everything, in no order."""
        for node in ast.walk(self._tree):
            power = self._of(node)
            if power is not None:
                yield PowerUse(power, self._excerpt(node))

    def _of(self, node: ast.AST) -> Power | None:
        if isinstance(node, ast.ImportFrom):
            return self._of_import(node)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            return self._of_name(node)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Constant | ast.BinOp):
            return self._of_path(node)
        return None

    @staticmethod
    def _of_import(node: ast.ImportFrom) -> Power | None:
        names = [f"{node.module}.{item.name}" for item in node.names]
        if node.module in _MODULES and any(item.name == "*" for item in node.names):
            return "runs-programs"
        if any(_PROGRAMS.fullmatch(name) for name in names):
            return "runs-programs"
        return "runs-text" if any(_TEXT.fullmatch(name) for name in names) else None

    def _of_name(self, node: ast.Name | ast.Attribute) -> Power | None:
        origin, parent = self._names.origin(node), self._names.parents.get(node)
        if isinstance(node, ast.Attribute) and node.attr in _TRICKS:
            return "runs-text"
        if isinstance(node, ast.Attribute) and node.attr == "__dict__" and self._names.origin(node.value) in _MODULES:
            return "runs-text"
        if _PROGRAMS.fullmatch(origin) or (isinstance(node, ast.Attribute) and _STARTS.fullmatch(node.attr)):
            return "runs-programs"
        if origin in _MODULES and not isinstance(parent, ast.Attribute):
            return "runs-programs"
        asked = origin == "sys.modules" and isinstance(parent, ast.Compare) and node in parent.comparators
        if asked or (origin == "importlib" and isinstance(parent, ast.Attribute)):
            return None
        if _TEXT.fullmatch(origin):
            return "runs-text"
        return "secret-variable" if self._reads_secret(node, origin, parent) else None

    def _reads_secret(self, node: ast.AST, origin: str, parent: ast.AST | None) -> bool:
        """Whether a variable that names a secret, or the whole environment, is read."""
        if _SECRETS.fullmatch(origin):
            return True
        if origin in ("os.getenv", "os.getenvb"):
            return not self._is_harmless(_first(parent))
        if origin not in _ENVIRONMENT:
            return False
        if isinstance(parent, ast.Subscript):
            return isinstance(parent.ctx, ast.Load) and not self._is_harmless(parent.slice)
        if isinstance(parent, ast.Attribute):
            call = self._names.parents.get(parent)
            if parent.attr in ("get", "pop", "setdefault"):
                return not self._is_harmless(_first(call))
            return parent.attr not in ("update", "__setitem__", "__contains__", "clear")
        return not (isinstance(parent, ast.Compare) and node in parent.comparators)

    def _is_harmless(self, name: ast.AST | None) -> bool:
        text = self._names.text(name)
        return text is not None and not names_a_secret(text)

    def _of_call(self, node: ast.Call) -> Power | None:
        name = self._names.origin(node.func)
        first = node.args[0] if node.args else None
        if name == "importlib.import_module" or name == "importlib.reload":
            module = self._names.text(first)
            return "runs-text" if module is None or module.partition(".")[0] in _MODULES else None
        if name in ("getattr", "vars", "operator.attrgetter", "setattr") and first is not None:
            return self._of_getattr(node, first)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "system" and node.args:
            return "runs-programs"
        if self._loads_text(node, name):
            return "runs-text"
        return (
            "redirect-outside" if any(map(self._is_outside, self._changed_paths(node, name))) else self._of_path(node)
        )

    def _of_getattr(self, node: ast.Call, first: ast.expr) -> Power | None:
        if self._names.origin(first) in _MODULES:
            return "runs-text"
        wanted = node.args[-1] if node.args else first
        text = self._names.text(wanted)
        if text is None:
            written = not any(isinstance(part, ast.Name | ast.Attribute) for part in ast.walk(wanted))
            return "runs-text" if written else None
        last = text.rpartition(".")[2]
        return "runs-text" if last in _TRICKS or last in ("system", "os") or _STARTS.fullmatch(last) else None

    def _loads_text(self, node: ast.Call, name: str) -> bool:
        """Whether what is loaded, and may run, stands in the code itself."""
        if not node.args or not self._is_written_out(node.args[0]):
            return False
        if not _LOADS_YAML.fullmatch(name):
            return _LOADS.fullmatch(name) is not None and not isinstance(node.args[0], ast.Constant)
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
        given = [
            *node.args,
            *(word.value for word in node.keywords if word.arg in ("file", "path", "dst", "src", "filename")),
        ]
        if name == "shutil.make_archive":
            return given[:1] or [word.value for word in node.keywords if word.arg == "base_name"]
        if name in _OPENS:
            return given[:1] if self._writes(node, 1) else []
        if _CHANGES.fullmatch(name):
            return given
        if _COPIES.fullmatch(name):
            extracted = [word.value for word in node.keywords if word.arg in ("extract_dir", "dst", "filename")]
            return [*node.args[1:2], *extracted]
        return self._changed_by_method(node, node.func) if isinstance(node.func, ast.Attribute) else []

    def _changed_by_method(self, node: ast.Call, function: ast.Attribute) -> list[ast.expr]:
        """Paths that a method of a path or an archive changes."""
        method, owner = function.attr, function.value
        if method == "extractall" or (method == "extract" and self._is_archive(owner)):
            place = 0 if method == "extractall" else 1
            return [*node.args[place : place + 1], *(word.value for word in node.keywords if word.arg == "path")]
        if method in _PATH_MOVES and len(node.args) + len(node.keywords) == 1:
            return [owner, *node.args, *(word.value for word in node.keywords if word.arg == "target")]
        opens = method == "open" and isinstance(owner, ast.Call | ast.BinOp) and self._writes(node, 0)
        return [owner] if opens or method in _PATH_CHANGES else []

    def _is_archive(self, node: ast.expr) -> bool:
        node = self._names.values.get(node.id, node) if isinstance(node, ast.Name) else node
        name = self._names.origin(node.func) if isinstance(node, ast.Call) else ""
        return name.startswith(("zipfile.", "tarfile."))

    def _writes(self, node: ast.Call, place: int) -> bool:
        modes = [*node.args[place : place + 1], *(word.value for word in node.keywords if word.arg == "mode")]
        if not modes:
            return False
        mode = self._names.text(modes[0])
        return mode is None or bool(set("wax+") & set(mode))

    def _is_outside(self, node: ast.expr) -> bool:
        place = self._names.place(node)
        return leaves(place, self._workdir, self._folder)

    def _of_path(self, node: ast.Constant | ast.BinOp | ast.Call) -> Power | None:
        """Files of the user's that hold secrets."""
        return "secret-file" if is_secret_place(self._names.place(node)) else None

    def _excerpt(self, node: ast.AST) -> str:
        """The code, with the call or the subscript that it stands in."""
        parent = self._names.parents.get(node)
        while (isinstance(parent, ast.Call) and parent.func is node) or (
            isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node
        ):
            node, parent = parent, self._names.parents.get(parent)
        return (ast.get_source_segment(self._text, node) or ast.unparse(node)).strip()[:_LONGEST]


def _first(node: ast.AST | None) -> ast.AST | None:
    """The first argument of a call."""
    return node.args[0] if isinstance(node, ast.Call) and node.args else None
