"""What lists and tables of documents say of options whose program says nothing of them: "`--alpha`: the learning rate"."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from ml_agent.navigator import Workspace
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.signatures.model import Option, Signature

_ROW = re.compile(
    r"[ \t`|]{0,8}(-{1,2}[A-Za-z][^:|\n]{0,80}?)[ \t`]{0,4}(?::|\||\s[-\u2013\u2014])[ \t]{1,4}(\S.{0,600})"
)
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w\\-]{0,60}")
_WORDS = 3
"""Of a description; less is a value."""
_SOME = 3
"""Rows that are a list of a program's options, where no name says whose they are."""


def with_descriptions(signature: Signature, workspace: Workspace) -> Signature:
    """A signature whose options without a help text have what documents say of them.

    Args:
        signature: of an entry point.
        workspace: where. Lists count that stand with the program's name, or that are of several of its options.
    """
    silent = {flag: option for option in signature.options if not option.help for flag in option.flags}
    names = {signature.name, PurePosixPath(signature.path).name} - {""}
    of_program: dict[str, str] = {}
    of_lists: dict[str, str] = {}
    for passage in workspace.index.passages if silent else ():
        rows = dict(reversed(list(_rows(passage, silent))))
        if any(name in passage.text for name in names):
            of_program = rows | of_program
        elif len(rows) >= _SOME:
            of_lists = rows | of_lists
    said = of_lists | of_program
    if not said:
        return signature
    options = (msgspec.structs.replace(one, help=one.help or said.get(one.dest, "")) for one in signature.options)
    return msgspec.structs.replace(signature, options=tuple(options))


def _rows(passage: Passage, silent: dict[str, Option]) -> Iterator[tuple[str, str]]:
    """The dest of each option that a line of prose begins with, and what it says; a line about several options is none."""
    code = {line for block in passage.blocks for line in block.text.split("\n")}
    for line in passage.text.split("\n"):
        row = _ROW.match(line) if line not in code else None
        flags = [flag.replace("\\", "") for flag in _FLAG.findall(row[1])] if row else []
        meant = {silent[flag].dest for flag in flags if flag in silent}
        text = max(row[2].split(" | "), key=len).strip(" |") if row else ""
        if len(meant) == 1 and len(text.split()) >= _WORDS:
            yield meant.pop(), text
