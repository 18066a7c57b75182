"""Which scripts of the repository a command runs."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from ml_agent.sandbox.reading import is_file, read_text

MAX_SHELL_DEPTH = 3
_PIECE = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|&&|\|\||[;|&\n]|[^'"\\;|&\n]+|.""", re.DOTALL)
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "\n"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_PYTHON = re.compile(r"(?:.*/)?python(?:\d(?:\.\d+)?)?$|torchrun$|accelerate$|deepspeed$")
_LAUNCHERS = frozenset(
    {"torch.distributed.launch", "torch.distributed.run", "accelerate.commands.launch", "paddle.distributed.launch"}
)
_WITH_VALUE = frozenset({"-W", "-X"})
_WRAPPERS = frozenset({
    "env", "nohup", "time", "exec", "command", "sudo", "xvfb-run", "srun", "nice", "ionice", "setsid", "stdbuf", "timeout",
    "taskset", "numactl", "uv", "poetry", "pipenv", "pdm", "rye", "conda", "mamba", "micromamba", "mpirun", "mpiexec",
    "horovodrun",
})  # fmt: skip
"""Programs that run the one behind them. The sandbox knows nothing of the tools, whose list is the whole one; a test
holds this one against it."""


def entries_of(command: str, root: Path, folder: str = ".", depth: int = 0) -> list[Path]:
    """Python files that a shell command runs, also through the shell scripts it calls; absolute, in running order."""
    here = (root / folder).resolve()
    found: list[Path] = []
    for part in _parts(command.replace("\\\n", " ")):
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


def _parts(command: str) -> Iterator[str]:
    """The simple commands of a text; what is in quotes separates none."""
    part = ""
    for piece in _PIECE.findall(command):
        if piece in _SEPARATORS:
            yield part
            part = ""
        else:
            part += piece
    yield part


def _one(words: list[str], here: Path, root: Path, depth: int) -> list[Path]:
    words = _without_prefix(words, here)
    if not words:
        return []
    if _PYTHON.match(words[0]):
        return _python(words[1:], here, root)
    script, inner = words[0], False
    if words[0] in _SHELLS or words[0] in ("source", "."):
        script, inner = _of_shell(words)
    if inner:
        return _inside(script, here, root, depth)
    path = (here / script).resolve()
    if not is_file(path) or not path.is_relative_to(root.resolve()):
        return []
    if path.suffix == ".py":
        return [path]
    text = read_text(path).replace("\r\n", "\n")
    first = text.partition("\n")[0]
    if first.startswith("#!") and "python" in first:
        return [path]
    # a script runs in the folder it was called from, unless it says otherwise
    return _inside(text, here, root, depth)


def _inside(text: str, here: Path, root: Path, depth: int) -> list[Path]:
    """What the text of a script runs."""
    if depth >= MAX_SHELL_DEPTH or not here.is_relative_to(root.resolve()):
        return []
    return entries_of(text, root, here.relative_to(root.resolve()).as_posix(), depth + 1)


def _of_shell(words: list[str]) -> tuple[str, bool]:
    """The script that a shell is given, and whether it is the text itself (-c)."""
    rest, letters = words[1:], ""
    while rest and rest[0][:1] in ("-", "+") and len(rest[0]) > 1:
        letters += rest[0][1:] if not rest[0].startswith("--") else ""
        rest = rest[2 if rest[0] in ("-o", "+o", "-O", "+O") else 1 :]
    return (rest[0] if rest else ""), "c" in letters


def _without_prefix(words: list[str], here: Path) -> list[str]:
    """Without NAME=VALUE, and programs that run another one with all their options."""
    while words and (re.match(r"^[A-Za-z_]\w*=", words[0]) or words[0] in _WRAPPERS):
        wrapper, words = words[0], words[1:]
        if wrapper in _WRAPPERS:
            at = next((place for place, word in enumerate(words) if _starts(word, here)), 0)
            module = next((place for place, word in enumerate(words[: at or None]) if word in ("-m", "--module")), -1)
            words = ["python", "-m", *words[module + 1 :]] if wrapper == "uv" and module >= 0 else words[at:]
    return words


def _starts(word: str, here: Path) -> bool:
    """Whether a word by itself is a program that can be told, or a script that is there."""
    if _PYTHON.match(word) or word in _SHELLS or word in _WRAPPERS:
        return True
    return word.endswith((".py", ".sh", ".bash")) and is_file(here / word)


def _python(words: list[str], here: Path, root: Path) -> list[Path]:
    position = 0
    while position < len(words):
        word = words[position]
        if word == "-m" and position + 1 < len(words):
            if words[position + 1] in _LAUNCHERS:
                return _first_file(words[position + 2 :], here)
            return _module(words[position + 1], here, root)
        if word == "-c":
            return []
        if not word.startswith("-"):
            return _first_file(words[position:], here)
        position += 2 if word in _WITH_VALUE else 1
    return []


def _first_file(words: list[str], here: Path) -> list[Path]:
    """The first word that is a Python file; what stands before it are a launcher's options."""
    scripts = [(here / word).resolve() for word in words if _is_script(here / word)]
    return scripts[:1]


def _is_script(path: Path) -> bool:
    return path.suffix == ".py" and is_file(path)


def _module(name: str, here: Path, root: Path) -> list[Path]:
    for place in (here, root, root / "src"):
        base = place / name.replace(".", "/")
        for path in (base.with_suffix(".py"), base / "__main__.py"):
            if is_file(path):
                return [path.resolve()]
    return []
