"""The repositories that rows are made of: folders, or names on GitHub."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

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
    names = Counter(one.name for one in found)
    if twice := [name for name, number in names.items() if number > 1]:
        raise BenchError(
            f"two repositories are called {twice[0]}, and rows find theirs by its name: make rows of each for itself"
        )
    return tuple(found)


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
