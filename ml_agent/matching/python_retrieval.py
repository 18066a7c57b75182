"""Which classes and functions are meant: what the repository says of each, against the request."""

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ml_agent.matching.mentions import Statement
from ml_agent.matching.python_library import Library, Thing
from ml_agent.matching.python_programs import Program, read_program
from ml_agent.matching.retrieval import Fields
from ml_agent.matching.terms import plain, terms
from tools.examples import Example

THING_FEATURES = (
    "all", "name_text", "shown_text", "parameter_text", "literal", "literal_any_case", "name_said", "name_unsaid", "name_whole",
    "module_said", "spelled", "spelled_unknown", "parameters_said", "covered", "shown", "imported", "depth", "class", "method",
    "values_shown", "parameters", "required", "words_in_name", "folder_said",
)  # fmt: skip
_MOST_TEXT = 3000
_MOST_EXAMPLES = 400
_LONG = 3


class Shown(NamedTuple):
    """A documented example with its calls."""

    example: Example
    program: Program


class Ranked(NamedTuple):
    """A thing with the vector that speaks for it."""

    thing: Thing
    vector: list[float]


class Bookcase:
    """The things of a repository, searchable, with the examples that show them.

    Args:
        library: of the repository.
    """

    def __init__(self, library: Library) -> None:
        self.library = library

    @cached_property
    def shown(self) -> tuple[Shown, ...]:
        """The documented examples in Python that call a thing of the repository."""
        found: list[Shown] = []
        names = set(self.library.by_name)
        for example in self.library.index.examples:
            if example.kind != "python" or len(found) >= _MOST_EXAMPLES:
                continue
            if not names.intersection(re.findall(r"\w+", example.text)):
                continue
            program = read_program(example.text, self.library, self.library.folder, loose=True)
            if program is not None and program.calls:
                found.append(Shown(example, program))
        return tuple(found)

    @cached_property
    def examples(self) -> Mapping[str, Sequence[Shown]]:
        """By dotted name: the examples that call it."""
        found: dict[str, list[Shown]] = defaultdict(list)
        for one in self.shown:
            for name in dict.fromkeys(call.thing.object.name for call in one.program.calls):
                found[name].append(one)
        return found

    @cached_property
    def _import_counts(self) -> Counter[str]:
        return Counter(
            item.name for module in self.library.index.api.facts.modules for item in module.imports if item.name
        )

    @cached_property
    def _fields(self) -> Fields:
        names, shown, parameters = [], [], []
        for one in self.library.things:
            names.append(f"{one.object.name.replace('.', ' ')} {one.object.doc}")
            said = " ".join(
                f"{' '.join(s.example.headings[-3:])} {s.example.introduction} {s.example.text}"
                for s in self.examples.get(one.object.name, ())[:8]
            )
            shown.append(said[:_MOST_TEXT])
            parameters.append(" ".join(p.name for p in one.object.parameters))
        return Fields(names, shown, parameters)

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(term for one in self.library.things for term in set(terms(one.name)))

    def worth(self, term: str) -> float:
        """How much a term says among the names of the repository."""
        return math.log(1 + (len(self.library.things) + 1) / (self._frequency[term] + 0.5))

    def ranked(self, statement: Statement) -> list[Ranked]:
        """Every class and function with its vector."""
        return [
            Ranked(one, [*fits, *self._vector(one, statement)])
            for one, fits in zip(self.library.things, self._fields.fits(statement), strict=True)
        ]

    def _vector(self, thing: Thing, statement: Statement) -> list[float]:
        """What the request says of a thing's name, module and parameters."""
        name = terms(thing.name)
        worth = {t: self.worth(t) for t in name}
        whole = sum(worth.values()) or 1.0
        vocabulary = statement.vocabulary
        said = sum(w for t, w in worth.items() if t in vocabulary or statement.alike(t))
        parts = list(thing.object.name.rpartition(".")[0].replace(".", " ").split())
        module = [t for t in terms(parts[-1] if parts else "") if t not in name]
        folder = [t for part in parts[1:-1] for t in terms(part)]
        names = {plain(one.name) for one in thing.object.parameters}
        spelled = [plain(one.name) for one in statement.spelled]
        known = sum(one in names for one in spelled)
        named = [terms(one.name) for one in thing.object.parameters]
        told = [one for one in named if one and all(t in vocabulary for t in one)]
        covered = {t for one in named for t in one} & vocabulary
        examples = self.examples.get(thing.object.name, ())
        literal = stands_alone(thing.name, statement.text)
        special = not thing.name.islower() or "_" in thing.name
        values = [m.value.lower() for m in statement.mentions if m.kind == "name" and not m.parts]
        texts = {str(value).lower() for one in examples[:6] for value in constants(one.program)} if values else set()
        return [
            float(literal and special), float(len(thing.name) > _LONG and plain(thing.name) in plain(statement.text)),
            said / whole, (whole - said) / 5, float(bool(worth) and said >= whole - 1e-9),
            sum(t in vocabulary for t in module) / (len(module) or 1),
            known / len(spelled) if spelled else 0.0, (len(spelled) - known) / 4,
            len(told) / 4, len(covered) / (2 + len(vocabulary)) * 4, min(1.0, len(examples) / 3),
            math.log1p(self._import_counts[thing.name]) / 3, len(parts) / 4, float(thing.object.kind == "class"),
            float(thing.owner is not None),
            sum(value in texts for value in values) / len(values) if values else 0.0,
            min(1.0, len(thing.object.parameters) / 15), min(1.0, sum(one.required for one in thing.object.parameters) / 6), len(name) / 4,
            sum(t in vocabulary for t in folder) / (len(folder) or 1),
        ]  # fmt: skip


def stands_alone(name: str, text: str) -> bool:
    """Whether a name stands in a text to the letter, as a word and as a part of no other object's name."""
    return name in text and re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def constants(program: Program) -> list[object]:
    """The literals of the arguments in a program's calls."""
    return [node.value for call in program.calls for value in call.given.values() for node in ast.walk(value) if isinstance(node, ast.Constant)]  # fmt: skip
