"""Puts passages together while a document is read from top to bottom."""

import msgspec

from ml_agent.tools.documents.code import clean_block
from ml_agent.tools.documents.model import CodeBlock, Passage
from ml_agent.tools.reading import Over, never


class PassageBuilder:
    """Collects headings, prose and code in reading order; `passages` cuts them at the headings.

    Args:
        path: The document, relative to the repository.
        over: Asked by the readers whether to stop.
    """

    def __init__(self, path: str, over: Over = never) -> None:
        self.over = over
        self.cell: int | None = None
        """Number of the notebook cell that is being read: it stands for all lines in it."""
        self._path = path
        self._stack: list[tuple[int, str]] = []
        self._pieces: list[str] = []
        self._blocks: list[CodeBlock] = []
        self._line = 1
        self._done: list[Passage] = []

    def heading(self, level: int, title: str, line: int) -> None:
        """A heading; level 1 is the document's title."""
        self._close()
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, " ".join(title.split())))
        self._line = self.cell or line

    def prose(self, text: str) -> None:
        """A paragraph, a list item or a table."""
        if text.strip():
            self._pieces.append(text.strip("\n").rstrip())

    def code(self, text: str, language: str, line: int) -> None:
        """A code block as it stands in the document; what it is is looked at here."""
        for block in clean_block(text, language, line):
            self._blocks.append(msgspec.structs.replace(block, line=self.cell) if self.cell else block)
            self._pieces.append(block.text)

    def passages(self) -> tuple[Passage, ...]:
        """All passages so far; headings without a text of their own are kept only in the paths of those below."""
        self._close()
        return tuple(self._done)

    def _close(self) -> None:
        if self._pieces:
            self._done.append(
                Passage(
                    path=self._path,
                    headings=tuple(title for _, title in self._stack if title),
                    text="\n\n".join(self._pieces),
                    blocks=tuple(self._blocks),
                    line=self._line,
                )
            )
        self._pieces, self._blocks = [], []
