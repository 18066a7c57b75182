"""Choices and switches that the instruction speaks of without naming their option: "the lasso", "Manhattan distance"."""

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from ml_agent.grounded.affinity import names
from ml_agent.grounded.ledger import Match
from ml_agent.matching.terms import canonical, plain, terms, weight
from ml_agent.request import Value
from ml_agent.values.lexer import tokenize
from ml_agent.values.lexicon import words
from tools.signatures.model import Option

_EXACT, _JOINED, _ALIAS, _WITHIN, _BEGINNING = 1.0, 1.0, 0.85, 0.75, 0.75
_ENOUGH = 0.7
_RELATED = 0.2
_SHORTEST_BEGINNING, _SHORTEST_WITHIN = 3, 5
_MOST_OF_HELP, _FEWEST_OF_HELP = 0.74, 3


class Said(msgspec.Struct, frozen=True):
    """The words of an instruction, with the common form of each and their sentences."""

    words: tuple[str, ...]
    forms: tuple[frozenset[str], ...]
    sentences: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def said(instruction: str) -> Said:
    """The instruction, word by word; the parts of a hyphenated word are words."""
    found: list[tuple[str, int, tuple[int, int]]] = []
    sentence = 0
    for token in tokenize(instruction):
        if token.kind == "mark":
            sentence += token.text in ".!?;"
        elif token.kind in {"word", "name", "quoted"}:
            for match in re.finditer(r"[A-Za-z][A-Za-z0-9]*", token.text):
                found.append((match[0].lower(), sentence, (token.start + match.start(), token.start + match.end())))
    return Said(
        tuple(word for word, _, _ in found),
        tuple(frozenset(terms(word)) for word, _, _ in found),
        tuple(place for _, place, _ in found),
        tuple(span for _, _, span in found),
    )


def spoken(options: Sequence[Option], matches: Sequence[Match], instruction: str) -> tuple[Match, ...]:
    """For each option that no value of the user's has: the choice or the switch that the instruction speaks of.

    Args:
        options: of the entry point.
        matches: what is settled already.
        instruction: what the user wrote.
    """
    taken = {found.option.dest for found in matches}
    spent = [(found.value.start, found.value.end) for found in matches if found.value.kind != "number"]
    text = said(instruction)
    found = []
    for option in options:
        if option.dest in taken:
            continue
        match = _switch(option, text) if option.switch or option.nargs == "?bool" else _choice(option, text)
        if match is not None and not any(start <= match.value.start < end for start, end in spent):
            found.append(match)
    return tuple(found)


def _choice(option: Option, text: Said) -> Match | None:
    choices = option.choices or option.accepted
    scored = sorted(((*_best_mention(choice, option, text), choice) for choice in choices), reverse=True)
    if not scored or scored[0][0] < _ENOUGH or (len(scored) > 1 and scored[1][0] >= scored[0][0]):
        return None
    score, place, choice = scored[0]
    start, end = text.spans[place]
    value = Value(text=text.words[place], value=choice, kind="name", start=start, end=end, required=False)
    return Match(value=value, option=option, score=score, typed=choice)


def _best_mention(choice: str, option: Option, text: Said) -> tuple[float, int]:
    """How surely a choice is meant by some word, and which; a common word must stand beside a word that is about the option."""
    best = (0.0, -1)
    alias = _alias(choice, option)
    for place, word in enumerate(text.words):
        likeness = _likeness(choice, word, alias) or _compound_likeness(choice, text, place)
        if not likeness:
            continue
        related = _is_related(option, text, place)
        if word in words("common_choices") and not related:
            continue
        best = max(best, (likeness + _RELATED * related, place))
    return best


def _likeness(choice: str, word: str, alias: str) -> float:
    wanted, form = plain(choice), plain(word)
    if not wanted or number_like(wanted):
        return 0.0
    if form == wanted or canonical(form) == canonical(wanted):
        return _EXACT
    if alias and canonical(form) == canonical(alias):
        return _ALIAS
    stem = canonical(form)
    if len(stem) >= _SHORTEST_WITHIN and stem in wanted:
        return _WITHIN
    if _SHORTEST_BEGINNING <= len(wanted) < len(form) and form.startswith(wanted):
        return _BEGINNING
    return 0.0


def number_like(text: str) -> bool:
    """Whether a choice is no word."""
    return not any(letter.isalpha() for letter in text)


def _compound_likeness(choice: str, text: Said, place: int) -> float:
    """Two or three words that make up the choice: "naive Bayes", "Kneser-Ney"."""
    wanted = plain(choice)
    for count in (2, 3):
        if "".join(text.words[place : place + count]) == wanted and place + count <= len(text.words):
            return _JOINED
    return 0.0


def _alias(choice: str, option: Option) -> str:
    """What the help text says that a choice is: "l1 is the lasso, l2 ridge"."""
    pattern = rf"(?<![\w-]){re.escape(choice.lower())}(?![\w-])\s*(?:is|are|=|:|means)?\s*(?:the\s+|an?\s+)?([a-z][\w-]{{3,}})"
    match = re.search(pattern, option.help.lower())
    return match[1] if match and match[1] not in words("stop") else ""


def _is_related(option: Option, text: Said, place: int) -> bool:
    """Whether a neighbour of a word is about the option: the "link" of "single-link" and `--linkage`."""
    about = {term for name in names(option) for term in terms(name)} | set(terms(option.help))
    stems = {stem for name in names(option) for stem in re.findall(r"[a-z]{4,}", name.lower())}
    for at in (place - 2, place - 1, place + 1, place + 2):
        if not 0 <= at < len(text.words) or text.sentences[at] != text.sentences[place]:
            continue
        if text.forms[at] & about or any(len(text.words[at]) > 3 and stem.startswith(text.words[at]) for stem in stems):
            return True
    return False


def _switch(option: Option, text: Said) -> Match | None:
    """A switch whose help text the instruction says nearly word by word, or says the contrary of."""
    wanted = [term for term in dict.fromkeys(terms(option.help)) if term not in words("stop") and weight(term) > 0.5]
    drops = bool(wanted) and option.help.split()[0].lower() in words("dropping")
    core = wanted[1:] if drops else wanted
    if len(core) < _FEWEST_OF_HELP:
        return None
    for sentence in set(text.sentences):
        places = [at for at, where in enumerate(text.sentences) if where == sentence]
        known = set().union(*(text.forms[at] for at in places))
        if sum(term in known for term in core) / len(core) < _MOST_OF_HELP:
            continue
        contrary = drops and any(text.words[at] in words("keeping") for at in places)
        first = next(at for at in places if text.forms[at] & set(core))
        value = Value(
            text=text.words[first], value="false" if contrary else "true", kind="switch", start=text.spans[first][0],
            end=text.spans[first][1], required=False,
        )  # fmt: skip
        return Match(value=value, option=option, score=_EXACT, typed=value.value)
    return None
