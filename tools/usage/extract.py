"""All usage examples of a repository: what its documents and shell scripts show."""

import itertools
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ml_agent.tools.documents.code import looks_like_command
from ml_agent.tools.documents.model import CodeBlock, Passage
from ml_agent.tools.outline import imported_tops, imports_in
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.reading import IndexWalk
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.usage.entry import EntryFinder, Example, LocatedEntry
from ml_agent.tools.usage.python import Blocks, python_workdir
from ml_agent.tools.usage.shell import ShellCommand, ShellState, read_commands

_LARGEST_SCRIPT = 60_000
_LONGEST_PYTHON = 20_000
"""Characters of Python that show how a thing is called: some five hundred lines; what is longer is a program of its own, or data."""
_SILENT = frozenset(
    [
        "echo",
        "printf",
        "ls",
        "mkdir",
        "rm",
        "cp",
        "mv",
        "ln",
        "chmod",
        "touch",
        "cat",
        "exit",
        "wait",
        "sleep",
        "read",
        "trap",
        "pwd",
        "true",
        "false",
        ":",
        "eval",
    ]
)
_PROGRAM = re.compile(r"""['"]?[A-Za-z_.~/$][^\s()<>{},:;]*(?:\$\{\w+\}\S*)?|\$\{\w+\}\S*""")


class Section(NamedTuple):
    """A paragraph or a code block, and the paragraph before it."""

    text: str
    block: CodeBlock | None
    before: str


class CommandReader:
    """Reads the commands that one repository shows.

    Args:
        root: Its folder.
        files: Relative posix paths of all its files.
        sources: Its files.
        consoles: The file of each console script, by name.
    """

    def __init__(self, root: Path, files: Sequence[str], sources: Sources, consoles: Mapping[str, str]) -> None:
        self._sources = sources
        self._consoles = consoles
        self._finder = EntryFinder(files, root.name, self._consoles, sources.packages())

    def learn(self, passages: Iterable[Passage]) -> None:
        """Take note of what documents call the folder of the repository."""
        for passage in passages:
            self._finder.learn_names(passage.text)

    def read_document(self, passages: Sequence[Passage], reading: IndexWalk) -> tuple[Example, ...]:
        """The commands that the passages of one document show, within the time that a walk gives it."""
        found = _DocumentCommands(self._finder).read(passages)
        return tuple(itertools.takewhile(lambda _: not reading.over(), found))

    def read_script(self, path: str, reading: IndexWalk) -> tuple[Example, ...]:
        """The commands of a shell script."""
        found = self._script(path, (self._sources.text(path) or "")[:_LARGEST_SCRIPT])
        return tuple(itertools.takewhile(lambda _: not reading.over(), found))

    def _script(self, path: str, script: str) -> Iterator[Example]:
        for command in read_commands(script):
            entry = self._finder.find(command.text, self._finder.workdirs(path, command.folders))
            if entry is not None and entry.path != path:
                command = command._replace(line=command.line + 1, comment=introduction(command.comment))
                yield _bash_example(path, command, entry)


class _DocumentCommands:
    """Reads the commands of one document; what an earlier block set up holds for the later ones."""

    def __init__(self, finder: EntryFinder) -> None:
        self._finder = finder
        self._state = ShellState()
        self._earlier: tuple[str, ...] = ()

    def read(self, passages: Sequence[Passage]) -> Iterator[Example]:
        """The commands of its passages."""
        for passage in passages:
            if self._state.folders:
                self._earlier, self._state.folders = self._state.folders, ()
            for section in sections(passage):
                if section.block is None:
                    yield from self._inline(passage, section)
                elif section.block.language == "bash":
                    yield from self._bash(passage, section, section.block)
                elif not section.block.language and self._finder.starts_console(section.block.text):
                    yield from (one for one in self._bash(passage, section, section.block) if _is_own(one))

    def _bash(self, passage: Passage, section: Section, block: CodeBlock) -> Iterator[Example]:
        for command in read_commands(block.text, self._state):
            word = command.text.split()[0]
            if word in _SILENT or word.endswith(("/", "...")) or not _PROGRAM.fullmatch(word):
                continue
            line = block.line if _is_notebook(passage) else block.line + command.line
            yield self._command(passage, command._replace(line=line), section.before)

    def _inline(self, passage: Passage, section: Section) -> Iterator[Example]:
        """Commands in running text; there only those count that start something of the repository."""
        for text in inline_commands(section.text):
            for command in read_commands(text, self._state):
                example = self._command(passage, command._replace(line=passage.line, comment=""), section.text)
                if example.entry:
                    yield example

    def _command(self, passage: Passage, command: ShellCommand, before: str) -> Example:
        workdirs = self._finder.workdirs(passage.path, command.folders, self._earlier)
        entry = self._finder.find(command.text, workdirs) or LocatedEntry("", workdirs[0])
        command = command._replace(comment=command.comment or introduction(before))
        return _bash_example(passage.path, command, entry, passage.headings)


def python_blocks(passages: Sequence[Passage], api: ApiIndex) -> Iterator[Example]:
    """The Python blocks of one document, each with the earlier ones that it needs; the cells of a notebook's section together.

    Args:
        passages: of the document.
        api: the repository's Python code, to tell which names of a block are its own.
    """
    several = sum(len(_python_units(passage)) for passage in passages) > 1
    earlier = Blocks()
    for passage in passages:
        shown = [one for one in sections(passage) if one.block and _is_python(one.block)]
        for section, unit in zip(shown, _python_units(passage), strict=False):
            text = earlier.add(unit, alone=not several)
            tops = imported_tops(imports_in(text))
            workdir = python_workdir(tops, api, posixpath.dirname(passage.path) or ".")
            yield Example(
                text=text,
                kind="python",
                path=passage.path,
                line=section.block.line if section.block else passage.line,
                workdir=workdir,
                headings=passage.headings,
                introduction=introduction(section.before),
                imports_own=any(api.claims(top, workdir) for top in tops),
            )


def _bash_example(path: str, command: ShellCommand, entry: LocatedEntry, headings: tuple[str, ...] = ()) -> Example:
    return Example(
        text=" ".join(command.text.split("\n")),
        kind="bash",
        path=path,
        line=command.line,
        workdir=entry.workdir,
        entry=entry.path,
        headings=headings,
        introduction=command.comment,
        setup=command.setup,
    )


def _is_own(example: Example) -> bool:
    """Whether a line of a block that may be anything starts something of the repository."""
    return bool(example.entry) and not is_sentence(example.text)


def _is_notebook(passage: Passage) -> bool:
    return passage.path.endswith(".ipynb")


def _is_python(block: CodeBlock) -> bool:
    return block.language == "python" and len(block.text) <= _LONGEST_PYTHON


def _python_units(passage: Passage) -> list[str]:
    """The pieces of Python that make an example each: the blocks of a text, the cells of a notebook's section together."""
    texts = [block.text for block in passage.blocks if _is_python(block)]
    if not _is_notebook(passage) or not texts:
        return texts
    lengths = itertools.accumulate(len(text) for text in texts)
    return ["\n\n".join(text for text, length in zip(texts, lengths, strict=False) if length <= _LONGEST_PYTHON)]


# The commands that text shows: paragraphs and inline code of documents.

_HEADER_PROGRAM = re.compile(r"\S\.(?:py|sh)(?=\s|$)|\s-m\s+[\w.]+")
_MOST_WORDS = 2
_MOST_WORDS_OF_A_NAME = 4
"""Behind a command that is known by its name alone: a subcommand and what it is given."""
_VERBS = [[word] for word in ("is", "are", "was", "has", "can", "will", "helps", "provides", "aims", "and", "or")]


def is_sentence(row: str) -> bool:
    """Whether a line goes on in words behind the program, as prose does and arguments do not."""
    started = _HEADER_PROGRAM.search(row)
    behind = (row[started.end() :] if started else row.partition(" ")[2].partition(" #")[0]).split()
    most = _MOST_WORDS if started else _MOST_WORDS_OF_A_NAME
    options = any(word.startswith(("-", "+", "$", "<", "[", "{")) or set("=/.") & set(word[:-1]) for word in behind)
    return not options and (len(behind) > most or behind[:1] in _VERBS or row.endswith((".", ",", ":", ";")))


_INLINE = re.compile(r"`([^`\n]+)`")
_LONGEST_INTRODUCTION = 600
"""Characters: more is a chapter, not an introduction."""


def sections(passage: Passage) -> Iterator[Section]:
    """The paragraphs and blocks of a passage in order."""
    before, at = "", 0
    for block in passage.blocks:
        found = passage.text.find(block.text, at)
        if found >= 0:
            for paragraph in _paragraphs(passage.text[at:found]):
                yield Section(paragraph, None, before)
                before = paragraph
            at = found + len(block.text)
        yield Section(block.text, block, before)
    for paragraph in _paragraphs(passage.text[at:]):
        yield Section(paragraph, None, before)
        before = paragraph


def inline_commands(paragraph: str) -> Iterator[str]:
    """Commands that stand in running text: as inline code, or as a line of their own."""
    for code in _INLINE.findall(paragraph):
        text = re.sub(r"^\$ ", "", code.strip())
        if looks_like_command(text):
            yield text
    for line in paragraph.split("\n"):
        text = re.sub(r"^\s*(?:[-*>]|\d+\.)?\s*(?:\$ )?", "", line)
        if "`" not in text and looks_like_command(text) and _has_only_arguments(text):
            yield text


def introduction(text: str) -> str:
    """A paragraph as an introduction: its end where it is long, because what stands next to the code counts."""
    return text if len(text) <= _LONGEST_INTRODUCTION else "…" + text[-_LONGEST_INTRODUCTION:]


def _paragraphs(text: str) -> list[str]:
    return [paragraph.strip() for paragraph in text.split("\n\n") if paragraph.strip()]


def _has_only_arguments(line: str) -> bool:
    """Whether a line of text is a command and not a sentence about one: behind the script come options or nothing."""
    words = line.split()
    scripts = [position for position, word in enumerate(words) if word.endswith((".py", ".sh"))]
    if not scripts:
        return "-m" in words and words[0].startswith("python")
    behind = words[scripts[0] + 1 :]
    return not behind or behind[0].startswith(("-", "+", "$")) or any(sign in behind[0] for sign in "=/.")
