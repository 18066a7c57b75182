"""reStructuredText into passages: the small part of it that documentation is written in."""

import re

from ml_agent.tools.documents.sections import PassageBuilder

_RULE = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}\s*$")
_DIRECTIVE = re.compile(r"^(\s*)\.\. +([\w:+.-]+?):: ?(.*)$")
_CODE_DIRECTIVES = frozenset(
    ["code-block", "code", "sourcecode", "code-cell", "prompt", "doctest", "testcode", "ipython"]
)
_SILENT_DIRECTIVES = frozenset(
    [
        "toctree",
        "image",
        "figure",
        "include",
        "literalinclude",
        "raw",
        "highlight",
        "contents",
        "autosummary",
        "automodule",
        "autoclass",
        "autofunction",
        "automethod",
        "module",
        "currentmodule",
        "math",
    ]
)
_OPTION = re.compile(r"^\s*:[\w-]+:")
_ROLE = re.compile(r":[\w:+.-]{1,100}:`([^`<]*?)\s*(?:<([^`>]*)>)?`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?")
_REFERENCE = re.compile(r"(?<!`)`([^`]+)`_{1,2}")


def feed_rst(builder: PassageBuilder, text: str) -> None:
    """Add the passages of a reStructuredText document."""
    _Reader(builder, text).read()


class _Reader:
    """Goes down the lines of one document."""

    def __init__(self, builder: PassageBuilder, text: str) -> None:
        self._lines = text.expandtabs(4).split("\n")
        self._builder = builder
        self._levels: list[str] = []
        self._language = ""
        self._at = 0

    def read(self) -> None:
        while self._at < len(self._lines) and not self._builder.over():
            if not (self._skip_blank() or self._heading() or self._markup() or self._doctest()):
                self._paragraph()

    def _line(self, offset: int = 0) -> str:
        at = self._at + offset
        return self._lines[at] if at < len(self._lines) else ""

    def _skip_blank(self) -> bool:
        if self._line().strip():
            return False
        self._at += 1
        return True

    def _heading(self) -> bool:
        """A title with a rule below it, and perhaps one above it."""
        over = _RULE.match(self._line())
        title, under = (self._line(1), self._line(2)) if over else (self._line(), self._line(1))
        rule = _RULE.match(under)
        if not rule or not title.strip() or _RULE.match(title) or (not over and title[:1].isspace()):
            if over and not self._line(1).strip():
                self._at += 1
                return True
            return False
        style = rule[1] * (2 if over else 1)
        if style not in self._levels:
            self._levels.append(style)
        self._builder.heading(self._levels.index(style) + 1, plain_text(title.strip()), self._at + 1 + bool(over))
        self._at += 3 if over else 2
        return True

    def _markup(self) -> bool:
        """A directive, a comment or a target: everything that begins with two dots."""
        line = self._line()
        stripped = line.lstrip()
        if not stripped.startswith(".. ") and stripped != "..":
            return False
        directive = _DIRECTIVE.match(line)
        self._at += 1
        if directive is None:
            # A comment, a footnote or the target of a link.
            self._take_indented(_indent(line))
            return True
        indent, name, argument = len(directive[1]), directive[2].lower(), directive[3].strip()
        if name == "highlight":
            self._language = argument
        if name in _CODE_DIRECTIVES:
            self._code(indent, argument or self._language)
        elif name == "parsed-literal":
            self._code(indent, "")
        elif name in _SILENT_DIRECTIVES:
            self._take_indented(indent)
        elif argument:
            # An admonition; its body is read on as text.
            self._builder.prose(plain_text(argument))
        return True

    def _code(self, indent: int, language: str) -> None:
        while _OPTION.match(self._line()):
            self._at += 1
        while self._at < len(self._lines) and not self._line().strip():
            self._at += 1
        start = self._at + 1
        self._builder.code("\n".join(self._take_indented(indent)), language, start)

    def _take_indented(self, indent: int) -> list[str]:
        """Take the lines that stand deeper than `indent`, blank ones between them included."""
        start = self._at
        end = start
        while self._at < len(self._lines):
            line = self._line()
            if line.strip():
                if _indent(line) <= indent:
                    break
                end = self._at + 1
            self._at += 1
        self._at = end
        return self._lines[start:end]

    def _doctest(self) -> bool:
        if not self._line().lstrip().startswith(">>> "):
            return False
        start = self._at
        while self._line().strip():
            self._at += 1
        self._builder.code("\n".join(self._lines[start : self._at]), "python", start + 1)
        return True

    def _paragraph(self) -> None:
        """Text up to a blank line; a literal block follows where it ends in two colons."""
        start = self._at
        self._at += 1
        while self._line().strip() and not self._starts_other():
            self._at += 1
        lines = self._lines[start : self._at]
        text = plain_text("\n".join(line.strip() for line in lines))
        opens_code = lines[-1].rstrip().endswith("::")
        if opens_code:
            text = text.rstrip().removesuffix("::").rstrip() + ("" if text.strip() == "::" else ":")
        self._builder.prose(text)
        if opens_code and not self._line().strip():
            self._code(_indent(lines[-1]), self._language)

    def _starts_other(self) -> bool:
        line = self._line().lstrip()
        return line.startswith((".. ", ">>> ")) or bool(_RULE.match(self._line(1)) and not self._line()[:1].isspace())


def plain_text(text: str) -> str:
    """Inline markup taken off: roles and links leave their words, code keeps one pair of backticks."""
    text = text.replace("``", "`")
    text = _ROLE.sub(lambda match: f"`{(match[1] or match[2] or '').lstrip('~!')}`", text)
    text = _LINK.sub(r"\1", text)
    text = _REFERENCE.sub(r"\1", text)
    return re.sub(r"\*\*(\S(?:[^*]*\S)?)\*\*", r"\1", text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
