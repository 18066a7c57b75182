"""Whether text is what its name promises."""

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html.parser import HTMLParser
from typing import Any, NoReturn

from ml_agent import numbers
from ml_agent.delivery.expectation import Expectation
from ml_agent.tools.bounded import read_toml

MOST_PARSED = 16 * 1024**2
"""Bytes of JSON or YAML; what is larger is looked at only at its beginning."""
MOST_ERROR_LINES = 40
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.MULTILINE)
_ERROR = re.compile(
    r"\s*+(?:(?:[\w.]+(?:Error|Exception))\b\s*(?::|$)|(?:fatal|error|failed|exception|usage)\b\s*:|<Error>|"
    r"(?:\w+: )?error: |command not found|No such file or directory|Segmentation fault)",
    re.IGNORECASE,
)
_CUE = re.compile(r"(?:\d\d:)?\d\d:\d\d[.,]\d{3}\s*-->\s*(?:\d\d:)?\d\d:\d\d[.,]\d{3}[^\n]*\n\s*\S")


class InvalidContent(Exception):
    """It is not what it should be; the message says why, in one line."""


class NotAsWorded(InvalidContent):
    """It is what its name promises, and lacks columns or rows that words named: those may have been misread."""


def text_of(content: bytes, whole: bool = True) -> str:
    """The content as text; InvalidContent where it is none, is blank, or is only an error message.

    Where it is not whole, its last character may be cut.
    """
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(content, final=whole)
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if "\0" in text:
        raise InvalidContent("holds binary data, not text")
    if not text.strip():
        raise InvalidContent("is blank")
    if (said := error_in(text)) is not None:
        raise InvalidContent(f"holds an error message: {said}")
    return text


def error_in(text: str) -> str | None:
    """The error that a short text reports in the place of a result; None where it is none."""
    lines = text.strip().splitlines()
    if not 0 < len(lines) <= MOST_ERROR_LINES:
        return None
    if _TRACEBACK.search(text):
        return lines[-1][:120]
    return lines[0][:120] if _ERROR.match(lines[0]) else None


def judge_text(text: str, _expected: Expectation) -> str:
    """Text of any kind."""
    return f"{len(text.splitlines())} lines"


def judge_json(text: str, expected: Expectation) -> str:
    """One JSON value, by the standard: no NaN, not empty, with the keys that were asked for."""
    value = _parse(text)
    if value in ({}, [], "", None):
        raise InvalidContent("is empty JSON")
    if (
        isinstance(value, dict)
        and set(value) <= {"error", "message", "status", "traceback", "code"}
        and "error" in value
    ):
        raise InvalidContent(f"holds an error message: {str(value['error'])[:100]}")
    first = value[0] if isinstance(value, list) else value
    if expected.columns:
        lacking = _lacking(expected.columns, _keys(value) if isinstance(first, (dict, list)) else [])
        if lacking:
            raise NotAsWorded(
                f"lacks the keys {', '.join(lacking)}; it has {_some(list(first) if isinstance(first, dict) else [])}"
            )
    if expected.rows is not None and isinstance(value, list) and len(value) != expected.rows:
        raise NotAsWorded(f"has {len(value)} entries, not {expected.rows}")
    return f"JSON {'list' if isinstance(value, list) else 'object' if isinstance(value, dict) else 'value'}"


def judge_jsonl(text: str, expected: Expectation) -> str:
    """One JSON value a line."""
    first: Any = None
    number = 0
    for number, line in enumerate((line for line in text.split("\n") if line.strip()), 1):  # JSON may hold other ends
        try:
            value = _parse(line)
        except InvalidContent as wrong:
            raise InvalidContent(f"line {number} {wrong}") from wrong
        first = value if number == 1 else first
    if expected.columns and (lacking := _lacking(expected.columns, first if isinstance(first, dict) else [])):
        raise NotAsWorded(f"lacks the keys {', '.join(lacking)}; it has {_some(first)}")
    return _check_count(number, expected)


def judge_csv(text: str, expected: Expectation) -> str:
    """A table with a head, of as many fields in each row."""
    return _judge_table(text, expected, ",")


def judge_tsv(text: str, expected: Expectation) -> str:
    """The same with tabs."""
    return _judge_table(text, expected, "\t")


def judge_srt(text: str, _expected: Expectation) -> str:
    """Subtitles: at least one cue with its times and words."""
    cues = len(_CUE.findall(text))
    if not cues:
        raise InvalidContent("has no subtitle with a time and text")
    return f"{cues} cues"


def judge_vtt(text: str, expected: Expectation) -> str:
    """Subtitles for the web."""
    if not text.startswith("WEBVTT"):
        raise InvalidContent("does not begin with WEBVTT")
    return judge_srt(text, expected)


def judge_html(text: str, _expected: Expectation) -> str:
    """A page with an element and something in it."""
    reader = _Elements()
    reader.feed(text[:MOST_PARSED])
    if not reader.names:
        raise InvalidContent("has no HTML element")
    if not reader.content:
        raise InvalidContent("is an empty page")
    return f"{reader.names} elements"


def judge_svg(text: str, _expected: Expectation) -> str:
    """A drawing that is closed and has a shape in it."""
    text = text.rstrip()
    opening, closing = re.search(r"<svg\b", text), text.rfind("</svg")
    begun = text.find(">", opening.end()) + 1 if opening else 0
    if not 0 < begun <= closing or not re.fullmatch(r"</svg\s*>", text[closing:]):
        raise InvalidContent("has no <svg> element that is closed")
    if not re.search(r"<(?!/|!|\?)\w", text[begun:closing]):
        raise InvalidContent("is an empty drawing")
    return "SVG"


def judge_yaml(text: str, expected: Expectation) -> str:
    """YAML that parses."""
    import yaml

    if len(text) > MOST_PARSED:
        return "too large to be parsed whole"
    try:
        value = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidContent(f"is not valid YAML: {str(error).splitlines()[0][:100]}") from error
    return _check_keys(value, expected, "YAML")


def judge_toml(text: str, expected: Expectation) -> str:
    """TOML that parses."""
    try:
        value = read_toml(text)
    except ValueError as error:
        raise InvalidContent(f"is not valid TOML: {error}") from error
    return _check_keys(value, expected, "TOML")


TEXT_KINDS: dict[str, Callable[[str, Expectation], str]] = {
    "text": judge_text,
    "json": judge_json,
    "jsonl": judge_jsonl,
    "csv": judge_csv,
    "tsv": judge_tsv,
    "srt": judge_srt,
    "vtt": judge_vtt,
    "html": judge_html,
    "svg": judge_svg,
    "yaml": judge_yaml,
    "toml": judge_toml,
}
"""Each says what it saw, or raises InvalidContent."""


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names = 0
        self.content = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names += 1
        self.content = self.content or tag in ("img", "svg", "canvas", "table", "script", "video", "audio", "iframe")

    def handle_data(self, data: str) -> None:
        self.content = self.content or bool(data.strip())


def rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """The rows of a table with its head; of a CSV the first line tells what parts its fields. Raises InvalidContent."""
    first = text.splitlines()[0]
    if delimiter == "," and "," not in first:
        delimiter = next((other for other in ";\t|" if other in first), ",")
    csv.field_size_limit(MOST_PARSED)
    try:
        yield from (row for row in csv.reader(io.StringIO(text), delimiter=delimiter, strict=True) if row)
    except csv.Error as error:
        raise InvalidContent(f"is not a table: {error}") from error


_VALUE = re.compile(r"[-+]?\d*\.\d+(?:e[-+]?\d+)?|none|nan|null|\.{0,2}/\S+|\S+/\S+(?:/\S+|\.\w{1,5})", re.IGNORECASE)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a table's first row may be the names of its columns: no fraction, path or missing value is one."""
    return not any(_VALUE.fullmatch(cell.strip()) for cell in cells)


def _judge_table(text: str, expected: Expectation, delimiter: str) -> str:
    rows = rows_of(text, delimiter)
    uneven, body = "", 0
    head = next(rows, [])
    for body, row in enumerate(rows, 1):
        if len(row) != len(head) and not uneven:
            uneven = f"row {body + 1} has {len(row)} fields, its header {len(head)}"
    if uneven:
        raise InvalidContent(uneven)
    if lacking := _lacking(expected.columns, head):
        raise NotAsWorded(f"lacks the columns {', '.join(lacking)}; it has {_some(head)}")
    bare = expected.rows is None and not is_header(head)
    if not expected.columns and (bare or expected.rows == body + 1):
        return f"{body + 1} rows without a header"
    if (
        not body
        and expected.rows is None
        and not expected.columns
        and any(numbers.number(cell) is not None for cell in head)
    ):
        return "1 row without a header"  # names of columns are words
    if not body and expected.rows != 0:
        raise InvalidContent("has a header and no rows")
    return f"{_check_count(body, expected)}, columns {_some(head)}"


def _parse(text: str) -> Any:
    if len(text) > MOST_PARSED:
        raise InvalidContent("is too large to be parsed")
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise InvalidContent("is nested too deeply") from error
    except ValueError as error:
        raise InvalidContent(f"is not JSON: {error}") from error


def _no_constant(name: str) -> NoReturn:
    raise InvalidContent(f"is not JSON: {name} is not allowed in it")


def _check_keys(value: Any, expected: Expectation, name: str) -> str:
    if value in (None, {}, [], ""):
        raise InvalidContent(f"is empty {name}")
    if expected.columns and (lacking := _lacking(expected.columns, _keys(value))):
        raise NotAsWorded(f"lacks the keys {', '.join(lacking)}")
    return name


def _keys(value: Any, depth: int = 0) -> list[str]:
    """Keys of the value and of what lies two levels below, where reports keep them."""
    if isinstance(value, list):
        return _keys(value[0], depth) if value else []
    if not isinstance(value, dict) or depth > 2:
        return []
    return [*map(str, value), *(key for inner in value.values() for key in _keys(inner, depth + 1))]


def _lacking(wanted: Sequence[str], there: Iterable[str]) -> list[str]:
    have = {plain_name(name) for name in there}
    return [name for name in wanted if plain_name(name) not in have]


def plain_name(name: str) -> str:
    """A column's name without what people write in one way or another."""
    return re.sub(r"[\s_-]+", "_", str(name).strip().strip("\"'`").lower())


def _check_count(number: int, expected: Expectation) -> str:
    if expected.rows is not None and number != expected.rows:
        raise NotAsWorded(f"has {number} rows, not {expected.rows}")
    return f"{number} rows"


def _some(names: Sequence[str]) -> str:
    shown = [str(name)[:40] for name in list(names)[:8]]
    return ", ".join(shown) + (", …" if len(names) > 8 else "") if shown else "none"
