"""What of a repository a task likely needs: entry points, subcommands, documented calls and passages, ranked by BM25 over their words.

Nothing is read that need not be: files are ranked by their raw text first (`_Texts.roughly`), and only of the best the options are read.
"""

import posixpath
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from ml_agent.navigator import Workspace
from ml_agent.request import Request
from ml_agent.terms import telling_terms, term_index, terms
from ml_agent.tools.check.repository import checked_repository
from ml_agent.tools.content_cache import source_hash
from ml_agent.tools.documents.model import Passage
from ml_agent.tools.index import RepoIndex
from ml_agent.tools.retrieval import Bm25Index, tokenize
from ml_agent.tools.signatures.model import Signature
from ml_agent.tools.signatures.programs import framework_of
from ml_agent.tools.usage.entry import Example

Entry = tuple[Signature, ...]
"""All signatures of one entry point: one, or one for each subcommand."""

_LEAST_SHARE = 0.08
"""Of the likeliest entry point's score that another one has at least: less is noise."""
_NAMED = 2.0
"""What a subcommand is worth that the words name beside one whose options they speak of."""
_MOST_TWINS = 2
ASIDE = re.compile(
    r"(?:^|/)(?:tests?|docs?|\.\w+|third_party|vendor)/|(?:^|/)(?:setup|conftest|test_\w+|\w+_test)\.py$"
)
"""What is seldom asked for by users: tests, set-up, foreign code."""
_LANGUAGES = frozenset(
    {"bash", "python", "sh", "shell", "console", "zsh", "py", "pycon", "yaml", "json", "toml", "ini"}
)
"""Of blocks that show how something is done; blocks of prose and output are left out."""
_PYTHON = frozenset({"python", "py", "pycon"})
_LOOKED_AT, _EXAMPLES = 6, 400
_MOST_READ, _MOST_MODULES = 40, 100
"""Entry points whose options are read for a ranking, of more those whose text fits best; and modules that are passed over for them."""
_READING, _LEAST_READING, _READY = 1.5, 0.5, 2.6
"""Seconds of processor time for that: less where reading the documents and names took long, for the message to be ready soon."""
_HEAD, _MOST_LITERALS = 1500, 200
"""Characters of a file that are taken as they stand, and texts in quotes after them."""
_LITERAL = re.compile(r"""["'](-{0,2}[A-Za-z][^"'\n]{1,120})["']""")
_FEW_NEAR, _IN_FOLDER = 12, 0.3
"""Entry points of the task's folder, where these are few: any of them may do it, whatever words it has."""
_ELSEWHERE = 0.4
"""What an entry point outside of the task's folder is worth."""
_WORD = re.compile(r"[\w.-]+")
NAME_PARTS = re.compile(r"[\W_]+")
_PROJECT = re.compile(r"(?:^|/)(?:setup\.py|pyproject\.toml)$")
_LEAST_OF_A_BLOCK = 60


class _Texts(NamedTuple):
    """A repository's entry points and passages, ready to be searched."""

    repository: RepoIndex
    paths: tuple[str, ...]
    """Of files that may be entry points."""
    shown: dict[str, list[str]]
    """What documents say of entry points that they call, by path."""
    passages: tuple[Passage, ...]
    indexes: "_Indexes"
    projects: tuple[str, ...]
    """Folders of projects of their own inside the repository, "" where it is none itself."""

    def is_aside(self, path: str) -> bool:
        """Whether a file is seldom what users ask for."""
        return ASIDE.search(path) is not None or path.startswith(self.projects)

    def roughly(self, words: Sequence[str]) -> list[str]:
        """The files whose text fits some words best, best first; all, where they are few."""
        hits = self.indexes.files.top(words, _MOST_READ + _MOST_MODULES)
        fitting = [self.paths[hit.position] for hit in hits]
        if len(self.paths) <= _MOST_READ:
            return list(dict.fromkeys([*fitting, *self.paths]))
        return list(islice((path for path in fitting if not self._is_mere_module(path)), _MOST_READ))

    def _is_mere_module(self, path: str) -> bool:
        """Whether a file of a package neither is called by a document, nor says that it may be run, nor reads words itself."""
        beside = posixpath.join(posixpath.dirname(path), "__init__.py")
        if not path.endswith(".py") or path in self.shown or not self.repository.sources.exists(beside):
            return False
        text = self.repository.sources.text(path) or ""
        return "__main__" not in text and path not in self.repository.consoles.values() and not framework_of(text)

    def entries_at(self, paths: Iterable[str]) -> list[Entry]:
        """The entry points of some files, as many as can be read in time: the same ones whenever these are asked for again."""
        wanted = tuple(dict.fromkeys(paths))
        read: list[str] = self.repository.keep(("in time", *wanted), list[str], lambda: list(self._in_time(wanted)))
        known = (self.repository.signatures[path] for path in sorted(read))
        return [entry for entry in known if entry]

    def _in_time(self, paths: Sequence[str]) -> Iterator[str]:
        end = time.thread_time() + min(_READING, max(_LEAST_READING, _READY - self.repository.used))
        for path in paths:
            if time.thread_time() > end:
                return
            self.repository.signatures[path]
            yield path


def likely_entries(request: Request, workspace: Workspace, most: int) -> list[Entry]:
    """The entry points that the task may mean, best first, by their words.

    Twins stand once, and what is far behind the likeliest is left out.
    """
    texts, words = _texts(workspace.index), request.instruction
    said = {word.lower().strip(".") for word in _WORD.findall(words)}
    named = [path for path in texts.paths if not said.isdisjoint((PurePosixPath(path).name.lower(), path.lower()))]
    named += [path for name, path in workspace.index.consoles.items() if name.lower() in said]
    folder, telling = PurePosixPath(workspace.path or "."), telling_terms(words)
    near_paths = {path for path in texts.paths if PurePosixPath(path).is_relative_to(folder)}
    few = sorted(near_paths) if len(near_paths) <= _FEW_NEAR else []
    entries = texts.entries_at([*named, *few, *texts.roughly(telling)])
    scores: dict[str, float] = {}
    by_path = {entry[0].path: entry for entry in entries}
    hits = Bm25Index.of([terms(" ".join(_said_of(one, texts.shown))) for one in entries]).top(telling, len(entries))
    for hit in hits:
        _add(scores, entries[hit.position][0].path, hit.score / hits[0].score)
    for path, more in [*((path, 1.0) for path in named), *((path, _IN_FOLDER) for path in few)]:
        if path in by_path:
            _add(scores, path, more)
    for path in scores:
        near = path in near_paths
        idle = not any(one.options for one in by_path[path]) and path not in texts.shown and path.endswith(".py")
        scores[path] *= (1.0 if near else _ELSEWHERE) * (0.3 if texts.is_aside(path) else 1.0) * (0.5 if idle else 1.0)
    least = _LEAST_SHARE * max(scores.values(), default=0.0)
    ordered = sorted((path for path in scores if scores[path] >= least), key=lambda path: (-scores[path], path))
    return _without_twins([_of_said_names(by_path[path], words) for path in ordered], words, near_paths)[:most]


def installed_names(entry: Entry) -> frozenset[str]:
    """The commands as which installing the repository puts an entry point on the path."""
    return frozenset(one.name for one in entry if one.kind == "console" and one.name)


def said_names(entry: Entry, words: str) -> frozenset[str]:
    """Those of its installed names that stand among some words."""
    return installed_names(entry).intersection(word.strip(".") for word in _WORD.findall(words))


def _of_said_names(entry: Entry, words: str) -> Entry:
    """An entry point that is installed under several names: those alone that are said, where any is."""
    said = said_names(entry, words)
    others = installed_names(entry) - said if said else frozenset()
    return tuple(one for one in entry if one.name not in others)


def is_idle_aside(entry: Entry, words: str, workspace: Workspace) -> bool:
    """Whether an entry point is a test, a set-up or the like that is not said by its name and takes no options, or none that a document gives."""
    called = any(one.options for one in entry) and entry[0].path in _texts(workspace.index).shown
    if called or not ASIDE.search(entry[0].path):
        return False
    parts = NAME_PARTS.split(PurePosixPath(entry[0].path).stem.lower())
    return not set(parts) <= set(NAME_PARTS.split(words.lower()))


def is_mere_code(entry: Entry, words: str, workspace: Workspace) -> bool:
    """Whether an entry point takes no options, is called by no document and is not said by its name: code that only may be run."""
    if any(one.options for one in entry) or entry[0].path in _texts(workspace.index).shown:
        return False
    parts = NAME_PARTS.split(PurePosixPath(entry[0].path).stem.lower())
    return not set(parts) <= set(NAME_PARTS.split(words.lower()))


def with_tested_values(signature: Signature, workspace: Workspace) -> Signature:
    """The signature with the values that the program alone goes on with, as it tests them after parsing."""
    index, path = workspace.index, signature.path
    known: Entry = index.keep(("tested", path), Entry, lambda: checked_repository(index).reader.tested(path))
    same = next((one for one in known if one.subcommand == signature.subcommand), signature)
    accepted = {one.dest: one for one in same.options if one.accepted}
    options = (
        msgspec.structs.replace(one, accepted=accepted[one.dest].accepted)
        if one.dest in accepted and not one.choices
        else one
        for one in signature.options
    )
    return msgspec.structs.replace(signature, options=tuple(options))


def _without_twins(entries: Sequence[Entry], words: str, near: Collection[str]) -> list[Entry]:
    """Of entry points whose options have the same names and help, as those of copies of a script do, two: those of the task's folder and
    those whose names are said before others, as only these tell them apart."""
    said, places = frozenset(tokenize(words)), dict[tuple[tuple[str, str], ...], list[int]]()
    for place, entry in enumerate(entries):
        options = tuple((one.dest, one.help) for signature in entry for one in signature.options)
        if options:
            places.setdefault(options, []).append(place)
    left_out = set[int]()
    for twins in places.values():
        names = {place: set(NAME_PARTS.split(PurePosixPath(entries[place][0].path).stem.lower())) for place in twins}
        ahead = {place: (entries[place][0].path not in near, -len(names[place] & said), place) for place in twins}
        left_out |= set(sorted(twins, key=ahead.__getitem__)[_MOST_TWINS:])
    return [entry for place, entry in enumerate(entries) if place not in left_out]


def likely_subcommands(entry: Entry, words: str) -> list[Signature]:
    """The signatures of an entry point, best first: of subcommands that the words name, and by what their options speak of.

    Those that only lead to subcommands come last.

    Args:
        entry: the entry point.
        words: what they are to speak of.
    """
    if len(entry) == 1:
        return list(entry)
    said = frozenset(tokenize(words))
    texts = [tokenize(" ".join([one.doc, *one.subcommand, *_said_of_options(one)])) for one in entry]
    scores = {hit.position: hit.score for hit in Bm25Index.of(texts).top(list(said), len(entry))}
    most = max(scores.values(), default=1.0)
    worth = [
        (
            len(one.subcommand) > 0,
            _NAMED * _share(one.subcommand, said) + scores.get(place, 0.0) / most,
        )
        for place, one in enumerate(entry)
    ]
    return [entry[place] for place in sorted(range(len(entry)), key=lambda at: (not worth[at][0], -worth[at][1], at))]


def _share(subcommand: Sequence[str], said: frozenset[str]) -> float:
    """How much of a subcommand's words is said."""
    words = [term for word in subcommand for term in tokenize(word)]
    return sum(word in said for word in words) / (len(words) or 1)


def find_entries(words: str, workspace: Workspace, most: int) -> list[Entry]:
    """The entry points that speak of some words, best first."""
    texts = _texts(workspace.index)
    entries, said = texts.entries_at(texts.roughly(terms(words))), terms(words)
    hits = Bm25Index.of([terms(" ".join(_said_of(one, texts.shown))) for one in entries]).top(said, most)
    return [entries[hit.position] for hit in hits]


def likely_passages(words: str, workspace: Workspace, most: int, code: bool = False) -> list[Passage]:
    """The passages with commands or code that fit the words, best first; those of the task's folder before others.

    Args:
        words: what they are to speak of.
        workspace: the repository.
        most: how many.
        code: only those with Python.
    """
    texts = _texts(workspace.index)
    hits = texts.indexes.passages.top(tokenize(words), _LOOKED_AT * most)
    folder = workspace.path or "."
    scored = [
        (hit.score * (1.3 if texts.passages[hit.position].path.startswith(f"{folder}/") else 1.0), hit) for hit in hits
    ]
    found = [texts.passages[hit.position] for _, hit in sorted(scored, key=lambda pair: -pair[0])]
    return [one for one in found if not code or any(block.language in _PYTHON for block in one.blocks)][:most]


def leaning_to_code(words: str, workspace: Workspace) -> float:
    """How much better passages with code fit the words than those that call entry points do: 1 where as well; those of the task's folder."""
    texts, folder = _texts(workspace.index), "" if workspace.path in ("", ".") else f"{workspace.path}/"
    calling = {(one.path, one.headings) for one in workspace.index.documented if one.entry}
    code, calls = 0.0, 1.0
    for hit in texts.indexes.passages.top(tokenize(words), _EXAMPLES):
        one = texts.passages[hit.position]
        if one.path.startswith(folder) and any(block.language == "python" for block in one.blocks):
            code = max(code, hit.score)
        if one.path.startswith(folder) and (one.path, one.headings) in calling:
            calls = max(calls, hit.score)
    return code / calls


def blocks_of(passage: Passage, most: int, words: str = "") -> str:
    """The commands and code of a passage in at most so many characters, those blocks first that share words with `words`."""
    said = set(tokenize(words))
    blocks = [block.text for block in passage.blocks if block.language in _LANGUAGES]
    fit = [len(said & set(tokenize(text))) for text in blocks]
    order = sorted(range(len(blocks)), key=lambda place: -fit[place])
    kept: dict[int, str] = {}
    for place in order:
        text = "\n".join(line.rstrip() for line in blocks[place].splitlines() if line.strip())
        shown = text if len(text) <= most else text[: max(most, 0)].rpartition("\n")[0]
        if shown and most > _LEAST_OF_A_BLOCK and (fit[place] or place == order[0]):
            kept[place] = shown if shown == text else f"{shown}\n..."
            most -= len(kept[place])
    return "\n".join(kept[place] for place in sorted(kept))


class _Indexes(NamedTuple):
    """Over what the files say that may be entry points, unread, and over documented passages."""

    files: Bm25Index
    passages: Bm25Index


@lru_cache(maxsize=8)
def _texts(index: RepoIndex) -> _Texts:
    paths = tuple(index.signatures)
    shown: dict[str, list[str]] = {}
    for example in index.commands:
        if example.entry:
            shown.setdefault(example.entry, []).extend([*example.headings, example.introduction, example.text])
    passages = tuple(one for one in index.passages if any(block.language in _LANGUAGES for block in one.blocks))
    homes = [posixpath.dirname(path) for path in index.files if _PROJECT.search(path)]

    def indexes() -> _Indexes:
        return _Indexes(
            term_index(" ".join(_rough(path, index, shown)) for path in paths),
            Bm25Index.of_texts(" ".join([*one.headings, *one.headings[-1:], one.text]) for one in passages),
        )

    # How much of it was read within the budget is a part of the key.
    read = map(str, (len(paths), len(passages), len(index.commands)))
    return _Texts(
        repository=index,
        paths=paths,
        shown=shown,
        passages=passages,
        indexes=index.keep(("words", source_hash(__file__), *read), _Indexes, indexes),
        projects=tuple(f"{folder}/" for folder in homes if folder) if "" in homes else (),
    )


def _rough(path: str, index: RepoIndex, shown: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What a file says, without following it: its name, its options and their help as literals, what documents say of it."""
    name, text = path.replace("/", " "), index.sources.text(path) or ""
    yield from (name, name, name, text[:_HEAD])
    for literal in islice(_LITERAL.finditer(text, _HEAD), _MOST_LITERALS):
        yield literal[1]
    yield from dict.fromkeys(shown.get(path, ()))


def _said_of(entry: Entry, shown: Mapping[str, Sequence[str]]) -> Iterator[str]:
    path = entry[0].path.replace("/", " ")
    yield from (path, path, path)
    for signature in entry:
        yield from (signature.name, *signature.subcommand)
        yield signature.doc
        yield from _said_of_options(signature)
    yield from dict.fromkeys(shown.get(entry[0].path, ()))


def _said_of_options(signature: Signature) -> Iterator[str]:
    for option in signature.options:
        yield from (option.dest, option.help[:120], *option.choices[:20])


def _add(scores: dict[str, float], path: str, score: float) -> None:
    scores[path] = scores.get(path, 0.0) + score


_OPTION = re.compile(r"(?<!\S)(?:--?[A-Za-z][\w-]{0,60}|[\w./@]{1,80}(?==))")
_STARTED = re.compile(r"\S\.(?:py|sh)(?=\s|$)|\s-m\s+[\w.]+")
"""The end of what names a program; launchers and their options stand before."""
_GROUP = re.compile(r"\s(?=--?[A-Za-z]|[\w.@/]{1,80}=)")
"""Where an option begins."""


def calls_of(signature: Signature, entry: Entry, words: str, workspace: Workspace, most: int) -> list[Example]:
    """The documented commands that call an entry point by one of its signatures; those that call it by another where none does."""
    known = documented_calls(entry, words, workspace, _EXAMPLES)
    if not signature.subcommand:
        return known[:most]
    own = [one for one in known if not set(signature.subcommand).isdisjoint(one.text.split())]
    return (own or known)[:most]


def documented_calls(entry: Entry, words: str, workspace: Workspace, most: int) -> list[Example]:
    """The documented commands that call an entry point, those first that share words with the task; calls with the same options last,
    and of those without options none, as they may name other files.

    Where the task says the name of an installed command, its calls stand before those of others.
    """
    said, names = set(tokenize(words)), said_names(entry, words)
    calls = {one.text: one for one in reversed(workspace.index.commands) if one.entry == entry[0].path}
    known = sorted(calls.values(), key=lambda one: (-_overlap(one, said), one.path, one.line))
    first = {frozenset(_OPTION.findall(one.text) or one.text.split()): one for one in reversed(known)}
    return sorted(known, key=lambda one: (names.isdisjoint(one.text.split()), one not in first.values()))[:most]


def _overlap(example: Example, said: set[str]) -> float:
    text = set(tokenize(example.text))
    about = set(tokenize(f"{' '.join(example.headings[-2:])} {example.introduction[:200]}"))
    return len(text & said) / (5 + len(text)) + 0.5 * len(about & said) / (5 + len(about))


def in_short(call: str, words: str, most: int) -> str:
    """A documented call in at most so many characters: what starts the program, then the options that share terms with a request, then others.

    They stay in their order; dots stand for those that are left out.
    """
    if len(call) <= most:
        return call
    start = max((found.end() for found in _STARTED.finditer(call)), default=0)
    program, *options = _GROUP.split(call[start:])
    program = call[:start] + program
    said = set(terms(words))
    left, kept = most - len(program) - len(" ..."), set[int]()
    for place in sorted(range(len(options)), key=lambda at: (not said & set(terms(options[at])), at)):
        if len(options[place]) + 1 <= left:
            kept.add(place)
            left -= len(options[place]) + 1
    return " ".join([program, *(options[place] for place in sorted(kept)), "..."])[:most]
