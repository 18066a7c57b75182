"""What documents say of a script: the sentences that name it, also by a pattern ("train_g1_XXX.sh")."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePosixPath

from ml_agent.tools.documents.model import Passage
from ml_agent.tools.remember import remembered

_FILE = re.compile(r"(?<![\w./*<>{}-])[\w./*<>{}-]*[\w*>}]\.(?:py|sh|bash|ipynb)\b")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\s*\n|\n\s*[-*] ")
_WILDCARD = re.compile(r"X{2,}|\*|<[^>]*>|\{[^}]*\}")
_LONGEST = 400
_MOST = 6


class FileSentences:
    """The sentences of a repository's documents that name scripts."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages

    def of(self, path: str) -> list[str]:
        """The sentences that name the file at `path`, a few at most."""
        name = PurePosixPath(path).name
        meant = (sentence for pattern, sentence in self._patterns if pattern.fullmatch(name))
        return [*self._plain.get(name, ()), *meant][:_MOST]

    def headings(self, path: str) -> list[str]:
        """The headings of the sections that name any file of the folder in which the file at `path` lies."""
        folder = str(PurePosixPath(path).parent)
        return list(self._folders.get(folder, ()))[:_MOST]

    @cached_property
    def _folders(self) -> dict[str, dict[str, None]]:
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for passage in self._passages:
            for match in _FILE.finditer(passage.text):
                folder = PurePosixPath(match[0].removeprefix("./")).parent
                if passage.headings and str(folder) != ".":
                    found[str(folder)].setdefault(passage.headings[-1])
        return found

    @cached_property
    def _sentences(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for passage in self._passages:
            for sentence in _SENTENCE.split(passage.text):
                if len(sentence) <= _LONGEST:
                    found.extend((match[0], sentence) for match in _FILE.finditer(sentence))
        return found

    @cached_property
    def _plain(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for word, sentence in self._sentences:
            found[PurePosixPath(word).name].append(sentence)
        return found

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        named = ((PurePosixPath(word).name, sentence) for word, sentence in self._sentences)
        return [(_as_pattern(name), sentence) for name, sentence in named if _WILDCARD.search(name)]


@remembered(1_000)
def _as_pattern(name: str) -> re.Pattern[str]:
    fixed = [re.escape(part) for part in _WILDCARD.split(name)]
    return re.compile(r"[\w-]+".join(fixed))
