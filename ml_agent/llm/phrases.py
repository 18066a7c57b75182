"""What a model lists of a request, phrase by phrase: which of its words mean which option, with which value."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ml_agent.matching.mentions import Statement
from ml_agent.matching.slots import Slot
from ml_agent.matching.terms import plain
from tools.commandline.lexer import lex

NOTHING = "nothing"
"""What the model writes for words that mean no option."""
_LIKENESS = 0.85
"""From here on an unknown option is a slip of a known one."""
_ALIKE = 0.6
"""So much of a phrase must stand in the request in one piece."""
_MOST_LINES, _LONGEST_PHRASE = 60, 300


class Phrase(NamedTuple):
    """What some words of a request mean."""

    start: int
    """Where they begin in the request; -1 where they do not stand in it."""
    end: int
    slot: int | None
    """None where they mean no option."""
    values: tuple[str, ...] = ()
    positive: bool = True
    """Whether the option is not given by its negative spelling."""

    def holds(self, start: int, end: int) -> bool:
        """Whether a stretch of the request lies in these words."""
        return self.start >= 0 and self.start <= start and end <= self.end


def phrases(text: str, statement: Statement, slots: Sequence[Slot]) -> tuple[Phrase, ...]:
    """What a model says that a request means, in its order.

    Each line is some words of the request, " = ", and an option with its value, or "nothing". Options that do not exist are taken for
    known ones that are spelled like them, or left out. A text without such lines is read as a command: its options stand for no words.

    Args:
        text: as the model wrote it.
        statement: the request.
        slots: of the entry point.
    """
    names = _names(slots)
    lines = [line.strip().strip("`") for line in re.sub(r"\\\n", " ", text).splitlines()[:_MOST_LINES]]
    listed = [(words, meant) for words, mark, meant in (line.rpartition(" = ") for line in lines) if mark]
    if not listed:
        command = next((line for line in lines if line), "")
        return tuple(Phrase(-1, -1, *one) for one in _options_in(command, names, slots))
    found: list[Phrase] = []
    end = 0
    for words, meant in listed:
        start, stop = _place(words, statement.text, end)
        end = max(end, stop)
        if meant.strip().lower().startswith(NOTHING):
            found.append(Phrase(start, stop, None))
        found += (Phrase(start, stop, *one) for one in _options_in(meant, names, slots))
    return tuple(found)


def _options_in(text: str, names: "_Names", slots: Sequence[Slot]) -> Iterator[tuple[int, tuple[str, ...], bool]]:
    """The options of a text, each with its slot, its values and whether it is spelled positively."""
    found: list[tuple[int, list[str], bool]] = []
    for word in (token.value for token in lex(text) if token.kind == "word"):
        name, assigned, value = word.partition("=")
        hit = names.find(name) if not found or assigned or name.startswith("-") else None
        if hit is not None:
            found.append((hit[0], [value] if value else [], hit[1]))
        elif found:
            found[-1][1].append(word)
    for slot, values, positive in found:
        kept = [value.rstrip(",") for value in values]
        yield slot, tuple(kept if slots[slot].several else kept[:1]), positive


class _Names:
    """By spelling the slot of an option, and whether it is asked for or refused.

    Args:
        slots: of the entry point.
    """

    def __init__(self, known: Mapping[str, tuple[int, bool]]) -> None:
        self._known = known
        self._bare = {plain(name): hit for name, hit in reversed(list(known.items()))}

    def find(self, name: str) -> tuple[int, bool] | None:
        """The slot of a name, or of one that is spelled like it."""
        bare = plain(name)
        if name in self._known or bare in self._bare:
            return self._known.get(name) or self._bare[bare]
        near = difflib.get_close_matches(bare, list(self._bare), 1, _LIKENESS) if bare else []
        return self._bare[near[0]] if near else None


def _names(slots: Sequence[Slot]) -> _Names:
    found: dict[str, tuple[int, bool]] = {}
    for place, slot in enumerate(slots):
        for name in (*slot.option.flags, slot.option.dest):
            found.setdefault(name, (place, True))
        for name in slot.option.negative_flags:
            found.setdefault(name, (place, False))
    return _Names(found)


def _place(words: str, text: str, after: int) -> tuple[int, int]:
    """Where words stand in a text, behind a place if they do, a slip of them counting; (-1, -1) for nowhere."""
    several = words[:_LONGEST_PHRASE].split()
    if not several:
        return -1, -1
    pattern = re.compile(r"\s+".join(map(re.escape, several)), re.IGNORECASE)
    found = pattern.search(text, after) or pattern.search(text)
    if found is not None:
        return found.start(), found.end()
    joined = " ".join(several).lower()
    match = difflib.SequenceMatcher(None, text.lower(), joined, False).find_longest_match()
    return (match.a, match.a + match.size) if match.size >= _ALIKE * len(joined) else (-1, -1)
