"""Reads from a sentence which files should come out of it, with which columns, and whether something is to be printed.

A file is an output where a word for making or putting leads to it ("save the table as out.csv", "convert a.wav to b.mp3",
"--output x.json"), and an input where "from", "of", "on", "with" do.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.delivery.expectation import ENDINGS, Expectation, kind_of
from ml_agent.user_values import Token, is_quoted_folder, quoted_paths


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SUFFIXES = sorted({ending for endings in ENDINGS.values() for ending in endings}, key=len, reverse=True)
_QUOTES = "\"'`“”‘’«»„"
_FILE = re.compile(
    rf"(?<![\w\u0300-\u036f./~*?-])(?:[\w\u0300-\u036f~.*?-]+/|/)*[\w\u0300-\u036f*?.{{}}-]*[\w\u0300-\u036f*?}}]\.(?:{'|'.join(_SUFFIXES)})(?![\w/])(?!\.\w)",
    re.IGNORECASE,
)
_FOLDER = re.compile(
    r"(?:\b(?:folder|directory|dir)\s+(?:called\s+|named\s+|labell?ed\s+)?[\"'`“]?(?P<after>[\w.~-]+(?:/[\w.-]+)*)/?[\"'`”]?"
    r"|(?<![\w./:-])[\"'`“]?(?P<slash>[\w.~-]{1,255}(?:/[\w.-]+)*)/(?![\w./*?])[\"'`”]?"
    r"|[\"'`“]?(?P<before>[\w.~-]{1,255}(?:/[\w.-]+)+|(?<=[\"'`“])[\w.-]{1,255})[\"'`”]?\s+(?:folder|directory)\b)",
    re.IGNORECASE,
)
_LAST_STOP = re.compile(r"(?<=[^./])\.+$")
"""Of the sentence; "." and ".." are folders."""
_NO_FOLDER = _words(
    "of with for that which where in on from and or to is a an the this my your named called structure tree by as "
    "at into so but if it its are was were be we i you they then there these those has have can should will would "
    "not no only also all each"
)
_MAKING = _words(
    "save saves saving write writes writing wrote store stores storing export exports exporting dump dumps dumping "
    "output outputs produce produces producing create creates creating generate generates generating make makes "
    "deliver delivers"
)
"""What they name is made."""
_PUTTING = _words(
    "save saves saving write writes writing store stores storing put puts putting place places land lands go goes end ends "
    "export belong belongs record plot draw draws should"
)
"""With them, "in" is where something is put, close by."""
_CHANGING = _words(
    "convert extract extracts transcribe translate summarise summarize merge append compile download tabulate report list "
    "serialise serialize compress resize crop transform split encode decode denoise segment separate print redirect build "
    "animate predict detect caption plot plots draw draws render renders"
)
"""What they name is changed; what comes out stands behind "to", "into", "as"."""
_TAKING = _words(
    "from of on for using with by load loads loading read reads reading use uses input inputs take given via against "
    "analyse analyze evaluate test train fit resume parse open run per"
)
_CLAUSE = _words("whether if how what which who whose where that")
"""What follows is said of something else."""
_PLACES = _words("in at under inside within")
_LEADING = _words("to into as named called") | _PLACES
_OPTION = re.compile(r"-{1,2}[\w-]*$")
_OUTPUT_OPTION = re.compile(
    r"^-{1,2}(?:o|[\w-]*(?:out|save|dest|export|target|result|log|report|write|dump)[\w-]*)$", re.IGNORECASE
)
_WORD = re.compile(r"-{0,2}[A-Za-z][\w-]*|[;:!?]|\.(?=\s|$)")
_QUOTED = r"\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|`[^`\n]{1,60}`|“[^”\n]{1,60}”"
_NAMES = rf"((?:{_QUOTED})(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*/\s*)(?:{_QUOTED}))*)"
_COLUMNS = re.compile(
    rf"\b(?:columns?|fields?|keys?|header)\b(?:\s+(?:named|called|are|being|is|names?|of|row))*\s*[:(]?\s*{_NAMES}",
    re.IGNORECASE,
)
_ROWS = re.compile(r"\b(\d[\d,]*)\s+(?:data\s+)?(?:rows|lines|records|entries)\b", re.IGNORECASE)
_PRINT = re.compile(
    r"\b(?:print(?:s|ed|ing)?\s+(?:out\s+)?(?!to\b|from\b)(?:the|a|an|its|their|all|each|every|it|them|how|what|which|me|only|just|\w+s\b|\d|[\"'])"
    r"|\b(?:print|show|report|display|write|output)\w*\b[^.;!?]{0,40}\b(?:to|on)\s+(?:the\s+)?(?:stdout|standard output|terminal|console|screen))",
    re.IGNORECASE,
)
_FAR, _NEAR = 24, 3
"""Words before a path in which the deed is looked for, and where nothing leads from it to the path."""
MOST = 12
"""Expectations of one request."""


class _Place(msgspec.Struct, frozen=True):
    """A path in the sentence."""

    path: str
    kind: str
    start: int
    end: int


def expectations_of(instruction: str) -> tuple[Expectation, ...]:
    """What a request says should come out."""
    quoted = tuple(quoted_paths(instruction))
    text = _with_plain_names(instruction, quoted)
    places = _places(text, [_quoted_place(instruction, token) for token in quoted])
    outputs = [place for place in places if _is_output(text, place)]
    found: dict[str, Expectation] = {}
    for number, place in enumerate(outputs):
        until = outputs[number + 1].start if number + 1 < len(outputs) else len(text)
        since = outputs[number - 1].end if number else 0
        found.setdefault(place.path, _expectation(text, place, since, until))
    printed = [Expectation(kind="printed")] if _PRINT.search(_without_options(text)) else []
    return (*list(found.values())[:MOST], *printed)


def _expectation(text: str, place: _Place, since: int, until: int) -> Expectation:
    """With what the same sentence says of its columns and rows."""
    columns: tuple[str, ...] = ()
    rows = None
    if place.kind in ("csv", "tsv", "json", "jsonl", "parquet", "yaml", "toml"):
        behind = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text[place.end : until])
        near = [behind[0], text[since : place.start], *behind[1:2]]
        columns = next((names for part in near if (names := _columns(part))), ())
    if place.kind in ("csv", "tsv", "jsonl"):
        match = _ROWS.search(text[place.end : until].split(". ")[0])
        rows = int(match[1].replace(",", "")) if match else None
    return Expectation(path=place.path, kind=place.kind, columns=columns, rows=rows)


def _columns(text: str) -> tuple[str, ...]:
    """The names in quotes behind a word for columns or keys; which words without quotes are names, only a reader of the sentence knows."""
    match = _COLUMNS.search(text)
    return tuple(name.strip(_QUOTES) for name in re.findall(_QUOTED, match[1])) if match else ()


def _places(text: str, quoted: Sequence[_Place]) -> Iterator[_Place]:
    taken = list(quoted)
    for match in _FILE.finditer(text):
        path = match[0].strip(_QUOTES)
        inside = any(match.start() < other.end and other.start < match.end() for other in quoted)
        if not inside and "://" not in text[max(0, match.start() - 8) : match.end()]:
            taken.append(_Place(path, kind_of(path), match.start(), match.end()))
    for match in _FOLDER.finditer(text):
        path = _LAST_STOP.sub("", next(group for group in match.groups() if group is not None))
        inside = any(match.start() < other.end and other.start < match.end() for other in taken)
        if not inside and path.lower() not in _NO_FOLDER and "://" not in text[max(0, match.start() - 8) : match.end()]:
            taken.append(_Place(path, "folder", match.start(), match.end()))
    yield from sorted(taken, key=lambda place: place.start)


def _with_plain_names(text: str, quoted: Sequence[Token]) -> str:
    """As long as it was, with a plain name for each that only its quotes keep together."""
    for token in quoted:
        name = ".txt".rjust(token.end - token.start, "P")
        text = f"{text[: token.start]}{name}{text[token.end :]}"
    return text


def _quoted_place(text: str, token: Token) -> _Place:
    """A name in quotes, as a whole."""
    kind = "folder" if is_quoted_folder(text, token) else kind_of(token.value)
    return _Place(token.value.rstrip("/"), kind, token.start, token.end)


def _is_output(text: str, place: _Place) -> bool:
    """Whether the words before a path lead to it as something that is made."""
    before = text[: place.start].rstrip(_QUOTES + " =:(")
    if (option := _OPTION.search(before)) is not None and option[0].strip("-"):
        return _OUTPUT_OPTION.match(option[0]) is not None
    words = [match[0].lower() for match in _WORD.finditer(_mask_paths(text[: place.start]))]
    leading = ""
    for distance, word in enumerate(reversed(words[-_FAR:])):
        if word in ".;!?" or (word in _TAKING and not leading) or (word in _CLAUSE and leading in {"", *_PLACES}):
            return False
        if not leading and word in _LEADING:
            leading = word
        elif not leading and word in _MAKING:
            return distance <= _NEAR
        elif leading in _PLACES and word in _PUTTING:
            return distance <= 2 * _NEAR
        elif leading and leading not in _PLACES and word in _MAKING | _PUTTING | _CHANGING:
            return True
    return False


def _mask_paths(text: str) -> str:
    """Without the paths before, whose parts are no words."""
    return _FILE.sub("PATH", text)


def _without_options(text: str) -> str:
    return re.sub(r"--?\w[\w-]*", " ", text)
