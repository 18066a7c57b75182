"""Which entry point is meant: features of each (BM25 of four fields, names, place, options) that the fitted weights sum up."""

import math
import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.offline.entries import EntryPoint, RepositoryFacts
from ml_agent.offline.reading import ParsedRequest
from ml_agent.offline.words import alphanumeric, telling, terms, words
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.retrieval import Bm25Index

_SIDE = frozenset(
    [
        "test",
        "tests",
        "testing",
        "docs",
        "doc",
        "benchmark",
        "benchmarks",
        "ci",
        "build",
        "third_party",
        "setup.py",
        "conftest.py",
    ]
)
"""Folders and files beside what people run."""
_USUAL = frozenset(terms("main run script cli app demo start launch py __main__"))
_TRAIN = frozenset(terms("train fit learn teach continue pretrain distil"))
_APPLY = frozenset(
    terms(
        "test inference evaluate predict generate sample translate separate convert enjoy play render draw score measure compare"
    )
)
_MODULE = re.compile(r"(?<!\S)-m\s+([A-Za-z_]\w*(?:\.\w+)*)")
_MOST_TEXT = 3000
_NAMES_OF_FEATURES = """
all name_text shown_text option_text named named_stem stem stem_unsaid console flags flags_unknown values
in_folder documented depth side subcommand subcommand_unsaid shell make options training usual named_other
folder no_options
"""
ENTRY_FEATURES = tuple(_NAMES_OF_FEATURES.split())


class RankedEntry(NamedTuple):
    """An entry point with its vector by ENTRY_FEATURES."""

    entry: EntryPoint
    vector: list[float]


class EntryIndex:
    """The entry points of a repository, or of a folder of it, searchable.

    Args:
        facts: of the repository.
        folder: where the task lives; "." for all.
    """

    def __init__(self, facts: RepositoryFacts, folder: str = ".") -> None:
        self.facts = facts
        self.folder = folder
        inside = list(facts.entries)
        if folder != ".":
            shown = {one.entry for several in facts.examples.values() for one in several if one.workdir == folder}
            inside = [one for one in inside if _lies_in(one.signature.path, folder) or one.signature.path in shown]
        self.entries = _distinct(inside or facts.entries)

    @cached_property
    def _fields(self) -> list[Bm25Index]:
        """Searchable by all, by names, by what shows them, and by options; in the search by all names count twice."""
        rows = [self._texts(entry) for entry in self.entries]
        together = [[*names, *names, *shown, *options] for names, shown, options in rows]
        return [Bm25Index.of(together), *(Bm25Index.of([row[at] for row in rows]) for at in range(3))]

    def _texts(self, entry: EntryPoint) -> tuple[list[str], list[str], list[str]]:
        signature = entry.signature
        names = [signature.path.replace("/", " "), signature.name, *signature.subcommand, signature.doc[:400]]
        examples = self.facts.examples.get(signature.path, ())[:12]
        shown = [f"{' '.join(one.headings[-3:])} {one.introduction} {one.text}" for one in examples]
        options = (f"{one.dest} {' '.join(one.choices[:20])} {one.help}" for one in signature.options)
        return (*(telling(" ".join(texts)[:_MOST_TEXT]) for texts in (names, shown, options)),)  # type: ignore[return-value]

    @cached_property
    def _stems(self) -> Counter[str]:
        return Counter(term for entry in self.entries for term in set(_stem(entry)))

    def ranked(self, statement: ParsedRequest) -> list[RankedEntry]:
        """Every entry point with its vector."""
        named = self._named(statement)
        query = [term for word in statement.content for term in word.terms if word.text not in words("politeness")]
        fits = [[0.0] * len(self._fields) for _ in self.entries]
        for field, index in enumerate(self._fields):
            hits = index.top(query, len(self.entries))
            for hit in hits:
                fits[hit.position][field] = hit.score / hits[0].score
        vectors = (
            [*fit, *self._names(one, statement, named), *self._shown(one, statement, named)]
            for one, fit in zip(self.entries, fits, strict=True)
        )
        return [RankedEntry(one, vector) for one, vector in zip(self.entries, vectors, strict=True)]

    def _named(self, statement: ParsedRequest) -> frozenset[str] | None:
        """The paths of the entry points whose file or module the request names; None where it names no file of them.

        The whole path where that is one, for files of one name lie in several folders; else the name.
        """
        scripts = {one.value for one in statement.mentions if re.search(r"\.(?:py|sh)$", one.value)}
        modules = {match[1].replace(".", "/") for match in _MODULE.finditer(statement.text)}
        wanted = {ending for one in modules for ending in (f"{one}.py", f"{one}/__main__.py")}
        wanted |= {posixpath.normpath(one) for one in scripts if "/" in one}
        paths = [one.signature.path for one in self.entries]
        whole = frozenset(path for path in paths if any(f"/{path}".endswith(f"/{one}") for one in wanted))
        names = {PurePosixPath(one).name for one in scripts}
        return whole or (frozenset(path for path in paths if PurePosixPath(path).name in names) if names else None)

    def _names(self, entry: EntryPoint, statement: ParsedRequest, named: frozenset[str] | None) -> list[float]:
        """How the request names an entry point: by its file, its name, the words of its name."""
        signature, path = entry.signature, PurePosixPath(entry.signature.path)
        worth = {t: math.log(1 + (len(self.entries) + 1) / (self._stems[t] + 0.5)) for t in _stem(entry)}
        said = sum(w for t, w in worth.items() if t in statement.vocabulary)
        whole = sum(worth.values()) or 1.0
        lower = statement.text.lower()
        console = rf"(?<![\w/.-]){re.escape(signature.name.lower())}(?![\w/.])"
        return [
            float(signature.path in (named or ())),
            float(len(path.stem) > 3 and re.search(rf"\b{re.escape(path.stem.lower())}\b", lower) is not None),
            said / whole,
            (whole - said) / 5,
            float(signature.kind == "console" and re.search(console, lower) is not None),
        ]

    def _shown(self, entry: EntryPoint, statement: ParsedRequest, named: frozenset[str] | None) -> list[float]:
        """What its options, its examples and its place say."""
        signature, path, vocabulary = entry.signature, PurePosixPath(entry.signature.path), statement.vocabulary
        spelled = [alphanumeric(one.name) for one in statement.flags]
        known = sum(name in entry.spellings for name in spelled)
        asked = bool(vocabulary & _TRAIN) - bool(vocabulary & _APPLY)
        called = bool(set(_stem(entry)) & _TRAIN) - bool(set(_stem(entry)) & _APPLY)
        examples = self.facts.examples.get(signature.path, ())
        text = " ".join(
            (*(one.text for one in examples[:12]), *(c for o in signature.options for c in o.choices))
        ).lower()
        names = [one.value.lower() for one in statement.mentions if one.kind == "name" and not one.parts]
        folders = [term for part in path.parts[:-1] for term in terms(part)]
        last = set(terms(signature.subcommand[-1])) if signature.subcommand else set[str]()
        return [
            known / len(spelled) if spelled else 0.0,
            (len(spelled) - known) / 4,
            sum(name in text for name in names) / len(names) if names else 0.0,
            float(str(path.parent) == self.folder),
            min(1.0, len(examples) / 3),
            len(path.parts) / 4,
            float(is_side(signature.path)),
            float(bool(last) and last <= vocabulary),
            float(bool(last) and not last & vocabulary),
            float(signature.kind == "shell"),
            float(signature.kind == "make"),
            min(1.0, len(signature.options) / 20),
            float(asked * called),
            float(set(terms(path.stem)) <= _USUAL),
            float(named is not None and signature.path not in named),
            sum(t in vocabulary for t in folders) / (len(folders) or 1),
            float(not signature.options),
        ]


def _lies_in(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(folder)


def is_side(path: str) -> bool:
    """Whether a script serves the repository itself: tests, documentation, set-up."""
    return any(part.lower() in _SIDE or part.startswith("test_") for part in PurePosixPath(path).parts)


def _distinct(entries: Sequence[EntryPoint]) -> tuple[EntryPoint, ...]:
    """One of several ways to call the same program: the way that examples use most, then the installed command, then the shortest path.

    They are the same where they take the same options and share a name, or one is shown nowhere; files of other names share
    a parser and do different things, as train.py and test.py do.
    """
    found: dict[tuple[object, ...], list[list[EntryPoint]]] = {}
    for entry in sorted(entries, key=_plainness):
        signature = entry.signature
        key: tuple[object, ...] = (signature.path, signature.name, signature.subcommand)
        if len(signature.options) > 2:
            key = (tuple((one.dest, one.path, one.line) for one in signature.options), signature.subcommand)
        alike = found.setdefault(key, [])
        same = next((ways for ways in alike if any(_is_same_program(entry, other) for other in ways)), None)
        if same is None:
            alike.append([entry])
        else:
            same.append(entry)
    return tuple(ways[0] for alike in found.values() for ways in alike)


def _is_same_program(entry: EntryPoint, other: EntryPoint) -> bool:
    if _own_names(entry) & _own_names(other):
        return True
    declares = {option.path for option in entry.signature.options}
    return not entry.facts.examples.get(entry.signature.path) and other.signature.path in declares


def _own_names(entry: EntryPoint) -> frozenset[str]:
    """What a program is called: by its file or its package, and by its installed command."""
    path = PurePosixPath(entry.signature.path)
    return frozenset({path.parent.name if path.stem == "__main__" else path.stem, entry.signature.name} - {""})


def _plainness(entry: EntryPoint) -> tuple[int, bool, int, str]:
    signature, path = entry.signature, PurePosixPath(entry.signature.path)
    own = signature.name if signature.kind == "console" else path.name
    examples = entry.facts.examples.get(signature.path, ())
    called = [PurePosixPath(one.name).name for example in examples for one in parse_command(example.text).invocations]
    return (-called.count(own), signature.kind != "console", len(path.parts), signature.name or signature.path)


def _stem(entry: EntryPoint) -> tuple[str, ...]:
    parts = (PurePosixPath(entry.signature.path).stem, entry.signature.name, *entry.signature.subcommand)
    return tuple(dict.fromkeys(term for part in parts for term in terms(part) if term not in _USUAL))
