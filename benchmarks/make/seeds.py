"""Where rows start: an entry point, and the values that documents show for it."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tools.commandline.shell import parse_command
from tools.commandline.words import choose, parse_call
from tools.examples import Example
from tools.index import RepoIndex
from tools.signatures.model import Option, Signature

NO_OPTIONS = ("none", "shell", "make", "sysargv")
LEFT_OUT = re.compile(
    r"(?:^|/)(?:tests?|unit_?tests?|testing|docs?|\.github|\.circleci|\.ci|ci|third_party|vendor|conda|docker)(?:/|$)|(?:^|/)(?:setup|conftest|test_\w+|\w+_test)\.py$"
)
"""Files that are no entry point for a user."""
INFRASTRUCTURE = re.compile(
    r"^(?:local_?rank|rank|world_?size|dist_\w+|node_?rank|master_\w+|multiprocessing\w*|ngpus?|help|version|debug|v|verbose|quiet|q)$"
)
"""Options that a launcher or a developer sets."""
INTERNAL = re.compile(
    r"==SUPPRESS==|deprecated|do not (?:set|use|modify)|internal|not implemented|unused|don't use|todo", re.IGNORECASE
)
PLACEHOLDER = re.compile(r"[<…]|\[[A-Z]|\{[a-z]")
"""What a reader is to replace: the shell would read it as something else."""


class Seed(msgspec.Struct, frozen=True, kw_only=True):
    """An entry point and one way in which documents use it."""

    signature: Signature
    shown: Mapping[str, Any]
    """dest -> value; empty where no document shows a call."""
    workdir: str = "."
    example: Example | None = None

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """Which entry point it is."""
        return self.signature.path, self.signature.name, self.signature.subcommand


def seeds(index: RepoIndex) -> list[Seed]:
    """All seeds of a repository, documented ones first."""
    known = {s for path, found in index.signatures.items() for s in _callable(path, found) if is_entry(s)}
    documented = list(_documented(index, {s.path for s in known}))
    have = {s.key for s in documented} | {(s.signature.path, "", s.signature.subcommand) for s in documented}
    bare = sorted(known, key=lambda s: (s.path, s.name, s.subcommand))
    others = [Seed(signature=s, shown={}) for s in bare if (s.path, s.name, s.subcommand) not in have]
    return [*documented, *others]


def _callable(path: str, found: Sequence[Signature]) -> list[Signature]:
    """The forms in which people call an entry point: by its command where it has one, the `__main__` of a package as a module."""
    commands = [s for s in found if s.kind == "console"]
    if posixpath.basename(path) != "__main__.py":
        return commands or list(found)
    folder = posixpath.dirname(path)
    module = folder.removeprefix("src/").replace("/", ".")
    return commands or [msgspec.structs.replace(s, kind="module", name=module) for s in found if s.kind == "python"]


def is_entry(signature: Signature) -> bool:
    """Whether a user would call it with options."""
    if signature.framework in NO_OPTIONS or LEFT_OUT.search(signature.path):
        return False
    return len(usable(signature)) >= 2


def usable(signature: Signature) -> list[Option]:
    """The options that a request may ask for."""
    seen: dict[str, Option] = {}
    for option in signature.options:
        if option.sure and not INFRASTRUCTURE.match(option.dest) and not INTERNAL.search(option.help):
            seen.setdefault(option.dest, option)
    return list(seen.values())


def _documented(index: RepoIndex, paths: set[str]) -> Iterator[Seed]:
    done = set()
    for example in index.examples:
        if example.kind != "bash" or example.entry not in paths or LEFT_OUT.search(example.path):
            continue
        if PLACEHOLDER.search(example.text):
            continue
        for call in parse_command(example.text).invocations:
            signature = _signature(index.signatures.get(example.entry, ()), call.target, call.name, call.words)
            if signature is None:
                continue
            parsed = parse_call(signature, call.words)
            if parsed.unknown or any(f.severity == "error" for f in parsed.findings):
                continue
            key = (signature.path, signature.name, signature.subcommand, str(sorted(parsed.values.items(), key=str)))
            if key not in done:
                done.add(key)
                yield Seed(signature=signature, shown=plain(parsed.values), workdir=example.workdir, example=example)


def _signature(found: Sequence[Signature], target: str, name: str, words: Sequence[str]) -> Signature | None:
    """The signature that a documented call means."""
    if target == "module":
        files = [msgspec.structs.replace(s, kind="module", name=name) for s in found if s.kind == "python"]
        return choose([s for s in files if is_entry(s)], words)
    kind = "console" if target == "console" else "python"
    fitting = [s for s in found if s.kind == kind and (kind == "python" or s.name == name)]
    return choose([s for s in fitting if is_entry(s)], words)


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """What is shown, without placeholders and variables."""
    return {
        k: v
        for k, v in values.items()
        if not re.search(r"[$<>{}\[\]*`…]|\.\.\.|YOUR|your_|path[/_]to|PATH_TO|xxx|XXX", str(v))
    }


def rivals(signature: Signature, dests: Sequence[str], others: Sequence[Signature]) -> list[Signature]:
    """Other entry points that take all of these options, so that the options alone do not tell which is meant."""
    flags = {o.dest: set(o.flags) for o in signature.options}
    found = []
    for other in others:
        theirs = {f for o in other.options for f in o.flags} | {o.dest for o in other.options}
        if (other.path, other.subcommand) != (signature.path, signature.subcommand) and all(
            flags.get(d, {d}) & theirs or d in theirs for d in dests
        ):
            found.append(other)
    return found


def folder_of(seed: Seed, root: Path) -> list[str]:
    """The folders from which the command may run, likeliest first."""
    own = posixpath.dirname(seed.signature.path) or "."
    return list(dict.fromkeys([seed.workdir, ".", own])) if (root / own).is_dir() else [seed.workdir]
