"""Places for values that the request's own words rule out, whatever else speaks for them."""

from collections.abc import Sequence

from ml_agent.matching.evidence import Evidence
from ml_agent.matching.meanings import VocabularyMatch
from ml_agent.matching.mentions import Mention
from ml_agent.values.lexer import is_path

Found = tuple[Mention, int, Evidence, VocabularyMatch | None]
"""A value, the slot where it could be, what is said for that, and what of the slot's own vocabulary it is."""


def without_ruled_out(found: Sequence[Found]) -> list[Found]:
    """The same without other slots for a file that an example gives one: who names it means that one, which the example keeps anyway."""
    kept = {_place(one) for one in found if _is_of_example(one[3])}
    return [one for one in found if one[3] is not None or _place(one) not in kept]


def _is_of_example(match: VocabularyMatch | None) -> bool:
    return match is not None and match.exact and is_path(match.value)


def _place(one: Found) -> tuple[int, int]:
    return one[0].first, one[0].last
