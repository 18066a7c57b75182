"""How likely an answer is what was asked: what speaks for the whole of it, and the words that found no place in it."""

import ast
import math
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal

from ml_agent.draft import Draft
from ml_agent.offline.commands import Command
from ml_agent.offline.reading import ParsedRequest
from ml_agent.offline.weights import Weights
from ml_agent.offline.words import alphanumeric, terms, words
from ml_agent.tools.python_source import parse_python

Level = Literal["sure", "likely", "guess", "unsure"]
_NAMES_OF_FEATURES = """
margin entry least mean doubtful left left_share unplaced unplaced_share spelled named invented unasked
documented count unseen switched
"""
CONFIDENCE_FEATURES = tuple(_NAMES_OF_FEATURES.split())
SURE, LIKELY, GUESS = 0.9, 0.7, 0.05
"""From which likelihood on each is said; below them several answers are offered instead of one."""
_CAP, _ALONE, _DOUBTFUL, _SHORTEST, _MOST_WORDS, _LOST = 4.0, 4.0, 2.0, 3, 12, 0.6


def unplaced_words(statement: ParsedRequest, texts: Sequence[str], text: str) -> tuple[str, ...]:
    """The telling words of a request that nothing of an answer speaks of.

    Args:
        statement: the request.
        texts: what is said by and of the answer: its text, its entry point, its options, its example.
        text: the answer itself.
    """
    known = {term for one in texts for word in re.split(r"[^\w.+-]+", one) for term in terms(word)}
    squeezed = alphanumeric(text)
    lost = (
        word.text
        for word in statement.content
        if word.text not in words("politeness") | words("writes")
        and len(word.text) >= _SHORTEST
        and known.isdisjoint(word.terms)
        and alphanumeric(word.text) not in squeezed
    )
    return tuple(dict.fromkeys(lost))


def words_without_place(statement: ParsedRequest, command: Command, text: str) -> tuple[str, ...]:
    """The telling words of a request that a command, its entry point, its options and its example do not speak of."""
    signature = command.entry.signature
    given = [option for option in signature.options if option.dest in command.values]
    texts = [text, signature.path, signature.name, signature.doc, *signature.subcommand]
    texts += [f"{option.dest} {' '.join(option.flags)} {option.help}" for option in given]
    if command.shown is not None:
        example = command.shown.example
        texts += [*example.headings, example.introduction, example.text]
    return unplaced_words(statement, texts, text)[:_MOST_WORDS]


def program_words(statement: ParsedRequest, draft: Draft, shown: str) -> tuple[str, ...]:
    """The telling words of a request that a program and its example do not speak of; a comment does nothing."""
    tree = parse_python(draft.text)
    text = ast.unparse(tree) if tree is not None else draft.text
    return unplaced_words(statement, [text, shown], text)[:_MOST_WORDS]


def confidence_vector(statement: ParsedRequest, command: Command, text: str, found: Sequence[Command]) -> list[float]:
    """What speaks for and against the whole of a command, by CONFIDENCE_FEATURES."""
    signature, placed = command.entry.signature, command.assignment.all
    others = (one.score for one in found if one.entry is not command.entry)
    margin = command.score - max(others, default=command.score - _ALONE)
    scores = [one.score for one in placed]
    left, lost = command.vector[2:5], len(words_without_place(statement, command, text))
    name = {PurePosixPath(signature.path).name.lower(), signature.name.lower()} - {""}
    named = any(PurePosixPath(token.value.lower()).name in name for token in statement.tokens)
    given = {command.entry.slots[one.slot].option.dest for one in placed}
    spelled = sum(one.score >= 20 for one in placed)
    return [
        _capped(margin),
        _capped(command.vector[1]),
        _capped(min(scores, default=0.0)),
        _capped(sum(scores) / len(scores) / 2 if scores else 0.0),
        _capped(sum(score < _DOUBTFUL for score in scores)),
        _capped(sum(left)),
        sum(left) / (1 + sum(left) + len(placed)),
        _capped(lost / 2),
        lost / max(1, len(statement.content)),
        spelled / max(1, len(placed)),
        float(named),
        float(len(command.invented)),
        _capped(len(command.values.keys() - given) / 3),
        float(command.shown is not None),
        _capped(len(placed) / 3),
        float(not signature.whole),
        float(len(command.assignment.switched)),
    ]


def _capped(value: float) -> float:
    return max(-_CAP, min(_CAP, float(value)))


def probability(vector: Sequence[float], model: Weights) -> float:
    """How likely an answer with this vector is right; 0 where it has a place for hardly a word of the request and for no value."""
    by_name = dict(zip(CONFIDENCE_FEATURES, vector, strict=True))
    if by_name["unplaced_share"] > _LOST and not by_name["count"]:
        return 0.0
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, model.confidence(vector)))))


def level(likelihood: float) -> Level:
    """What is said of it; "unsure" where several answers are offered instead of one."""
    if likelihood >= LIKELY:
        return "sure" if likelihood >= SURE else "likely"
    return "guess" if likelihood >= GUESS else "unsure"
