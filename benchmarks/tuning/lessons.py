"""What a small model is taught: programs with their options, requests for each, and the arguments that are right."""

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.fit.relatives import relatives
from ml_agent.benchmarks.fit.rows import calls, facts_of
from ml_agent.benchmarks.written.marks import MARK, ProgramKey, find_slot, key_of
from ml_agent.llm.arguments import head, tail
from ml_agent.llm.choosing import MOST, question
from ml_agent.matching.entries import EntryPoint, RepositoryFacts
from ml_agent.matching.mentions import read_request
from ml_agent.matching.model import shipped
from ml_agent.matching.retrieval import EntryIndex
from ml_agent.matching.slots import Slot
from ml_agent.tools.commandline.quoting import quote
from ml_agent.tools.commandline.render import render_words
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Signature

_APART = re.compile(r",\s+|\s+and\s+|\s+")
_TOGETHER = 6
"""Requests of a program for which its options are shown once, at most; more are parted evenly."""
_CHOICES = 24
"""Lessons in choosing that a repository gives, about."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request as the model sees it, and the arguments that are right."""

    question: str
    answer: str


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """Requests that share what stands before them: for one program its options; for a choice among programs nothing."""

    repository: str
    name: str
    kind: Literal["fill", "choose"] = "fill"
    head: str
    requests: tuple[Request, ...]


def lessons(root: Path, rows: Sequence[dict[str, Any]], cache: Path) -> Iterator[Lesson]:
    """The lessons of one repository.

    Args:
        root: its folder.
        rows: written rows and marked requests.
        cache: for indexes.
    """
    facts = facts_of(root, cache)
    by_program: dict[ProgramKey, list[tuple[str, str]]] = defaultdict(list)
    entries = {key_of(entry.signature): entry for entry in facts.entries}
    for row in rows:
        made = _from_marks(row, entries) if "entry" in row else _from_reference(row, facts)
        if made is not None and made[0] in entries:
            by_program[made[0]].append(made[1:])
    for key, several in by_program.items():
        parts = -(-len(several) // _TOGETHER)
        for part in range(parts):
            yield from _fill(root.name, entries[key], several[part::parts])
    yield from _choices(facts, by_program)


def _fill(repository: str, entry: EntryPoint, several: Sequence[tuple[str, str]]) -> Iterator[Lesson]:
    """One lesson in writing arguments: the options are shown once for some requests."""
    words = " ".join(text for pair in several for text in pair)
    start = head(entry.signature, words, ".")
    fitting = [
        Request(question=tail(read_request(text), entry), answer=answer)
        for text, answer in several
        if all(
            word.partition("=")[0] in start
            for word in answer.split()
            if word.startswith("-") and word[1:2] not in "0123456789."
        )
    ]
    if fitting:
        yield Lesson(repository=repository, name=_name(entry.signature), head=start, requests=tuple(fitting))


def _choices(facts: RepositoryFacts, by_program: Mapping[ProgramKey, Sequence[tuple[str, str]]]) -> Iterator[Lesson]:
    """Lessons in choosing a program, of some requests of each, where it is among the first ones of the learned ranking."""
    index, model = EntryIndex(facts), shipped()
    most = max(1, _CHOICES // max(1, len(by_program)))
    for key, several in by_program.items():
        for text, _ in several[:: max(1, len(several) // most)]:
            statement = read_request(text)
            ranked = sorted(index.ranked(statement), key=lambda one: -model.entry(one.vector))
            entries = [one.entry for one in ranked[:MOST]]
            place = next((place for place, entry in enumerate(entries, 1) if key_of(entry.signature) == key), None)
            if place is not None and len(entries) > 1:
                asked = Request(question=question(statement, entries, "."), answer=str(place))
                name = _name(entries[place - 1].signature)
                repository = facts.index.root.name
                yield Lesson(repository=repository, name=name, kind="choose", head="", requests=(asked,))


def _name(signature: Signature) -> str:
    return " ".join([signature.path, *signature.subcommand])


def by_repository(files: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """The rows of some files by the name of their repository, those left out that a development repository is related to."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            name = row["github"].rstrip("/").rpartition("/")[2].lower()
            if name not in relatives():
                found[name].append(row)
    return found


def _from_reference(row: dict[str, Any], facts: RepositoryFacts) -> tuple[ProgramKey, str, str] | None:
    """A written row's program, request and arguments; None where its reference calls no known program."""
    folder = posixpath.normpath(row.get("path") or ".").lstrip("/") or "."
    found = list(calls(facts.index, row["output"], folder)) if row["type"].startswith("Bash") else []
    if len(found) != 1 or parse_call(found[0][0], found[0][1].words).unknown:
        return None
    signature, invocation = found[0]
    words = list(invocation.words)
    for word in signature.subcommand:
        words.remove(word)
    return key_of(signature), row["instruction"], " ".join(map(quote, words))


def _from_marks(row: dict[str, Any], entries: dict[ProgramKey, EntryPoint]) -> tuple[ProgramKey, str, str] | None:
    """A marked request without its marks, and the arguments that they mean; None where they cannot be written."""
    key = (row["entry"], tuple(row["subcommand"]), row["name"])
    entry = entries.get(key)
    if entry is None:
        return None
    call: dict[str, Any] = {}
    for mark in MARK.finditer(row["text"]):
        place = find_slot(mark["option"].strip(), entry.slots)
        if place is None:
            return None
        slot = entry.slots[place]
        value = (mark["words"] if mark["value"] is None else mark["value"]).strip()
        call[slot.option.dest] = _value(slot, value, call.get(slot.option.dest))
    try:
        words = [word for dest in _order(call, entry.signature) for word in _words(entry.signature, dest, call[dest])]
    except (RenderError, LookupError):
        return None
    parsed = parse_call(entry.signature, [*entry.signature.subcommand, *words])
    if not words or parsed.unknown:
        return None
    return key, MARK.sub(lambda mark: mark["words"], row["text"]), " ".join(map(quote, words))


def _order(call: Mapping[str, Any], signature: Signature) -> Iterator[str]:
    """Arguments by place as the program takes them, then options as the request names them."""
    places = [option.dest for option in signature.options if option.positional and option.dest in call]
    yield from places
    yield from (dest for dest in call if dest not in places)


def _words(signature: Signature, dest: str, value: Any) -> Sequence[str]:
    """The words that give one option its value."""
    option = {one.dest: one for one in signature.options}[dest]
    if option.positional and signature.syntax != "overrides":
        return [str(one) for one in (value if isinstance(value, list) else [value])]
    others = {one.dest: one.default or one.dest for one in signature.options if one.positional}
    bare = list(render_words(signature, others))
    words = list(render_words(signature, {**others, dest: value}))
    for word in bare:
        if word in words:
            words.remove(word)
    return words


def _value(slot: Slot, value: str, known: Any) -> Any:
    option = slot.option
    if slot.boolean and (option.switch or option.nargs == "?bool" or option.type == "bool"):
        return value.lower() not in ("false", "no", "0", "off")
    if slot.several:
        return [*(known or []), *(part for part in _APART.split(value) if part)]
    return value
