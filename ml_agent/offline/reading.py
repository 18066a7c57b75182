"""A request as it is matched with options: its values with their place, and the telling words around them."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import msgspec

from ml_agent.numbers import number
from ml_agent.offline.words import terms, words
from ml_agent.user_values import ExplicitFlag, explicit_flags, is_file_name, is_path, normal_text, tokens_of

Kind = Literal["number", "path", "name", "text", "word", "absence"]
KINDS: tuple[Kind, ...] = ("number", "path", "name", "text", "word", "absence")
_WRITING = frozenset(
    {
        "save",
        "saved",
        "saves",
        "write",
        "written",
        "writes",
        "store",
        "stored",
        "put",
        "output",
        "outputs",
        "results",
        "result",
        "logs",
    }
)
_WIDE_HIGH = re.compile(r"(\d+)(?:\s+\w+)?\s+wide(?:\s+and|,)?\s+(\d+)(?:\s+\w+)?\s+(?:high|tall)\b")
_CLAUSE = frozenset(",;:()–—")
_JOINING = frozenset({"and", "or", "but", "with", "while"})
_SERIES = frozenset({",", "and", "or", "&", "+", "then"})
_BY = frozenset({"by", "x", "×"})
_ABSENT = frozenset({"no", "without", "none", "nothing", "off", "never", "neither"})
_COUNTED = {"single": 1, "sole": 1, "lone": 1, "word pairs": 2, "unigram": 1, "bigram": 2, "trigram": 3}
"""Words that are numbers where an option counts that thing."""
_PART = re.compile(
    r"(?:a|an|one|the (?:first|last)) (?:(half)|(quarter)|(fifth)|(eighth)|(tenth))(?= of\b)", re.IGNORECASE
)
_PARTS = ("0.5", "0.25", "0.2", "0.125", "0.1")
_RANGE = frozenset({"to", "and", "-", "–"})
_NEAR_COUNT = 8
_PLACES = frozenset({"folder", "directory", "dir", "subfolder", "archive", "file", "path"})
_NAMING = frozenset(
    {"called", "named", "name", "entitled", "titled", "dubbed", "of", "the", "a", ",", "by", "is", ":", "as"}
)
_COMMON = frozenset(
    [
        "gpu",
        "gpus",
        "cpu",
        "cpus",
        "tpu",
        "tpus",
        "cuda",
        "api",
        "cli",
        "ide",
        "ram",
        "python",
        "pytorch",
        "tensorflow",
        "jax",
        "linux",
        "github",
        "readme",
        "i",
        "url",
    ]
)
_HUB = re.compile(r"(?=[^/]*[A-Z])[\w.-]+/[\w.-]+|[A-Za-z]{1,6}-[A-Z]+/\d+|[a-z]+-[a-z]+/[\w.-]+")
"""A model's name with that of its owner: "EleutherAI/pythia-70m"."""


class Word(NamedTuple):
    """One telling word: its terms, and the number of its token."""

    place: int
    text: str
    terms: tuple[str, ...]


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """One value that a request states."""

    text: str
    value: str
    """As it would be typed."""
    kind: Kind
    start: int
    """In characters."""
    end: int
    first: int
    """Number of its first token."""
    last: int
    parts: tuple[str, ...] = ()
    """Of a series ("4, 2 and 1") or a size ("320 by 240"): its elements."""
    percent: bool = False
    """"40 percent": the value is 40, and 0.4 where a share is wanted."""
    noun: str = ""
    """The noun that says what it is: "the folder X", "a project called X"."""


class ParsedRequest:
    """A request, read once.

    Args:
        text: the instruction.
        given: name and value of what the user gave beside it.
    """

    def __init__(self, text: str, given: tuple[tuple[str, str], ...] = ()) -> None:
        self.text = normal_text(text)
        self.given = given
        self.tokens = tokens_of(self.text)
        self.flags = (*(ExplicitFlag(name, value, -1, -1) for name, value in given), *explicit_flags(text))
        """The options that the user spells, or gives by name."""

    @cached_property
    def content(self) -> tuple[Word, ...]:
        """The telling words, in order; values among them where they are words."""
        found = []
        for place, token in enumerate(self.tokens):
            if token.kind in {"mark", "number", "list"} or token.value.lower() in words("stop"):
                continue
            if token.kind not in {"path", "quoted"} or len(token.value) < 60:
                found.append(Word(place, token.value.lower(), terms(token.value)))
        return tuple(word for word in found if word.terms)

    @cached_property
    def unspelled(self) -> tuple[Word, ...]:
        """The telling words without those of spelled options: "--max_len 64" says nothing of other options."""
        spans = [(one.start, one.end) for one in self.flags]
        return tuple(word for word in self.content if not within(self.tokens[word.place].start, spans))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All terms that are said."""
        return frozenset(term for word in self.content for term in word.terms)

    @cached_property
    def distances(self) -> tuple[float, ...]:
        """By token: how far it is from the beginning, where clauses and sentences stretch the way."""
        found, at = [], 0.0
        for token in self.tokens:
            lower = token.value.lower()
            if token.kind == "mark":
                at += 12.0 if token.text in ".!?" else 2.0 if token.text in _CLAUSE else 0.0
            elif lower in _JOINING or token.kind in {"number", "path", "list"}:
                at += 2.0
            else:
                at += 0.25 if token.kind == "word" and lower in words("stop") else 1.0
            found.append(at)
        return tuple(found)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Every value, in order; series and sizes beside their parts."""
        given = {value for _, value in self.given}
        single = [one for place in range(len(self.tokens)) for one in self._at(place) if one.value not in given]
        single.sort(key=lambda one: (one.start, one.end))
        series = list(self._series(single))
        plain = [one for one in single if not self._counts(one, series)]
        return tuple(sorted([*plain, *series], key=lambda one: (one.start, one.end)))

    @cached_property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The first and the last token of each range: "from 2 to 7", "between 2 and 7"."""
        numbers = [place for place, token in enumerate(self.tokens) if token.kind == "number"]
        return tuple((one, two) for one, two in pairwise(numbers) if two == one + 2 and self._is_range(one))

    def _is_range(self, place: int) -> bool:
        between, lead = self.tokens[place + 1].value.lower(), self.tokens[place - 1].value.lower() if place else ""
        return between == "to" or (between in _RANGE and lead == "between")

    def _counts(self, one: Mention, series: Sequence[Mention]) -> bool:
        """Whether a number but says how many values follow: "two layers with 12 and 6 units"."""
        return one.kind == "number" and any(
            one.value == str(len(other.parts)) and 0 < other.first - one.last <= _NEAR_COUNT for other in series
        )

    def mention(self, first: int, last: int, **fields: Any) -> Mention:
        """The value that the tokens from the first to the last state."""
        start, end = self.tokens[first].start, self.tokens[last].end
        return Mention(text=self.text[start:end], start=start, end=end, first=first, last=last, **fields)

    def _at(self, place: int) -> Iterator[Mention]:
        token = self.tokens[place]
        lower = token.value.lower() if token.kind == "word" else ""
        before = self.tokens[place - 1].value.lower() if place else ""
        if token.kind == "list":
            yield from self._listed(place)
        elif lower in _ABSENT and not any(one.value.lower() == "than" for one in self.tokens[place + 2 : place + 3]):
            yield self.mention(place, place, kind="absence", value="0")
        elif count := _COUNTED.get(lower) or _COUNTED.get(f"{before} {lower}"):
            yield self.mention(place, place, kind="number", value=str(count))
        elif part := _PART.match(self.text, token.start):
            last = next(at for at in range(place, len(self.tokens)) if self.tokens[at].end >= part.end())
            yield self.mention(place, last, kind="number", value=_PARTS[(part.lastindex or 1) - 1])
        elif (kind := self._kind(place)) is not None:
            percent = token.kind == "number" and re.search(r"%|per\s?cent", token.text) is not None
            noun = self._noun(place)
            if kind == "name" and (noun in _PLACES or ("/" in token.value and not _HUB.fullmatch(token.value))):
                kind = "path"
            yield self.mention(place, place, kind=kind, value=token.value, percent=percent, noun=noun)
        if token.kind == "number":
            yield from self._sides(place)
        if token.kind == "number" and not (place > 1 and self._is_by(place - 1)):
            last = place
            while self._is_by(last + 1):
                last += 2
            if last > place:
                sides = tuple(self.tokens[at].value for at in range(place, last + 1, 2))
                yield from self._sizes(place, last, sides)

    def _listed(self, place: int) -> Iterator[Mention]:
        """A size "256x256" or a list "0,1,2" that is written as one word."""
        value = self.tokens[place].value
        sides = tuple(re.findall(r"-?\d+(?:\.\d+)?", value))
        if "x" in value:
            yield from self._sizes(place, place, sides)
        elif value[0] in "([" or "," in value:
            yield self.mention(place, place, kind="number", value=value, parts=() if "-" in value else sides)
        else:
            yield self.mention(place, place, kind="name", value=value)

    def _sizes(self, first: int, last: int, sides: tuple[str, ...]) -> Iterator[Mention]:
        """A size as one word, as several numbers, and the one number of a square."""
        yield self.mention(first, last, kind="name", value="x".join(sides))
        yield self.mention(first, last, kind="number", value=",".join(sides), parts=sides)
        if len(set(sides)) == 1:
            yield self.mention(first, last, kind="number", value=sides[0])

    def _sides(self, place: int) -> Iterator[Mention]:
        """A size whose sides are said by words: "40 cells wide and 20 high"."""
        found = _WIDE_HIGH.match(self.text, self.tokens[place].start)
        if found is not None:
            last = next(at for at in range(place, len(self.tokens)) if self.tokens[at].end >= found.end())
            yield from self._sizes(place, last, (found[1], found[2]))

    def _is_by(self, place: int) -> bool:
        beside = [one.kind for one in self.tokens[place - 1 : place + 2 : 2]]
        return beside == ["number", "number"] and self.tokens[place].value.lower() in _BY

    def _kind(self, place: int) -> Kind | None:
        token = self.tokens[place]
        value = token.value
        if value.lower() in _COMMON:
            return None
        if token.kind == "number":
            return "number"
        if token.kind == "path":
            return "name" if _HUB.fullmatch(value) and not is_file_name(value) else "path"
        if token.kind == "quoted":
            if number(value) is not None:
                return "number"
            return "path" if is_path(value) and " " not in value else "text" if " " in value else "name"
        if token.kind not in {"name", "word"}:
            return None
        if self._is_place(place):
            return "path"
        return "name" if token.kind == "name" or self._is_namelike(place) else None

    def _is_place(self, place: int) -> bool:
        """Whether a word is where something goes: "save them to samples", "results in cutouts"."""
        ahead = [one.value.lower() for one in self.tokens[max(0, place - 6) : place]]
        if (
            not ahead
            or ahead[-1] not in {"to", "in", "into", "under"}
            or self.tokens[place].value.lower() in words("stop")
        ):
            return False
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        ends = following is None or following.kind == "mark" or following.value.lower() in _JOINING
        return ends and any(word in _WRITING for word in ahead)

    def _is_namelike(self, place: int) -> bool:
        """A word with a hyphen, digits or capitals in a sentence, or one that is introduced as a name."""
        text, before = self.tokens[place].value, self.tokens[place - 1] if place else None
        if len(text) < 2:
            return text.isupper() and text != "I" and before is not None and before.kind == "word"
        if text.lower() in words("stop"):
            return False
        if re.search(r"\d|_", text) or text[1:] != text[1:].lower():
            return True
        if before is None:
            return False
        if text[0].isupper() and before.text not in {".", "!", "?", ":"}:
            return True
        lead = before.value.lower()
        ahead = self.tokens[place - 2].value.lower() if place > 1 else ""
        if (ahead, lead) == ("known", "as") or (lead in words("naming") and ahead not in {"a", "an", "the"}):
            return True
        following = self.tokens[place + 1 : place + 2]
        if lead in {"folder", "directory", "dir", "project"} and text.lower() not in words("beside"):
            return not any(one.kind in {"path", "quoted"} or one.value.lower() in words("naming") for one in following)
        return "-" in text and not text.endswith("-")

    def _noun(self, place: int) -> str:
        """The noun in front of a value that says what it is, with "called" or the like between, or nothing."""
        for at in range(place - 1, max(-1, place - 7), -1):
            word = self.tokens[at].value.lower()
            if word not in _NAMING:
                return word if self.tokens[at].kind == "word" and word not in words("stop") else ""
        return ""

    def _series(self, single: Sequence[Mention]) -> Iterator[Mention]:
        """Values of one kind that follow each other with nothing but a comma or an "and" between."""
        run: list[Mention] = []
        for one in (*(one for one in single if not one.parts and one.kind != "absence"), None):
            if one is not None and run and one.first <= run[-1].last:
                continue
            if one is not None and run and one.kind == run[-1].kind and self._are_joined(run[-1], one):
                run.append(one)
                continue
            if len(run) > 1:
                parts = tuple(part.value for part in run)
                yield self.mention(run[0].first, run[-1].last, kind=run[0].kind, value=",".join(parts), parts=parts)
            run = [one] if one is not None else []

    def _are_joined(self, one: Mention, other: Mention) -> bool:
        said = [token.value.lower() for token in self.tokens[one.last + 1 : other.first]]
        worded = one.text.lower() in _COUNTED and other.text.lower() == "pairs" and "and" in said
        return len(said) <= 3 and (worded or all(word in _SERIES for word in said))


def within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place lies in one of several stretches."""
    return any(start <= place < end for start, end in spans)


@lru_cache(maxsize=256)
def read_request(text: str, given: tuple[tuple[str, str], ...] = ()) -> ParsedRequest:
    """The request, read once."""
    return ParsedRequest(text, given)
