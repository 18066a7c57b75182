"""The repositories that rows are made of: folders, or names on GitHub."""

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ml_agent.benchmarks.errors import BenchError
from ml_agent.benchmarks.make.rows import LOCAL, RowSource
from ml_agent.benchmarks.make.run import FIRST_ID
from ml_agent.repositories import repository_cache
from ml_agent.settings import load_settings
from ml_agent.tools.errors import RepositoryError
from ml_agent.tools.versions import local_version
from ml_agent.tools.work_tree import WorkTree

NAME = re.compile(r"[\w.-]+/[\w.-]+$")
COMMIT = re.compile(r"[0-9a-f]{40}$")


def sources(given: Sequence[str]) -> tuple[RowSource, ...]:
    """The repositories in the order in which they were given. BenchError for one that cannot be had."""
    found: list[RowSource] = []
    for number, text in enumerate(given):
        if Path(text).is_dir() and any(one.root == Path(text).resolve() for one in found):
            continue
        if Path(text).is_dir():
            found.append(_folder(Path(text).resolve(), FIRST_ID + number))
        elif NAME.match(text):
            found.append(_github_source(text, FIRST_ID + number))
        else:
            raise BenchError(f"{text}: no folder, and no OWNER/NAME")
    return tuple(_apart(found))


def _apart(given: Sequence[RowSource]) -> Iterator[RowSource]:
    """The same with another name for each folder without an address on GitHub that has an earlier one's: rows find their repository by it."""
    taken = {one.name for one in given if not one.is_local}
    for one in given:
        first, called = one.root.name, f"{one.root.parent.name}-{one.root.name}"
        names = itertools.chain([first, called], (f"{called}-{n}" for n in itertools.count(2)))
        name = next(name for name in names if name.lower() not in taken) if one.is_local else one.name
        taken.add(name.lower())
        yield msgspec.structs.replace(one, name=name.lower(), github=LOCAL + name) if one.is_local else one


def _folder(root: Path, number: int) -> RowSource:
    version = local_version(root)
    commit = version if COMMIT.match(version) else ""
    return RowSource(root=root, name=root.name.lower(), github=_origin(root), commit=commit, github_id=number)


def _origin(root: Path) -> str:
    """Where a folder was cloned from, without what stands before an @; for any other folder a made address of its name."""
    try:
        address = WorkTree(root).origin()
    except RepositoryError:  # no work tree of git
        address = ""
    match = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+)$", address.removesuffix(".git"))
    return f"https://github.com/{match[1]}" if match else LOCAL + root.name


def _github_source(text: str, number: int) -> RowSource:
    try:
        found = repository_cache(load_settings()).get(f"https://github.com/{text}", None)
    except RepositoryError as error:
        raise BenchError(f"{text}: {error}") from error
    name = text.rpartition("/")[2].lower()
    return RowSource(
        root=found.root, name=name, github=f"https://github.com/{text}", commit=found.version, github_id=number
    )
