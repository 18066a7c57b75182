"""Which entry point is meant: what the repository says of each, against the request."""

import math
import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.matching.entries import EntryPoint, RepositoryFacts
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.sentences import FileSentences
from ml_agent.matching.terms import alphanumeric, terms, words_of
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.remember import remembered
from ml_agent.tools.retrieval import Bm25Index
from ml_agent.values.lexicon import words

_SIDE = frozenset(
    ["test", "tests", "testing", "docs", "doc", "benchmark", "benchmarks", "ci", "build", "third_party", "setup.py", "conftest.py"]
)  # fmt: skip
"""Folders and files beside what people run."""
_USUAL = frozenset(terms("main run script cli app demo start launch py __main__"))
_TRAIN = frozenset(terms("train fit learn teach continue pretrain distil"))
_APPLY = frozenset(
    terms(
        "test inference evaluate predict generate sample translate separate convert enjoy play render draw score measure compare"
    )
)
ENTRY_FEATURES = (
    "all", "name_text", "shown_text", "option_text", "named_file", "named_stem", "stem", "stem_unsaid", "console",
    "flags", "flags_unknown", "values", "in_folder", "documented", "depth", "side", "subcommand", "shell", "make",
    "options", "training", "main", "named_other", "folder_said", "no_options",
)  # fmt: skip
_MOST_TEXT = 3000


class FieldIndex:
    """Things that can be called, searchable by their names, by how they are shown, by their options, and by all of these.

    Args:
        names: by thing: what it is called; in the search by all it counts twice.
        shown: by thing: what examples and documents say of it.
        options: by thing: what it takes.
    """

    def __init__(self, names: Sequence[str], shown: Sequence[str], options: Sequence[str]) -> None:
        fields = [[words_of(text) for text in texts] for texts in (names, shown, options)]
        together = [[*a, *a, *b, *c] for a, b, c in zip(*fields, strict=True)]
        self._indexes = [Bm25Index(one) for one in (together, *fields)]
        self._count = len(names)

    def fits(self, statement: ParsedRequest) -> list[list[float]]:
        """By thing: how well all of it, its name, what shows it and its options fit a request; the best fits 1."""
        query = [term for word in statement.content for term in word.terms if word.text not in words("politeness")]
        found = [[0.0] * len(self._indexes) for _ in range(self._count)]
        for field, index in enumerate(self._indexes):
            hits = index.top(query, self._count)
            for hit in hits:
                found[hit.position][field] = hit.score / hits[0].score
        return found


class RankedEntry(NamedTuple):
    """An entry point with the vector that speaks for it."""

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
            inside = [one for one in facts.entries if PurePosixPath(one.signature.path).is_relative_to(folder)]
            shown = {e.entry for several in facts.examples.values() for e in several if e.workdir == folder}
            inside += [one for one in facts.entries if one.signature.path in shown and one not in inside]
        self.entries = _distinct(inside or facts.entries)

    @cached_property
    def _sentences(self) -> FileSentences:
        return FileSentences(self.facts.index.passages)

    @cached_property
    def _fields(self) -> "FieldIndex":
        names, shown, options = [], [], []
        for entry in self.entries:
            signature = entry.signature
            names.append(
                " ".join([signature.path.replace("/", " "), entry.name, *signature.subcommand, signature.doc[:400]])
            )
            examples = self.facts.examples.get(signature.path, ())
            said = " ".join(f"{' '.join(e.headings[-3:])} {e.introduction} {e.text}" for e in examples[:12])
            shown.append((said + " ".join(self._sentences.of(signature.path)))[:_MOST_TEXT])
            texts = (f"{o.dest} {' '.join(o.choices[:20])} {o.help}" for o in signature.options)
            options.append(" ".join(texts)[:_MOST_TEXT])
        return FieldIndex(names, shown, options)

    @cached_property
    def _stems(self) -> Counter[str]:
        return Counter(term for entry in self.entries for term in set(_stem(entry)))

    def ranked(self, statement: ParsedRequest) -> list[RankedEntry]:
        """Every entry point with its vector."""
        named = self._named_paths(statement)
        return [
            RankedEntry(entry, [*fits, *self._vector(entry, statement, named)])
            for entry, fits in zip(self.entries, self._fields.fits(statement), strict=True)
        ]

    def _named_paths(self, statement: ParsedRequest) -> frozenset[str] | None:
        """The paths of the entry points whose file or module the request names; None where it names no file.

        The whole path where that is one, for files of one name lie in several folders; else the name.
        """
        scripts = {m.value for m in statement.mentions if re.search(r"\.(?:py|sh)$", m.value)}
        modules = {m[1].replace(".", "/") for m in _MODULE.finditer(statement.text)}
        paths = [one.signature.path for one in self.entries]
        wanted = {ending for one in modules for ending in (f"{one}.py", f"{one}/__main__.py")}
        wanted |= {posixpath.normpath(one) for one in scripts if "/" in one}
        in_full = frozenset(path for path in paths if not wanted.isdisjoint(_endings(path)))
        if in_full:
            return in_full
        names = {PurePosixPath(one).name for one in scripts}
        return frozenset(path for path in paths if PurePosixPath(path).name in names) if names else None

    def _vector(self, entry: EntryPoint, statement: ParsedRequest, named: frozenset[str] | None) -> list[float]:
        signature = entry.signature
        path = PurePosixPath(signature.path)
        stem = _stem(entry)
        worth = {t: math.log(1 + (len(self.entries) + 1) / (self._stems[t] + 0.5)) for t in stem}
        whole = sum(worth.values()) or 1.0
        vocabulary = statement.vocabulary
        said = sum(w for t, w in worth.items() if t in vocabulary or statement.similar_terms(t))
        lower = statement.text.lower()
        flags = {flag for option in signature.options for flag in (*option.flags, *option.negative_flags)}
        dests = {alphanumeric(option.dest) for option in signature.options} | {alphanumeric(flag) for flag in flags}
        spelled = [one.name for one in statement.spelled]
        known = sum(name in flags or alphanumeric(name) in dests for name in spelled)
        folder = [t for part in path.parts[:-1] for t in terms(part)]
        asked = bool(vocabulary & _TRAIN) - bool(vocabulary & _APPLY)
        called = bool(set(stem) & _TRAIN) - bool(set(stem) & _APPLY)
        examples = self.facts.examples.get(signature.path, ())
        shown, choices = (e.text for e in examples[:12]), (" ".join(o.choices) for o in signature.options)
        text = " ".join(shown).lower() + " ".join(choices).lower()
        names = [m.value.lower() for m in statement.mentions if m.kind == "name" and not m.parts]
        pattern = rf"(?<![\w/.-]){re.escape(signature.name.lower())}(?![\w/.])"
        console = signature.kind == "console" and re.search(pattern, lower) is not None
        return [
            float(signature.path in (named or ())), float(bool(path.stem) and len(path.stem) > 3 and _word(path.stem.lower()).search(lower) is not None),
            said / whole, (whole - said) / 5, float(console),
            known / len(spelled) if spelled else 0.0, float(len(spelled) - known) / 4,
            sum(name in text for name in names) / len(names) if names else 0.0,
            float(str(path.parent) == self.folder), min(1.0, len(examples) / 3),
            len(path.parts) / 4, float(is_side(signature.path)),
            float(bool(signature.subcommand) and set(terms(signature.subcommand[-1])) <= vocabulary),
            float(signature.kind == "shell"), float(signature.kind == "make"), min(1.0, len(signature.options) / 20),
            float(asked * called), float(set(terms(path.stem)) <= _USUAL),
            float(named is not None and signature.path not in named), sum(t in vocabulary for t in folder) / (len(folder) or 1),
            float(not signature.options),
        ]  # fmt: skip


_MODULE = re.compile(r"(?<!\S)-m\s+([A-Za-z_]\w*(?:\.\w+)*)")


def _endings(path: str) -> list[str]:
    """A file as it is called from the root, and from each folder on the way."""
    parts = path.split("/")
    return ["/".join(parts[place:]) for place in range(len(parts))]


def is_side(path: str) -> bool:
    """Whether a script serves the repository itself: tests, documentation, set-up."""
    return any(part.lower() in _SIDE or part.startswith("test_") for part in PurePosixPath(path).parts)


@remembered(4096)
def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(text)}\b")


def _distinct(entries: Sequence[EntryPoint]) -> tuple[EntryPoint, ...]:
    """One of several ways to call the same program: that which examples use most, then the installed command, then the shortest path."""
    programs: dict[tuple[object, ...], list[_SameProgram]] = {}
    for entry in entries:
        signature = entry.signature
        key: tuple[object, ...] = (signature.path, signature.name, signature.subcommand)
        if len(signature.options) > 2:
            same = tuple((option.dest, option.path, option.line) for option in signature.options)
            key = (same, signature.subcommand)
        names, declaring = _names(entry), {option.path for option in signature.options}
        alike = programs.setdefault(key, [])
        ways = next((one for one in alike if one.have(entry, names, declaring)), None)
        if ways is None:
            alike.append(ways := _SameProgram())
        ways.add(entry)
    return tuple(min(ways.entries, key=_plainness) for alike in programs.values() for ways in alike)


class _SameProgram:
    """Entry points with the same options that are one program: they share a name, or one starts the other and is shown nowhere.

    Files of other names share a parser and do different things, as train.py and test.py do.
    """

    def __init__(self) -> None:
        self.entries: list[EntryPoint] = []
        self._names: set[str] = set()
        self._paths: set[str] = set()
        self._unshown = False

    def have(self, entry: EntryPoint, names: frozenset[str], declaring: set[str]) -> bool:
        """Whether another entry point of these names, whose options are declared in these files, is this program."""
        if not self._names.isdisjoint(names):
            return True
        starts = not self._paths.isdisjoint(declaring) and not _is_shown(entry)
        return starts or (self._unshown and entry.signature.path in declaring)

    def add(self, entry: EntryPoint) -> None:
        """One way more."""
        self.entries.append(entry)
        self._names |= _names(entry)
        self._paths.add(entry.signature.path)
        self._unshown = self._unshown or not _is_shown(entry)


def _is_shown(entry: EntryPoint) -> bool:
    return bool(entry.facts.examples.get(entry.signature.path))


def _names(entry: EntryPoint) -> frozenset[str]:
    """What a program is called: by its file or its package, and by its installed command."""
    path = PurePosixPath(entry.signature.path)
    return frozenset({path.parent.name if path.stem == "__main__" else path.stem, entry.signature.name} - {""})


def _plainness(entry: EntryPoint) -> tuple[int, bool, int, str]:
    signature = entry.signature
    path = PurePosixPath(signature.path)
    own = signature.name if signature.kind == "console" else path.name
    examples = entry.facts.examples.get(signature.path, ())
    called = [PurePosixPath(one.name).name for example in examples for one in parse_command(example.text).invocations]
    return (-called.count(own), signature.kind != "console", len(path.parts), signature.name or signature.path)


def _stem(entry: EntryPoint) -> tuple[str, ...]:
    parts = (PurePosixPath(entry.signature.path).stem, entry.signature.name, *entry.signature.subcommand)
    return tuple(dict.fromkeys(term for part in parts for term in terms(part) if term not in _USUAL))
