"""Which values could go into a slot: those that the request states, those of its vocabulary, and words that mean it."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ml_agent.matching.fitting import counts_the_other, takes_kind
from ml_agent.matching.meanings import VocabularyMatch, mention_between, pieces_of, vocabulary_matches
from ml_agent.matching.mentions import Mention, ParsedRequest, starts_module
from ml_agent.matching.sense import choice_by_meaning, option_alignment
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import alphanumeric
from ml_agent.values.lexer import Token
from ml_agent.values.lexicon import words

_IN_FULL = 0.8
"""A value of the vocabulary that is said so far needs no other reading."""
_SHORTEST = 2
_MOST_WORDS = 3
"""Plain words that are looked at for a slot."""


def candidates(
    statement: ParsedRequest,
    slots: Sequence[Slot],
    place: int,
    stated: Sequence[Mention],
    spent: Sequence[tuple[int, int]],
) -> Iterator[tuple[Mention, VocabularyMatch | None]]:
    """The values that a slot may take, those of its own vocabulary with what speaks for them.

    Args:
        statement: the request.
        slots: of the entry point.
        place: number of the slot.
        stated: values of the request.
        spent: stretches of the request that are spoken for.
    """
    slot = slots[place]
    meant = (one for one in _entries(statement, slots, place) if not _is_another(statement, slot, one))
    entries = [one for one in meant if not _is_spent(one.mention.start, spent)]
    for entry in entries:
        yield entry.mention, entry
    said = {alphanumeric(entry.value) for entry in entries}
    spelled = {(one.mention.first, one.mention.last) for one in entries if one.exact}
    for mention in stated:
        if _is_spent(mention.start, spent) or ((mention.first, mention.last) in spelled and mention.kind == "name"):
            continue
        known = alphanumeric(mention.value) in said
        if not known and takes_kind(slot, mention) and not counts_the_other(statement, mention, slot):
            yield mention, None
    for word in _words(statement, slots, place, spent):
        if alphanumeric(word.value) not in said:
            yield word, None


def _is_spent(place: int, spent: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spent)


def _is_another(statement: ParsedRequest, slot: Slot, entry: VocabularyMatch) -> bool:
    """Whether the words for a known value are a whole name of another thing: "train_dotrice" is no `train_atkins`.

    Only where a slot takes other values than the known ones. A name with capitals, or with the same numbers and a word in common, may be a loose spelling.
    What is quoted is meant to the letter.
    """
    if slot.closed:
        return False
    if _is_quoted_otherwise(statement, entry):
        return True
    if entry.exact:
        return False
    for one in statement.mentions:
        inside = one.first <= entry.mention.first and entry.mention.last <= one.last
        if one.parts or not inside:
            continue
        if one.kind == "path" and PurePosixPath(entry.value).suffix:
            return not f"/{entry.value}".endswith(f"/{posixpath.normpath(one.value)}")  # another file
        said, known = pieces_of(one.value), pieces_of(entry.value)
        if one.kind != "name":
            continue
        more = any(len(piece) > 2 and piece.isalpha() for piece in said - known)
        if len(known) > 1 and known < said and more:
            return True  # it says more than the known one
        if not _WHOLE_NAME.fullmatch(one.value):
            continue
        numbers = re.findall(r"\d+", one.value)
        alike = numbers and numbers == re.findall(r"\d+", entry.value) and any(len(piece) > 1 for piece in said & known)
        if not said <= known and not alike:
            return True
    return False


def _is_quoted_otherwise(statement: ParsedRequest, entry: VocabularyMatch) -> bool:
    """Whether the words for a known value stand within a quoted text that is not that value to the letter."""
    return any(
        one.kind == "text"
        and one.value != entry.value
        and one.first <= entry.mention.first
        and entry.mention.last <= one.last
        for one in statement.mentions
        if not one.parts
    )


_WHOLE_NAME = re.compile(r"(?=.*[\d_])[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)+")


def _entries(statement: ParsedRequest, slots: Sequence[Slot], place: int) -> list[VocabularyMatch]:
    """The values of a slot's vocabulary that the request says in words, or else by its sense."""
    said = vocabulary_matches(statement, slots[place])
    if any(one.exact or one.strength > _IN_FULL for one in said):
        return said
    choice = choice_by_meaning(statement, slots, place)
    if choice is None or any(one.value == choice.value for one in said):
        return said
    at = [n for n, token in enumerate(statement.tokens) if token.start < choice.end and choice.start < token.end]
    if not at or any(one.kind == "path" and at[0] <= one.first <= at[-1] for one in statement.mentions):
        return said  # who names a file means that one
    mention = mention_between(statement, choice.value, at[0], at[-1])
    return [*said, VocabularyMatch(choice.value, choice.share, choice.margin, False, mention, True)]


def _words(
    statement: ParsedRequest, slots: Sequence[Slot], place: int, spent: Sequence[tuple[int, int]]
) -> list[Mention]:
    """The plain words that may mean a slot for text: "under the project lepidoptera"."""
    slot = slots[place]
    if slot.option.type not in {"str", "unknown"} or slot.closed or slot.numeric_default is not None:
        return []
    sense = option_alignment(statement, slots)
    if sense is None:
        return []
    stated = {at for one in statement.mentions for at in range(one.first, one.last + 1)}
    free = [at for at, token in enumerate(statement.tokens) if at not in stated and _is_plain(token) and not starts_module(statement.tokens, at) and not _is_spent(token.start, spent)]  # fmt: skip
    best = sense.best_spans(place, [(statement.tokens[at].start, statement.tokens[at].end) for at in free], _MOST_WORDS)
    return [mention_between(statement, statement.tokens[free[at]].value, free[at], free[at]) for at in best]


def _is_plain(token: Token) -> bool:
    value = token.value
    return token.kind == "word" and value.isalpha() and len(value) >= _SHORTEST and value.lower() not in words("stop")
