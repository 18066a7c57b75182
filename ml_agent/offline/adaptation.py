"""A documented Python example with the user's values in place of its literals; its comments and layout stay."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.offline.assignment import assign
from ml_agent.offline.completion import NameSources, complete
from ml_agent.offline.literals import Literal, literals, parameter_names
from ml_agent.offline.reading import Mention, ParsedRequest
from ml_agent.offline.slots import Slot
from ml_agent.offline.spelled import FilledSlot
from ml_agent.offline.variables import likeness
from ml_agent.offline.vocabulary import vocabulary_matches
from ml_agent.offline.weights import Weights
from ml_agent.offline.words import alphanumeric, terms
from ml_agent.request import Value
from ml_agent.tools.signatures.model import Option, OptionType
from ml_agent.user_values import is_path, kind_of

_MOST_LITERALS, _MOST_SIBLINGS, _SHORT = 120, 200, 2
_BY_LIKENESS, _FOR_NUMBER, _THE_SAME, _NEVER = 3.0, 1.0, 6.0, -99.0
"""Log-odds for a name in place of one that is spelled as it is; for a number, of which an example has few; for what the example says there itself; of what cannot be."""
_QUOTES = frozenset("'\"`“‘")
_PROSE = frozenset(terms("prompt caption question text sentence description query style"))


class Edit(NamedTuple):
    """A stretch of the code and what stands there afterwards."""

    start: int
    end: int
    text: str


def adapt(
    code: str, values: Sequence[Value], statement: ParsedRequest, sources: NameSources, model: Weights
) -> tuple[str, int]:
    """The example's code, completed and with the user's values; and how many of its literals were given one.

    Args:
        code: of the example.
        values: what the user stated.
        statement: the same request as it is matched.
        sources: where missing names come from.
        model: the fitted weights.
    """
    whole = complete(code, sources)
    found = [literal for literal in literals(whole) if literal.kind != "name"][:_MOST_LITERALS]
    shapes = _shapes(found, values)
    placed = _placed(statement, whole, found, sources, model)
    edits = [*shapes, *_edits(placed, found)]
    edits += _prompts(found, placed, statement.text)
    return _applied(whole, edits), len(placed)


def _placed(
    statement: ParsedRequest, code: str, found: Sequence[Literal], sources: NameSources, model: Weights
) -> list[FilledSlot]:
    """The values with the number of the literal that each goes into, by the weights."""
    names = parameter_names(code, found, sources.index.api, sources.workdir)
    slots = [
        Slot(_option(literal, name, sources), sorted(sources.seen.get(name, ())), files=files)
        for literal, name, files in zip(found, names, _sibling_files(found, sources), strict=True)
    ]
    prose = {at for at, one in enumerate(found) if _is_prose(names[at], one)}
    filled = assign(statement, slots, model, prior=_ExamplePrior(found, prose))
    placed = [one for one in filled.all if one.score > _NEVER / 2]
    taken = {one.slot for one in placed}
    meant = [
        FilledSlot(place, (one.value,), 0.0, (one.mention.start,), one.mention.text)
        for place, slot in enumerate(slots)
        if slot.files and place not in taken
        for one in vocabulary_matches(statement, slot)[:1]
    ]
    return [*placed, *meant]


def _is_prose(slot: str, literal: Literal) -> bool:
    """Whether a literal is a prompt, a caption, a question."""
    return literal.kind == "text" and bool(set(terms(slot)) & _PROSE) and len(literal.text.split()) > _SHORT


class _ExamplePrior:
    """What the example says of a placement: names in prose, what the code says already.

    Args:
        found: the literals.
        prose: numbers of the literals that are prose: only what the user quotes takes their place.
    """

    def __init__(self, found: Sequence[Literal], prose: Collection[int]) -> None:
        self._found = found
        self._prose = prose

    def value(self, mention: Mention, slot: int) -> float:
        """What speaks for a value in a slot, as log-odds: a name takes the place of one that is spelled like it."""
        quoted = mention.text[:1] in _QUOTES
        if _is_in_code(self._found, mention.value, mention.kind):
            return _NEVER
        shown = self._found[slot].text
        if slot in self._prose:
            return (
                _THE_SAME
                if quoted and mention.kind == "text"
                else _NEVER
                if mention.kind in {"name", "path"} and not quoted
                else 0.0
            )
        if shown == mention.value == mention.text.strip("'\"`“”‘’"):
            return _THE_SAME
        if self._found[slot].kind == "text" and {mention.kind, kind_of(shown)} == {"path", "text"}:
            return _NEVER  # a file and a sentence do not take each other's place
        if mention.kind == "number":
            return _FOR_NUMBER
        return _BY_LIKENESS * likeness(mention.value, shown) if mention.kind in {"name", "path"} else 0.0


def _is_in_code(found: Sequence[Literal], value: str, kind: str) -> bool:
    """Whether the code says a name already: a longer name ("blip" in "blip_caption"), what it calls, or one of its keywords."""
    if kind not in {"name", "text"}:
        return False
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", re.IGNORECASE)
    longer = (one.text for one in found if one.kind == "text" and len(one.text) > len(value))
    called = {alphanumeric(_tail(one.owner)) for one in found} if " " in value else set[str]()
    keyword = "_" in value and any(one.slot == value for one in found)
    return keyword or alphanumeric(value) in called or (kind == "name" and any(map(word.search, longer)))


def _option(literal: Literal, slot: str, sources: NameSources) -> Option:
    """A literal as an option of the code: named by its keyword or parameter, with its text as default.

    What options of the same name have elsewhere in the repository, choices and help, holds for it too.
    """
    called = _tail(literal.owner) if literal.place >= 0 and slot == literal.slot else ""
    names = dict.fromkeys(name for name in (slot, called) if name)
    namesake = sources.namesakes.get(slot)
    owner = re.sub(r"[.(=]", " ", literal.owner)
    return Option(
        dest=next(iter(names), ""),
        flags=tuple(f"--{name}" for name in names) or ("--",),
        type=_type(literal),
        default=literal.text,
        nargs=str(literal.text.count(",") + 1) if literal.kind == "shape" else None,
        choices=namesake.choices if namesake is not None and literal.text in namesake.choices else (),
        help=f"{namesake.help if namesake is not None else ''}; {owner}",
    )


def _type(literal: Literal) -> OptionType:
    if literal.kind == "number":
        return "float" if "." in literal.text or "e" in literal.text else "int"
    return "int" if literal.kind == "shape" else "path" if is_path(literal.text) else "str"


def _tail(owner: str) -> str:
    return ".".join(owner.split("(")[0].split(".")[-2:])


def _sibling_files(found: Sequence[Literal], sources: NameSources) -> Iterator[list[str]]:
    """By literal: the files beside the one it names that end alike: "the horse" is horse.png where it reads cat.png."""
    files = frozenset(sources.index.files)
    for one in found:
        path = posixpath.normpath(posixpath.join(sources.workdir or ".", one.text)) if one.kind == "text" else ""
        stem, ending = posixpath.splitext(path)
        beside: tuple[str, ...] = ()
        if ending and path in files:
            beside = tuple(
                other
                for other in sorted(files)
                if other.endswith(ending) and posixpath.dirname(other) == posixpath.dirname(stem)
            )
        folder = posixpath.dirname(one.text)
        yield [posixpath.join(folder, posixpath.basename(other)) for other in beside[:_MOST_SIBLINGS]]


def _shapes(found: Sequence[Literal], values: Iterable[Value]) -> list[Edit]:
    """The user's shapes in place of the example's, one of the same rank where there is one."""
    free = [literal for literal in found if literal.kind == "shape"]
    edits = []
    for value in values:
        if not re.match(r"[(\[]\d", value.value) or not free:
            continue
        fitting = (literal for literal in free if literal.text.count(",") == value.value.count(","))
        chosen = next(fitting, free[0])
        free.remove(chosen)
        inner = value.value[1:-1].rstrip(",")
        edits.append(Edit(chosen.start, chosen.end, inner if chosen.owner else f"({inner})"))
    return edits


def _edits(placed: Iterable[FilledSlot], found: Sequence[Literal]) -> Iterator[Edit]:
    for one in placed:
        literal, typed = found[one.slot], " ".join(one.values)
        if literal.kind == "shape" and literal.text.count(",") + 1 != len(one.values):
            continue
        if not (literal.kind == "text" and alphanumeric(literal.text) == alphanumeric(typed) != ""):
            yield Edit(literal.start, literal.end, _formatted(typed, literal))


def _formatted(typed: str, literal: Literal) -> str:
    """A value as it stands in the code in place of a literal."""
    if literal.kind == "number":
        return typed
    if literal.kind == "shape":
        inner = ", ".join(typed.split())
        return inner if literal.slot == "shape" else f"({inner})"
    name = PurePosixPath(literal.text).name
    if is_path(typed) and PurePosixPath(name).suffix and not PurePosixPath(typed).suffix:
        typed = f"{typed.rstrip('/')}/{name}"  # a folder of the user's where the example has a file
    return _quoted(typed)


def _quoted(value: str) -> str:
    return f'"{value}"' if '"' not in value and "\\" not in value and value.isprintable() else repr(value)


_LEAD = re.compile(
    r"\b(?:generat\w+|creat\w+|draw\w*|paint\w*|produc\w+|render\w*|make|recreat\w+|featur\w+|showcas\w+|shows?|showing|depict\w*|contain\w*|describ\w+)\s+"
    r"(?:of\s+)?(?P<phrase>[^,.;:!?'\"`]{3,120})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\b(?:determin\w+|identify\w*|highlight\w*|find\w*|detect\w*|know\w*|tell\w*|ask\w*|locat\w+|recogni\w+|assess\w*)\s+(?P<phrase>[^,.;:!?'\"`]{3,120})",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"\b(?:into|in)\s+(?P<phrase>an?\s[^,.;:!?]{3,80}?(?:style|styled|painting|masterpiece|art)\w*)", re.IGNORECASE
)
_TAIL = re.compile(
    r"(?<!\s)\s++(?:using|utili[sz]ing|with the|by|via|that is|for this|from the|through|within|employing|in the (?:image|photograph|picture)|on my)\b.*$",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(?:the|some|my|these|this|that|me|us)\s+", re.IGNORECASE)


def _prompts(found: Sequence[Literal], placed: Sequence[FilledSlot], instruction: str) -> list[Edit]:
    """What the user wants to see or to know, in his own words, in place of the example's prompt, caption or question."""
    taken = {one.slot for one in placed}
    for place, literal in enumerate(found):
        if place in taken or not _is_prose(literal.slot, literal):
            continue
        parts = set(terms(literal.slot))
        asks = "question" in parts or literal.text.rstrip().endswith("?")
        patterns = [_QUESTION] if asks else [_STYLE, _LEAD] if "style" in parts else [_LEAD, _STYLE]
        phrase = next((said for pattern in patterns if (said := _phrase(pattern, instruction))), "")
        phrase = f"{phrase[0].upper()}{phrase[1:]}?" if phrase and asks else phrase
        if phrase:
            return [Edit(literal.start, literal.end, _quoted(phrase))]
    return []


def _phrase(pattern: re.Pattern[str], instruction: str) -> str:
    for match in pattern.finditer(instruction):
        phrase = _OPENING.sub("", _TAIL.sub("", match["phrase"]).strip()).strip()
        if len(phrase) > _SHORT and not re.search(r"\b(?:code|script|snippet|instructions)\b", phrase):
            return phrase
    return ""


def _applied(code: str, edits: Iterable[Edit]) -> str:
    at = len(code) + 1
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        if edit.end <= at:
            code = code[: edit.start] + edit.text + code[edit.end :]
            at = edit.start
    return code
