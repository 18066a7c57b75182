"""Documented calls of entry points: which fit a task, what they call, and a long one in short."""

import re

from ml_agent.account import called
from ml_agent.llm.likely import Entry, said_names
from ml_agent.navigator import Workspace
from ml_agent.terms import terms
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.examples import Example
from ml_agent.tools.retrieval import tokenize
from ml_agent.tools.signatures.model import Signature

_MOST_CALLS = 3
_OPTION = re.compile(r"(?<!\S)(?:--?[A-Za-z][\w-]{0,60}|[\w./@]{1,80}(?==))")
_STARTED = re.compile(r"\S\.(?:py|sh)(?=\s|$)|\s-m\s+[\w.]+")
"""The end of what names a program; launchers and their options stand before."""
_GROUP = re.compile(r"\s(?=--?[A-Za-z]|[\w.@/]{1,80}=)")
"""Where an option begins."""


def signatures_called(entry: Entry, words: str, workspace: Workspace) -> list[Signature]:
    """The signatures of an entry point that the fittest documented calls use."""
    calls = [example.text for example in documented_calls(entry, words, workspace, _MOST_CALLS)]
    invocations = (one for text in calls for one in parse_command(text).invocations)
    found = [called(one, workspace.path or ".", workspace.index) for one in invocations]
    return [one for one in dict.fromkeys(found) if one is not None and one in entry]


def documented_calls(entry: Entry, words: str, workspace: Workspace, most: int) -> list[Example]:
    """The documented commands that call an entry point, those first that share words with the task; calls with the same options last.

    Where the task says the name of an installed command, its calls stand before those of others.
    """
    said, names = set(tokenize(words)), said_names(entry, words)
    calls = {one.text: one for one in reversed(workspace.index.examples) if one.entry == entry[0].path}
    known = sorted(calls.values(), key=lambda one: (-_overlap(one, said), one.path, one.line))
    first = {frozenset(_OPTION.findall(one.text)): one for one in reversed(known)}
    return sorted(known, key=lambda one: (names.isdisjoint(one.text.split()), one not in first.values()))[:most]


def _overlap(example: Example, said: set[str]) -> float:
    text = set(tokenize(example.text))
    about = set(tokenize(f"{' '.join(example.headings[-2:])} {example.introduction[:200]}"))
    return len(text & said) / (5 + len(text)) + 0.5 * len(about & said) / (5 + len(about))


def in_short(call: str, words: str, most: int) -> str:
    """A documented call in at most so many characters: what starts the program, then the options that share terms with a request, then others.

    They stay in their order; dots stand for those that are left out.
    """
    if len(call) <= most:
        return call
    start = max((found.end() for found in _STARTED.finditer(call)), default=0)
    program, *options = _GROUP.split(call[start:])
    program = call[:start] + program
    said = set(terms(words))
    left, kept = most - len(program) - len(" ..."), set[int]()
    for place in sorted(range(len(options)), key=lambda at: (not said & set(terms(options[at])), at)):
        if len(options[place]) + 1 <= left:
            kept.add(place)
            left -= len(options[place]) + 1
    return " ".join([program, *(options[place] for place in sorted(kept)), "..."])[:most]
