"""What a repository says of a choice: in tables and lists of its documents and in its docstrings."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ml_agent.grounded.ledger import Match
from ml_agent.grounded.wording import akin, content, said, split
from ml_agent.matching.terms import plain
from ml_agent.request import Value
from tools.index import RepoIndex
from tools.python_api.registries import variant_instead
from tools.signatures.model import Option

_ROW = re.compile(r"^[\s*+-]*[`'\"]?([\w.+-]{2,40})[`'\"]?\s*(?:\||:|–|—|-\s|=\s)\s*(.{3,300})$")
_BRACKETED = re.compile(r"(?<![\w.+-])([\w.+-]*[\w+])[`'\"]?\s+\(([^()]{3,100})\)")
_TELLING = 4
_FEWEST = 2
"""So many words at least must agree: one may be chance."""
_LONG_NAME = 4
_MOST_CHOICES = 60


class ChoiceWords:
    """The words that a repository's documents and docstrings use for its choices.

    Args:
        index: the repository.
    """

    def __init__(self, index: RepoIndex) -> None:
        self._index = index
        self._documents: dict[str, set[str]] | None = None
        self._code: dict[str, set[str]] | None = None

    def of(self, choice: str) -> frozenset[str]:
        """The words that documents and docstrings use for a choice."""
        name = plain(choice)
        if len(name) < 2:
            return frozenset()
        found = self._in_documents().get(name, set()) | self._in_code(name)
        return frozenset(found) - set(split(choice))

    def variant_instead(self, old: str, new: str, variant: str) -> str | None:
        """What the repository has of `new` where `variant` of `old` was taken; None where that is unknown or changes nothing."""
        return variant_instead(self._index.api.registries, old, new, variant)

    def _in_documents(self) -> dict[str, set[str]]:
        """Rows of tables and lists that begin with a name, and brackets behind one."""
        if self._documents is None:
            found: dict[str, set[str]] = defaultdict(set)
            for passage in self._index.passages:
                for line in passage.text.splitlines():
                    if (match := _ROW.match(line)) is not None:
                        found[plain(match[1])].update(content(match[2]))
                    for name, said in _BRACKETED.findall(line):
                        found[plain(name)].update(content(said))
            self._documents = dict(found)
        return self._documents

    def _in_code(self, name: str) -> set[str]:
        """The first lines of the docstrings of modules, classes and functions of that name."""
        if self._code is None:
            found: dict[str, set[str]] = defaultdict(set)
            for module in self._index.api.facts.modules:
                stem = module.path.rpartition("/")[2].removesuffix(".py")
                found[plain(stem)].update(content(_first_line(module.doc)))
                for item in module.definitions:
                    if item.doc and item.kind != "method":
                        found[plain(item.name)].update(content(item.doc))
                        found[plain(item.name.rpartition("_")[2])].update(content(item.doc))
            self._code = dict(found)
        return self._code.get(name, set()) if len(name) >= _LONG_NAME else set()


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def described_choices(
    options: Iterable[Option], matches: Sequence[Match], instruction: str, choice_words: ChoiceWords
) -> tuple[Match, ...]:
    """Choices that the user describes as the repository does: "hierarchically from the bottom up" of one that its docstring calls bottom-up.

    Args:
        options: of the entry point.
        matches: what is settled already; those options are left alone.
        instruction: what the user wrote.
        choice_words: what the repository says of its choices.
    """
    taken = {found.option.dest for found in matches}
    spoken = [word for word in content(instruction) if len(word) >= _TELLING]
    found = []
    for option in options:
        if option.dest in taken or not 1 < len(option.choices) <= _MOST_CHOICES:
            continue
        choice = _choice_by_description(option, spoken, choice_words)
        if choice is not None:
            value = Value(text=choice, value=choice, kind="name", required=False)
            found.append(Match(value=value, option=option, score=0.0, typed=choice))
    return tuple(found)


def _choice_by_description(option: Option, spoken: Sequence[str], choice_words: ChoiceWords) -> str | None:
    """The one choice of which the user says at least two words that the repository has for it and for none of its siblings."""
    words = {choice: choice_words.of(choice) for choice in option.choices}
    hits = {choice: _hits(choice, words, spoken) for choice in option.choices}
    ordered = sorted(option.choices, key=lambda choice: -hits[choice])
    best, second = ordered[0], ordered[1]
    return best if hits[best] >= _FEWEST and hits[best] > hits[second] else None


def _hits(choice: str, words: Mapping[str, frozenset[str]], spoken: Sequence[str]) -> int:
    foreign = [word for other, several in words.items() if other != choice for word in several]
    own = {word for word in words[choice] if len(word) >= _TELLING and not said(word, foreign)}
    return sum(any(akin(word, one) for one in own) for word in _distinct(spoken))


def _distinct(spoken: Sequence[str]) -> list[str]:
    """The words, but one for each group of forms: "cluster" and "clusters" count once."""
    kept: list[str] = []
    for word in spoken:
        if not said(word, kept):
            kept.append(word)
    return kept
