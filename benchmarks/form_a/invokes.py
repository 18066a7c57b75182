"""What a run.sh has to do with the repository: which of its scripts or packages it uses, and which values it gives them."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath

import msgspec

from ml_agent.benchmarks.strict.bash_text import SILENT, commands
from ml_agent.benchmarks.strict.libraries import of_repository
from ml_agent.benchmarks.strict.script_variables import variables_of_scripts
from ml_agent.benchmarks.strict.stated import missing_values
from ml_agent.benchmarks.strict.text import Kind, strip

MOST_FILES = 20
"""Files of the agent's own that are read, at most."""
_IMPORT = re.compile(
    r"(?:^[ \t]*|-c[ \t]+['\"]|;[ \t]*)(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b|import[ \t]+([A-Za-z_]\w*))",
    re.MULTILINE,
)
_SCRIPT = re.compile(r"[\w./~+-]+\.(?:py|sh|ipynb)$")
_IDLE = frozenset(
    {*SILENT, "cd", "sleep", "exit", "set", "export", "wait", "ls", "cat", "pwd", "mkdir", "pip", "conda"}
)

Get = Callable[[str], str | None]
"""The text of a file of the sandbox, by its path relative to the repository; None where there is none."""


class ScriptUse(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    scripts: tuple[str, ...]
    """Files, modules and packages of the repository that it uses."""
    own: tuple[str, ...]
    """Files of the agent's own that it runs."""
    missing: tuple[str, ...]
    """Values of the task that it gives to nobody."""


def read(script: str, root: Path, folder: str, arguments: Mapping[str, object], get: Get) -> ScriptUse:
    """Read a run.sh and the agent's own files that it runs.

    Args:
        script: The text of run.sh.
        root: The repository as it was, on this machine.
        folder: The task's folder, relative to it.
        arguments: The values that must be honoured.
        get: Reads files of the sandbox.
    """
    texts = {"run.sh": script}
    used: dict[str, None] = {}
    waiting = [script]
    while waiting and len(texts) < MOST_FILES:
        for path in _candidates(waiting.pop(), folder):
            if (root / path).is_file() and path != _join(folder, "run.sh"):
                used[path] = None
            elif path not in texts and (text := get(path)) is not None:
                texts[path] = text
                waiting += [text] if path.endswith(".sh") else []
    whole = "\n".join(texts.values())
    for name in [*_modules(script, root, folder), *_packages(whole, root, folder), *_console(script, root)]:
        used[name] = None
    reads = of_repository(root).environment | variables_of_scripts(script, root, folder)
    missing = {name: str(value) for name, value in arguments.items()}
    for path, text in texts.items():
        kind: Kind = "python" if path.endswith(".py") else "bash"
        left = missing_values(strip(text, kind, lambda name: name in reads), missing, kind)
        missing = {name: value for name, value in missing.items() if value in left}
    return ScriptUse(scripts=tuple(used), own=tuple(texts)[1:], missing=tuple(missing.values()))


def _candidates(script: str, folder: str) -> Iterator[str]:
    """Where the script files that a shell script names may lie, relative to the repository."""
    folders = [folder, "."]
    for piece in commands(script):
        if piece.words[0] == "cd" and len(piece.words) > 1:
            folders += [_join(here, piece.words[1].strip("'\"")) for here in list(folders)]
        elif piece.words[0] not in _IDLE:
            for word in piece.words:
                inner = word[1:-1]
                if word[0] in "'\"" and any(char.isspace() for char in inner):  # a command in quotes, as for bash -c
                    yield from _candidates(inner, folder)
                elif match := _SCRIPT.search(word.strip("'\"")):
                    yield from dict.fromkeys(_join(here, match[0]) for here in folders)


def _join(folder: str, word: str) -> str:
    """A path relative to the repository; an absolute one is taken by its end, from the repository's folder on."""
    if word.startswith("/"):
        parts = PurePosixPath(word).parts
        word = str(PurePosixPath(*parts[3:])) if len(parts) > 3 else parts[-1]
        return normpath(word)
    return normpath(f"{folder}/{word}")


def _modules(script: str, root: Path, folder: str) -> Iterator[str]:
    """Modules run by `python -m` that are the repository's."""
    for name in re.findall(r"\bpython[\d.]*\s+(?:-[uBOI]\s+)*-m\s+([\w.]+)", script):
        if _is_own(name.split(".")[0], root, folder):
            yield name


def _packages(text: str, root: Path, folder: str) -> Iterator[str]:
    """Packages and modules of the repository that some Python code imports."""
    for match in _IMPORT.finditer(text):
        name = match[1] or match[2]
        if _is_own(name, root, folder):
            yield name


def _console(script: str, root: Path) -> Iterator[str]:
    """Programs that the repository's installation makes."""
    names = of_repository(root).console
    for piece in commands(script):
        yield from (word for word in piece.words[:1] if word in names)


def _is_own(name: str, root: Path, folder: str) -> bool:
    places = [root, root / "src", root / folder]
    direct = any((place / name).is_dir() or (place / f"{name}.py").is_file() for place in places)
    return direct or any(root.glob(f"*/{name}/__init__.py"))
