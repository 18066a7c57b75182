"""HTML in READMEs: headings, code and text, without the tags."""

import re
from html.parser import HTMLParser

from ml_agent.tools.documents.sections import PassageBuilder

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
_INLINE = re.compile(
    r"a|abbr|audio|b|big|button|canvas|cite|code|del|em|embed|font|i|img|input|ins|kbd|label|map|mark|object|picture|pre|q"
    r"|s|samp|script|select|small|source|span|strike|strong|style|sub|sup|svg|textarea|time|tt|u|var|video|wbr"
)
"""Elements that may stand in a line; markdown-it knows the others."""
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
        elif not is_element(tag):
            self._text.append(self.get_starttag_text() or "")

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


def is_element(tag: str) -> bool:
    """Whether HTML has an element of that name; others are placeholders such as `<your dataset>`."""
    from markdown_it.common.html_blocks import block_names  # not needed where documents come out of the index

    return tag in block_names or tag == "br" or _INLINE.fullmatch(tag) is not None


def _heading_level(tag: str) -> int:
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def _language(attributes: dict[str, str | None]) -> str:
    label = attributes.get("lang") or attributes.get("class") or ""
    return label.removeprefix("language-").removeprefix("lang-")
