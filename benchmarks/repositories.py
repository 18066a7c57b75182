"""The repositories of a set of rows, laid out as the bench wants them: REPOS/<name in lower case>, at their pinned commits.

Rows in, one `LaidRepository` each out. A copy has no git history, but a file `.commit`: by it a folder of ours is told from one that somebody
else put there, which is never replaced.
"""

import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from ml_agent.benchmarks.data import LOCAL, Task, full_name, repository_folder
from ml_agent.settings import load_settings
from ml_agent.tools.atomic import write_whole
from ml_agent.tools.errors import RepositoryError, ToolError, UnreachableError
from ml_agent.tools.files import Tree
from ml_agent.tools.remotes import is_url
from ml_agent.tools.work_tree import WorkTree
from ml_agent.workspaces import repository_cache

MARK = ".commit"
"""File that holds the commit of a folder that is no git work tree."""
ROOT_MARKS = (MARK, ".git", "setup.py", "setup.cfg", "pyproject.toml", "README.md", "README.rst")
"""Any of them stands in the root of a repository."""
SECONDS = 1800.0
"""How long one mirror may be read."""
MAX_BYTES = 64 * 1024**3
"""Of one repository's files."""
FOREIGN = "{} is there already and was not made by this command: the other commands take it as it is; to fetch it, move it away"
"""Rows come from others, and name the folders that are written: what somebody else put there is not replaced."""
COPY = "{}; or put a copy of the repository into {}: the other commands take it as it is"
ABSENT_FOLDER = "made of a folder of yours, which is not in {}: copy it there, or give --repos the folder that holds it"
NO_COMMIT = "no pinned commit is known; give one with --commit {}=SHA, or HEAD"


class LaidRepository(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one repository."""

    name: str
    commit: str = ""
    problem: str = ""
    """Why it is not there; empty where it is."""
    absent: tuple[str, ...] = ()
    """Files that a mirror lists but does not hold."""
    new: bool = True


def pinned() -> dict[str, str]:
    """The benchmark's own commits, by OWNER/NAME in lower case."""
    commits: dict[str, str] = tomllib.loads(files("ml_agent.benchmarks").joinpath("commits.toml").read_text())
    return commits


def lay_repositories(
    tasks: Sequence[Task], repos: Path, commits: Mapping[str, str], mirrors: Path | None = None
) -> Iterator[LaidRepository]:
    """Lay every repository of the rows that is not there at its commit; one that cannot be had is told and the rest goes on.

    Args:
        tasks: the rows.
        repos: where the folders go.
        commits: by the repository's folder name; above those of the rows and the pinned ones. "HEAD" takes the newest.
        mirrors: folder of git directories (OWNER+NAME/repo, OWNER+NAME, NAME or NAME/.git); without it, GitHub is asked.
    """
    repos.mkdir(parents=True, exist_ok=True)
    for task in {t.repository: t for t in tasks}.values():
        full = full_name(task.github)
        commit = commits.get(task.repository) or task.commit or pinned().get(full.lower(), "")
        folder = repos / task.repository
        own = repository_folder(task, repos) if task.github.startswith(LOCAL) else None
        if own is not None:
            yield LaidRepository(name=task.repository, commit="your own folder, used as it is", new=False)
        elif task.github.startswith(LOCAL):
            yield LaidRepository(name=task.repository, problem=ABSENT_FOLDER.format(repos))
        elif not commit:
            yield LaidRepository(name=task.repository, problem=NO_COMMIT.format(task.repository))
        elif _commit_at(folder) == commit:
            yield LaidRepository(name=task.repository, commit=commit, new=False)
        elif os.path.lexists(folder) and not _commit_at(folder):
            yield LaidRepository(name=task.repository, problem=FOREIGN.format(folder))
        else:
            yield _lay(task, full, folder, commit, mirrors)


def repositories_in(folders: Iterable[Path]) -> list[Path]:
    """Each folder itself where it is a repository, else the folders in it."""
    found: list[Path] = []
    for folder in folders:
        own = any(folder.glob("*.py")) or any((folder / mark).exists() for mark in ROOT_MARKS)
        inner = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
        found += [folder] if own else inner
    return found


def _commit_at(folder: Path) -> str:
    """The commit that is there; "" for none."""
    try:
        return Tree(folder).read_text(MARK, 200).strip()
    except (OSError, ToolError):
        return ""


def _lay(task: Task, full: str, folder: Path, commit: str, mirrors: Path | None) -> LaidRepository:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as work:
        tree = Path(work, "tree")
        try:
            if mirrors is not None:
                commit, absent = _from_mirror(_mirror(mirrors, full), commit, tree)
            else:
                commit, absent = _from_host(task.github, commit, tree)
            # in the place of what the repository calls so, be it a link
            write_whole(tree / MARK, f"{commit}\n".encode())
            shutil.rmtree(folder, ignore_errors=True)
            tree.rename(folder)
        except UnreachableError as error:
            return LaidRepository(name=task.repository, problem=COPY.format(error, folder))
        except (RepositoryError, OSError) as error:
            return LaidRepository(name=task.repository, problem=str(error))
    return LaidRepository(name=task.repository, commit=commit, absent=absent)


def _from_host(url: str, commit: str, tree: Path) -> tuple[str, tuple[str, ...]]:
    """From an address only: a row names no folder of this machine."""
    if not is_url(url):
        raise RepositoryError(f"{url} is not an address: write https://HOST/OWNER/NAME")
    found = repository_cache(load_settings()).get(url, None if commit == "HEAD" else commit)
    shutil.copytree(found.root, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    return found.version, ()


def _mirror(mirrors: Path, full: str) -> Path:
    owner_and_name = full.replace("/", "+")
    name = full.rpartition("/")[2]
    for folder in (f"{owner_and_name}/repo", owner_and_name, name, f"{name}/.git"):
        if (mirrors / folder / "HEAD").is_file():
            return mirrors / folder
    raise RepositoryError(f"the folder {mirrors} has no git directory of {full}")


def _from_mirror(mirror: Path, commit: str, tree: Path) -> tuple[str, tuple[str, ...]]:
    """Write the files one by one, so that a mirror whose largest ones are absent still gives all the others."""
    git = WorkTree(mirror, bare=True, seconds=SECONDS)
    sha = git.head if commit == "HEAD" else git.find(commit)
    if not sha:
        raise RepositoryError(f"the git directory {mirror} has no commit yet")
    tree.mkdir()
    return sha, git.write_held(sha, tree, MAX_BYTES)
