"""Which files of a repository the answer to a task may name: data, configurations, what the request names."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath

from ml_agent.llm.likely import ASIDE, NAME_PARTS, Entry
from ml_agent.navigator import Workspace
from ml_agent.tools.retrieval import Bm25Index, tokenize
from ml_agent.user_values import word_list

_SOURCE = re.compile(r"\.(?:c|cc|cpp|cu|cuh|h|hpp|js|ts|css|html?|rs|go|java|pyi|pyx|so|sh|bash|md|rst|ipynb|lock|in)$")
_CONFIGURES = re.compile(r"(?:^|[/_])(?:conf(?:ig)?s?|presets?|recipes?|hparams|settings)[/_.]")
_ABOUT = re.compile(
    r"(?:^|/)(?:readme|licen[cs]e|code_of_conduct|contributing|changelog|requirements|package|setup|tox|manifest|environment"
    r"|pyproject|citation|cmakelists|constraints|makefile|dockerfile)[^/]*$",
    re.IGNORECASE,
)
"""Files that set a project up or speak of it."""
_SETTINGS = re.compile(r"(?<![\w./-])[\w./-]{1,200}\.(?:ya?ml|json|toml|cfg|ini|gin|conf)(?!\w)")
"""Files of settings in a command."""
_SETTINGS_FILE = re.compile(r"\.(?:ya?ml|json|toml|cfg|ini|gin|conf)$")
_MOST_GIVEN = 20
_READ = 4_000
_SAID_OF_NAME = 0.5
_FILE = re.compile(r"\w\.\w{1,5}$")


def likely_files(words: str, workspace: Workspace, most: int) -> list[str]:
    """The files that a value of the answer may name, best first: data half of whose names the words say, and configurations of whose
    paths they say two words, one of them of the name."""
    said = _telling(words)
    fitting = [path for path in workspace.index.files if _may_be_given(path) and _fits(path, said)]
    hits = Bm25Index([tokenize(path.replace("/", " ")) for path in fitting]).top(sorted(said), len(fitting))
    worth = {hit.position: hit.score * (_SAID_OF_NAME + _said_of_name(fitting[hit.position], said)) for hit in hits}
    return [fitting[place] for place in sorted(worth, key=lambda place: (-worth[place], place))[:most]]


def _telling(words: str) -> frozenset[str]:
    """The words that may name a file: neither those of every sentence nor single letters and digits."""
    common = word_list("stop")
    return frozenset(word for word in tokenize(words) if len(word) > 1 and word not in common)


def _fits(path: str, said: frozenset[str]) -> bool:
    """Whether so much of a path is said that it may be meant."""
    if _said_of_name(path, said) >= _SAID_OF_NAME:
        return True
    if not (_SETTINGS_FILE.search(path) or _CONFIGURES.search(path)):
        return False
    terms = {term for term in NAME_PARTS.split(path.lower()) if term}
    return len(terms & said) > 1 and _said_of_name(path, said) > 0


def configuration(entry: Entry, words: str, workspace: Workspace, most: int) -> str:
    """The configuration that is likeliest meant: of those whose names fit, and those that documented calls of an entry point give; "" for none."""
    given = islice(_given_by(entry, workspace), _MOST_GIVEN)
    known = dict.fromkeys(path for path in (*likely_files(words, workspace, most), *given) if _is_configuration(path))
    said = _telling(words)
    settings = (path for path in known if path not in workspace.index.signatures)
    return max(settings, key=lambda path: _said_of_name(path, said), default="")


def _given_by(entry: Entry, workspace: Workspace) -> Iterator[str]:
    """The files of the repository that documented calls of an entry point name, as seen from where these run or from its own folder."""
    files, folder = frozenset(workspace.index.files), posixpath.dirname(entry[0].path)
    for call in (one for one in workspace.index.examples if one.entry == entry[0].path):
        for word in call.text[:_READ].split():
            places = (posixpath.normpath(posixpath.join(place, word)) for place in (call.workdir, folder, ""))
            yield from islice((path for path in places if path in files), 1)


def _is_configuration(path: str) -> bool:
    return _SETTINGS_FILE.search(path) is not None or (path.endswith(".py") and _CONFIGURES.search(path) is not None)


def files_beside(entries: Sequence[Entry], words: str, workspace: Workspace, most: int) -> list[str]:
    """The configurations beside those that documented calls of the entry points give, those first whose names are said."""
    said = _telling(words)
    calls = {entry[0].path for entry in entries}
    texts = (one.text[:_READ] for one in workspace.index.examples if one.entry in calls)
    given = list(islice(dict.fromkeys(word for text in texts for word in _SETTINGS.findall(text)), _MOST_GIVEN))
    kinds = {
        (posixpath.dirname(path), PurePosixPath(path).suffix)
        for path in workspace.index.files
        for word in given
        if path == word or path.endswith(f"/{word}")
    }
    beside = [
        path
        for path in workspace.index.files
        if (posixpath.dirname(path), PurePosixPath(path).suffix) in kinds and not ASIDE.search(path)
    ]
    return sorted(beside, key=lambda path: (-_said_of_name(path, said), path))[:most]


def _may_be_given(path: str) -> bool:
    """Whether a path is that of data or of a configuration, rather than of code, a document or what sets a project up."""
    if ASIDE.search(path) or _ABOUT.search(path):
        return False
    return _CONFIGURES.search(path) is not None if path.endswith(".py") else not _SOURCE.search(path)


def _said_of_name(path: str, said: frozenset[str]) -> float:
    """How much of a file's name is said."""
    terms = {term for term in NAME_PARTS.split(PurePosixPath(path).stem.lower()) if term}
    return len(terms & said) / (len(terms) or 1)


def named_files(words: str, workspace: Workspace, most: int) -> list[str]:
    """The text files of the repository that the words name by path or by a name that only one of them has."""
    files = workspace.index.files
    found: list[str] = []
    for word in dict.fromkeys(word.strip(".,/'\"()") for word in words.split()):
        if not _FILE.search(word):
            continue
        ends = [path for path in files if path == word or path.endswith(f"/{word}")]
        inside = posixpath.normpath(posixpath.join(workspace.path or ".", word))
        found += [inside] if inside in ends else ends if len(ends) == 1 else []
    return list(dict.fromkeys(found))[:most]
