"""The entry points of a repository with all that its documents and examples say of them."""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import msgspec

from ml_agent.matching import launch
from ml_agent.matching.alternatives import Alternatives
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.sense import is_read_by_sense, keep_vectors_in
from ml_agent.matching.slots import TRUTH, Slot, distinct_options
from ml_agent.matching.terms import terms
from ml_agent.matching.usage import OptionUsage, read_usages
from ml_agent.matching.variables import documented_variables, references, with_variables
from ml_agent.matching.vocabulary import Vocabulary, vocabulary_of
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.examples import Example
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.python_source import read_module
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.usage.placeholders import holds_placeholder, is_metavar, quoted_placeholders
from ml_agent.values.numbers import number

_FLAG = re.compile(r"(?<![\w-])--?([A-Za-z][\w-]{2,})|`([A-Za-z]\w*_\w+)`")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n")
_SYNOPSIS = re.compile(r"\[(?:-.*|[A-Z][A-Z_ .-]*)\]?", re.DOTALL)
"""A word that only a usage line has: "[HOW_MANY]", "[--verbose]"."""
_SETTINGS = frozenset({".yaml", ".yml", ".toml", ".gin", ".cfg", ".ini"})
"""Endings of files that hold settings, and nobody's data."""
_SETS_UP = frozenset({"setup.py", "versioneer.py", "conftest.py"})
"""Files whose words no program takes: their lists are keywords, classifiers, requirements."""
_MOST_PROSE = 400
_DEFAULT = re.compile(r"\bdefaults?(?: to|:| is) [\"'`]?([A-Za-z][\w-]+)")
_MOST_SIBLINGS = 120
_MOST_CALLS = 50
"""Of one example that are looked at."""
_MOST_LOOKED_UP = 4
_CONFIGURATION = frozenset(terms("config cfg configuration"))
_SIBLING_KINDS = frozenset(
    {".json", ".yaml", ".yml", ".py", ".toml", ".cfg", ".txt", ".jpg", ".png", ".csv", ".model", ".pt"}
)


class ExampleCall(msgspec.Struct, frozen=True):
    """An example's call of an entry point."""

    example: Example
    invocation: Invocation
    values: dict[str, Any]
    """What it gives, by dest."""


class EntryPoint:
    """One thing that can be called.

    Args:
        signature: how it is called.
        facts: of its repository.
    """

    def __init__(self, signature: Signature, facts: "RepositoryFacts") -> None:
        self.signature = signature
        self.facts = facts

    @cached_property
    def example_calls(self) -> tuple[ExampleCall, ...]:
        """The calls of it that the repository shows."""
        found = []
        for example in self.facts.examples.get(self.signature.path, ()):
            for invocation in parse_command(quoted_placeholders(with_variables(example.text))).invocations[
                :_MOST_CALLS
            ]:
                if PurePosixPath(invocation.name).name != PurePosixPath(self.signature.path).name and not _is_named(
                    invocation, self.signature
                ):
                    continue
                siblings = _without_twins(self.facts.index.signatures.get(self.signature.path, ()))
                if choose(siblings, invocation.words) != self.signature or any(
                    map(_SYNOPSIS.fullmatch, invocation.words)
                ):
                    continue
                values = {
                    dest: value
                    for dest, value in parse_call(self.signature, invocation.words).values.items()
                    if not (holds_placeholder(value) or is_metavar(value, dest))
                }
                found.append(ExampleCall(example, invocation, values))
        return tuple(found)

    @cached_property
    def seen_values(self) -> Mapping[str, Sequence[str]]:
        """By dest: the values that examples give."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for shown in self.example_calls:
            for dest, value in shown.values.items():
                for one in value if isinstance(value, list) else [value]:
                    if "$" not in str(one):
                        found[dest].setdefault(str(one))
        return {dest: tuple(values) for dest, values in found.items()}

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Its options as slots; of several options for one thing the last one says what is known of it."""
        options = [one for one in self.signature.options if not (self.launcher and launch.is_launchers(one))]
        last = {one.dest: one for one in self.signature.options}
        usages = read_usages(self.facts.index, self.signature)
        own = (
            self._slot(one, last[one.dest], usages.get(one.dest, OptionUsage())) for one in distinct_options(options)
        )
        return (*own, *map(Slot, launch.options_of(self.launcher, options)))

    def _slot(self, option: Option, known: Option, usage: OptionUsage) -> Slot:
        seen = self.seen_values.get(known.dest, ())
        files = self._siblings((known.default or "", *seen)) or self._configurations(known)
        prose = self.facts.prose_about([known.dest, *(flag.lstrip("-") for flag in known.flags)])
        namesakes_choices = self.facts.choices.get(known.dest.lower(), ()) if _takes_any_word(known) else ()
        return Slot(option, (*seen, *namesakes_choices), prose, files, usage)

    @cached_property
    def _slots_by_sense(self) -> tuple[Slot, ...]:
        beside = [self.alternatives(slot.option) for slot in self.slots]
        return tuple(
            slot.with_seen(others) if others else slot for slot, others in zip(self.slots, beside, strict=True)
        )

    def slots_for(self, statement: ParsedRequest) -> tuple[Slot, ...]:
        """Its slots, as a request is read: what the source has beside known values counts for an encoder, words alone take too much of it."""
        return self._slots_by_sense if is_read_by_sense(statement) else self.slots

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """The shell variables that its examples use, with what documents set them to; what stands beside an example counts first."""
        own = documented_variables([line for shown in self.example_calls for line in shown.example.setup])
        known = {**self.facts.variables, **own}
        used = {
            name for shown in self.example_calls for value in shown.values.values() for name in references(str(value))
        }
        used |= {name for text in known.values() for name in references(text)} if used else set()
        return {name: text for name, text in known.items() if name in used}

    @cached_property
    def launcher(self) -> str:
        """What starts several processes of it: torchrun, mpiexec; "" where it runs as one."""
        return launch.launcher_of(self.signature, [shown.example.text for shown in self.example_calls])

    @property
    def is_shown_installed(self) -> bool:
        """Whether most of its examples start it by the name that installing gives it."""
        named = sum(one.invocation.target == "console" for one in self.example_calls)
        return 2 * named > len(self.example_calls)

    def module(self, workdir: str) -> str:
        """The module as which `python -m` runs it from a folder, where most of its examples do so or its imports want it; else ""."""
        names = Counter(
            one.invocation.name
            for one in self.example_calls
            if one.invocation.target == "module"
            and not one.invocation.launcher
            and one.example.workdir == workdir
            and all(part.isidentifier() for part in one.invocation.name.split("."))
        )
        name, count = next(iter(names.most_common(1)), ("", 0))
        is_script = self.signature.kind == "python" and self.signature.path.endswith(".py")
        if self.example_calls or self.facts is None or not is_script:
            return name if 2 * count > len(self.example_calls) else ""
        source = read_module(Tree(self.facts.index.root), self.signature.path)
        if source is None:
            return ""
        # What can be installed finds its packages from anywhere.
        packaged = not self.facts.files.isdisjoint({"setup.py", "setup.cfg", "pyproject.toml"})
        beside = frozenset[str]() if packaged else self.facts.importable_names(workdir)
        module = launch.module_of(posixpath.relpath(self.signature.path, workdir), source, beside)
        return launch.installed_name(module, workdir, self.facts.files) if packaged else module

    def alternatives(self, option: Option) -> tuple[str, ...]:
        """What the source has beside the default of an option for words, or beside a value that examples give it."""
        if not _takes_any_word(option):
            return ()
        stated = _DEFAULT.findall(option.help)[:1] if not option.default else []
        known = [option.default or "", *stated, *self.seen_values.get(option.dest, ())[:_MOST_LOOKED_UP]]
        names = [text for text in known if text and number(text) is None and text.lower() not in TRUTH]
        return tuple(dict.fromkeys(one for text in names for one in self.facts.alternatives.of(text)))

    def _siblings(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Files of the repository beside one that a value names, spelled like it."""
        found: dict[str, None] = {}
        for text in texts:
            suffix = PurePosixPath(text).suffix
            if suffix not in _SIBLING_KINDS or text.startswith(("/", "~", "$", "http")):
                continue
            for folder in dict.fromkeys((".", posixpath.dirname(self.signature.path) or ".")):
                whole = posixpath.normpath(posixpath.join(folder, text))
                if whole in self.facts.files:
                    beside = self.facts.sibling_files(posixpath.dirname(whole), suffix)
                    for path in beside[:_MOST_SIBLINGS]:
                        found.setdefault(posixpath.relpath(path, folder))
                    break
        return tuple(found)

    def _configurations(self, option: Option) -> tuple[str, ...]:
        """The files in folders for configurations, for a configuration that must be given and of which nothing else is known."""
        if not option.required or option.default is not None or not set(terms(option.dest)) & _CONFIGURATION:
            return ()
        folder = posixpath.dirname(self.signature.path) or "."
        return tuple(posixpath.relpath(path, folder) for path in self.facts.configurations)

    @cached_property
    def repository(self) -> str:
        """The name of its repository."""
        return self.facts.index.root.name

    @property
    def name(self) -> str:
        """Its name without folder and ending, or the console command."""
        return self.signature.name or PurePosixPath(self.signature.path).stem


def _without_twins(several: Sequence[Signature]) -> list[Signature]:
    """The signatures of a file; of a script without a suffix that is installed as a command the command alone, as who wants it says that."""
    installed = any(one.kind == "console" for one in several)
    return [one for one in several if not installed or one.kind != "python" or PurePosixPath(one.path).suffix]


def _takes_any_word(option: Option) -> bool:
    known = option.choices or option.accepted
    return not known and not option.switch and option.type in {"str", "unknown"}


def _is_named(invocation: Invocation, signature: Signature) -> bool:
    module = signature.path.removesuffix(".py").removesuffix("/__main__").replace("/", ".")
    within = invocation.target == "module" and module.endswith(f".{invocation.name}")  # in a folder for packages
    return bool(invocation.name) and (within or invocation.name in {signature.name, module})


class RepositoryFacts:
    """What a repository shows and says, by entry point and by option.

    Args:
        index: the repository.
    """

    def __init__(self, index: RepoIndex) -> None:
        self.index = index
        if index.cache_folder is not None:
            keep_vectors_in(index.cache_folder)

    @cached_property
    def files(self) -> frozenset[str]:
        """All its files."""
        return frozenset(self.index.files)

    @cached_property
    def alternatives(self) -> Alternatives:
        """What its source has beside values."""
        used = [path for path in self.index.files if posixpath.basename(path) not in _SETS_UP]
        return Alternatives(Tree(self.index.root), sorted(used, key=lambda path: (path.count("/"), path)))

    def importable_names(self, folder: str) -> frozenset[str]:
        """The names that Python code in a folder, and in no other, can import of it."""
        prefix = "" if folder == "." else f"{folder}/"
        inside = [path.removeprefix(prefix) for path in self.files if path.startswith(prefix) and path.endswith(".py")]
        return frozenset(path.partition("/")[0].removesuffix(".py") for path in inside)

    @cached_property
    def examples(self) -> Mapping[str, Sequence[Example]]:
        """By entry point: the commands that call it."""
        found: dict[str, list[Example]] = defaultdict(list)
        for example in self.index.examples:
            if example.kind == "bash" and example.entry:
                found[example.entry].append(example)
        return found

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The terms of all that it says."""
        return vocabulary_of(self.index)

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """Shell variables that any document or script sets; the first one counts."""
        return documented_variables(line for example in reversed(self.index.examples) for line in example.setup)

    @cached_property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """By name: the choices that options of this name have, where all that have any agree: another script's are seldom others."""
        found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for signatures in self.index.signatures.values():
            for option in (one for signature in signatures for one in signature.options):
                if option.choices or option.accepted:
                    found[option.dest.lower()].add(option.choices or option.accepted)
        return {dest: next(iter(several)) for dest, several in found.items() if len(several) == 1}

    @cached_property
    def entries(self) -> tuple[EntryPoint, ...]:
        """Its entry points."""
        return tuple(
            EntryPoint(one, self) for several in self.index.signatures.values() for one in _without_twins(several)
        )

    def entry(self, signature: Signature) -> EntryPoint:
        """The entry point of a signature."""
        return next(one for one in self.entries if one.signature == signature)

    def path_of(self, value: Any, places: Sequence[str]) -> Any:
        """A file as the first of the folders sees it, where a value is its path from the root, or only the end of the path of a
        configuration: "kitti/second.yaml".

        Args:
            value: that an option is given.
            places: from where it is called, and where the program lies: a configuration that is found from either stays.
        """
        if not isinstance(value, str) or value.startswith(("/", "~", "$")):
            return value
        name = posixpath.normpath(value)
        if name.startswith("../") and (whole := posixpath.normpath(posixpath.join(places[-1], name))) in self.files:
            return posixpath.relpath(whole, places[0])  # as the program's folder sees it
        settings = PurePosixPath(value).suffix in _SETTINGS  # which programs look for beside themselves, too
        if any(posixpath.normpath(posixpath.join(p, name)) in self.files for p in (places if settings else places[:1])):
            return value
        if name in self.files:
            return posixpath.relpath(name, places[0])
        if not settings:
            return value
        ending = [path for path in self.files if path.endswith(f"/{name}")]
        return posixpath.relpath(ending[0], places[0]) if len(ending) == 1 else value

    @cached_property
    def configurations(self) -> tuple[str, ...]:
        """Its files in folders that are called after configurations."""
        return tuple(
            path
            for path in self.index.files
            if PurePosixPath(path).suffix in _SIBLING_KINDS
            and PurePosixPath(path).stem != "__init__"
            and any(set(terms(folder)) & _CONFIGURATION for folder in PurePosixPath(path).parts[:-1])
        )

    def sibling_files(self, folder: str, suffix: str) -> list[str]:
        """The files of a folder and of the folders beside it that end alike."""
        parent = posixpath.dirname(folder)
        return [
            path
            for path in self._by_suffix.get(suffix, ())
            if posixpath.dirname(path) == folder
            or (folder and parent and posixpath.dirname(posixpath.dirname(path)) == parent)
        ]

    @cached_property
    def _by_suffix(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.index.files:
            found[PurePosixPath(path).suffix].append(path)
        return found

    def prose_about(self, names: Iterable[str]) -> str:
        """What documents say in sentences that name one of these options."""
        return " ".join(text for name in dict.fromkeys(names) for text in self._prose.get(name, ()))[:_MOST_PROSE]

    @cached_property
    def _prose(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for passage in self.index.passages:
            for sentence in _SENTENCE.split(passage.text):
                if len(sentence) < _MOST_PROSE:
                    for match in _FLAG.finditer(sentence):
                        several = found[match[1] or match[2]]
                        if len(several) < 3:
                            several.append(_FLAG.sub(" ", sentence))
        return found
