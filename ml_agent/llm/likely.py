"""Where in a repository a task is likely done: entry points, passages, API objects, files."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from ml_agent.draft import Draft
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from tools.documents.model import Passage
from tools.index import RepoIndex
from tools.python_api.model import ApiObject
from tools.retrieval import Bm25Index, tokenize
from tools.signatures.model import Signature

Entry = tuple[Signature, ...]
"""All signatures of one entry point: one, or one for each subcommand."""

_DRAFTS = 6
_SMOOTH = 3.0
"""The first of a ranking is worth twice the fourth."""
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|docs?|\.\w+|third_party|vendor)/|(?:^|/)(?:setup|conftest|test_\w+|\w+_test)\.py$"
)
"""What is seldom asked for by users: tests, set-up, foreign code."""
_LANGUAGES = frozenset(
    {"bash", "python", "sh", "shell", "console", "zsh", "py", "pycon", "yaml", "json", "toml", "ini"}
)
"""Of blocks that show how something is done; blocks of prose and output are left out."""
_WORD = re.compile(r"[\w.-]+")
_CODE = re.compile(r"\b(?:python|code|snippet|function|class|import)\b", re.IGNORECASE)


class _Texts(NamedTuple):
    """A repository's entry points and passages, ready to be searched."""

    entries: tuple[Entry, ...]
    entry_index: Bm25Index
    passages: tuple[Passage, ...]
    passage_index: Bm25Index


def wants_code(request: Request) -> bool:
    """Whether the wording speaks of code."""
    return _CODE.search(request.instruction) is not None


def likely_entries(request: Request, workspace: Workspace, drafts: Sequence[Draft], most: int) -> list[Entry]:
    """The entry points that the task may mean, best first: by what they say, by the grounded drafts, and by name."""
    texts = _texts(workspace.index)
    scores: dict[str, float] = {}
    by_path = {entry[0].path: entry for entry in texts.entries}
    hits = texts.entry_index.top(tokenize(request.instruction), 4 * most)
    for rank, hit in enumerate(hits):
        _add(scores, texts.entries[hit.position][0].path, 1 / (_SMOOTH + rank))
    found = dict.fromkeys(draft.entry for draft in islice(drafts, _DRAFTS) if draft.entry in by_path)
    for rank, path in enumerate(found):
        _add(scores, path, 1 / (_SMOOTH + rank))
    said = {word.lower().strip(".") for word in _WORD.findall(request.instruction)}
    for path in by_path:
        name = PurePosixPath(path)
        if name.name.lower() in said or path.lower() in said:
            _add(scores, path, 1.0)
    folder = PurePosixPath(workspace.path or ".")
    for path in scores:
        near = folder == PurePosixPath(".") or PurePosixPath(path).is_relative_to(folder)
        scores[path] *= (1.0 if near else 0.5) * (0.3 if _ASIDE.search(path) else 1.0)
    ordered = sorted(scores, key=lambda path: (-scores[path], path))
    return [by_path[path] for path in ordered[:most]]


def find_entries(words: str, workspace: Workspace, most: int) -> list[Entry]:
    """The entry points that speak of some words, best first."""
    texts = _texts(workspace.index)
    return [texts.entries[hit.position] for hit in texts.entry_index.top(tokenize(words), most)]


def likely_passages(words: str, workspace: Workspace, most: int) -> list[Passage]:
    """The passages with commands or code that fit the words, best first; those of the task's folder before others."""
    texts = _texts(workspace.index)
    hits = texts.passage_index.top(tokenize(words), 4 * most)
    folder = workspace.path or "."
    scored = [
        (hit.score * (1.3 if texts.passages[hit.position].path.startswith(f"{folder}/") else 1.0), hit) for hit in hits
    ]
    return [texts.passages[hit.position] for _, hit in sorted(scored, key=lambda pair: -pair[0])[:most]]


def likely_objects(words: str, workspace: Workspace, most: int) -> list[ApiObject]:
    """The classes and functions that the words name, then those that speak of them."""
    api = workspace.index.api
    said = {word.lower().strip(".") for word in _WORD.findall(words)}
    named = [item for item in api.objects if item.name.rpartition(".")[2].lower() in said and not item.name.islower()]
    found = {item.name: item for item in [*named[:most], *api.search(words, most)]}
    return list(found.values())[:most]


def likely_files(words: str, workspace: Workspace, most: int) -> list[str]:
    """The files whose paths share words with the task, best first."""
    files = [path for path in workspace.index.files if not _ASIDE.search(path)]
    hits = Bm25Index([tokenize(path.replace("/", " ")) for path in files]).top(tokenize(words), most)
    return [files[hit.position] for hit in hits]


def blocks_of(passage: Passage, most: int) -> str:
    """The commands and code of a passage, at most so many characters."""
    text = "\n".join(block.text.strip() for block in passage.blocks if block.language in _LANGUAGES)
    return text if len(text) <= most else text[:most].rsplit("\n", 1)[0] + "\n..."


@lru_cache(maxsize=8)
def _texts(index: RepoIndex) -> _Texts:
    entries = tuple(known for known in index.signatures.values() if known)
    shown: dict[str, list[str]] = {}
    for example in index.examples:
        if example.entry:
            shown.setdefault(example.entry, []).extend([*example.headings, example.introduction])
    passages = tuple(one for one in index.passages if any(block.language in _LANGUAGES for block in one.blocks))
    return _Texts(
        entries=entries,
        entry_index=Bm25Index([tokenize(" ".join(_said_of(entry, shown))) for entry in entries]),
        passages=passages,
        passage_index=Bm25Index(
            [
                tokenize(" ".join([*one.headings, one.headings[-1] if one.headings else "", one.text]))
                for one in passages
            ]
        ),
    )


def _said_of(entry: Entry, shown: dict[str, list[str]]) -> Iterator[str]:
    path = entry[0].path.replace("/", " ")
    yield from (path, path, path)
    for signature in entry:
        yield from (signature.name, signature.doc, *signature.subcommand)
        for option in signature.options:
            yield from (option.dest, option.help[:120], *option.choices[:20])
    yield from dict.fromkeys(shown.get(entry[0].path, ()))


def _add(scores: dict[str, float], path: str, score: float) -> None:
    scores[path] = scores.get(path, 0.0) + score
