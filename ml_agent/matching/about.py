"""Whether a request is about a repository at all: the words that they share, weighed by how common each is in other repositories."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.model import LinearModel
from ml_agent.matching.vocabulary import Vocabulary
from ml_agent.values.lexicon import words

ABOUT_FEATURES = (
    "rarity_known", "known", "closest", "rare_known", "terms", "rare_in_files", "rare_in_options", "option_terms",
)  # fmt: skip
_CLOSEST = 3
_DOUBT = 8.0
"""So many passages of other repositories are counted with those of this one: few passages prove little."""
_OUTSIDE = 0.3
"""What a word counts, in passages, that only files, options or examples have."""
_OWN = frozenset({"path", "quoted"})
"""Kinds of tokens that name what is the user's."""
_STRANGE = 2
"""So many words must be unknown: one may be misspelled."""
_SAYS_LITTLE = 60
"""Words of a repository, of which a README of a line and a script have fewer."""
_RARE = 3.0
"""How rare unknown words must be together, as the logarithm of the share of repositories that know them: one in twenty."""


class RelevanceModel:
    """How likely a request is about a repository and not about another one.

    Args:
        table: `weights` by feature, `bias`, `least`: the log-odds below which it is not; `terms`: by term the share of
            repositories that use it and the mean share of their passages that have it; `rare`: these two of a term that few use.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._log_odds = LinearModel(ABOUT_FEATURES, table["weights"] | {"bias": table["bias"]})
        self._least = float(table["least"])
        self._terms: Mapping[str, Sequence[float]] = table["terms"]
        self._rare: Sequence[float] = table["rare"]

    def vector(self, statement: ParsedRequest, vocabulary: Vocabulary) -> list[float]:
        """What speaks for it, by ABOUT_FEATURES.

        Rare words that both have say most: how many of them are known, how much more often the documents have them than others do, and
        whether files or options are named so. A repository that says much shares words with anything.
        """
        asked = list(_terms_of(statement))
        known = [term for term in asked if term in vocabulary.known]
        nearest = sorted((self._nearness(term, vocabulary) for term in asked), reverse=True)[:_CLOSEST]
        rare = self._rarity(known)
        return [
            rare / max(1e-9, self._rarity(asked)),
            math.log1p(len(known)),
            sum(nearest),
            math.log1p(rare),
            math.log1p(len(vocabulary.known)),
            math.log1p(self._rarity(term for term in asked if term in vocabulary.files)),
            math.log1p(self._rarity(term for term in asked if term in vocabulary.options)),
            math.log1p(len(vocabulary.options)),
        ]

    def score(self, statement: ParsedRequest, vocabulary: Vocabulary) -> float:
        """The log-odds that it is about this repository, as many requests being about another one."""
        return self._log_odds(self.vector(statement, vocabulary))

    def foreign_terms(self, statement: ParsedRequest, vocabulary: Vocabulary) -> tuple[str, ...]:
        """The words that show that a request is about something else, the rarest first; () where it is not."""
        against = self.unknown_terms(statement, vocabulary)
        if not against:
            return ()
        nothing = not any(term in vocabulary.known for term in _terms_of(statement))
        return against if nothing or self.score(statement, vocabulary) < self._least else ()

    def unknown_terms(self, statement: ParsedRequest, vocabulary: Vocabulary) -> tuple[str, ...]:
        """The words that a repository does not know, the rarest first; () where they are usual ones, or it says little.

        "Train it for 10 epochs" could be said of most repositories: only rare words that one does not know speak against it, and
        what users call their own files does not. Where a repository says little, its silence about some words means nothing.
        """
        asked = _terms_of(statement, _OWN)
        unknown = sorted((-self._rarity([term]), term) for term in asked if term not in vocabulary.known)
        usual = len(unknown) < _STRANGE or -sum(rarity for rarity, _ in unknown) < _RARE
        says_little = len(vocabulary.known) < _SAYS_LITTLE and len(unknown) < len(asked)
        return () if usual or says_little else tuple(dict.fromkeys(asked[term] for _, term in unknown))

    def _nearness(self, term: str, vocabulary: Vocabulary) -> float:
        """How much more of the passages have a term than those of other repositories, as a logarithm."""
        elsewhere = max(self._rare[1], self._usual(term)[1])
        here = vocabulary.said.get(term, 0) or _OUTSIDE * (term in vocabulary.known)
        share = (here + _DOUBT * elsewhere) / (vocabulary.passages + _DOUBT)
        return math.log(share / elsewhere)

    def _rarity(self, several: Iterable[str]) -> float:
        return sum(-math.log(self._usual(term)[0]) for term in several)

    def _usual(self, term: str) -> Sequence[float]:
        return self._terms.get(term, self._rare)


def _terms_of(statement: ParsedRequest, without: frozenset[str] = frozenset()) -> dict[str, str]:
    """The terms of a request, each with the word that has it.

    Args:
        statement: the request.
        without: kinds of tokens whose terms do not count.
    """
    return {
        term: word.text
        for word in statement.content
        if word.text not in words("politeness") and statement.tokens[word.place].kind not in without
        for term in word.terms
    }


@cache
def shipped() -> RelevanceModel:
    """What was learned on the repositories at hand."""
    return RelevanceModel(json.loads(files(__package__).joinpath("about.json").read_text(encoding="utf-8")))
