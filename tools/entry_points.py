"""The entry points of a repository in the order in which a person would look at them."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ml_agent.tools.index import RepoIndex
from ml_agent.tools.signatures.model import EntryPoint

Role = Literal["run", "helper", "test", "set-up", "make"]
_DOCUMENTS = (".md", ".rst", ".txt", ".ipynb", ".html")
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|unittests?|benchmarks?/tests?)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.(?:py|sh)$"
)
_SET_UP = re.compile(
    r"(?:^|/)(?:setup|noxfile|tasks|fabfile|versioneer|hubconf)\.py$|(?:^|/)(?:docs?|docker|\.?ci|\.github|\.circleci)/"
    r"|(?:^|/)(?:install|build|lint|format|release)[^/]*\.(?:py|sh)$"
)
_ROLES: tuple[Role, ...] = ("run", "helper", "test", "set-up", "make")


class RankedEntry(NamedTuple):
    """An entry point and what is known of its use."""

    entry: EntryPoint
    role: Role
    """run: what people start. helper: takes nothing and no document shows it. test, set-up, make: what serves development."""
    examples: int
    """How many commands of the documents call it."""


def entry_points(index: RepoIndex) -> list[RankedEntry]:
    """All entry points, what people run first: documented ones, console scripts, `__main__`, then the others."""
    shown = Counter(
        example.entry
        for example in index.examples
        if example.kind == "bash" and example.path.endswith(_DOCUMENTS) and example.entry
    )
    found = [RankedEntry(one, _role(one, shown[one.path]), shown[one.path]) for one in index.entries]
    return sorted(found, key=_place)


def _role(entry: EntryPoint, examples: int) -> Role:
    if entry.kind == "make":
        return "make"
    if entry.kind == "console":
        return "run"
    if _TESTS.search(entry.path):
        return "test"
    if _SET_UP.search(entry.path):
        return "set-up"
    return "helper" if entry.framework in ("none", "shell") and not examples and not _is_main(entry.path) else "run"


def _is_main(path: str) -> bool:
    return posixpath.basename(path) == "__main__.py"


def _place(ranked: RankedEntry) -> tuple[object, ...]:
    entry, role, examples = ranked
    first = 0 if examples else 1 if entry.kind == "console" or _is_main(entry.path) else 2
    return (_ROLES.index(role), first, -examples, entry.path.count("/"), entry.path, entry.title)


def matching(entries: Iterable[RankedEntry], word: str) -> Iterator[RankedEntry]:
    """Those that have a word in their name, their options or what they say of themselves; "" for any."""
    wanted = word.lower()
    for one in entries:
        texts = (one.entry.title, one.entry.path, one.entry.doc, *one.entry.words)
        if any(wanted in text.lower() for text in texts):
            yield one
