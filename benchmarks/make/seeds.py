"""Where rows start: commands that documents show, with every value read by the signature of what they call."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ml_agent.tools.commandline.invocation import Invocation
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.examples import Example
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Option, Signature

LEFT_OUT = re.compile(
    r"(?:^|/)(?:tests?|unit_?tests?|testing|docs?|\.github|ci|third_party|vendor|conda|docker)(?:/|$)"
    r"|(?:^|/)(?:setup|conftest|test_\w+|\w+_test)\.py$"
)
"""Files that are no entry point for a user."""
INFRASTRUCTURE = re.compile(
    r"(?:local_?rank|rank|world_?size|dist_\w+|node_?rank|master_\w+|multiprocessing\w*|n?gpus?|help|version|debug|v|verbose|quiet|q)$"
)
"""Options that a launcher or a developer sets."""
INTERNAL = re.compile(
    r"==SUPPRESS==|deprecated|do not (?:set|use|modify)|internal|unused|don't use|todo", re.IGNORECASE
)
OPEN = re.compile(
    r"[$<>{}\[\]*`…]|\.\.\.|YOUR|[Yy]our[_-]|\bmy[_-]|path[/_-]to|PATH_TO|xxx|XXX|placeholder|[-_]or[-_]path"
)
"""A value that stands for one of the reader's own."""
HARMLESS = re.compile(r"(?:CUDA|HIP)_|OMP_|MKL_|PYTHON|TOKENIZERS_|TORCH_|TF_CPP|NCCL_|HF_HUB")
"""Environment that a program runs without as well."""
HELP = frozenset({"-h", "--help", "--version", "help", "list"})
"""Words that ask what there is, and not for a run: what else is given then does nothing."""


class Seed(msgspec.Struct, frozen=True, kw_only=True):
    """An entry point and one way in which documents use it."""

    signature: Signature
    shown: Mapping[str, Any]
    """dest -> value."""
    workdir: str
    example: Example

    @property
    def options(self) -> dict[str, Option]:
        """The options that a request may ask for, by name."""
        return {o.dest: o for o in self.signature.options if _is_usable(o)}


def seeds(index: RepoIndex) -> list[Seed]:
    """All seeds of a repository, each way of use once."""
    found: dict[tuple[str, ...], Seed] = {}
    for example in index.examples:
        known = index.signatures.get(example.entry, ())
        if example.kind == "bash" and not LEFT_OUT.search(example.path) and not LEFT_OUT.search(example.entry):
            for seed in _seeds_of(example, known):
                signature = seed.signature
                key = (signature.path, signature.name, *signature.subcommand, str(sorted(seed.shown.items(), key=str)))
                found.setdefault(key, seed)
    return list(found.values())


def _seeds_of(example: Example, known: Sequence[Signature]) -> Iterator[Seed]:
    for call in parse_command(example.text).invocations:
        signature = _signature(known, call) if _is_plain(call) else None
        if signature is None or not any(map(_is_usable, signature.options)):
            continue
        parsed = parse_call(signature, call.words)
        findings = [one for one in parsed.findings if one.severity == "error"]
        if not parsed.unknown and not findings and not any(map(_is_open, parsed.values.values())):
            yield Seed(signature=signature, shown=parsed.values, workdir=example.workdir, example=example)


def _is_plain(call: Invocation) -> bool:
    """Whether a call says all that the program gets: no launcher, no environment, nothing from outside, and no help asked for."""
    outside = any(sign.startswith("<") for sign, _ in call.redirects)
    needs = any(not HARMLESS.match(name) for name, _ in call.environment)
    return not (call.launcher or outside or needs or HELP & set(call.words))


def _signature(found: Sequence[Signature], call: Invocation) -> Signature | None:
    """The signature that a documented call means."""
    if call.target == "module":
        files = [msgspec.structs.replace(s, kind="module", name=call.name) for s in found if s.kind == "python"]
        return choose(files, call.words)
    kind = "console" if call.target == "console" else "python"
    return choose([s for s in found if s.kind == kind and (kind == "python" or s.name == call.name)], call.words)


def _is_open(value: Any) -> bool:
    return OPEN.search(" ".join(map(str, value)) if isinstance(value, list) else str(value)) is not None


def _is_usable(option: Option) -> bool:
    return option.sure and not INFRASTRUCTURE.match(option.dest) and not INTERNAL.search(option.help)
