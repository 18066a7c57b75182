"""Programs that an answer fetches and starts in one go (`curl … | bash`): nobody knows what they do, so they are never a preparation."""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from ml_agent.benchmarks.same_call.model import Program
from ml_agent.benchmarks.strict.bash_text import Piece, commands
from ml_agent.tools.commandline.invocation import read_invocation
from ml_agent.tools.launchers import PYTHON, SHELLS, SOURCES

FETCHES = frozenset({"wget", "curl", "gdown", "aws", "gsutil", "kaggle", "huggingface-cli"})
_SUBSTITUTED = re.compile(rf"(?:\$\(|<\(|`)\s*(?:{'|'.join(sorted(FETCHES))})\s([^)`]*)")
"""What a command fetches to put it in its own place: `$(curl …)`, `<(curl …)`."""


def fetched_programs(text: str, ran: Collection[str]) -> Iterator[Program]:
    """One program for each that is fetched and handed to an interpreter.

    Args:
        text: the answer.
        ran: names of the programs that bash started: what was skipped does not count.
    """
    source: tuple[str, ...] = ()
    for piece in commands(text):
        name, words = _read_start(piece)
        runs = name in ran and (name in SHELLS or name in SOURCES or name == "eval" or bool(PYTHON.match(name)))
        if name in FETCHES and not source:
            source = tuple(words)
        elif runs and source and _reads_input(words):
            yield Program(name=name, words=source)
        found = _SUBSTITUTED.search(" ".join(piece.words)) if runs else None
        if found:
            yield Program(name=name, words=tuple(found[1].split()))
        if not piece.end.startswith("|") or piece.end == "||":
            source = ()


def _read_start(piece: Piece) -> tuple[str, Sequence[str]]:
    """The name of the program that a simple command starts, through wrappers, and its words."""
    bare = [word.strip("(){}") for word in piece.words]
    invocation = read_invocation([word for word in bare if word] or piece.words)
    name = posixpath.basename(invocation.program)
    return name, bare[bare.index(invocation.program) + 1 :] if invocation.program in bare else invocation.words


def _reads_input(words: Sequence[str]) -> bool:
    """Whether an interpreter that is given these words takes its program from what is piped into it."""
    first = next((word for word in words if not word.startswith("-") or word in ("-", "-c", "-m", "-s", "--")), "-")
    return first in ("-", "-s", "--")
