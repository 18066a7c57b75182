"""Which switches a request asks for, and whether on or off."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from ml_agent.matching.mentions import Statement
from ml_agent.matching.slots import Slot, Weights

Scorer = Callable[[Sequence[float]], float]
_NEGATIONS = frozenset(
    [
        "no",
        "not",
        "without",
        "never",
        "none",
        "off",
        "disable",
        "disabled",
        "skip",
        "skipping",
        "omit",
        "exclude",
        "don't",
        "avoid",
        "instead",
        "cannot",
        "stop",
        "leave",
        "nor",
        "neither",
        "free",
        "unless",
    ]
)
_DENIALS = frozenset({"no", "not", "without"})
"""What denies also where it is part of a switch's name: "no evaluation" for `--no-eval`; "early stop" denies nothing."""
_OFF = frozenset({"off", "disabled", "omitted", "skipped", "excluded", "deactivated"})
"""What takes away the thing that stands before it: "compilation switched off"."""

SWITCH_FEATURES = (
    "name", "help", "help_share", "prose", "negated", "negative_name", "terms", "best", "default_true", "shown",
    "explained", "adjacent", "value_near", "rank", "is_bool", "head",
)  # fmt: skip


class SwitchEvidence(NamedTuple):
    """Where the request comes closest to saying a switch."""

    vector: list[float]
    negated: bool
    place: int
    terms: frozenset[str]


def switch_features(
    statement: Statement, slot: Slot, weights: Weights, explained: frozenset[int]
) -> SwitchEvidence | None:
    """The vector of a switch that the request may ask for; None where no word of it is said.

    Args:
        statement: the request.
        slot: the switch.
        weights: of terms among the entry point's slots.
        explained: numbers of the tokens that name options whose value is stated.
    """
    option = slot.option
    content = statement.unspelled
    negative = option.dest.lower().startswith(("no_", "no-", "disable", "not_", "skip")) or any(
        re.match(r"-+no[-_]", flag) for flag in option.flags
    )
    best: SwitchEvidence | None = None
    for name in slot.names:
        core = (
            tuple(t for t in name if t not in {"no", "use", "do", "with", "enable", "disable", "not", "is", "skip"})
            or name
        )
        worth = {term: weights.name(term) + 0.02 for term in core}
        whole = sum(worth.values())
        for at, word in enumerate(content):
            window = [
                one
                for one in content[max(0, at - 3) : at + 4]
                if abs(statement.costs[one.place] - statement.costs[word.place]) < 7
            ]
            said = {term: one for one in window for term in one.terms}
            if not any(t in worth or t in slot.help_terms for t in word.terms):
                continue
            covered = sum(w for t, w in worth.items() if t in said) / whole
            helped = sorted((weights.help(t) for t in said if t in slot.help_terms), reverse=True)
            hits = [one for one in window if any(t in worth or t in slot.help_terms for t in one.terms)]
            first, last = min(one.place for one in hits), max(one.place for one in hits)
            own = {one.place for one in hits}
            named = [one.place for one in hits if any(t in worth for t in one.terms)]
            negated = _is_negated(statement, own, first, max(named, default=last))
            known = sum(one.place in explained for one in hits) / len(hits)
            near_value = any(
                m.kind in {"number", "path"} and min(abs(m.first - last), abs(m.last - first)) <= 2
                for m in statement.mentions
            )
            vector = [
                covered, sum(helped[:4]), sum(helped[:4]) / (1.0 + 0.25 * len(slot.help_terms)),
                sum(sorted((weights.help(t) for t in said if t in slot.prose_terms), reverse=True)[:3]),
                float(negated), float(negative), float(len(core)), max((w for t, w in worth.items() if t in said), default=0.0),
                float((option.default or "").lower() == "true"), min(1.0, len(slot.seen) / 3), known,
                float(last - first <= len(hits) + 1), float(near_value), 0.0, float(not option.switch), float(core[-1] in said),
            ]  # fmt: skip
            strength = covered * 2 + sum(helped[:4]) * 0.6 - known
            if best is None or strength > best.vector[13]:
                vector[13] = strength
                best = SwitchEvidence(vector, negated, first, frozenset(said))
    return best


def _is_negated(statement: Statement, own: Collection[int], first: int, last: int) -> bool:
    """Whether a word of denial stands before or among the words of a switch, or one that switches off right behind them."""
    for at in range(max(0, first - 4), last + 1):
        word = statement.tokens[at].text.lower().replace("’", "'")
        if word in (_DENIALS if at in own else _NEGATIONS):
            return True
    for token in statement.tokens[last + 1 : last + 7]:
        if token.kind == "mark":
            break
        if token.value.lower() in _OFF:
            return True
    return False


def switches(
    statement: Statement,
    slots: Sequence[Slot],
    weights: Weights,
    explained: frozenset[int],
    given: set[int],
    score: Scorer,
) -> Iterator[tuple[int, Slot, SwitchEvidence, float]]:
    """Every switch that the request comes near to saying, with its score; of two that are said by the same words the better one."""
    found = []
    for place, slot in enumerate(slots):
        if place in given or not slot.boolean or slot.internal:
            continue
        said = switch_features(statement, slot, weights, explained)
        if said is not None:
            found.append((place, slot, said))
    ranked = []
    for place, slot, said in found:
        better = sum(
            other.vector[13] > said.vector[13] and abs(other.place - said.place) < 6
            for at, _, other in found
            if at != place
        )
        vector = [*said.vector]
        vector[13] = float(min(better, 4))
        ranked.append((place, slot, SwitchEvidence(vector, said.negated, said.place, said.terms), score(vector)))
    yield from ranked


def contradicts(said: SwitchEvidence) -> bool:
    """Whether the request names what the switch takes away, and wants it: "on one GPU" is no wish for `--no_cuda`."""
    evidence = dict(zip(SWITCH_FEATURES, said.vector, strict=True))
    return bool(evidence["negative_name"] and not evidence["negated"] and evidence["head"])


def truth(slot: Slot, said: SwitchEvidence) -> str:
    """Whether a switch is wanted on or off; one whose own name says no is wanted where its thing is not."""
    negative = bool(said.vector[5])
    wanted = not said.negated or negative
    return str(int(wanted)) if slot.binary else str(wanted)
