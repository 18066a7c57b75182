"""Places for values that the request's own words rule out, whatever else speaks for them."""

from collections.abc import Sequence

from ml_agent.matching.evidence import Evidence
from ml_agent.matching.meanings import VocabularyMatch
from ml_agent.matching.mentions import Mention
from ml_agent.values.lexer import is_path

Found = tuple[Mention, int, Evidence, VocabularyMatch | None]
"""A value, the slot where it could be, what is said for that, and what of the slot's own vocabulary it is."""


def without_ruled_out(found: Sequence[Found]) -> list[Found]:
    """The same without other slots for a file that an example gives one, and for a number whose noun names one."""
    kept = {_place(one) for one in found if _is_of_example(one[3])}
    counted = {_place(one) for one in found if one[0].kind == "number" and one[2].head and one[2].next}
    return [
        one
        for one in found
        if one[3] is not None or not (_place(one) in kept or (_place(one) in counted and not one[2].name))
    ]


def _is_of_example(match: VocabularyMatch | None) -> bool:
    """Whether a file is named that an example has there: who names it means that one, which the example keeps anyway."""
    return match is not None and match.exact and is_path(match.value)


def _place(one: Found) -> tuple[int, int]:
    """Where the value stands: "5 steps" is no seed where there is a number of steps."""
    return one[0].first, one[0].last
