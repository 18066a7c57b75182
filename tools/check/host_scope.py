"""What a user's own shell may be handed: what the user asked for, what the repository has, and a table of harmless programs."""

import posixpath
import re
import tomllib
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, NamedTuple

import msgspec

from ml_agent.tools.secret_files import is_secret, is_secret_place

LONGEST = {"bash": 20_000, "python": 100_000}
"""Characters; a longer text is refused as a whole."""
_URL = re.compile(r"\b(?:https?|s3|gs|hf|ssh|tcp|git\+https|git\+ssh)://[^\s,;'\"]*")
_SIGNS = re.compile(r"[=,:;|\s'\"()\[\]{}@]+")
"""What may stand before a path within a word."""
_HIDDEN = re.compile(r"\.[A-Za-z_]")
_TEMPORARY = re.compile(r"/tmp/\w[\w.-]*(?:/\w[\w.-]*)*/?")
_DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_ANYBODY = frozenset({"", "/", "~", "/home", "/root", "/etc", "/usr", "/var", "/bin", "/opt", "/mnt", "/dev", "/proc"})
"""Folders that are too large to be meant with all that is in them."""
_ASKS_FOR_CODE = re.compile(r"\b(?:code|snippet|one-?liner|inline|python|bash|shell)\b", re.IGNORECASE)


Named = Literal["below", "itself", "no"]
"""below: what the user names covers all that is in it; itself: it covers only itself; no: it does not matter."""


class HostRisk(NamedTuple):
    """Something that a text would do beyond running what was asked for."""

    why: str
    text: str
    """As it stands in the text, or the beginning of it."""


class Tool(msgspec.Struct, frozen=True):
    """A program of the machine that may be called; `host.toml` says what the fields mean."""

    options: re.Pattern[str]
    words: re.Pattern[str]
    patterns: int = 0


class HostTable(msgspec.Struct, frozen=True, kw_only=True):
    """The table `host.toml`."""

    builtins: frozenset[str]
    refused_builtins: frozenset[str]
    modules: frozenset[str]
    python_modules: frozenset[str]
    launcher_options: frozenset[str]
    environment: re.Pattern[str]
    refused_environment: re.Pattern[str]
    tools: dict[str, Tool]


@cache
def host_table() -> HostTable:
    """What is harmless in anybody's shell."""
    data = tomllib.loads(files(__package__).joinpath("host.toml").read_text(encoding="utf-8"))
    tools: dict[str, Tool] = {}
    for row in data["tool"]:
        tool = Tool(
            _pattern(row.get("options", "-[A-Za-z0-9]+")), _pattern(row.get("words", "(?s:.*)")),
            row.get("patterns", 0),
        )  # fmt: skip
        names = row["names"]
        tools |= dict.fromkeys(names.split() if isinstance(names, str) else names, tool)
    words = ("builtins", "refused_builtins", "modules", "python_modules", "launcher_options")
    return HostTable(
        environment=_pattern(data["environment"]), refused_environment=_pattern(data["refused_environment"]), tools=tools,
        **{name: frozenset(data[name].split()) for name in words},
    )  # fmt: skip


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("\n", ""))


class HostScope(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What the user asked for, and what the repository has."""

    workdir: str = "."
    """Folder relative to the repository from which the text runs."""
    named: str = ""
    """What the user wrote."""
    repository: str = ""
    """The repository's own name."""
    has_program: Callable[[str], bool] = lambda name: False
    """Whether a program is the repository's own."""
    has_module: Callable[[str], bool] = lambda name: False
    """Whether a module is the repository's own."""
    has_library: Callable[[str], bool] = lambda name: False
    """Whether the repository imports or requires a library."""

    @cached_property
    def asks_for_code(self) -> bool:
        """Whether the user's sentence asks for code."""
        return _ASKS_FOR_CODE.search(self.named) is not None

    def names(self, text: str) -> bool:
        """Whether the user wrote a word, as a whole."""
        return bool(text) and re.search(rf"(?<![\w./~-]){re.escape(text)}/?(?![\w/-]|\.\w)", self.named) is not None

    def outside(self, word: str, folders: Sequence[str] = (".",), *, own: bool = False, named: Named = "below") -> str:
        """The path in a word that leads out of the repository, or to a hidden file, and that the user did not name; else "".

        Args:
            word: without quotes.
            folders: all from which it may be seen, relative to where the text starts.
            own: whether a program of the repository gets it: that may use a folder of its own below /tmp, and hidden files.
            named: which paths the user's naming them covers.
        """
        text = _URL.sub(
            "", word.replace("${HOME}", "~").replace("$HOME", "~").replace("${PWD}", ".").replace("$PWD", ".")
        )
        parts = dict.fromkeys([text, *_SIGNS.split(text), *([text[2:]] if re.match(r"-\w", text) else [])])
        return next((part for part in parts if self._leaves(part, word, folders, own, named)), "")

    def _leaves(self, part: str, word: str, folders: Sequence[str], own: bool, named: Named) -> bool:
        if not part or part in _DEVICES or (part == "/" and " " in word):
            return False
        steps = part.split("/")
        places = [part]
        if not part.startswith("/") and re.match(r"~(?!\d)", part) is None:
            seen = (posixpath.normpath(posixpath.join(self.workdir, folder, part)) for folder in folders)
            places = [part if place.startswith("..") else place for place in seen if place.split("/")[0] in ("..", "")]
        hidden = any(map(_HIDDEN.match, steps)) and ("/" in part if own else True)
        if hidden and own:
            hidden = ".git" in steps or is_secret_place(f"~/{part}")
        if own and ".." not in steps and _TEMPORARY.fullmatch(part):
            return False
        return not all(self._is_named(place, named) for place in (*places, *([part] if hidden else [])))

    def _is_named(self, part: str, named: Named) -> bool:
        """Whether the user wrote the path, or a folder above it; hidden files and secrets only by themselves."""
        path = posixpath.normpath(part)
        if named == "no" or self.names(part.rstrip("/")) or self.names(path):
            return named != "no"
        if named == "itself":
            return False
        below: list[str] = []
        while path not in _ANYBODY and "/" in path:
            path, _, name = path.rpartition("/")
            below.append(name)
            if self.names(path) and path not in _ANYBODY:
                return not any(_HIDDEN.match(one) or one == ".." or is_secret(one) for one in below)
        return False
