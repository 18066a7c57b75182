"""The entry points of a repository by name: what can be started, as the text of its files shows it; no program is followed."""

import functools
import re
from collections.abc import Iterator, Mapping

import msgspec

from ml_agent.tools import plugins
from ml_agent.tools.outline import docstring_of
from ml_agent.tools.signatures import make_reader, shell_reader
from ml_agent.tools.signatures.model import EntryPoint
from ml_agent.tools.signatures.sources import Sources

SHELL = (".sh", ".bash")
_RUNS = re.compile(
    r"\n(?:if\s*\(?\s*(?:__name__\s*==|(?:True|1)\b\s*\)?\s*:)|(?:for|while|with|print)\b|[A-Za-z_][\w.]*+\()"
)
_READS_WORDS = re.compile(r"\n[A-Za-z_][^\n]*\bargv\[\d")
"""A line at the top level that does something when the file is run. Behind a line break, as those below: that is found many times as fast."""
_ASSIGNS_CALL = re.compile(r"\n[A-Za-z_][\w., ]*=\s*[A-Za-z_][\w.]*\(")
"""A line at the top level that assigns the result of a call, which may parse the command line."""
_ASSIGNS_WORDS = re.compile(
    r"\n[A-Za-z_][\w., ]*=\s*[A-Za-z_][\w.()]*?(?:pars|cli|arg|opt|conf|setting|flag)\w*[\w.()]*\(", re.IGNORECASE
)
"""One whose names say so."""
_ONLY_IMPORTS = re.compile(r"(?:(?:import [\w., ]{1,200}|from [\w.]{1,200} import [\w., ]{1,200}|#[^\n]*|)\n)*+")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "dataclass": ("HfArgumentParser", "TrlParser", "LightningCLI", "BaseSettings", "CliApp"),
    "argparse": ("ArgumentParser", "ArgParser", "default_argument_parser"),
    "absl": ("DEFINE_", "FLAGS"),
    "hydra": ("hydra_main",),
    "omegaconf": ("OmegaConf",),
}
"""What a file that reads a command line names, by framework; the first that fits counts."""
_MODULES: Mapping[str, str] = {
    "click": "click", "rich_click": "click", "asyncclick": "click", "typer": "typer", "fire": "fire", "docopt": "docopt",
    "hydra": "hydra", "tyro": "tyro", "jsonargparse": "dataclass", "simple_parsing": "dataclass",
}  # fmt: skip
"""Modules that read command lines and whose names are words that stand in other texts, too."""
_NO_PARSER = ("none", "sysargv")
_FLAG = re.compile(r"[\"']--?([A-Za-z][\w-]+)[\"'/]")
_DECLARED = re.compile(r"(?:DEFINE_\w+|add_parser)\(\s*[\"']([\w-]+)")
"""What looks like an option or a subcommand."""
_DESCRIPTION = re.compile(r"description\s*=\s*[rRuU]?([\"'])((?:(?!\1)[^\n\\]){1,500})\1")
_MOST_WORDS = 200
_FIRST_LINE = 200
"""Characters of it that are looked at."""


class EntryReader:
    """Finds the entry points of single files.

    Args:
        sources: the files of a repository.
        consoles: the file of each console script, by name.
    """

    def __init__(self, sources: Sources, consoles: Mapping[str, str]) -> None:
        self._sources = sources
        self._words: dict[str, list[str]] = {}
        self._consoles: dict[str, list[str]] = {}
        for name, path in consoles.items():
            self._consoles.setdefault(path, []).append(name)

    def read(self, path: str) -> tuple[EntryPoint, ...]:
        """What can be started of a file: itself, its targets, the commands that installing it gives."""
        own = tuple(self._of_file(path))
        names = self._consoles.get(path, ())
        if not names:
            return own
        plain = next((one for one in own if one.kind == "python"), None) or self._program(path)
        return (*own, *(msgspec.structs.replace(plain, kind="console", name=name) for name in names))

    def _of_file(self, path: str) -> Iterator[EntryPoint]:
        if path.endswith(SHELL):
            doc = shell_reader.leading_comment(self._sources.text(path) or "")
            yield EntryPoint(path=path, kind="shell", framework="shell", doc=doc)
        elif make_reader.is_makefile(path):
            for target in make_reader.read(self._sources, path):
                yield EntryPoint(path=path, kind="make", framework="make", name=target.name)
        elif (path.endswith(".py") and not path.endswith("__init__.py")) or self._sources.is_bare_python(path):
            text = self._sources.text(path) or ""
            if does_something(text) or only_imports(self._sources, path, text):
                yield self._program(path)
            elif _ASSIGNS_WORDS.search(text) and (found := self._program(path)).framework not in _NO_PARSER:
                yield found

    def _program(self, path: str) -> EntryPoint:
        text = self._sources.text(path) or ""
        parsing = (
            [path] if self._framework(path) else list(filter(self._framework, self._sources.imports_of(path, path)))
        )
        framework = next(map(self._framework, parsing), "sysargv" if "argv" in text else "none")
        words = tuple(dict.fromkeys(word for one in parsing for word in self._flags(one)))[:_MOST_WORDS]
        described = _DESCRIPTION.search(text) if parsing else None
        doc = docstring_of(text) or (described[2] if described else "")
        return EntryPoint(path=path, framework=framework, doc=doc, words=words)

    def _framework(self, path: str) -> str:
        return self._sources.asked(path, framework_of)

    def _flags(self, path: str) -> list[str]:
        """What looks like an option in a file."""
        if path not in self._words:
            text = self._sources.text(path) or ""
            declares = "DEFINE_" in text or "add_parser" in text
            self._words[path] = [*_FLAG.findall(text), *(_DECLARED.findall(text) if declares else ())]
        return self._words[path]


def may_run(sources: Sources, path: str) -> bool:
    """Whether a Python file may do something when it is run, beyond defining names."""
    text = sources.text(path) if path.endswith(".py") or sources.is_bare_python(path) else None
    return text is not None and (
        does_something(text) or _ASSIGNS_CALL.search(text) is not None or only_imports(sources, path, text)
    )


def only_imports(sources: Sources, path: str, text: str) -> bool:
    """Whether a file only imports a program, which runs by that: "import package.convert"."""
    is_package = path.endswith("__init__.py")
    return not is_package and _ONLY_IMPORTS.fullmatch(text) is not None and sources.has_effects(path, path)


def does_something(text: str) -> bool:
    """Whether a line at the top level of a text does something when it is run."""
    return (
        _RUNS.search(text) is not None
        or _RUNS.match(f"\n{text[:_FIRST_LINE]}") is not None
        or ("argv[" in text and _READS_WORDS.search(text) is not None)
    )


def framework_of(text: str) -> str:
    """The framework by which a text may read a command line; "" where none is named in it."""
    for name, words in _NAMES.items():
        if any(word in text for word in words):
            return name
    return next((name for module, name, used in _modules() if module in text and used.search(text)), "")


@functools.cache
def _modules() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Modules, their frameworks, and how a text uses each; behind the module's name, as what begins with a plain word is found many times as fast."""
    added = {name.partition(".")[0] for name in plugins.added_names()}
    return tuple(
        (
            one,
            framework,
            re.compile(
                rf"{one}(?:(?:(?<=\bimport[ \t]{one})|(?<=\bfrom[ \t]{one})|(?<=\bfrom[ \t]\.{one})|(?<=@{one}))\b"
                rf"|(?<!\w{one})(?:\.\w|\())"
            ),
        )
        for one, framework in (*_MODULES.items(), *((name, name) for name in sorted(added)))
    )
