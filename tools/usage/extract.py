"""All usage examples of a repository: what its documents, shell scripts and the heads of its Python files show."""

import itertools
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ml_agent.tools.documents.model import CodeBlock, Passage
from ml_agent.tools.examples import Example
from ml_agent.tools.foreign_files import read_text
from ml_agent.tools.outline import imported_tops, imports_in
from ml_agent.tools.python_api.index import ApiIndex
from ml_agent.tools.reading import IndexWalk
from ml_agent.tools.signatures.sources import Sources
from ml_agent.tools.usage.entry import EntryFinder, LocatedEntry
from ml_agent.tools.usage.headers import Section, head_script, inline_commands, introduction, is_sentence, sections
from ml_agent.tools.usage.python import Block, Blocks, python_workdir, read_block
from ml_agent.tools.usage.shell import ShellCommand, ShellState, read_commands

_LARGEST_SCRIPT = 400_000
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


class ExampleReader:
    """Reads the examples of one repository.

    Args:
        root: Its folder.
        files: Relative posix paths of all its files.
        api: Its Python code, to tell which names of a Python block are its own.
        sources: Its files.
        consoles: The file of each console script, by name.
    """

    def __init__(
        self, root: Path, files: Sequence[str], api: ApiIndex, sources: Sources, consoles: Mapping[str, str]
    ) -> None:
        self._root = root
        self._files = files
        self._api = api
        self._reading = IndexWalk("examples")
        self._consoles = consoles
        self._documents: Mapping[str, Sequence[Passage]] = {}
        self._finder = EntryFinder(files, root.name, self._consoles, sources.packages())

    def paths(self, documents: Mapping[str, Sequence[Passage]]) -> list[str]:
        """What may show examples: the documents in their order, then shell scripts, then Python files.

        Args:
            documents: The passages of each.
        """
        for passages in (several for path, several in documents.items() if path not in self._documents):
            for passage in passages:
                self._finder.learn_names(passage.text)
        self._documents = documents
        scripts = [p for p in self._files if p.endswith((".sh", ".bash"))]
        modules = [path for path in self._files if path.endswith(".py") and path not in documents]
        return [*(path for path, passages in documents.items() if passages), *scripts, *modules]

    def read_file(self, path: str, reading: IndexWalk) -> tuple[Example, ...]:
        """The examples of one file, within the time that a walk gives it."""
        self._reading = reading
        return tuple(itertools.takewhile(lambda _: not reading.over(), self._examples(path)))

    def _examples(self, path: str) -> Iterator[Example]:
        passages = self._documents.get(path)
        if passages is not None:
            return self._document(passages)
        script = read_text(self._root / path)[:_LARGEST_SCRIPT]
        script = head_script(script, self._consoles) if path.endswith(".py") else script
        return self._script(path, script)

    def _document(self, passages: Sequence[Passage]) -> Iterator[Example]:
        reader = _DocumentReader(self._finder, self._api, passages)
        for passage in passages:
            if self._reading.over():
                return
            yield from reader.passage(passage)

    def _script(self, path: str, script: str) -> Iterator[Example]:
        for command in read_commands(script):
            if self._reading.over():
                return
            entry = self._finder.find(command.text, self._finder.workdirs(path, command.folders))
            if entry is not None and (entry.path != path or path.endswith(".py")):
                command = command._replace(line=command.line + 1, comment=introduction(command.comment))
                yield _bash_example(path, command, entry)


class _DocumentReader:
    """Reads one document; what an earlier block set up or defined holds for the later ones."""

    def __init__(self, finder: EntryFinder, api: ApiIndex, passages: Sequence[Passage]) -> None:
        self._finder = finder
        self._api = api
        self._state = ShellState()
        self._earlier: tuple[str, ...] = ()
        self._texts = [text for passage in passages for text in _python_units(passage)]
        self._blocks = Blocks()
        self._unit = 0

    def passage(self, passage: Passage) -> Iterator[Example]:
        """The examples of one passage."""
        if self._state.folders:
            self._earlier, self._state.folders = self._state.folders, ()
        for section in sections(passage):
            if section.block is None:
                yield from self._inline(passage, section)
            elif section.block.language == "bash":
                yield from self._bash(passage, section, section.block)
            elif not section.block.language and self._finder.starts_console(section.block.text):
                yield from (one for one in self._bash(passage, section, section.block) if _is_own(one))
            elif _is_python(section.block) and not _is_notebook(passage):
                yield self._python(passage, section.block, section.before)
        first = next((section for section in sections(passage) if section.block and _is_python(section.block)), None)
        if _is_notebook(passage) and first is not None and first.block is not None:
            yield self._python(passage, first.block, first.before)

    def _bash(self, passage: Passage, section: Section, block: CodeBlock) -> Iterator[Example]:
        for command in read_commands(block.text, self._state):
            if not _is_program(command.text.split()[0]):
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

    def _python(self, passage: Passage, block: CodeBlock, before: str) -> Example:
        alone = self._texts[self._unit]
        text = self._blocks.add(read_block(alone) if len(self._texts) > 1 else Block.alone(alone))
        self._unit += 1
        tops = imported_tops(imports_in(text))
        workdir = python_workdir(tops, self._api, posixpath.dirname(passage.path) or ".")
        return Example(
            text=text,
            kind="python",
            path=passage.path,
            line=block.line,
            workdir=workdir,
            headings=passage.headings,
            introduction=introduction(before),
            imports_own=any(self._api.claims(top, workdir) for top in tops),
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


def _is_program(word: str) -> bool:
    """Whether the first word of a line can be a program that somebody would want to run."""
    return word not in _SILENT and not word.endswith(("/", "...")) and bool(_PROGRAM.fullmatch(word))


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
