"""Which scripts of the repository a command runs."""

import re
import shlex
from pathlib import Path

from sandbox.reading import read_text

MAX_SHELL_DEPTH = 3
_SEPARATORS = re.compile(r"&&|\|\||;|\||\n|&")
_PYTHON = re.compile(r"(?:.*/)?python(?:\d(?:\.\d+)?)?$|torchrun$|accelerate$|deepspeed$")
_LAUNCHERS = frozenset({"torch.distributed.launch", "torch.distributed.run", "accelerate.commands.launch"})
_WITH_VALUE = frozenset({"-W", "-X"})
_WRAPPERS = frozenset({"env", "nohup", "time", "exec", "sudo", "xvfb-run", "srun", "nice", "setsid", "stdbuf"})
"""Programs that run the one behind them. The sandbox knows nothing of the tools, whose list is the whole one; a test
holds this one against it."""


def entries_of(command: str, root: Path, folder: str = ".", depth: int = 0) -> list[Path]:
    """Python files that a shell command runs, also through the shell scripts it calls; absolute, in running order."""
    here = (root / folder).resolve()
    found: list[Path] = []
    for part in _SEPARATORS.split(command.replace("\\\n", " ")):
        try:
            words = shlex.split(part, comments=True)
        except ValueError:
            words = part.split()
        if words[:1] == ["cd"] and len(words) > 1:
            here = (here / words[1]).resolve()
            continue
        found += _one(words, here, root, depth)
    inside = [path for path in found if path.is_relative_to(root.resolve())]
    return list(dict.fromkeys(inside))


def _one(words: list[str], here: Path, root: Path, depth: int) -> list[Path]:
    words = _without_prefix(words)
    if not words:
        return []
    if _PYTHON.match(words[0]):
        return _python(words[1:], here, root)
    script = words[1] if words[0] in ("bash", "sh", "source", ".") and len(words) > 1 else words[0]
    path = (here / script).resolve()
    if not path.is_file() or not path.is_relative_to(root.resolve()):
        return []
    if path.suffix == ".py":
        return [path]
    text = read_text(path).replace("\r\n", "\n")
    first = text.partition("\n")[0]
    if first.startswith("#!") and "python" in first:
        return [path]
    if depth >= MAX_SHELL_DEPTH:
        return []
    # a script runs in the folder it was called from, unless it says otherwise
    return entries_of(text, root, here.relative_to(root.resolve()).as_posix(), depth + 1)


def _without_prefix(words: list[str]) -> list[str]:
    """Without NAME=VALUE and programs that run another one."""
    while words and (re.match(r"^[A-Za-z_]\w*=", words[0]) or words[0] in _WRAPPERS):
        words = words[1:]
    return words


def _python(words: list[str], here: Path, root: Path) -> list[Path]:
    position = 0
    while position < len(words):
        word = words[position]
        if word == "-m" and position + 1 < len(words):
            if words[position + 1] in _LAUNCHERS:
                return _launched(words[position + 2 :], here)
            return _module(words[position + 1], here, root)
        if word == "-c":
            return []
        if not word.startswith("-"):
            return _launched(words[position:], here)
        position += 2 if word in _WITH_VALUE else 1
    return []


def _launched(words: list[str], here: Path) -> list[Path]:
    """The first word that is a Python file; what stands before it are a launcher's options."""
    scripts = [(here / word).resolve() for word in words if _is_script(here / word)]
    return scripts[:1]


def _is_script(path: Path) -> bool:
    return path.suffix == ".py" and path.is_file()


def _module(name: str, here: Path, root: Path) -> list[Path]:
    for place in (here, root, root / "src"):
        base = place / name.replace(".", "/")
        for path in (base.with_suffix(".py"), base / "__main__.py"):
            if path.is_file():
                return [path.resolve()]
    return []
