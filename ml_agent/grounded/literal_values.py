"""Puts a request's values into the literals of an example: each literal is a slot, by the parameter that it is given to."""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from ml_agent.grounded.completion import NameSources
from ml_agent.grounded.literals import Literal, parameter_names
from ml_agent.grounded.prompts import is_prose
from ml_agent.matching.fill import fill
from ml_agent.matching.likeness import likeness, occurs_in
from ml_agent.matching.meanings import vocabulary_matches
from ml_agent.matching.mentions import Mention, ParsedRequest
from ml_agent.matching.model import Model
from ml_agent.matching.slots import Slot
from ml_agent.matching.spelled import FilledSlot
from ml_agent.matching.stated import kind_of
from ml_agent.matching.terms import alphanumeric
from ml_agent.request import Value
from ml_agent.tools.python_api.registries import same_registry
from ml_agent.tools.signatures.model import Option, OptionType
from ml_agent.values.lexer import is_path

QUOTES = frozenset("'\"`“‘")
_COUNTS = re.compile(r"\b(?:number of|how many)\b", re.IGNORECASE)
_BY_LIKENESS = 3.0
"""Log-odds for a name in place of one that is spelled as it is."""
_THE_SAME = 6.0
"""Log-odds for what the example says there itself."""
_MOST_SIBLINGS = 200
_MOST_LITERALS = 120
"""So many literals of an example may take a value: a long one is a table, or somebody's way to keep us busy."""
_NEVER = -99.0
"""Log-odds of what cannot be."""


def place_values(
    statement: ParsedRequest, code: str, found: Sequence[Literal], sources: NameSources, model: Model
) -> list[FilledSlot]:
    """The values with the number of the literal that each goes into; names of one registry first, the others by the learned tables.

    Args:
        statement: the request.
        code: the example, complete.
        found: its literals.
        sources: what is known of their parameters.
        model: the learned tables.
    """
    found = found[:_MOST_LITERALS]
    names = parameter_names(code, found, sources.index.api, sources.workdir)
    slots = [
        Slot(_option(literal, name, sources), sorted(sources.seen.get(name, ())), files=files)
        for literal, name, files in zip(found, names, _siblings(found, sources), strict=True)
    ]
    settled = _of_one_registry(statement, slots, sources)
    prose = [at for at, literal in enumerate(found) if literal.kind == "text" and is_prose(names[at], literal.text)]
    filled = fill(statement.without_encoder(), slots, model.words, _ExamplePrior(found, settled, prose))
    placed = [*settled, *(one for one in filled.placed if one.score > _NEVER / 2)]
    taken = {one.slot for one in placed}
    return [*placed, *_only_count(filled.unplaced, slots, taken), *_meant_files(statement, slots, taken)]


def _meant_files(statement: ParsedRequest, slots: Sequence[Slot], taken: Collection[int]) -> Iterator[FilledSlot]:
    """The files that the request comes nearest to, where the example has others of the same folder."""
    for place, slot in enumerate(slots):
        for one in vocabulary_matches(statement, slot)[:1] if slot.files and place not in taken else ():
            yield FilledSlot(place, (one.value,), 0.0, "the file that is meant", (one.mention.start,), one.mention.text)


def _only_count(left: Sequence[Mention], slots: Sequence[Slot], taken: Collection[int]) -> list[FilledSlot]:
    """The one whole number without a place, for the one literal that counts something and has none."""
    numbers = [one for one in left if one.kind == "number" and one.value.isdigit()]
    counts = [
        at
        for at, slot in enumerate(slots)
        if at not in taken and slot.option.type == "int" and _COUNTS.search(slot.option.help)
    ]
    if len(numbers) != 1 or len(counts) != 1:
        return []
    (mention,), (place,) = numbers, counts
    return [FilledSlot(place, (mention.value,), 0.0, "the only count", (mention.start,), mention.text)]


class _ExamplePrior:
    """What the example says of a placement: values and literals that are settled, names in prose, what the code says already.

    Args:
        found: the literals.
        settled: what has its place.
        prose: numbers of the literals that are prose: only what the user quotes takes their place.
    """

    def __init__(self, found: Sequence[Literal], settled: Sequence[FilledSlot], prose: Collection[int]) -> None:
        self._found = found
        self._starts = {start for one in settled for start in one.starts}
        self._taken = {one.slot for one in settled}
        self._prose = prose

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot: a name takes the place of one that is spelled like it."""
        bare = slot in self._prose and mention.kind == "name" and mention.text[:1] not in QUOTES
        if mention.start in self._starts or slot in self._taken or bare or is_in_code(self._found, mention):
            return _NEVER
        shown = self._found[slot].text
        if shown == mention.value == mention.text.strip("'\"`“”‘’"):
            return _THE_SAME
        if self._found[slot].kind == "text" and {mention.kind, kind_of(shown)} == {"path", "text"}:
            return _NEVER  # a file and a sentence do not take each other's place
        return _BY_LIKENESS * likeness(mention.value, shown) if mention.kind == "name" else 0.0

    def switch(self, slot: int) -> float:
        """What speaks for a switch."""
        return _NEVER * (slot in self._taken)


def _of_one_registry(statement: ParsedRequest, slots: Sequence[Slot], sources: NameSources) -> list[FilledSlot]:
    """Names that the repository registers beside one that the example uses: they go where that one stands."""
    registries, found = sources.index.api.registries, dict[int, FilledSlot]()
    for mention in (one for one in statement.mentions if one.kind == "name" and not one.parts):
        for place, slot in enumerate(slots):
            if place not in found and same_registry(registries, mention.value, slot.option.default or ""):
                found[place] = FilledSlot(
                    place, (mention.value,), 1.0, "of one registry", (mention.start,), mention.text
                )
                break
    return list(found.values())


def is_in_code(found: Sequence[Literal], mention: Mention | Value) -> bool:
    """Whether the code says a name already: a longer name ("blip" in "blip_caption"), what it calls, or one of its keywords."""
    if mention.kind not in {"name", "text"}:
        return False
    longer = mention.kind == "name" and any(
        literal.kind == "text" and len(literal.text) > len(mention.value) and occurs_in(mention.value, literal.text)
        for literal in found
    )
    called = {alphanumeric(_tail(literal.owner)) for literal in found} if " " in mention.value else set()
    keywords = {literal.slot for literal in found} if "_" in mention.value else set()
    return longer or alphanumeric(mention.value) in called or mention.value in keywords


def _option(literal: Literal, slot: str, sources: NameSources) -> Option:
    """A literal as an option of the code: named by its keyword or parameter, with its text as default.

    What options of the same name have elsewhere in the repository, choices and help, holds for it too.
    """
    names = dict.fromkeys(
        name for name in (slot, _tail(literal.owner) if literal.place >= 0 and slot == literal.slot else "") if name
    )
    namesake = sources.namesakes.get(slot)
    owner = literal.owner.replace(".", " ").replace("(", " ").replace("=", " ")
    return Option(
        dest=next(iter(names), ""),
        flags=tuple(f"--{name}" for name in names) or ("--",),
        type=_type(literal),
        default=literal.text,
        nargs=str(literal.text.count(",") + 1) if literal.kind == "shape" else None,
        choices=namesake.choices if namesake is not None and literal.text in namesake.choices else (),
        help=f"{namesake.help if namesake is not None else ''}; {owner}",
    )


def _siblings(found: Sequence[Literal], sources: NameSources) -> list[list[str]]:
    """By literal: the files beside the one it names that end alike: "the horse" is horse.png where it reads cat.png."""
    files, workdir = sources.index.files, sources.workdir or "."
    shown = [posixpath.normpath(posixpath.join(workdir, one.text)) if one.kind == "text" else "" for one in found]
    known = {path for path in shown if posixpath.splitext(path)[1]} & set(files)
    beside: dict[tuple[str, str], list[str]] = {_folder_and_ending(path): [] for path in known}
    for path in files if known else ():
        if (key := _folder_and_ending(path)) in beside:
            beside[key].append(posixpath.basename(path))
    names = [beside[_folder_and_ending(path)][:_MOST_SIBLINGS] if path in known else [] for path in shown]
    return [
        [posixpath.join(posixpath.dirname(one.text), name) for name in several]
        for one, several in zip(found, names, strict=True)
    ]


def _folder_and_ending(path: str) -> tuple[str, str]:
    return posixpath.dirname(path), posixpath.splitext(path)[1]


def _tail(owner: str) -> str:
    return ".".join(owner.split("(")[0].split(".")[-2:])


def _type(literal: Literal) -> OptionType:
    if literal.kind == "number":
        return "float" if "." in literal.text or "e" in literal.text else "int"
    if literal.kind == "shape":
        return "int"
    return "path" if is_path(literal.text) else "str"
