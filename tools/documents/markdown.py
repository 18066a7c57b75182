"""Markdown, and the HTML in it or alone, into passages."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from ml_agent.tools.documents.sections import PassageBuilder

# HTML in READMEs: headings, code and text, without the tags.

_BREAKS = frozenset(
    [
        "p",
        "div",
        "br",
        "li",
        "ul",
        "ol",
        "tr",
        "table",
        "thead",
        "tbody",
        "summary",
        "details",
        "section",
        "hr",
        "blockquote",
        "dt",
        "dd",
        "dl",
        "center",
    ]
)
_SILENT = frozenset(["script", "style", "svg", "head"])


class HtmlReader(HTMLParser):
    """Feeds the content of HTML blocks to a passage builder. A `<pre>` may stay open from one block to the next."""

    def __init__(self, builder: PassageBuilder) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = builder
        self._text: list[str] = []
        self._offset = 0
        self._heading = 0
        self._silent = 0
        self._pre_line = 0
        self._language = ""
        self._unclosed = ""

    @property
    def in_code(self) -> bool:
        """Whether a `<pre>` is open."""
        return self._pre_line > 0

    def read(self, source: str, line: int) -> None:
        """Read one block of HTML that begins at that line of the document."""
        self._offset = line - self.getpos()[0]
        self.feed(source)
        if not self.in_code:
            self._flush()

    def finish(self) -> None:
        """Hand over what is left; tags that were never closed end here."""
        self.close()
        if self.in_code:
            self._end_code()
        self._flush()

    def parse_comment(self, i: int, report: bool = True) -> int:
        """Where the comment ends, -1 where nothing closes it: nothing closes a later one of the same text either, which is not looked for."""
        if self.rawdata is self._unclosed:
            return -1
        end = super().parse_comment(i, report)
        if end < 0:
            self._unclosed = self.rawdata
        return end

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "pre" and not self.in_code:
            self._flush()
            self._pre_line = self._offset + self.getpos()[0]
        if tag in ("pre", "code") and self.in_code:
            self._language = self._language or _language(values)
        if self.in_code:
            return
        if tag in _SILENT:
            self._silent += 1
        elif _heading_level(tag):
            self._flush()
            self._heading = _heading_level(tag)
        elif tag == "img":
            self._text.append(values.get("alt") or "")
        elif tag == "code":
            self._text.append("`")
        elif tag in ("td", "th"):
            self._text.append(" ")
        elif tag in _BREAKS:
            self._text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self.in_code:
            self._end_code()
        if self.in_code:
            return
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif _heading_level(tag) and self._heading:
            self._builder.heading(self._heading, "".join(self._text), self._offset + self.getpos()[0])
            self._text, self._heading = [], 0
        elif tag == "code":
            self._text.append("`")
        elif tag in _BREAKS:
            self._text.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(data)

    def _end_code(self) -> None:
        self._builder.code("".join(self._text), self._language, self._pre_line)
        self._text, self._pre_line, self._language = [], 0, ""

    def _flush(self) -> None:
        lines = (" ".join(line.split()) for line in "".join(self._text).split("\n"))
        self._builder.prose("\n".join(line for line in lines if line.strip(" `")))
        self._text = []


def _heading_level(tag: str) -> int:
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def _language(attributes: dict[str, str | None]) -> str:
    label = attributes.get("lang") or attributes.get("class") or ""
    return label.removeprefix("language-").removeprefix("lang-")


_FENCE = re.compile(r"^(?:```|~~~)[^`]*$", re.MULTILINE)
"""In an indented block: that is text of an admonition or a tab (MkDocs), and no code."""
_IN_A_LINE = frozenset({"Emphasis", "Strong", "Link", "Image"})
"""Tags of text that has no line of its own."""


def feed_markdown(builder: PassageBuilder, text: str) -> None:
    """Add the content of a markdown text to a document that is being read."""
    _Reader(builder, text).read()


_Events = Iterator[tuple[Any, dict[str, int]]]
"""The steps through a document, as pulldown-cmark has them: what begins, ends or is said there, and where it stands, in bytes."""


class _Reader:
    """Walks through one document, as CommonMark has it, with tables."""

    def __init__(self, builder: PassageBuilder, text: str, above: int = 0) -> None:
        self._above = above
        """Lines of the document before the text."""
        self._bytes = _without_front_matter(text).encode("utf-8", "replace")
        self._line_starts = [0, *(found.end() for found in re.finditer(rb"\n", self._bytes))]
        self._builder = builder
        self._html = HtmlReader(builder)
        self._pieces: list[str] = []
        """Of the text that is being read."""
        self._rows: list[list[str]] = []
        """Of the table that is being read."""

    def read(self) -> None:
        events = _events(self._bytes.decode())
        for event, place in events:
            kind, value = next(iter(event.items())) if isinstance(event, dict) else (event, "")
            if kind == "Text":
                self._pieces.append(value)
            elif kind not in ("Start", "End", "Rule"):
                self._pieces.append(_said(kind, value))
            elif not self._in_a_line(kind, value):
                if self._builder.over():
                    break
                self._builder.prose(self._taken())
                if kind != "End" or value == "Table":
                    self._block(kind, value, place, events)
        self._html.finish()

    def _in_a_line(self, kind: str, value: Any) -> bool:
        """Whether a tag is none of a block, or that of a table's cell."""
        if value == "TableCell":
            if kind == "End":
                self._rows[-1].append(self._taken())
            return True
        return not _IN_A_LINE.isdisjoint(value if isinstance(value, dict) else (value,))

    def _block(self, kind: str, value: Any, place: dict[str, int], events: _Events) -> None:
        """Handle what begins there; what is read in one piece is taken from the events."""
        at = bisect_right(self._line_starts, place["start"])
        line = self._above + at
        detail: Any
        tag, detail = next(iter(value.items())) if isinstance(value, dict) else (value, "")
        if kind == "End":
            self._builder.prose("\n".join(map(" | ".join, self._rows)))
            self._rows = []
        elif tag != "HtmlBlock" and self._html.in_code:
            # A blank line ended the HTML block, not the <pre> in it: what follows is code until its end tag.
            if kind == "Start":
                _until_end(events)
            rest = self._bytes[self._line_starts[at - 1] : place["end"]].decode("utf-8", "replace")
            self._html.read(f"\n{rest.rstrip()}\n", line - 1)
        elif tag == "HtmlBlock":
            self._html.read(_until_end(events), line)
        elif tag == "CodeBlock":
            self._code(_until_end(events), detail["Fenced"] if isinstance(detail, dict) else None, line)
        elif tag == "Heading":
            self._builder.heading(int(detail["level"][1:]), _heading(events), line)
        elif tag in ("TableHead", "TableRow"):
            self._rows.append([])

    def _code(self, text: str, label: str | None, line: int) -> None:
        """A block of code: fenced, with what its label says, or indented."""
        if label is None and _FENCE.search(text):
            _Reader(self._builder, text, line - 1).read()
        else:
            self._builder.code(text, label or "", line + (label is not None))

    def _taken(self) -> str:
        """The text that was read since the last block began or ended."""
        if not self._pieces:
            return ""
        text, self._pieces = "".join(self._pieces), []
        return text


def _events(text: str) -> _Events:
    import pyromark  # not needed where documents come out of the index

    try:
        yield from pyromark.events_with_range(text, options=pyromark.Options.ENABLE_TABLES)  # type: ignore[misc]
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a fault of the parser's own: what stands before is kept
            raise


def _until_end(events: _Events) -> str:
    """The text up to the end of the block that has just begun."""
    return "".join(text for text, _ in _pieces(events))


def _heading(events: _Events) -> str:
    """The text of a heading that has just begun, without what its pictures say (badges) where it says more than that."""
    pieces = list(_pieces(events))
    return "".join(text for text, in_picture in pieces if not in_picture).strip() or "".join(text for text, _ in pieces)


def _pieces(events: _Events) -> Iterator[tuple[str, bool]]:
    """The texts up to the end of the block that has just begun, and whether each stands for a picture."""
    depth, pictures = 1, 0
    for event, _ in events:
        kind, value = next(iter(event.items())) if isinstance(event, dict) else (event, "")
        step = (kind == "Start") - (kind == "End")
        depth += step
        pictures += step * ("Image" in value) if step else 0
        if depth <= 0:
            break
        yield _said(kind, value), pictures > 0


def _said(kind: str, value: Any) -> str:
    """The text of one step; code keeps its backticks, links and pictures leave their words."""
    if kind in ("Text", "Html"):
        return str(value)
    if kind == "Code":
        return f"`{value}`"
    if kind == "InlineHtml":
        return _tag_text(value)
    return "\n" if kind in ("SoftBreak", "HardBreak") else ""


_TAG = re.compile(r"</?([\w-]+)")


def _tag_text(tag: str) -> str:
    name = _TAG.match(tag)
    if name is None:
        return ""
    if name[1].lower() == "code":
        return "`"
    return "\n" if name[1].lower() in ("br", "p", "li", "tr", "div") else ""


def _without_front_matter(text: str) -> str:
    """Blank out the YAML head of a document, so that line numbers stay."""
    if not text.startswith("---\n"):
        return text
    end = text.find("\n---\n", 3)
    return "\n" * text.count("\n", 0, end + 5) + text[end + 5 :] if end > 0 else text
