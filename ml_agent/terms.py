"""Names and wordings in common terms: "num_train_epochs" and "training epochs" share "train" and "epoch", `lr` is "learn rate"."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from ml_agent.tools.own_cache import remembered
from ml_agent.tools.retrieval import Bm25Index, singular
from ml_agent.user_values import word_list

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PIECE = re.compile(r"[a-z]+\d*|\d+")
_ENDINGS = ("ation", "ing", "ion", "ed", "e")
_NUMBER = "number"


@remembered(20_000, longest=1_000)
def terms(text: str) -> tuple[str, ...]:
    """The terms of a name or of a phrase, in order; a leading "n" is a number of things ("n_epochs")."""
    pieces = _pieces(text)
    counts = len(pieces) > 1 and pieces[0] == "n"
    return tuple(term for piece in ([_NUMBER, *pieces[1:]] if counts else pieces) for term in _spelled_out(piece))


def term_index(texts: Iterable[str]) -> Bm25Index:
    """The index of texts, by their terms."""
    return Bm25Index.of(map(_pieces, texts), _spelled_out)


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(_CAMEL.sub(" ", text).lower())


def telling_terms(text: str) -> list[str]:
    """The terms of a text, each once, without words of which every sentence is made."""
    return [term for term in dict.fromkeys(terms(text)) if term not in _idle()]


@cache
def _idle() -> frozenset[str]:
    return frozenset(term for word in word_list("stop") for term in (word, *terms(word)))


def counted_terms(name: str) -> frozenset[str]:
    """The terms of a name, whether or not it says that it is a number of them: `n_epochs` and `epochs` are one."""
    found = frozenset(terms(name))
    return found - {_NUMBER} or found


@remembered(20_000)
def _spelled_out(piece: str) -> tuple[str, ...]:
    return tuple(map(_stem, _abbreviations().get(piece, piece).split()))


def _stem(word: str) -> str:
    word = singular(word)
    ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) > 3), "")
    return word.removesuffix(ending)


@cache
def _abbreviations() -> Mapping[str, str]:
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {short: words for words, several in known.items() for short in several.split()}
