"""What the text of a Python file says without being parsed: its docstring, its imports and its definitions.

Parsing every file of a large repository takes ten times as long, and most of what the trees hold is never asked for.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec

IMPORT = re.compile(
    r"\n[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*+(\((?:[^)#]|#[^\n]*)*+|[^\n#;]*)|import[ \t]+([\w., \t]+))"
)
"""In a text behind a line break, which is found many times as fast as the beginning of a line."""
_NAME = re.compile(r"(\w+|\*)(?:[ \t]+as[ \t]+(\w+))?")
_MODULE = re.compile(r"([\w.]+)(?:[ \t]+as[ \t]+(\w+))?")
_COMMENT = re.compile(r"#[^\n]*")
_DEFINITION = re.compile(r"\n([ \t]*+)(?:async[ \t]++)?+(def|class)[ \t]+(\w+)")
_HEADER = re.compile(
    r"(?:\[[^\]\n]*\])?[ \t]*((?:\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))?[ \t]*(?:->[^\n:]*)?):[ \t]*(?:#[^\n]*)?"
)
"""The rest of a definition's header: its brackets, which may hold two more pairs in each other, and what it gives."""
_DOCSTRING = re.compile(r"\s*[rRuU]{0,2}(?:\"\"\"|''')\s*([^\n]*?)\s*(?:\"\"\"|'''|\n|\Z)")
_MODULE_DOCSTRING = re.compile(r"(?:#[^\n]*\n|\s)*+[rRuU]{0,2}(\"\"\"|''')(.*?)\1", re.DOTALL)
_TITLE_RULE = re.compile(r"^[ \t]*([=~^*#\"-])\1{3,}[ \t]*\n?", re.MULTILINE)
"""A line that is drawn below or above a title."""
_LONGEST_DOC, _LONGEST_HEAD, _LONGEST_START = 500, 400, 4_000


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A name that an import binds in a module."""

    local: str
    module: str
    """As written, leading dots included."""
    name: str = ""
    """What is taken from the module: "" where the module itself is bound, "*" for everything."""

    @property
    def statement(self) -> str:
        """The import, written out."""
        taken = f"from {self.module} import {self.name}" if self.name else f"import {self.module}"
        bound = self.name or self.module
        is_plain = self.local == bound or (not self.name and self.local == self.module.partition(".")[0])
        return taken if is_plain else f"{taken} as {self.local}"


class OutlinedName(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class, function or method as its text shows it."""

    name: str
    """Within the module: `Model`, `Model.forward`."""
    kind: str
    """class, function or method."""
    line: int
    head: str = ""
    """Of what stands at the top level, and of constructors: what is written behind the name."""
    doc: str = ""
    """First line of the docstring, of what stands at the top level, and of constructors."""


class Outline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the text of one Python file says."""

    doc: str = ""
    """First paragraph of its docstring."""
    imports: tuple[Import, ...] = ()
    names: tuple[OutlinedName, ...] = ()


def outline_of(text: str) -> Outline:
    """Read the text of a Python file."""
    return Outline(docstring_of(text), tuple(imports_in(text)), tuple(_names_in(text)))


def docstring_of(text: str) -> str:
    """The first paragraph of a file's docstring, without the lines that are drawn below and above a title."""
    found = _MODULE_DOCSTRING.match(text[:_LONGEST_START])
    return first_paragraph(found[2]) if found else ""


def first_paragraph(text: str) -> str:
    """The first paragraph of a docstring on one line, without the lines that are drawn below and above a title."""
    return " ".join(_TITLE_RULE.sub("", text).strip().split("\n\n")[0].split())[:_LONGEST_DOC]


def imports_in(text: str) -> Iterator[Import]:
    """Every import anywhere in a file, also inside functions."""
    for source, names, plain in IMPORT.findall(f"\n{text}"):
        if source:
            listed = _COMMENT.sub("", names) if "#" in names else names
            for name, local in _NAME.findall(listed):
                yield Import(local or name, source, name)
        else:
            for module, local in _MODULE.findall(plain):
                yield Import(local or module.partition(".")[0], module)


def imported_tops(imports: Iterable[Import]) -> set[str]:
    """Top-level names of absolute imports."""
    return {one.module.partition(".")[0] for one in imports if not one.module.startswith(".")}


def _names_in(text: str) -> Iterator[OutlinedName]:
    text, line, last, owner, inner = f"\n{text}", 0, 0, "", 0
    for found in _DEFINITION.finditer(text):
        line, last = line + text.count("\n", last, found.start() + 1), found.start() + 1
        indent, word, name = len(found[1].expandtabs()), found[2], found[3]
        if not indent:
            owner, inner = (name if word == "class" else ""), 0
            kind = "class" if word == "class" else "function"
            yield OutlinedName(name, kind, line, *_head_and_doc(text, found.end()))
        elif owner and word == "def":
            inner = inner or indent
            if indent == inner:
                told = _head_and_doc(text, found.end()) if name == "__init__" else ()
                yield OutlinedName(f"{owner}.{name}", "method", line, *told)


def _head_and_doc(text: str, start: int) -> tuple[str, str]:
    """What is written behind the name of a definition, and the first line of its docstring."""
    header = _HEADER.match(text, start, start + _LONGEST_START)
    if header is None:
        return "", ""
    found = _DOCSTRING.match(text, header.end(), header.end() + _LONGEST_START)
    return " ".join(header[1].split())[:_LONGEST_HEAD], found[1][:_LONGEST_DOC] if found else ""
