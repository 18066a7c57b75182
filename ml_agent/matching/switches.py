"""Which switches a request asks for, and whether on or off."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from ml_agent.matching.mentions import ParsedRequest, Word
from ml_agent.matching.sense import option_alignment
from ml_agent.matching.slots import Slot, TermWeights
from ml_agent.matching.terms import alphanumeric
from ml_agent.values.lexicon import words

Scorer = Callable[[Sequence[float]], float]
_NEGATIONS = frozenset(
    ["no", "not", "without", "never", "none", "off", "disable", "disabled", "skip", "skipping", "omit", "exclude", "don't", "avoid", "instead", "cannot", "stop", "leave", "nor", "neither", "free", "unless"]
)  # fmt: skip
_DENIALS = frozenset({"no", "not", "without"})
"""What denies also where it is part of a switch's name: "no evaluation" for `--no-eval`; "early stop" denies nothing."""
_ENDS_DENIAL = frozenset({".", ";", "!", "?"})
"""Behind these nothing of what stood before is denied."""
_WHEN = frozenset({"after", "at", "when", "once", "if"})
_OFF = frozenset({"off", "false", "disabled", "omitted", "skipped", "excluded", "deactivated"})
"""What takes away the thing that stands before it: "compilation switched off"."""

_EMPTY_TERMS = frozenset({"no", "use", "do", "with", "enable", "disable", "not", "is", "skip"})
"""What says nothing of the thing that a name switches."""
_NEGATIVE_BEGINNINGS = ("no_", "no-", "disable", "not_", "skip")
_MOST_PLACES = 60
"""Places of a request that are looked at for one name of a switch."""
_NO_FLAG = re.compile(r"-+no[-_]")

SWITCH_FEATURES = (
    "name", "help", "help_share", "prose", "negated", "negative_name", "terms", "best", "default_true", "shown",
    "explained", "adjacent", "value_near", "rank", "is_bool", "head", "wordless", "sense", "sense_ahead",
)  # fmt: skip


_NAME = SWITCH_FEATURES.index("name")
_NEGATIVE_NAME = SWITCH_FEATURES.index("negative_name")
_STRENGTH = SWITCH_FEATURES.index("rank")
"""Where a vector holds how near the request comes, until all switches are ranked by it."""


class SwitchEvidence(NamedTuple):
    """Where the request comes closest to saying a switch."""

    vector: list[float]
    negated: bool
    place: int
    """The first token that says it."""
    said: frozenset[str] = frozenset()
    """The words that say it, without marks and in lower case."""


def switch_features(
    statement: ParsedRequest,
    slot: Slot,
    weights: TermWeights,
    explained: frozenset[int],
    content: Sequence[Word] | None = None,
) -> SwitchEvidence | None:
    """The vector of a switch that the request may ask for; None where no word of it is said.

    Args:
        statement: the request.
        slot: the switch.
        weights: of terms among the entry point's slots.
        explained: numbers of the tokens that name options whose value is stated.
        content: the words that may speak of it; all of the request's by default.
    """
    best: SwitchEvidence | None = None
    content = statement.unspelled if content is None else content
    for name in slot.names:
        wanted = _NamedSwitch(slot, weights, name)
        hits = (at for at, word in enumerate(content) if wanted.has(word))
        for at in islice(hits, _MOST_PLACES):
            found = _evidence(statement, wanted, _window(statement, content, at), explained)
            if best is None or found.vector[_STRENGTH] > best.vector[_STRENGTH]:
                best = found
    return best


class _NamedSwitch:
    """A switch under one of its names.

    Args:
        slot: the switch.
        weights: of terms among the entry point's slots.
        name: terms of the name.
    """

    def __init__(self, slot: Slot, weights: TermWeights, name: Sequence[str]) -> None:
        self.slot = slot
        self.weights = weights
        self.core = tuple(term for term in name if term not in _EMPTY_TERMS) or tuple(name)
        self.worth = {term: weights.name(term) + 0.02 for term in self.core}
        self.whole = sum(self.worth.values())
        self.negative = _is_negative(slot)

    def has(self, word: Word) -> bool:
        """Whether a word is of the name or of the help text."""
        return any(term in self.worth or term in self.slot.help_terms for term in word.terms)

    def helps(self, terms: Iterable[str]) -> list[float]:
        """What the terms weigh in help texts, the weightiest first."""
        return sorted(map(self.weights.help, terms), reverse=True)

    def name_weights(self, said: Collection[str]) -> list[float]:
        """What those terms of the name weigh that are said."""
        return [weight for term, weight in self.worth.items() if term in said]


def _window(statement: ParsedRequest, content: Sequence[Word], at: int) -> list[Word]:
    """The words around one, without those that a clause or a sentence keeps away."""
    costs = statement.distances
    here = costs[content[at].place]
    return [one for one in content[max(0, at - 3) : at + 4] if abs(costs[one.place] - here) < 7]


def _evidence(
    statement: ParsedRequest, wanted: _NamedSwitch, window: Sequence[Word], explained: frozenset[int]
) -> SwitchEvidence:
    """What words beside each other say of a switch."""
    slot, said = wanted.slot, list(dict.fromkeys(term for one in window for term in one.terms))
    covered = sum(wanted.name_weights(said)) / wanted.whole
    helped = sum(wanted.helps(term for term in said if term in slot.help_terms)[:4])
    hits = [one for one in window if wanted.has(one)]
    first, last = min(one.place for one in hits), max(one.place for one in hits)
    named = [one.place for one in hits if any(term in wanted.worth for term in one.terms)]
    negated = _is_negated(statement, {one.place for one in hits}, first, max(named, default=last))
    negated = negated or (_drops(slot) and _is_kept(statement, first, last))
    known = sum(one.place in explained for one in hits) / len(hits)
    vector = [
        covered, helped, helped / (1.0 + 0.25 * len(slot.help_terms)),
        sum(wanted.helps(term for term in said if term in slot.prose_terms)[:3]),
        float(negated), float(wanted.negative), float(len(wanted.core)), max(wanted.name_weights(said), default=0.0),
        float((slot.option.default or "").lower() == "true"), min(1.0, len(slot.seen) / 3), known,
        float(last - first <= len(hits) + 1), float(_is_near_value(statement, first, last)), covered * 2 + helped * 0.6 - known,
        float(not slot.option.switch), float(wanted.core[-1] in said), 0.0,
    ]  # fmt: skip
    return SwitchEvidence(vector, negated, first, frozenset(alphanumeric(one.text) for one in hits))


def _is_near_value(statement: ParsedRequest, first: int, last: int) -> bool:
    """Whether a number or a path stands right before or behind."""
    return any(
        one.kind in {"number", "path"} and min(abs(one.first - last), abs(one.last - first)) <= 2
        for one in statement.mentions
    )


def _is_negated(statement: ParsedRequest, own: Collection[int], first: int, last: int) -> bool:
    """Whether a word of denial stands before or among the words of a switch, or one that switches off right behind them."""
    ahead = range(max(0, first - 4), first)
    begin = next((at + 1 for at in reversed(ahead) if statement.tokens[at].text in _ENDS_DENIAL), ahead.start)
    for at in range(begin, last + 1):
        word = statement.tokens[at].text.lower().replace("’", "'")
        following = [token.value.lower() for token in statement.tokens[at + 1 : at + 2]]
        if word == "stop" and _WHEN.intersection(following):
            continue  # "stop after 100 steps" denies nothing
        if word in (_DENIALS if at in own else _NEGATIONS) or (at in own and word.startswith("non-")):
            return True
    for token in statement.tokens[last + 1 : last + 7]:
        if token.kind == "mark" or token.value.lower() == "true":
            break
        if token.value.lower() in _OFF:
            return True
    return False


def _drops(slot: Slot) -> bool:
    """Whether a switch takes away what its other words name: "ignore upper and lower case"."""
    return next(iter(slot.option.help.split()), "").lower() in words("dropping")


def _is_kept(statement: ParsedRequest, first: int, last: int) -> bool:
    """Whether a word of keeping stands near the words of a switch, in the same sentence."""
    near = [*reversed(statement.tokens[max(0, first - 4) : first])], statement.tokens[first : last + 7]
    ahead, behind = (takewhile(lambda token: token.kind != "mark", side) for side in near)
    return any(token.value.lower() in words("keeping") for token in (*ahead, *behind))


def switches(
    statement: ParsedRequest,
    slots: Sequence[Slot],
    weights: TermWeights,
    explained: frozenset[int],
    given: set[int],
    score: Scorer,
    own: frozenset[str] = frozenset(),
) -> Iterator[tuple[int, Slot, SwitchEvidence, float]]:
    """Every switch that the request comes near to saying, with its score; of two that are said by the same words the better one.

    Words that name or describe the program (`own`) ask for the program: one whose help text alone has them is not meant.
    """
    found: list[tuple[int, Slot, SwitchEvidence]] = []
    sense = option_alignment(statement, slots)
    spans = [(one.start, one.end) for one in statement.tokens]
    owners = _owners(statement, slots)
    for place, slot in enumerate(slots):
        if place in given or not slot.boolean or slot.internal:
            continue
        others = {at for at, owner in owners.items() if owner != slot.option.dest}
        content = [word for word in statement.unspelled if word.place not in others]
        said = switch_features(statement, slot, weights, explained, content)
        said = None if said is not None and not said.vector[_NAME] and said.said <= own else said
        if sense is not None:
            log, ahead, start = sense.best_token(place, [spans[at] for at in explained | others])
            said = _heard(statement, slot, start) if said is None and log > sense.HEARD else said
            said = said and said._replace(vector=[*said.vector, log, ahead])
        if said is not None:
            found.append((place, slot, said))
    for place, slot, said in found:
        better = sum(
            other.vector[_STRENGTH] > said.vector[_STRENGTH] and abs(other.place - said.place) < 6
            for at, _, other in found
            if at != place
        )
        vector = [*said.vector]
        vector[_STRENGTH] = float(min(better, 4))
        yield place, slot, said._replace(vector=vector), score(vector)


def _owners(statement: ParsedRequest, slots: Sequence[Slot]) -> dict[int, str]:
    """By token that is the whole name of an option of several words: that name; it says nothing of other options."""
    names = {slot.option.dest for slot in slots if "_" in slot.option.dest.strip("_")}
    called = ((at, token.value.replace("-", "_")) for at, token in enumerate(statement.tokens))
    return {at: name for at, name in called if name in names}


def _heard(statement: ParsedRequest, slot: Slot, start: int) -> SwitchEvidence:
    """A switch of which the request says no word, where it speaks of it by its sense."""
    place = max((at for at, token in enumerate(statement.tokens) if token.start <= start), default=0)
    negated = _is_negated(statement, {place}, place, place)
    vector = dict.fromkeys(SWITCH_FEATURES[:-2], 0.0) | {
        "negated": float(negated),
        "negative_name": float(_is_negative(slot)),
        "default_true": float((slot.option.default or "").lower() == "true"),
        "shown": min(1.0, len(slot.seen) / 3),
        "value_near": float(_is_near_value(statement, place, place)),
        "is_bool": float(not slot.option.switch),
        "wordless": 1.0,
    }
    return SwitchEvidence(list(vector.values()), negated, place)


def _is_negative(slot: Slot) -> bool:
    """Whether its own name says no."""
    return slot.option.dest.lower().startswith(_NEGATIVE_BEGINNINGS) or any(map(_NO_FLAG.match, slot.option.flags))


def contradicts(said: SwitchEvidence) -> bool:
    """Whether the request names what the switch takes away, and wants it: "on one GPU" is no wish for `--no_cuda`."""
    evidence = dict(zip(SWITCH_FEATURES, said.vector, strict=False))
    return bool(evidence["negative_name"] and not evidence["negated"] and evidence["head"])


_FRESH = re.compile(
    r"(?<!\bnot )(?<!\binstead of starting )\bfrom (?:scratch|nothing|zero|(?:the|its) (?:very )?(?:beginning|start))\b|\bafresh\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"resume|pretrain|continue|restore|finetun|warmstart")
"""What the name of a switch says that goes on from earlier work."""
_NUMBER = re.compile(r"\d+")


def is_ruled_out(statement: ParsedRequest, slots: Sequence[Slot], slot: Slot) -> bool:
    """Whether the request says what a switch is the opposite of: it begins afresh, or names the number of a sibling ("8 bit")."""
    name = alphanumeric(slot.option.dest)
    if _GOES_ON.search(name) and not _is_negative(slot) and _FRESH.search(statement.text):
        return True
    if not _NUMBER.search(name):
        return False
    said = {number for token in statement.tokens for number in _NUMBER.findall(token.value)}
    shape = _NUMBER.sub("0", name)
    siblings = (alphanumeric(one.option.dest) for one in slots if one.boolean and one is not slot)
    others = {number for one in siblings if _NUMBER.sub("0", one) == shape for number in _NUMBER.findall(one)}
    return bool(others & said) and not set(_NUMBER.findall(name)) & said


def switch_value(slot: Slot, said: SwitchEvidence) -> str:
    """Whether a switch is wanted on or off; one whose own name says no is wanted where its thing is not."""
    negative = bool(said.vector[_NEGATIVE_NAME])
    wanted = not said.negated or negative
    return str(int(wanted)) if slot.binary else str(wanted)
