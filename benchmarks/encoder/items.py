"""Marked requests with the options and choices that they are read beside."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ml_agent.benchmarks.fit.relatives import relatives
from ml_agent.benchmarks.fit.rows import facts_of
from ml_agent.benchmarks.written.marks import MARK, find_slot, key_of
from ml_agent.matching.entries import RepositoryFacts
from ml_agent.matching.mentions import read_request
from ml_agent.matching.sense import MOST_CHOICES, choice_text
from ml_agent.matching.slots import Slot

_STATED = frozenset({"number", "path", "name", "text"})


class Span(NamedTuple):
    """Words of a request, and the number of the option that they mean; -1 for a value that sets none."""

    start: int
    end: int
    option: int


class ChoiceSpan(NamedTuple):
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
    chosen: tuple[ChoiceSpan, ...]


def items(marked: Path, folders: Sequence[Path], cache: Path, kept_back: Iterable[str]) -> Iterator[Item]:
    """The requests of a file, each read with its repository.

    Args:
        marked: the file; a line is a request in JSON (`benchmarks/written/README.md`).
        folders: with one folder for each repository.
        cache: for indexes.
        kept_back: names of repositories that must teach nothing; nor do their relatives.
    """
    silent = {*kept_back, *relatives()}
    called: dict[tuple[str, str, str, str], Sequence[Slot] | None] = {}
    for line in marked.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row["github"].rpartition("/")[2].lower()
        root = next((folder / name for folder in folders if (folder / name).is_dir()), None)
        if name in silent or root is None:
            continue
        key = (name, row["entry"], " ".join(row["subcommand"]), row["name"])
        if key not in called:
            called[key] = _find_slots(facts_of(root, cache), row)
        one = called[key]
        item = _item(name, row["text"], one) if one is not None else None
        if item is not None:
            yield item


def _find_slots(facts: RepositoryFacts, row: Mapping[str, Any]) -> Sequence[Slot] | None:
    wanted = (row["entry"], tuple(row["subcommand"]), row["name"])
    return next((one.slots for one in facts.entries if key_of(one.signature) == wanted), None)


def _item(repository: str, marked: str, slots: Sequence[Slot]) -> Item | None:
    """A request without its marks, and what they say; None where one names an option that is not there."""
    text, last = "", 0
    spans: list[Span] = []
    chosen: list[ChoiceSpan] = []
    for match in MARK.finditer(marked):
        place = find_slot(match["option"].strip(), slots)
        if place is None:
            return None
        text += marked[last : match.start()]
        start, end = len(text), len(text) + len(match["words"])
        spans.append(Span(start, end, place))
        slot = slots[place]
        choices = slot.option.choices[:MOST_CHOICES]
        value = (match["value"] or match["words"]).strip()
        if len(choices) > 1 and value in choices:
            texts = tuple(choice_text(slot, choice) for choice in choices)
            chosen.append(ChoiceSpan(start, end, texts, choices.index(value)))
        text, last = text + match["words"], match.end()
    text += marked[last:]
    spans += _find_idle(text, spans)
    return Item(repository, text, tuple(s.described for s in slots), tuple(spans), tuple(chosen))


def _find_idle(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """The values that set no option."""
    statement = read_request(text)
    for mention in statement.mentions:
        if mention.kind not in _STATED or mention.parts:
            continue
        marked = any(one.start < mention.end and mention.start < one.end for one in spans)
        spelled = any(one.start <= mention.start < one.end for one in statement.spelled)
        if not marked and not spelled:
            yield Span(mention.start, mention.end, -1)
