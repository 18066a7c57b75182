"""What a request states: values with their place, spelled options, and the content words around them."""

import itertools
import re
from collections.abc import Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from ml_agent.matching import composites
from ml_agent.matching.mention import Mention, MentionKind, mention_of_tokens
from ml_agent.matching.terms import terms
from ml_agent.values.lexer import IN_QUOTES, Token, is_file_name, is_path
from ml_agent.values.lexicon import words
from ml_agent.values.numbers import number
from ml_agent.values.quoted_paths import quoted_paths
from ml_agent.values.readings import normal_text, tokens_of

__all__ = ["Mention", "MentionKind", "ParsedRequest", "SpelledOption", "Word", "read_request"]

_FLAG = re.compile(rf"(?<![\w-])(?P<flag>--?[A-Za-z][\w.-]*)(?P<equals>=(?:{IN_QUOTES}|\S+))?")
_ASSIGNED = re.compile(
    rf"(?<![\w-])(?P<name>[A-Za-z_][\w.]{{0,120}})=(?P<value>{IN_QUOTES}|\([^)]*\)|\[[^\]]*\]|\{{[^}}]*\}}|-?\d[\w.+-]*(?:,-?\d[\w.+-]*)+|[^\s,;)]+)"
)
_PYTHON = re.compile(r"\bpython[\d.]*\s+$")
"""What stands before the `-m` that starts a module, and is no option of it."""
_FILLER = frozenset({"of", "to", "is", "be", "=", ":", "at", "with", "as", "in"})
_CLAUSE = frozenset({",", ";", ":", "(", ")", "–", "—"})
_JOINING = frozenset({"and", "or", "but", "with", "while"})


class Word(NamedTuple):
    """One content word: its terms, and where it stands."""

    place: int
    """Number of the token."""
    text: str
    terms: tuple[str, ...]


class SpelledOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option that the user spells: `--lr 3e-4`, `-P`, `lr=3e-4`."""

    name: str
    """As written, with its dashes."""
    following: str
    """The text behind it, up to where a value could end at the latest."""
    start: int
    end: int
    joined: str = ""
    """What stands behind "="."""


class ParsedRequest:
    """A request, read once.

    Args:
        text: the instruction.
        given: name and value of what the user gave beside it.
    """

    by_sense = True
    """Whether an encoder may read it, too, where one is in use."""

    def __init__(self, text: str, given: tuple[tuple[str, str], ...] = ()) -> None:
        self.text = normal_text(text)
        self.given = given
        self._alike: dict[str, tuple[str, ...]] = {}

    def without_encoder(self) -> "ParsedRequest":
        """The same request, read by its words alone."""
        found = copy(self)
        found.by_sense = False
        return found

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """All tokens; numbers in words, ranges and sizes are one token each."""
        return tuple(tokens_of(self.text))

    @cached_property
    def content(self) -> tuple[Word, ...]:
        """The words that mean something, in order, values included where they are words."""
        found = []
        for place, token in enumerate(self.tokens):
            if token.kind in {"mark", "number", "shape"} or token.value.lower() in words("stop"):
                continue
            if [one.value.lower() for one in self.tokens[place : place + 2]] == ["out", "of"]:
                continue  # it says where something comes from, and nothing of an output
            if token.kind in {"word", "name", "flag"} or (token.kind in {"path", "quoted"} and len(token.value) < 60):
                meant = terms(token.value)
                if meant:
                    found.append(Word(place, token.value.lower(), meant))
        return tuple(found)

    @cached_property
    def unspelled(self) -> tuple[Word, ...]:
        """The content words without those of spelled options: "--max_len 64" says nothing of other options."""
        spans = [(one.start, one.end) for one in self.spelled]
        return tuple(word for word in self.content if not any(a <= self.tokens[word.place].start < b for a, b in spans))

    @cached_property
    def distances(self) -> tuple[float, ...]:
        """By token: how far it is from the beginning, where clauses and sentences stretch the way."""
        found, at = [], 0.0
        for token in self.tokens:
            lower = token.value.lower()
            if token.kind == "mark":
                at += 12.0 if token.text in ".!?" else 2.0 if token.text in _CLAUSE else 0.0
            elif lower in _JOINING:
                at += 2.0
            elif token.kind == "word" and lower in words("stop"):
                at += 0.25
            elif token.kind in {"number", "path", "shape"}:
                at += 2.0
            else:
                at += 1.0
            found.append(at)
        return tuple(found)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Every value, in order; series beside their parts."""
        single = [one for place, token in enumerate(self.tokens) if (one := self._mention(place, token)) is not None]
        for several in composites.factors, composites.absences_and_singles, composites.sizes:
            single += several(self.text, self.tokens)
        grams = list(composites.grams(self.text, self.tokens))
        single = [one for one in single if not any(gram.first <= one.first <= gram.last for gram in grams)] + grams
        values = {value for _, value in self.given}
        single = [one for one in single if one.value not in values]
        single += composites.placed_files(self.text, self.tokens, single)
        return tuple(sorted([*single, *composites.series(self.tokens, single)], key=lambda one: (one.start, one.end)))

    @cached_property
    def spelled(self) -> tuple[SpelledOption, ...]:
        """The options that the user spells."""
        found = [SpelledOption(name=name, following="", start=-1, end=-1, joined=value) for name, value in self.given]
        for match in _FLAG.finditer(self.text):
            flag = match["flag"].rstrip(".-")
            if re.fullmatch(r"-\d.*", flag) or (
                flag == "-m" and _PYTHON.search(self.text[max(0, match.start() - 20) : match.start()])
            ):
                continue
            joined = (match["equals"] or "")[1:].rstrip(",;)")
            found.append(SpelledOption(name=flag, following=self.text[match.end() : match.end() + 160], start=match.start(), end=match.end(), joined=joined.removesuffix(".")))  # fmt: skip
        spans = [(one.start, one.end) for one in found]
        for match in _ASSIGNED.finditer(self.text):
            if not any(start <= match.start() < end for start, end in spans):
                value = match["value"].rstrip(".")
                found.append(SpelledOption(name=match["name"], following="", start=match.start(), end=match.end(), joined=value))  # fmt: skip
        return tuple(found)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All terms that are said."""
        return frozenset(term for word in self.content for term in word.terms)

    def similar_terms(self, term: str) -> tuple[str, ...]:
        """The terms that are said and that another term contains or that contain it: "shot" and "fewshot"."""
        if term not in self._alike:
            self._alike[term] = tuple(one for one in self.vocabulary if one != term and _contains(one, term))
        return self._alike[term]

    @cached_property
    def _quoted_paths(self) -> frozenset[int]:
        """Where names in quotes begin that have blanks."""
        return frozenset(token.start for token in quoted_paths(self.text))

    def _mention(self, place: int, token: Token) -> Mention | None:
        kind: MentionKind
        value = token.value
        if value in _PLURALS or starts_module(self.tokens, place) or _names_option(self.tokens, place):
            return None
        if token.kind == "number":
            kind = "number"
        elif token.kind == "path":
            kind = "name" if _HUB.fullmatch(value) and not is_file_name(value) else "path"
        elif token.kind == "shape":
            kind = "number" if number(value.strip("()[]").split(",")[0]) is not None else "text"
        elif token.kind == "quoted":
            kind = "path" if is_path(value) or token.start in self._quoted_paths else "text" if " " in value else "name"
            kind = "number" if number(value) is not None else kind
        elif token.kind == "name" or (token.kind == "word" and not token.written and _is_namelike(self.tokens, place)):
            kind = "name"
        else:
            return None
        percent = token.kind == "number" and bool(re.search(r"%|per\s?cent", token.text))
        noun = _noun(self.tokens, place)
        if kind == "name" and (noun in _PLACES or ("/" in value and not _HUB.fullmatch(value))):
            kind = "path"
        return mention_of_tokens(self.text, self.tokens, place, place, kind=kind, value=value, percent=percent, noun=noun)  # fmt: skip


def starts_module(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token is of `python -m MODULE`: what is called, and no value."""
    ahead = [token.value.lower() for token in tokens[max(0, place - 2) : place + 2]]
    return any(one.startswith("python") and flag == "-m" for one, flag in itertools.pairwise(ahead))


def _names_option(tokens: Sequence[Token], place: int) -> bool:
    """Whether a quoted word is the name of an option: "the 'guidance_scale' parameter"."""
    beside = [*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2]]
    named = any(token.value.lower() in words("option_nouns") for token in beside)
    return named and tokens[place].kind == "quoted" and tokens[place].value.isidentifier()


_PLURALS = frozenset({"GPUs", "CPUs", "TPUs", "sub-folders", "sub-directories"})
"""Things that are counted, and no names."""
_PLACES = frozenset({"folder", "directory", "file", "archive", "path", "subfolder", "sub-folder", "dir"})
_BEHIND_PLACES = frozenset(
    ["inside", "within", "beside", "beneath", "underneath", "outside", "alongside", "next", "near", "containing", "contains", "holding", "holds"]
)  # fmt: skip
"""What stands behind "folder" and is no name: where it lies, and what is in it."""
_HUB = re.compile(r"(?=[^/]*[A-Z])[\w.-]+/[\w.-]+|[A-Za-z]{1,6}-[A-Z]+/\d+|[a-z]+-[a-z]+/[\w.-]+")
_NAMING = frozenset({"called", "named", "name", "entitled", "of", "the", "a", ",", "by", "is", ":", "as"})


def _noun(tokens: Sequence[Token], place: int) -> str:
    """The noun in front of a value that says what it is, a word such as "called" between them or none."""
    for at in range(place - 1, max(-1, place - 7), -1):
        word = tokens[at].value.lower()
        if word not in _NAMING:
            return word if tokens[at].kind == "word" else ""
    return ""


def _is_namelike(tokens: Sequence[Token], place: int) -> bool:
    """A word with a hyphen, digits or capitals in a sentence, or one that is introduced as a name."""
    token = tokens[place]
    text = token.value
    if text.lower() in words("stop") or len(text) < 2:
        return len(text) == 1 and text.isupper() and text != "I" and place > 0 and tokens[place - 1].kind == "word"
    if re.search(r"\d|_", text) or text[1:] != text[1:].lower():
        return True
    before = tokens[place - 1] if place else None
    if text[:1].isupper() and before is not None and not (before.kind == "mark" and before.text in ".!?:"):
        return True
    if is_introduced(tokens, place):
        return True
    lead = before.value.lower() if before is not None else ""
    if lead in (_PLACES - {"file", "path"}) | {"project", "workdir"} and text.lower() not in _BEHIND_PLACES:
        following = tokens[place + 1 : place + 2]  # "the folder take ./x", "a folder dataset called screws"
        return not any(
            one.kind in {"path", "quoted"} or one.value.lower() in words("naming_verbs") for one in following
        )
    return "-" in text and not text.endswith("-")


def is_introduced(tokens: Sequence[Token], place: int) -> bool:
    """Whether the words before one say that it is a name: "called X", "known as X", and not "the named X"."""
    before, lead = ("", "", *(token.value.lower() for token in tokens[max(0, place - 2) : place]))[-2:]
    return (before, lead) == ("known", "as") or (lead in words("naming_verbs") and before not in _ARTICLES)


_ARTICLES = frozenset({"a", "an", "the"})


def _contains(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < 4:
        return len(short) == 3 and long.startswith(short) and (len(long) < 6 or long[3:] in {"ing", "ed"})
    return short in long or (len(short) > 5 and short[:5] == long[:5])


@lru_cache(maxsize=512)
def read_request(text: str, given: tuple[tuple[str, str], ...] = ()) -> ParsedRequest:
    """The request, read once."""
    return ParsedRequest(text, given)
