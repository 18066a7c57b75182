"""Where rows start: an entry point, and the values that documents show for it."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.examples import Example
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature

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
OPEN = re.compile(
    r"[$<>{}\[\]*`…]|\.\.\.|YOUR|[Yy]our[_-]|\bmy[_-]|path[/_-]to|PATH_TO|xxx|XXX|placeholder|[-_]or[-_]path"
)
"""A value that stands for one of the reader's own."""
HARMLESS = re.compile(r"(?:CUDA|HIP)_|OMP_|MKL_|PYTHON|TOKENIZERS_|TORCH_|TF_CPP|NCCL_|HF_HUB")
"""Environment that a program runs without as well."""
EXPORT = re.compile(r"export\s+(\w+)")
SETTING = re.compile(r"(export\s+)?([A-Za-z_]\w*)=[\"']?([\w./,:+-]+)[\"']?$")
"""A variable that is set to a plain word."""
HELP = frozenset({"-h", "--help", "--version", "help", "list"})
"""Words that ask what there is, and not for a run: what else is given then does nothing."""
REST = re.compile(r"\$[@*{]?[@*]")
"""The words that a script was given."""


class Seed(msgspec.Struct, frozen=True, kw_only=True):
    """An entry point and one way in which documents use it."""

    signature: Signature
    shown: Mapping[str, Any]
    """dest -> value; empty where no document shows a call."""
    open: Mapping[str, Any] = {}
    """dest -> what stands there for a value of the reader's: a placeholder, a variable."""
    workdir: str = "."
    example: Example | None = None

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """Which entry point it is."""
        return self.signature.path, self.signature.name, self.signature.subcommand


def seeds(index: RepoIndex) -> list[Seed]:
    """All seeds of a repository, documented ones first.

    What documents show only in a way that makes no seed, as behind a launcher, may need just that, and makes none without it.
    """
    known = {s for path, found in index.signatures.items() for s in _callable(path, found) if is_entry(s)}
    documented = list(_documented_seeds(index, {s.path for s in known}))
    have = {s.key for s in documented} | {(s.signature.path, "", s.signature.subcommand) for s in documented}
    bare = sorted(known, key=lambda s: (s.path, s.name, s.subcommand))
    used = {e.entry for e in index.examples if e.kind == "bash"}
    others = [
        Seed(signature=s, shown={}) for s in bare if (s.path, s.name, s.subcommand) not in have and s.path not in used
    ]
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


def _documented_seeds(index: RepoIndex, paths: set[str]) -> Iterator[Seed]:
    done = set()
    for example in index.examples:
        if example.kind != "bash" or example.entry not in paths or LEFT_OUT.search(example.path):
            continue
        if PLACEHOLDER.search(example.text):
            continue
        if _depends_on_exports(example):
            continue
        for call in parse_command(_expand_variables(example)).invocations:
            if not _is_plain(call):
                continue
            signature = _signature(index.signatures.get(example.entry, ()), call.target, call.name, call.words)
            if signature is None:
                continue
            parsed = parse_call(signature, call.words)
            if parsed.unknown or any(f.severity == "error" for f in parsed.findings):
                continue
            shown = plain(parsed.values)
            rest = {k: v for k, v in parsed.values.items() if k not in shown}
            key = (signature.path, signature.name, signature.subcommand, str(sorted(parsed.values.items(), key=str)))
            if key not in done:
                done.add(key)
                yield Seed(signature=signature, shown=shown, open=rest, workdir=example.workdir, example=example)


def _expand_variables(example: Example) -> str:
    """The command with the variables that are set to plain words where it stands."""
    found = (SETTING.match(line) for line in example.setup)
    return Template(example.text).safe_substitute({m[2]: m[3] for m in found if m})


def _depends_on_exports(example: Example) -> bool:
    """Whether a script exports what the program may read by itself."""
    names = (m[1] for line in example.setup if (m := EXPORT.match(line)))
    return any(not HARMLESS.match(name) and not re.search(rf"\$\{{?{name}\b", example.text) for name in names)


def _is_plain(call: Invocation) -> bool:
    """Whether a call says all that the program gets: no launcher, no environment, nothing from outside, and no help asked for."""
    if call.launcher or any(op.startswith("<") for op, _ in call.redirects):
        return False
    if any(not HARMLESS.match(name) for name, _ in call.environment):
        return False
    return not any(word in HELP or REST.search(word) for word in call.words)


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
        k: v for k, v in values.items() if not OPEN.search(" ".join(map(str, v)) if isinstance(v, list) else str(v))
    }


def with_the_same_options(signature: Signature, dests: Sequence[str], others: Sequence[Signature]) -> list[Signature]:
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
