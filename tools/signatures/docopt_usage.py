"""The usage patterns of a docopt text: their tokens, and which of them stand in which brackets."""

import re
from collections.abc import Sequence

import msgspec

USAGE = re.compile(r"usage:[ \t]*(.*?)(?:\n[ \t]*\n|\Z)", re.IGNORECASE | re.DOTALL)
TOKEN = re.compile(r"\[options\]|\.\.\.|[\[\]()|]|<[^>]+>|[^\s\[\]()|.]+(?:\.[^\s\[\]()|.]+)*")


class Frame(msgspec.Struct):
    """A pair of brackets, or the whole pattern."""

    start: int
    end: int
    optional: bool = False
    has_bar: bool = False
    """It holds alternatives."""
    repeated: bool = False
    """Three dots stand behind it."""


def find_frames(tokens: Sequence[str]) -> dict[int, Frame]:
    """The brackets by the place at which they open; the whole pattern at -1."""
    frames = {-1: Frame(-1, len(tokens))}
    within = [-1]
    for place, token in enumerate(tokens):
        if token in "[(":
            frames[place] = Frame(place, len(tokens), optional=token == "[")
            within.append(place)
        elif token in "])" and len(within) > 1:
            frame = frames[within.pop()]
            frame.end, frame.repeated = place, tokens[place + 1 : place + 2] == ["..."]
        elif token == "|":
            frames[within[-1]].has_bar = True
    return frames


def usage_patterns(text: str) -> list[list[str]]:
    """The tokens of each usage pattern, without the name of the program; [] where there are none."""
    usage = USAGE.search(text)
    lines = _lines(usage.group(1)) if usage is not None else []
    return [TOKEN.findall(line)[1:] for line in lines]


def _lines(text: str) -> list[str]:
    """The usage patterns; a line that does not begin with the program's name goes on the one before."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    name = lines[0].split()[0] if lines else ""
    joined: list[str] = []
    for line in lines:
        if line.split()[0] == name or not joined:
            joined.append(line)
        else:
            joined[-1] += " " + line
    return joined
