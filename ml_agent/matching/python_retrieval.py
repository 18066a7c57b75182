"""Which classes and functions are meant: what the repository says of each, against the request."""

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.python_library import ApiCallable, Library
from ml_agent.matching.python_programs import Program, read_program
from ml_agent.matching.retrieval import FieldIndex
from ml_agent.matching.terms import alphanumeric, terms
from ml_agent.tools.examples import Example

CALLABLE_FEATURES = (
    "all", "name_text", "shown_text", "parameter_text", "literal", "literal_any_case", "name_said", "name_unsaid", "name_whole",
    "module_said", "spelled", "spelled_unknown", "parameters_said", "covered", "shown", "imported", "depth", "class",
    "values_shown", "parameters", "required", "words_in_name", "folder_said",
)  # fmt: skip
_MOST_TEXT = 3000
_MOST_EXAMPLES = 400
_LONG = 3


class ExampleProgram(NamedTuple):
    """A documented example with its calls."""

    example: Example
    program: Program


class RankedCallable(NamedTuple):
    """A callable with the vector that speaks for it."""

    callee: ApiCallable
    vector: list[float]


class LibraryIndex:
    """The callables of a repository, searchable, with the examples that show them.

    Args:
        library: of the repository.
    """

    def __init__(self, library: Library) -> None:
        self.library = library

    @cached_property
    def example_programs(self) -> tuple[ExampleProgram, ...]:
        """The documented examples in Python that call something of the repository."""
        found: list[ExampleProgram] = []
        names = set(self.library.by_name)
        for example in self.library.index.examples:
            if example.kind != "python" or len(found) >= _MOST_EXAMPLES:
                continue
            if not names.intersection(re.findall(r"\w+", example.text)):
                continue
            program = read_program(example.text, self.library, self.library.folder, loose=True)
            if program is not None and program.calls:
                found.append(ExampleProgram(example, program))
        return tuple(found)

    @cached_property
    def examples_by_name(self) -> Mapping[str, Sequence[ExampleProgram]]:
        """By dotted name: the examples that call it."""
        found: dict[str, list[ExampleProgram]] = defaultdict(list)
        for one in self.example_programs:
            for name in dict.fromkeys(call.callee.object.name for call in one.program.calls):
                found[name].append(one)
        return found

    @cached_property
    def _import_counts(self) -> Counter[str]:
        return Counter(
            item.name for module in self.library.index.api.facts.values() for item in module.imports if item.name
        )

    @cached_property
    def _fields(self) -> FieldIndex:
        names, shown, parameters = [], [], []
        for one in self.library.callables:
            names.append(f"{one.object.name.replace('.', ' ')} {one.object.doc}")
            said = " ".join(
                f"{' '.join(s.example.headings[-3:])} {s.example.introduction} {s.example.text}"
                for s in self.examples_by_name.get(one.object.name, ())[:8]
            )
            shown.append(said[:_MOST_TEXT])
            parameters.append(" ".join(p.name for p in one.object.parameters))
        return FieldIndex(names, shown, parameters)

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(term for one in self.library.callables for term in set(terms(one.name)))

    def rarity(self, term: str) -> float:
        """How much a term says among the names of the repository."""
        return math.log(1 + (len(self.library.callables) + 1) / (self._frequency[term] + 0.5))

    def ranked(self, statement: ParsedRequest) -> list[RankedCallable]:
        """Every class and function with its vector."""
        return [
            RankedCallable(one, [*fits, *self._vector(one, statement)])
            for one, fits in zip(self.library.callables, self._fields.fits(statement), strict=True)
        ]

    def _vector(self, callee: ApiCallable, statement: ParsedRequest) -> list[float]:
        """What the request says of a callable's name, module and parameters."""
        name = terms(callee.name)
        worth = {t: self.rarity(t) for t in name}
        whole = sum(worth.values()) or 1.0
        vocabulary = statement.vocabulary
        said = sum(w for t, w in worth.items() if t in vocabulary or statement.similar_terms(t))
        parts = list(callee.object.name.rpartition(".")[0].replace(".", " ").split())
        module = [t for t in terms(parts[-1] if parts else "") if t not in name]
        folder = [t for part in parts[1:-1] for t in terms(part)]
        names = {alphanumeric(one.name) for one in callee.object.parameters}
        spelled = [alphanumeric(one.name) for one in statement.spelled]
        known = sum(one in names for one in spelled)
        named = [terms(one.name) for one in callee.object.parameters]
        stated = [one for one in named if one and all(t in vocabulary for t in one)]
        covered = {t for one in named for t in one} & vocabulary
        examples = self.examples_by_name.get(callee.object.name, ())
        literal = stands_alone(callee.name, statement.text)
        special = not callee.name.islower() or "_" in callee.name
        values = [m.value.lower() for m in statement.mentions if m.kind == "name" and not m.parts]
        texts = {str(value).lower() for one in examples[:6] for value in constants(one.program)} if values else set()
        return [
            float(literal and special), float(len(callee.name) > _LONG and alphanumeric(callee.name) in alphanumeric(statement.text)),
            said / whole, (whole - said) / 5, float(bool(worth) and said >= whole - 1e-9),
            sum(t in vocabulary for t in module) / (len(module) or 1),
            known / len(spelled) if spelled else 0.0, (len(spelled) - known) / 4,
            len(stated) / 4, len(covered) / (2 + len(vocabulary)) * 4, min(1.0, len(examples) / 3),
            math.log1p(self._import_counts[callee.name]) / 3, len(parts) / 4, float(callee.object.kind == "class"),
            sum(value in texts for value in values) / len(values) if values else 0.0,
            min(1.0, len(callee.object.parameters) / 15), min(1.0, sum(one.required for one in callee.object.parameters) / 6), len(name) / 4,
            sum(t in vocabulary for t in folder) / (len(folder) or 1),
        ]  # fmt: skip


def stands_alone(name: str, text: str) -> bool:
    """Whether a name stands in a text to the letter, as a word and as a part of no other object's name."""
    return name in text and re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def constants(program: Program) -> list[object]:
    """The literals of the arguments in a program's calls."""
    return [node.value for call in program.calls for value in call.arguments.values() for node in ast.walk(value) if isinstance(node, ast.Constant)]  # fmt: skip
