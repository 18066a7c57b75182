"""Files that installing commands read: requirements of pip, environments of conda."""

import posixpath
from collections.abc import Iterator

from ml_agent.tools.check.places import is_literal
from ml_agent.tools.commandline.invocation import Invocation

_PIP = ("-r", "--requirement", "-c", "--constraint")
_CONDA = ("-f", "--file")


def listed_in(invocation: Invocation) -> Iterator[str]:
    """The files beside the repository's that name what is to be installed."""
    words = list(invocation.words)
    program = posixpath.basename(invocation.name)
    if program == "uv" and words[:1] == ["pip"]:
        program, words = words[0], words[1:]
    if program.rstrip("0123456789.") == "pip" and words[:1] == ["install"]:
        yield from _values(words, _PIP)
    elif program in ("conda", "mamba", "micromamba") and words[:1] == ["env"]:
        yield from _values(words, _CONDA)


def _values(words: list[str], options: tuple[str, ...]) -> Iterator[str]:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        found = following if word in options else value if equals and name in options else ""
        if found and is_literal(found):
            yield found
