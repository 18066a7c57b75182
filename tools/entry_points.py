"""The entry points of a repository in the order in which a person would look at them."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import Signature

Role = Literal["run", "helper", "test", "set-up", "make"]
_DOCUMENTS = (".md", ".rst", ".txt", ".ipynb", ".html")
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?|benchmarks?/tests?)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.(?:py|sh)$"
)
_SET_UP = re.compile(
    r"(?:^|/)(?:setup|noxfile|tasks|fabfile|versioneer|hubconf)\.py$|(?:^|/)(?:docs?|docker|\.?ci|\.github|\.circleci)/"
    r"|(?:^|/)(?:install|build|lint|format|release)[^/]*\.(?:py|sh)$"
)


class EntryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that can be started."""

    signature: Signature
    role: Role
    """run: what people start. helper: takes nothing and no document shows it. test, set-up, make: what serves development."""
    examples: int = 0
    """How many commands of the documents call it, with its subcommand."""

    @property
    def name(self) -> str:
        """How it is called: the console script, module or path, and the subcommand."""
        signature = self.signature
        return " ".join([signature.name or signature.path, *signature.subcommand])


def entry_points(index: RepoIndex) -> list[EntryPoint]:
    """All entry points, what people run first: documented ones, console scripts, `__main__`, then the others."""
    shown: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
    for example in index.examples:
        if example.kind == "bash" and example.path.endswith(_DOCUMENTS) and example.entry:
            shown[example.entry].append(example.text.split())
    found = []
    for path, signatures in index.signatures.items():
        for signature in signatures:
            examples = sum(_in_order(signature.subcommand, words) for words in shown[path])
            found.append(EntryPoint(signature=signature, role=_role(signature, examples), examples=examples))
    return sorted(found, key=_place)


def _in_order(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Whether all of several words stand among others in their order."""
    left = iter(words)
    return all(word in left for word in wanted)


def _role(signature: Signature, examples: int) -> Role:
    path = signature.path
    if signature.kind == "make":
        return "make"
    if signature.kind == "console":
        return "run"
    if _TESTS.search(path):
        return "test"
    if _SET_UP.search(path):
        return "set-up"
    return "helper" if signature.framework in ("none", "shell") and not examples and not _is_main(path) else "run"


def _is_main(path: str) -> bool:
    return posixpath.basename(path) == "__main__.py"


def _place(entry: EntryPoint) -> tuple[object, ...]:
    signature = entry.signature
    first = 0 if entry.examples else 1 if signature.kind == "console" or _is_main(signature.path) else 2
    roles = ("run", "helper", "test", "set-up", "make")
    return (roles.index(entry.role), first, -entry.examples, signature.path.count("/"), signature.path, entry.name)


def matching(entries: list[EntryPoint], word: str, framework: str) -> Iterator[EntryPoint]:
    """Those that have a word in their name, options or description, and that use a framework; "" for any."""
    wanted = word.lower()
    for entry in entries:
        signature = entry.signature
        texts = (
            entry.name,
            signature.path,
            signature.doc,
            *(flag for o in signature.options for flag in (o.dest, *o.flags)),
        )
        if framework in ("", signature.framework) and any(wanted in text.lower() for text in texts):
            yield entry
