"""Python drafts from the learned matching of a request with the classes and functions of a repository."""

import re
from collections.abc import Iterator
from functools import cached_property

from ml_agent.draft import Draft, Provenance
from ml_agent.grounded.commands import given_by_name
from ml_agent.grounded.completion import NameSources, blocks_before, complete
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.python_programs import read_program
from ml_agent.matching.python_reading import read_python_request
from ml_agent.matching.python_retrieval import ExampleProgram, LibraryIndex
from ml_agent.matching.python_skeletons import ExampleUsage
from ml_agent.matching.python_solver import Complete, PythonModel, ScoredProgram, context_of, solve_python
from ml_agent.matching.python_tails import TailContext, with_tail
from ml_agent.matching.scores import Scores
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from ml_agent.tools.python_api.index import ApiIndex

_SPELLED = re.compile(r"[a-z][A-Z]|[A-Z]{2}|_|\d")
_MOST = 8
_FEW = 2


def completer(library_index: LibraryIndex) -> Complete:
    """What puts in front of a repository's example the statements that it needs."""
    index = library_index.library.index
    every = tuple(one for one in index.examples if one.kind == "python")
    known: dict[tuple[str, int], str] = {}

    def completed(shown: ExampleProgram) -> str:
        example = shown.example
        key = (example.path, example.line)
        if key not in known:
            before = blocks_before(example, every)
            sources = NameSources(earlier=before, others=every, index=index, workdir=library_index.library.folder)
            known[key] = complete(example.text, sources)
        return known[key]

    return completed


class Author:
    """Writes Python for one repository.

    Args:
        library_index: its callables and examples.
    """

    def __init__(self, library_index: LibraryIndex) -> None:
        self._library_index = library_index
        self._usages = ExampleUsage(library_index)
        self._complete = completer(library_index)

    @cached_property
    def is_library(self) -> bool:
        """Whether the documents show Python that uses the repository, and hardly any command of its own."""
        shown = [one for one in self._library_index.library.index.examples if one.kind == "bash" and one.entry]
        return len(self._library_index.example_programs) > _FEW + 2 * len(shown)

    def drafts(self, request: Request, workspace: Workspace, tables: PythonModel, values: Scores) -> Iterator[Draft]:
        """Distinct programs, best first, each with its provenance.

        Args:
            request: what the user wants.
            workspace: the repository and the folder of the task.
            tables: what was learned of Python.
            values: what was learned of values in slots.
        """
        statement = read_python_request(
            request.instruction, given_by_name(request), self._library_index.library.classes
        )
        context = context_of(statement, self._library_index, self._usages, tables)
        for one in solve_python(context, tables, values, self._complete)[:_MOST]:
            yield _draft(one, self._complete_program(one, statement), workspace.path or ".")

    def _complete_program(self, solved: ScoredProgram, statement: ParsedRequest) -> str:
        """The program with what comes around its calls."""
        filled_program = solved.filled_program
        program = read_program(filled_program.text, self._library_index.library, self._library_index.library.folder)
        if program is None:
            return filled_program.text
        return with_tail(TailContext(statement, program, filled_program.arguments, filled_program.assignment.unplaced))


def _draft(solved: ScoredProgram, text: str, workdir: str) -> Draft:
    skeleton = solved.filled_program.skeleton
    if skeleton.example is not None:
        made_from = Provenance(kind="example", path=skeleton.example.path, line=skeleton.example.line)
        because = f"matched after {made_from.path}:{made_from.line}"
    else:
        first = skeleton.callables[0].object
        made_from = Provenance(kind="signature", path=first.path, line=first.line)
        because = f"{', '.join(one.name for one in skeleton.callables)} after their signatures"
    return Draft(kind="python", text=text.strip() + "\n", workdir=workdir, because=because, provenance=made_from)


def named_objects(statement: ParsedRequest, api: ApiIndex) -> frozenset[str]:
    """The classes and functions of a repository that a request names to the letter, as far as they are spelled as only names are."""
    names = {one.value for one in statement.mentions if one.kind == "name" and _SPELLED.search(one.value)}
    return frozenset(names & {found.name.rpartition(".")[2] for found in api.objects} if names else ())
