"""Numbers that no option's name or help speaks for, where just one option is left that they can be for."""

from collections.abc import Mapping, Sequence

from ml_agent.grounded.affinity import called, holds_share, is_share
from ml_agent.grounded.ledger import Match, typed
from ml_agent.request import Value
from ml_agent.values.numbers import number
from tools.signatures.model import Option


def leftovers(
    values: Sequence[Value], matches: Sequence[Match], options: Sequence[Option], present: Mapping[str, str]
) -> tuple[Match, ...]:
    """A count for the one option that counts something, a share for the one option that is a share.

    Args:
        values: what the user stated.
        matches: what is settled.
        options: all there are.
        present: what the example gives, by option.
    """
    taken = {found.option.dest for found in matches}
    spent = [(found.value.start, found.value.end) for found in matches]
    free = [option for option in options if option.dest not in taken]
    left = [
        value
        for value in values
        if value.kind == "number"
        and value.words
        and " " not in value.value
        and not any(a <= value.start < b for a, b in spent)
    ]
    counts = [value for value in left if value.value.isdigit()]
    counts = [value for value in counts if value.required] or counts
    found = _only(
        counts, [option for option in free if option.dest in present and _counts(option, present[option.dest])]
    )
    return found + _only(
        [value for value in left if is_share(value)], [option for option in free if holds_share(option)]
    )


def _only(values: Sequence[Value], options: Sequence[Option]) -> tuple[Match, ...]:
    if len(values) != 1 or len(options) != 1:
        return ()
    return (Match(value=values[0], option=options[0], score=0.0, typed=typed(values[0], options[0])),)


def _counts(option: Option, shown: str) -> bool:
    """Whether an option is the number of something: by its name, by its help, or as a number given by place."""
    if option.positional:
        return number(shown) is not None
    said = option.help.lower()
    return option.type == "int" and (called(option, "number") or "number of" in said or "how many" in said)
