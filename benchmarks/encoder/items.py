"""Marked requests with the options, choices and entry points that they are read beside."""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fit.relatives import relatives
from benchmarks.fit.rows import facts_of
from benchmarks.written.marks import MARK, find_slot, key_of
from ml_agent.matching.entries import EntryPoint, Facts
from ml_agent.matching.mentions import read
from ml_agent.matching.sense import MOST_CHOICES, choice_text
from ml_agent.matching.slots import APART, Slot

_OTHERS = 8
"""So many other entry points of its repository stand beside a request's own."""
_MOST_DOC, _MOST_SAID = 120, 400
_STATED = frozenset({"number", "path", "name", "text"})


class Span(NamedTuple):
    """Words of a request, and the number of the option that they mean; -1 for a value that sets none."""

    start: int
    end: int
    option: int


class Chosen(NamedTuple):
    """Words that mean one of several choices."""

    start: int
    end: int
    choices: tuple[str, ...]
    right: int


class Item(NamedTuple):
    """One request."""

    repository: str
    text: str
    options: tuple[str, ...]
    spans: tuple[Span, ...]
    chosen: tuple[Chosen, ...]
    entries: tuple[str, ...]
    """Its own entry point first."""


class _Called(NamedTuple):
    slots: tuple[Slot, ...]
    entries: tuple[str, ...]


def items(marked: Path, folders: Sequence[Path], cache: Path, kept_back: Iterable[str]) -> Iterator[Item]:
    """The requests of a file, each read with its repository.

    Args:
        marked: the file; a line is a request in JSON (`benchmarks/written/README.md`).
        folders: with one folder for each repository.
        cache: for indexes.
        kept_back: names of repositories that must teach nothing; nor do their relatives.
    """
    silent = {*kept_back, *relatives()}
    rng = random.Random(0)
    called: dict[tuple[str, str, str, str], _Called | None] = {}
    for line in marked.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row["github"].rpartition("/")[2].lower()
        root = next((folder / name for folder in folders if (folder / name).is_dir()), None)
        if name in silent or root is None:
            continue
        key = (name, row["entry"], " ".join(row["subcommand"]), row["name"])
        if key not in called:
            called[key] = _find_called(facts_of(root, cache), row, rng)
        one = called[key]
        item = _item(name, row["text"], one) if one is not None else None
        if item is not None:
            yield item


def _find_called(facts: Facts, row: Mapping[str, Any], rng: random.Random) -> _Called | None:
    wanted = (row["entry"], tuple(row["subcommand"]), row["name"])
    own = next((one for one in facts.entries if key_of(one.signature) == wanted), None)
    if own is None:
        return None
    others = [one for one in facts.entries if one.signature != own.signature]
    several = [own, *rng.sample(others, min(_OTHERS, len(others)))]
    return _Called(own.slots, tuple(_introduce(e) for e in several))


def _item(repository: str, marked: str, called: _Called) -> Item | None:
    """A request without its marks, and what they say; None where one names an option that is not there."""
    text, last = "", 0
    spans: list[Span] = []
    chosen: list[Chosen] = []
    for match in MARK.finditer(marked):
        place = find_slot(match["option"].strip(), called.slots)
        if place is None:
            return None
        text += marked[last : match.start()]
        start, end = len(text), len(text) + len(match["words"])
        spans.append(Span(start, end, place))
        slot = called.slots[place]
        choices = slot.option.choices[:MOST_CHOICES]
        value = (match["value"] or match["words"]).strip()
        if len(choices) > 1 and value in choices:
            texts = tuple(choice_text(slot, choice) for choice in choices)
            chosen.append(Chosen(start, end, texts, choices.index(value)))
        text, last = text + match["words"], match.end()
    text += marked[last:]
    spans += _find_idle(text, spans)
    return Item(repository, text, tuple(s.described for s in called.slots), tuple(spans), tuple(chosen), called.entries)


def _find_idle(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """The values that set no option."""
    statement = read(text)
    for mention in statement.mentions:
        if mention.kind not in _STATED or mention.parts:
            continue
        marked = any(one.start < mention.end and mention.start < one.end for one in spans)
        spelled = any(one.start <= mention.start < one.end for one in statement.spelled)
        if not marked and not spelled:
            yield Span(mention.start, mention.end, -1)


def _introduce(entry: EntryPoint) -> str:
    """An entry point in words: where it lies, what it says of itself, and what documents say where they call it."""
    signature = entry.signature
    path = re.sub(r"\.\w{1,3}$", "", signature.path)
    names = APART.sub(" ", " ".join(dict.fromkeys([path.replace("/", " "), signature.name, *signature.subcommand])))
    said = dict.fromkeys(
        text
        for example in (shown.example for shown in entry.shown[:3])
        for text in (" ".join(example.headings[-2:]), " ".join(example.introduction.split())[:_MOST_DOC])
        if text
    )
    parts = [names.strip(), " ".join(signature.doc.split())[:_MOST_DOC], *list(said)[:3]]
    return "; ".join(part for part in parts if part)[:_MOST_SAID]
