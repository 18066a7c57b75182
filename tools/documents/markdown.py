"""Markdown, and the HTML in it or alone, into passages."""

import functools
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

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


if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


_FENCE = re.compile(r"^(?:```|~~~)[^`]*$", re.MULTILINE)
"""In an indented block: that is text of an admonition or a tab (MkDocs), and no code."""


_MARKED = re.compile(r"[\\`*_\[\]!<&]")
"""What a text has that is more than words; most lines and cells of tables have none of it."""
_BREAK = re.compile(r" *\n[ \t]*")


def feed_markdown(builder: PassageBuilder, text: str) -> None:
    """Add the content of a markdown text to a document that is being read."""
    _Reader(builder, text).read()


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # not needed where documents come out of the index

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])  # see _Reader


class _Reader:
    """Walks over the blocks of one document; what is in a line is read only when it comes to it."""

    def __init__(self, builder: PassageBuilder, text: str, above: int = 0) -> None:
        self._above = above
        """Lines of the document before the text."""
        self._lines = _without_front_matter(text).split("\n")
        self._builder = builder
        self._references: dict[str, Any] = {}
        self._html = HtmlReader(builder)

    def read(self) -> None:
        tokens = _parser().parse("\n".join(self._lines), self._references)
        position = 0
        while position < len(tokens) and not self._builder.over():
            position = self._token(tokens, position)
        self._html.finish()

    def _token(self, tokens: "Sequence[Token]", at: int) -> int:
        """Handle the token at that position; the position of the next one to look at."""
        token = tokens[at]
        line = self._above + (token.map[0] if token.map else 0) + 1
        if token.type == "html_block":
            self._html.read(token.content, line)
        elif self._html.in_code and token.map and token.nesting >= 0:
            # A blank line ended the HTML block, not the <pre> in it: what follows is code until its end tag.
            self._html.read("\n" + "\n".join(self._lines[token.map[0] : token.map[1]]) + "\n", line - 1)
            return _after(tokens, at)
        elif token.type == "code_block" and _FENCE.search(token.content):
            _Reader(self._builder, token.content, line - 1).read()
        elif token.type in ("fence", "code_block"):
            self._builder.code(token.content, token.info, line + (token.type == "fence"))
        elif token.type == "heading_open":
            self._builder.heading(int(token.tag[1]), self._text(tokens[at + 1]), line)
            return _after(tokens, at)
        elif token.type == "table_open":
            end = _after(tokens, at)
            self._builder.prose(self._table(tokens[at:end]))
            return end
        elif token.type == "inline":
            self._builder.prose(self._text(token))
        return at + 1

    def _text(self, token: "Token") -> str:
        """The text of a line or paragraph; code keeps its backticks, links and pictures leave their words."""
        if not _MARKED.search(token.content):
            return _BREAK.sub("\n", token.content)
        parts: list[str] = []
        children: list[Token] = []
        parser = _parser()
        parser.inline.parse(token.content, parser, self._references, children)
        for child in children:
            if child.type == "code_inline":
                parts.append(f"`{child.content}`")
            elif child.type in ("softbreak", "hardbreak"):
                parts.append("\n")
            elif child.type == "html_inline":
                parts.append(_tag_text(child.content))
            else:
                parts.append(child.content)
        return "".join(parts)

    def _table(self, tokens: "Sequence[Token]") -> str:
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline" and rows:
                rows[-1].append(self._text(token))
        return "\n".join(" | ".join(row) for row in rows)


def _tag_text(tag: str) -> str:
    name = re.match(r"</?([\w-]+)", tag)
    if name is None:
        return ""
    if name[1].lower() == "code":
        return "`"
    if not is_element(name[1].lower()):
        return tag
    return "\n" if name[1].lower() in ("br", "p", "li", "tr", "div") else ""


def _after(tokens: "Sequence[Token]", at: int) -> int:
    """The position behind the element that begins there."""
    depth = 0
    for position in range(at, len(tokens)):
        depth += tokens[position].nesting
        if depth <= 0:
            return position + 1
    return len(tokens)


def _without_front_matter(text: str) -> str:
    """Blank out the YAML head of a document, so that line numbers stay."""
    if not text.startswith("---\n"):
        return text
    end = text.find("\n---\n", 3)
    return "\n" * text.count("\n", 0, end + 5) + text[end + 5 :] if end > 0 else text
