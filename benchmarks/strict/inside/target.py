"""Reads an interpreter's or a launcher's command line: which program it starts, and with which words."""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs", "-Q")
LAUNCHERS = ("torch.distributed.launch", "torch.distributed.run", "torchrun", "accelerate", "deepspeed", "horovodrun", "mpirun", "mpiexec",
             "accelerate.commands.launch", "paddle.distributed.launch", "srun")  # fmt: skip
CHOOSE_DEVICES = {
    "accelerate": ("--gpu_ids", "--gpu-ids"),
    "accelerate.commands.launch": ("--gpu_ids", "--gpu-ids"),
    "deepspeed": ("-i", "--include"),
    "paddle.distributed.launch": ("--gpus", "--devices", "--selected_gpus"),
}
"""Options of launchers that say which devices the program sees: they set its CUDA_VISIBLE_DEVICES."""
DEVICES = re.compile(r"(?:localhost:)?(\d+(?:,\d+)*)")
CONSOLE = "--console"
"""What stands before a console script's name and `module:function`; no interpreter knows such a word."""
NOT_OURS = ("pip", "venv", "ensurepip", "compileall", "spacy", "nltk.downloader", "unittest", "pytest")

LONGEST = 1_000_000
"""Characters of a program that is read from standard input."""
GIVEN = re.compile(r"-[bBdEiIOPqRsSuvx]*([cm])(.*)", re.DOTALL)
"""A module or code, also behind switches in one word, and with what is given in the same word: -um, -cpass."""


class NoSuchScript(Exception):
    """The file to run does not exist."""


class Target:
    """One program: a file, a module or a function of one, its words, and the first folder of its import path."""

    function = ""
    """What a console script calls."""

    def __init__(self, path: str = "", module: str = "", words: Sequence[str] = (), own: bool = False) -> None:
        self.path, self.module, self.words, self.own = path, module, list(words), own
        self.first = str(Path.cwd()) if module or own else str(Path(path).parent)
        self.label = "answer" if own else module or path


def read(given: Sequence[str]) -> Target | None:
    """The target of `[launcher] words…`; None where nothing is run (`--version`, `-m pip`, nothing on standard input)."""
    words = list(given)
    if words and words[0] in LAUNCHERS:
        return launched(words[0], words[1:])
    if words[:1] == [CONSOLE]:
        return console(words[1], words[2], words[3:])
    while words:
        word = words.pop(0)
        if given_by := GIVEN.fullmatch(word):
            rest = [given_by[2], *words] if given_by[2] else words
            return module(rest) if given_by[1] == "m" else code(rest)
        if word in WITH_VALUE:
            words = words[1:]
        elif word == "-" or not word.startswith("-"):
            return script(word, words)
        elif word in ("-V", "--version", "-h", "--help"):
            return None
    return standard_input([])


def standard_input(words: Sequence[str]) -> Target | None:
    """`python - <<END`: what is read there is the answer's own code."""
    text = sys.stdin.read(LONGEST)
    return code([text, *words]) if text.strip() else None


def script(name: str, words: Sequence[str]) -> Target | None:
    """A file, or a folder with a `__main__.py`."""
    if name == "-":
        return standard_input(words)
    path = Path.cwd() / name
    if path.is_dir() and (path / "__main__.py").is_file():
        path = path / "__main__.py"
    if not path.is_file():
        raise NoSuchScript(f"can't open file {name!r}: no such file")
    full = os.path.normpath(path)
    return Target(path=full, words=words, own=os.environ.get("STRICT_ANSWER") == full)


def module(words: Sequence[str]) -> Target | None:
    """What `-m` names."""
    if not words or words[0] in NOT_OURS:
        return None
    return launched(words[0], words[1:]) if words[0] in LAUNCHERS else Target(module=words[0], words=words[1:])


def console(name: str, place: str, words: Sequence[str]) -> Target:
    """A command that the repository's installation makes, which calls `module:function`."""
    named, _, function = place.partition(":")
    found = Target(path=name, module=named, words=words)
    found.function = function
    return found


def launched(launcher: str, words: Sequence[str]) -> Target | None:
    """The program that a launcher starts: its first word that names a Python file, or the module after -m; it sees the devices that the launcher is told."""
    for at, word in enumerate(words):
        if word.endswith(".py") and "=" not in word:
            os.environ.update(devices(launcher, words[:at]))
            return script(word, words[at + 1 :])
        if word in ("-m", "--module") and at + 1 < len(words):
            os.environ.update(devices(launcher, words[:at]))
            return Target(module=words[at + 1], words=words[at + 2 :])
    raise NoSuchScript("the launcher is given no program")


def devices(launcher: str, words: Sequence[str]) -> dict[str, str]:
    """The variable with which a launcher chooses devices, where its own words name them."""
    options, found = CHOOSE_DEVICES.get(launcher, ()), {}
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        given = DEVICES.fullmatch(value if equals else "".join(words[at + 1 : at + 2]))
        if name in options and given:
            found = {"CUDA_VISIBLE_DEVICES": given[1]}
    return found


def code(words: Sequence[str]) -> Target:
    """`python -c TEXT`: the text is the answer's own code."""
    handle, path = tempfile.mkstemp(suffix=".py", text=True)
    with os.fdopen(handle, "w") as file:
        file.write(words[0] if words else "")
    return Target(path=path, words=words[1:], own=True)
