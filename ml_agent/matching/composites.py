"""Values that several words state together: series, sizes, a file in a folder, parts of a default, and what is wanted absent."""

import itertools
import posixpath
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from ml_agent.matching.mention import Mention, mention_of_tokens
from ml_agent.values.lexer import Token
from ml_agent.values.lexicon import gram_sizes, words
from ml_agent.values.numbers import plain_number
from ml_agent.values.readings import parse_number

_FACTOR = re.compile(
    r"\b(?:(?P<part>half|twice|double|a third|a quarter)|(?P<count>three|four|five|ten|\d+)\s+times)\s+(?:as|the|its|of\s+the|their|of\s+what)\b",
    re.IGNORECASE,
)
_FACTORS = {
    "half": Decimal("0.5"),
    "twice": Decimal(2),
    "double": Decimal(2),
    "a third": Decimal(1) / 3,
    "a quarter": Decimal("0.25"),
}
_ABSENT = frozenset({"no", "without", "none", "nothing", "off", "nobody", "nowhere", "never", "neither"})
_BY = frozenset({"by", "x", "×"})
_WIDE = re.compile(
    r"(?<![\w/.-])\d+\s+(?:px\s+|pixels\s+)?wide,?\s+(?:and\s+|by\s+)?\d+\s+(?:px\s+|pixels\s+)?(?:high|tall)\b",
    re.IGNORECASE,
)
_INSIDE = frozenset({"in", "from", "under", "inside", "within", "below", "at"})
_LIES = frozenset({"lies", "lie", "is", "are", "there", "sits", "holds", "contains", "stands", "has"})
_UNLINKED = frozenset({"the", "a", "my", "our", "which", "that", "folder", "directory", "is", "are", "lies", "lie", "kept", "stored", "(", ")"})  # fmt: skip
_RESIDES = frozenset(
    {"resides", "lies", "located", "found", "stored", "saved", "kept", "sits", "lives", "housed", "placed"}
)
_NEAR, _FAR = 5, 14
_GRAM = "n-gram"
"""What the lengths of n-grams are of."""


def factors(text: str, tokens: Sequence[Token]) -> Iterator[Mention]:
    """Multiples of what is usual: "half as wide", "three times the number of"."""
    for match in _FACTOR.finditer(text):
        inside = [place for place, token in enumerate(tokens) if match.start() <= token.start < match.end()]
        factor = _FACTORS[match["part"].lower()] if match["part"] else parse_number(match["count"])
        if inside and factor:
            value = plain_number(factor) if match["count"] else str(factor)
            yield mention_of_tokens(text, tokens, inside[0], inside[-1], kind="factor", value=value)


def absences_and_singles(text: str, tokens: Sequence[Token]) -> Iterator[Mention]:
    """Words that want a thing away, a number for it is 0; and "a single process", "the sole class", for which it is 1."""
    for place, token in enumerate(tokens):
        word = token.value.lower() if token.kind == "word" else ""
        # "No more than 20" and "not longer than 256" bound what is stated behind them.
        bounds = any(token.value.lower() == "than" for token in tokens[place + 2 : place + 3])
        if word in _ABSENT and not bounds:
            yield mention_of_tokens(text, tokens, place, place, kind="absence", value="0")
        elif word in words("singles"):
            yield mention_of_tokens(text, tokens, place, place, kind="number", value="1")


def grams(text: str, tokens: Sequence[Token]) -> Iterator[Mention]:
    """Lengths of n-grams by their names: a bigram is 2, "single words and word pairs" are 1 and 2."""
    for start, end, size in gram_sizes(text):
        inside = [place for place, token in enumerate(tokens) if start <= token.start < end]
        if inside:
            yield mention_of_tokens(text, tokens, inside[0], inside[-1], kind="number", value=size, noun=_GRAM)


def sizes(text: str, tokens: Sequence[Token]) -> Iterator[Mention]:
    """Two or three numbers with "by" between them, as one word; and the one number of a square."""
    for place, token in enumerate(tokens):
        if token.kind == "quoted" and re.fullmatch(r"\d+(?:x\d+)+", token.value):
            sides = token.value.split("x")
            if len(set(sides)) == 1:
                yield mention_of_tokens(text, tokens, place, place, kind="number", value=sides[0])
            yield mention_of_tokens(
                text, tokens, place, place, kind="number", value=",".join(sides), parts=tuple(sides), whole=True
            )
        if token.kind == "number" and (wide := _WIDE.match(text, token.start)):
            last = max(at for at, one in enumerate(tokens) if one.end <= wide.end())
            yield mention_of_tokens(
                text, tokens, place, last, kind="name", value="x".join(re.findall(r"\d+", wide[0])), whole=True
            )
        if token.kind != "number" or (place > 1 and _is_by(tokens, place - 1)):
            continue
        last = place
        while last + 2 < len(tokens) and _is_by(tokens, last + 1):
            last += 2
        if last > place:
            numbers = [tokens[at].value for at in range(place, last + 1, 2)]
            yield mention_of_tokens(text, tokens, place, last, kind="name", value="x".join(numbers), whole=True)
            if len(set(numbers)) == 1:
                yield mention_of_tokens(text, tokens, place, last, kind="number", value=numbers[0], whole=True)


def _is_by(tokens: Sequence[Token], place: int) -> bool:
    beside = [*tokens[place - 1 : place], *tokens[place + 1 : place + 2]]
    return tokens[place].value.lower() in _BY and [one.kind for one in beside] == ["number", "number"]


def placed_files(text: str, tokens: Sequence[Token], single: Sequence[Mention]) -> Iterator[Mention]:
    """A file and the folder where it lies, as one path: "last.pth in /ckpt", "In /masters lies b.aiff"."""
    paths = [one for one in single if one.kind in {"path", "name"}]
    for one, other in itertools.pairwise(paths):
        between = [token.value.lower() for token in tokens[one.last + 1 : other.first]]
        resides = _resides(one, other, between)
        if resides:
            yield _joined_path(text, tokens, folder=other, file=one)
        if resides or len(between) > _NEAR or not between:
            continue
        linked = bool(_INSIDE & set(between)) and set(between) <= _INSIDE | _UNLINKED
        if _is_file(one) and _is_folder(other) and linked:
            yield _joined_path(text, tokens, folder=other, file=one)
        led = one.first > 0 and tokens[one.first - 1].value.lower() in _INSIDE
        if _is_folder(one) and _is_file(other) and led and set(between) & _LIES:
            yield _joined_path(text, tokens, folder=one, file=other)


def _resides(contained: Mention, folder: Mention, between: Sequence[str]) -> bool:
    """Whether a sentence says in many words that a thing lies in a folder: "the model X, which resides in the depths of the './a/' folder"."""
    spelled = (
        contained.kind == "name" and re.search(r"[\d_]", contained.value) is not None and "/" not in contained.value
    )
    said = len(between) <= _FAR and bool(_RESIDES & set(between)) and bool(_INSIDE & set(between))
    return (
        spelled and said and folder.value.endswith("/") and _is_folder(folder) and not {".", ";", "and"} & set(between)
    )


def _is_file(mention: Mention) -> bool:
    return "/" not in mention.value and bool(re.search(r"[A-Za-z_*]\.[A-Za-z]\w{0,7}$", mention.value))


def _is_folder(mention: Mention) -> bool:
    value = mention.value
    return mention.kind == "path" and "/" in value and not re.search(r"\.\w{1,6}$", value.rpartition("/")[2])


def _joined_path(text: str, tokens: Sequence[Token], *, folder: Mention, file: Mention) -> Mention:
    first, last = min(folder.first, file.first), max(folder.last, file.last)
    value = posixpath.join(folder.value, file.value)
    return mention_of_tokens(text, tokens, first, last, kind="path", value=value, whole=True)


def series(tokens: Sequence[Token], single: Sequence[Mention]) -> Iterator[Mention]:
    """Values of one kind that follow each other with nothing but a comma or an "and" between."""
    ordered = sorted(
        (one for one in single if one.kind not in {"factor", "absence"} and not one.whole), key=lambda one: one.first
    )
    run: list[Mention] = []
    for one in [*ordered, None]:
        if (
            one is not None
            and run
            and one.kind == run[-1].kind
            and _is_joined(tokens[run[-1].last + 1 : one.first], tokens[: run[-1].first][-1:])
        ):
            run.append(one)
            continue
        if len(run) > 1:
            parts = tuple(part.value for part in run)
            yield Mention(text=" ".join(part.text for part in run), value=",".join(parts), kind=run[0].kind, start=run[0].start, end=run[-1].end, first=run[0].first, last=run[-1].last, parts=parts)  # fmt: skip
        run = [one] if one is not None else []


def _is_joined(tokens: Sequence[Token], ahead: Sequence[Token]) -> bool:
    said = [token.value.lower() for token in tokens]
    if said == ["to"]:
        return [token.value.lower() for token in ahead] == ["between"]
    return (
        len(said) <= 4
        and all(word in {",", "and", "or", "&", "+", "of", "then", "to", "by", "x", "×"} for word in said)
        and said != ["of"]
        and "to" not in said
    )
