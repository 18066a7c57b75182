"""A plain word that a sentence names as the place to save to: "save the scores to best" goes where the program takes a path for them.

Without an ending or a slash nothing in the word itself says that it is a file, so the whole wording must: a verb of saving, "to", the word and
the end of the clause.
"""

from collections.abc import Iterator, Sequence

from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.slots import Slot
from ml_agent.matching.spelled import FilledSlot
from ml_agent.matching.terms import terms
from ml_agent.values.lexer import Token
from ml_agent.values.lexicon import words

_SAVING = frozenset({"save", "saves", "saving", "write", "writes", "writing", "store", "stores", "storing"})
"""Not "saved": what was saved somewhere is as often what goes in."""
_LEADING = frozenset({"to", "into", "under"})
_OF_SAVING = frozenset(terms("save write store output out file path name"))
_ENDS = frozenset({"and", "then", "with", "using", "after", "when", "but", "while", "please"})
_REACH = 8
"""Words between the verb and its place."""
_SHORTEST = 2
_SCORE = 8.0


def save_places(statement: ParsedRequest) -> Iterator[int]:
    """The tokens that are plain names of a place to save to."""
    tokens = statement.tokens
    for place, token in enumerate(tokens[1:], 1):
        is_led = tokens[place - 1].value.lower() in _LEADING
        if is_led and _is_plain_name(token) and _ends_behind(tokens, place) and _is_saving(tokens, place - 1):
            yield place


def place_saves(statement: ParsedRequest, slots: Sequence[Slot], taken: Sequence[FilledSlot]) -> list[FilledSlot]:
    """A named place in the one option that takes a path to write to, where nothing else in the request is a path to save to."""
    named = list(save_places(statement))
    if len(named) != 1 or any(_is_saved_path(statement, one.first) for one in statement.mentions if one.kind == "path"):
        return []
    token = statement.tokens[named[0]]
    used = {one.slot for one in taken}
    free = [(place, slot) for place, slot in enumerate(slots) if place not in used and _takes_results(slot)]
    if len(free) > 1:
        said = {term for word in statement.content if named[0] - _REACH <= word.place < named[0] for term in word.terms}
        said -= _OF_SAVING
        free = [(place, slot) for place, slot in free if said & {*terms(slot.option.help), *slot.name_terms}]
    if len(free) != 1:
        return []
    return [FilledSlot(free[0][0], (token.value,), _SCORE, "named as the place to save to", (token.start,), token.text)]


def _is_plain_name(token: Token) -> bool:
    """Whether a word names something of its own: no medium, no form, no word of the sentence's own."""
    word = token.value.lower()
    known = words("media") | words("stop") | words("extensions") | words("naming_nouns") | words("certain_nouns")
    return token.kind in {"word", "name"} and len(word) >= _SHORTEST and "/" not in word and word not in known


def _ends_behind(tokens: Sequence[Token], place: int) -> bool:
    behind = tokens[place + 1 : place + 2]
    return not behind or behind[0].text in {".", ",", ";", ":", "!", "?", ")"} or behind[0].value.lower() in _ENDS


def _is_saving(tokens: Sequence[Token], place: int) -> bool:
    """Whether a verb of saving leads to a place, in the same clause."""
    for token in reversed(tokens[max(0, place - _REACH) : place]):
        if token.kind in {"mark", "path", "flag"} or token.value.lower() in _ENDS | _LEADING:
            return False
        if token.value.lower() in _SAVING:
            return True
    return False


def _is_saved_path(statement: ParsedRequest, place: int) -> bool:
    ahead = statement.tokens[place - 1].value.lower() if place else ""
    return ahead in _LEADING | {"as", "in"} and _is_saving(statement.tokens, place - 1)


def _takes_results(slot: Slot) -> bool:
    free = not (slot.boolean or slot.internal or slot.several or slot.closed)
    return free and slot.takes_path and "output" in slot.role and "input" not in slot.role
