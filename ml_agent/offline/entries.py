"""The entry points of a repository with all that its documents and examples say of them."""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import msgspec

from ml_agent.offline.slots import Slot, distinct_options
from ml_agent.offline.variables import documented_variables, references
from ml_agent.offline.words import alphanumeric
from ml_agent.tools.commandline.calls import calls
from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.usage.entry import Example, holds_placeholder, is_metavar, quoted_placeholders

_SETTINGS = frozenset({".yaml", ".yml", ".toml", ".gin", ".cfg", ".ini"})
_SIBLING_KINDS = _SETTINGS | {".json", ".py", ".txt", ".jpg", ".png", ".csv", ".model", ".pt"}
_MOST_SIBLINGS, _MOST_CALLS = 120, 50
_HERE = re.compile(r"\$\(pwd\)|`pwd`")


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
        siblings = self.facts.index.signatures.get(self.signature.path, ())
        found = []
        for example in self.facts.examples.get(self.signature.path, ()):
            line = parse_command(quoted_placeholders(_HERE.sub("$PWD", example.text)))
            for one in line.invocations[:_MOST_CALLS]:
                if not calls(one, self.signature):
                    continue
                alike = [sibling for sibling in siblings if calls(one, sibling)]
                if choose(alike, one.words) == self.signature:
                    found.append(ExampleCall(example, one, self._values(one)))
        return tuple(found)

    def _values(self, invocation: Invocation) -> dict[str, Any]:
        given = parse_call(self.signature, invocation.words).values
        return {d: value for d, value in given.items() if not (holds_placeholder(value) or is_metavar(value, d))}

    @cached_property
    def spellings(self) -> frozenset[str]:
        """How its options are spelled, without marks and in lower case."""
        options = self.signature.options
        return frozenset(alphanumeric(one) for o in options for one in (o.dest, *o.flags, *o.negative_flags))

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
        """Its options as slots."""
        return tuple(map(self._slot, distinct_options(self.signature.options)))

    def _slot(self, option: Option) -> Slot:
        seen = self.seen_values.get(option.dest, ())
        files = self._siblings((option.default or "", *seen))
        free = not (option.choices or option.accepted or option.switch) and option.type in {"str", "unknown"}
        namesakes = self.facts.choices.get(option.dest.lower(), ()) if free else ()
        return Slot(option, (*seen, *namesakes), files)

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """The shell variables that its examples use, with what documents set them to; what stands beside an example counts first."""
        own = documented_variables(line for shown in self.example_calls for line in shown.example.setup)
        known = {**self.facts.variables, **own}
        used = {
            name for shown in self.example_calls for value in shown.values.values() for name in references(str(value))
        }
        used |= {name for text in known.values() for name in references(text)} if used else set()
        return {name: text for name, text in known.items() if name in used}

    @cached_property
    def module(self) -> str:
        """The module as which most of its examples run it by `python -m`; "" where they do not."""
        named = [one.invocation.name for one in self.example_calls if one.invocation.target == "module"]
        name, count = next(iter(Counter(named).most_common(1)), ("", 0))
        whole = all(part.isidentifier() for part in name.split("."))
        return name if 2 * count > len(self.example_calls) and whole else ""

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
                    beside = self.facts.sibling_files(posixpath.dirname(whole), suffix)[:_MOST_SIBLINGS]
                    found.update(dict.fromkeys(posixpath.relpath(path, folder) for path in beside))
                    break
        return tuple(found)


class RepositoryFacts:
    """What a repository shows and says, by entry point and by option.

    Args:
        index: the repository.
    """

    def __init__(self, index: RepoIndex) -> None:
        self.index = index

    @cached_property
    def files(self) -> frozenset[str]:
        """All its files."""
        return frozenset(self.index.files)

    @cached_property
    def entries(self) -> tuple[EntryPoint, ...]:
        """Its entry points."""
        return tuple(EntryPoint(one, self) for several in self.index.signatures.values() for one in several)

    @cached_property
    def examples(self) -> Mapping[str, Sequence[Example]]:
        """By entry point: the commands that call it."""
        found: dict[str, list[Example]] = defaultdict(list)
        for example in self.index.examples:
            if example.kind == "bash" and example.entry:
                found[example.entry].append(example)
        return found

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """Shell variables that any document or script sets; the first one counts."""
        return documented_variables(line for example in reversed(self.index.examples) for line in example.setup)

    @cached_property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """By name: the choices that options of this name have, where all that have any agree."""
        found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for signatures in self.index.signatures.values():
            for option in (one for signature in signatures for one in signature.options):
                if option.choices or option.accepted:
                    found[option.dest.lower()].add(option.choices or option.accepted)
        return {dest: next(iter(several)) for dest, several in found.items() if len(several) == 1}

    def path_of(self, value: Any, places: Sequence[str]) -> Any:
        """A file as the first of the folders sees it, where a value is its path from the root, or only the end of the path of a
        configuration: "kitti/second.yaml".

        Args:
            value: that an option is given.
            places: from where it is called, and where the program lies.
        """
        if not isinstance(value, str) or value.startswith(("/", "~", "$", "..")):
            return value
        name = posixpath.normpath(value)
        if any(posixpath.normpath(posixpath.join(place, name)) in self.files for place in places):
            return value
        if name in self.files:
            return posixpath.relpath(name, places[0])
        ending = [path for path in self.files if path.endswith(f"/{name}")] if _suffix(value) in _SETTINGS else []
        return posixpath.relpath(ending[0], places[0]) if len(ending) == 1 else value

    def sibling_files(self, folder: str, suffix: str) -> list[str]:
        """The files of a folder and of the folders beside it that end alike."""
        parent = posixpath.dirname(folder)
        found = []
        for path in self.index.files:
            if _suffix(path) == suffix:
                own = posixpath.dirname(path)
                if own == folder or (folder and parent and posixpath.dirname(own) == parent):
                    found.append(path)
        return found


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1]
