"""The rows of ML-Bench, and what a navigator may see of them.

`load_tasks` reads rows from a file, the published dataset or those that ship, and gives `Task`s; a row that cannot be used is a problem that is told,
and the others go on. A `Task` holds what only scorers may see (arguments, kind, reference); whoever answers gets `visible(task)`, which cannot.
"""

import ast
import codecs
import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from ml_agent.benchmarks.errors import BenchError
from ml_agent.errors import install_extra
from ml_agent.tools.bounded import read_bytes

Setting = Literal["agent", "repo"]
"""How much of a row is seen: all but the answer, or without the task's folder as well."""
Kind = Literal["bash", "python"]
MOST_BYTES = 1024**3
"""Size of a file of rows, or of predictions."""
DATASET = "super-dainiu/ml-bench"
LOCAL = "https://github.com/local/"
"""Begins the made address of a folder of the user's that was cloned from nowhere."""
SPLITS = ("full", "quarter", "id_train", "ood_train")
SHIPPED = {"wild": "ml_agent.benchmarks.wild"}
"""Rows that come with the program, by name: eighteen repositories as users meet them."""
KINDS: dict[str, Kind] = {"Bash Script": "bash", "Python Code": "python"}


def whole(value: Any) -> Any:
    """A value of JSON without halves of characters: joined, or marked where one stands alone (models write an emoji as two escapes)."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {whole(name): whole(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [whole(one) for one in value]
    return value


_NAME = re.compile(r"[\w-][\w.-]{0,99}")
"""Of a repository, and so of its folder: never the folder of all repositories, or one above it."""


class Key(NamedTuple):
    """What names a row: `id` is unique within one `github_id` only."""

    github_id: int
    id: int

    def __str__(self) -> str:
        return f"{self.github_id}-{self.id}"


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One row, with everything that only scorers may see."""

    github_id: int
    id: int
    github: str
    path: str
    """Folder of the task inside the repository, as published ("./examples/x")."""
    arguments: Mapping[str, Any]
    """The values that must be honoured, by name."""
    instruction: str
    kind: Kind
    output: str
    """The reference answer."""
    prefix_code: str = ""
    """What an environment needs before the answer runs."""
    commit: str = ""
    """The repository's commit, where the row names it."""

    @property
    def key(self) -> Key:
        """The row's name."""
        return Key(self.github_id, self.id)

    @property
    def repository(self) -> str:
        """The repository's name in lower case, as its folder is called."""
        return repository_name(self.github)

    @property
    def folder(self) -> str:
        """The task's folder relative to the repository's root, "." for the root itself."""
        return self.path.strip().removeprefix("./").strip("/") or "."


class Visible(msgspec.Struct, frozen=True, kw_only=True):
    """All that a navigator may see of a row; arguments, kind and reference cannot be in it."""

    instruction: str
    github: str
    path: str = ""
    """Empty in setting "repo"."""
    prefix_code: str = ""


def repository_name(address: str) -> str:
    """NAME of a repository's address, in lower case."""
    return address.rstrip("/").removesuffix(".git").rsplit("/", 1)[-1].rpartition(":")[2].lower()


def full_name(address: str) -> str:
    """OWNER/NAME of a repository's address."""
    return "/".join(address.rstrip("/").removesuffix(".git").split("/")[-2:])


def visible(task: Task, setting: Setting) -> Visible:
    """What a navigator sees of a task in a setting."""
    return Visible(
        instruction=task.instruction,
        github=task.github,
        path="" if setting == "repo" else task.folder,
        prefix_code=task.prefix_code,
    )


class RowProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why one row cannot be used."""

    row: int
    """Counted from 1."""
    key: str
    message: str


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that are good, and the problems of the others."""

    tasks: tuple[Task, ...]
    problems: tuple[RowProblem, ...] = ()


def load_tasks(source: str, keys: Iterable[str] | None = None) -> Loaded:
    """Read rows from a JSONL or Parquet file, from the published dataset, or those that come with the program.

    Args:
        source: a path, a name of SHIPPED, or DATASET or DATASET:SPLIT for the published one (needs the extra `data` and a network).
        keys: only rows of these names ("github_id-id"), in this order; unknown ones are problems.

    Raises:
        BenchError: the file cannot be read, or has no rows.
    """
    tasks: dict[str, Task] = {}
    problems: list[RowProblem] = []
    number = 0
    for number, row in enumerate(_rows(source), start=1):
        if isinstance(row, RowProblem):
            problems.append(msgspec.structs.replace(row, row=number))
            continue
        try:
            task = task_of(row)
        except ValueError as error:
            problems.append(RowProblem(row=number, key=f"{row.get('github_id')}-{row.get('id')}", message=str(error)))
            continue
        if str(task.key) in tasks:
            problems.append(
                RowProblem(row=number, key=str(task.key), message="an earlier row has the same github_id and id")
            )
            continue
        tasks[str(task.key)] = task
    if not number:
        raise BenchError(f"{source} contains no rows")
    if keys is None:
        return Loaded(tasks=tuple(tasks.values()), problems=tuple(problems))
    wanted = list(dict.fromkeys(keys))
    problems += [RowProblem(row=0, key=k, message="no such row in the file") for k in wanted if k not in tasks]
    return Loaded(tasks=tuple(tasks[k] for k in wanted if k in tasks), problems=tuple(problems))


_Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""Names a row: results could not hold a larger one."""


class _Published(msgspec.Struct, frozen=True, kw_only=True):
    """A row as it is published; other fields are not read."""

    github_id: _Number
    id: _Number
    github: str
    path: str
    arguments: str | dict[str, Any]
    instruction: str
    type: str
    output: str
    prefix_code: str | None = None
    commit: str | None = None


def task_of(row: Mapping[str, Any]) -> Task:
    """A task from a published row; ValueError says which field is off."""
    read = msgspec.convert(row, _Published)
    if not read.instruction.strip():
        raise ValueError("the field 'instruction' is empty")
    if "\0" in read.path or posixpath.normpath(read.path.strip().strip("/") or ".").startswith(".."):
        raise ValueError(f"the field 'path' names a folder outside the repository: {read.path}")
    kind = KINDS.get(read.type.strip())
    if kind is None:
        raise ValueError(f"the field 'type' is {read.type!r}; it must be one of {', '.join(KINDS)}")
    if not _NAME.fullmatch(repository_name(read.github)):
        raise ValueError(f"the field 'github' does not end in the name of a repository: {read.github[:80]!r}")
    return Task(
        github_id=read.github_id,
        id=read.id,
        github=read.github,
        path=read.path,
        arguments=parse_arguments(read.arguments),
        instruction=read.instruction,
        kind=kind,
        output=read.output,
        prefix_code=read.prefix_code or "",
        commit=read.commit or "",
    )


def parse_arguments(text: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a row: published as the text of a Python dict; ValueError where it is none."""
    if not isinstance(text, str):
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"the field 'arguments' is not a Python dict: {text[:80]!r}") from error
    if not isinstance(value, dict):
        raise ValueError(f"the field 'arguments' must be a Python dict, not a value of type {type(value).__name__}")
    return value


def repository_folder(task: Task, repos: Path) -> Path | None:
    """Where the task's repository stands under `repos`; None where it is not there."""
    folder = repos / task.repository
    if folder.is_dir():
        return folder
    return (
        next((f for f in repos.iterdir() if f.is_dir() and f.name.lower() == task.repository), None)
        if repos.is_dir()
        else None
    )


def missing_place(task: Task, repos: Path) -> str:
    """Why nobody could answer the task: its repository, or its folder in it, is not there; "" where both are."""
    root = repository_folder(task, repos)
    if root is None:
        return f"no repository {task.repository} in {repos}"
    return "" if (root / task.folder).is_dir() else f"no folder {task.folder} in the repository {task.repository}"


_Row = Mapping[str, Any] | RowProblem
"""Or why a line of a file holds none; then its key is its place, as path:line."""


def _rows(source: str) -> Iterator[_Row]:
    path = Path(source)
    if source in SHIPPED and not path.exists():
        with as_file(files(SHIPPED[source]).joinpath("rows.jsonl")) as own:
            yield from _jsonl(own)
        return
    if source.partition(":")[0] == DATASET:
        yield from _published_rows(source.partition(":")[2] or "full")
        return
    if not path.is_file():
        raise BenchError(
            f"--tasks: there is no file {source}; give a JSONL or Parquet file, {', '.join(SHIPPED)}, or {DATASET}:SPLIT"
        )
    yield from _parquet(path) if path.suffix == ".parquet" else _jsonl(path)


def _jsonl(path: Path) -> Iterator[_Row]:
    try:
        content = read_bytes(path, MOST_BYTES).removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise BenchError(f"{path}: {error.strerror or error}") from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield _object(line, f"{path}:{number}")


def _object(line: bytes, place: str) -> _Row:
    """One JSON object, or why there is none, so that the others go on."""
    try:
        value = whole(json.loads(line.decode("utf-8")))
        if isinstance(value, dict):
            return value
        said = f"the line is a JSON value of type {type(value).__name__}, not an object"
    except UnicodeDecodeError as error:
        said = f"the line is not UTF-8 ({error.reason} at byte {error.start + 1} of the line)"
    except (ValueError, RecursionError) as error:
        said = f"the line is not JSON ({error})"
    return RowProblem(row=0, key=place, message=said)


def _parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise BenchError(
            f"{path} cannot be read, because reading Parquet needs the extra `data`: {install_extra('data')}"
        ) from error
    try:
        rows: list[Mapping[str, Any]] = parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as error:  # Arrow's own errors are of these kinds
        raise BenchError(f"{path} is not a Parquet file ({str(error).partition(chr(10))[0]})") from error
    yield from rows


def _published_rows(split: str) -> Iterator[Mapping[str, Any]]:
    if split not in SPLITS:
        raise BenchError(f"the data set {DATASET} has no split {split!r}; it has {', '.join(SPLITS)}")
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise BenchError(f"reading {DATASET} needs the extra `data`: {install_extra('data')}") from error
    yield from load_dataset(DATASET, split=split)
