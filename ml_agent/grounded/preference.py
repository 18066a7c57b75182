"""Which of two commands goes first: the matched one, or the one adapted from an example."""

import re
from collections.abc import Collection, Mapping, Sequence

from ml_agent.draft import Draft
from ml_agent.grounded.commands import Matched, statement_of
from ml_agent.request import Request
from ml_agent.values.numbers import number
from tools.commandline.shell import parse_command
from tools.signatures.model import Signature

_FIRM = 1.25
"""Log-odds of the weakest placement from which on a matched command is held to be as good as a way that authors have tried."""

_SIZE = re.compile(r"\d+(?:[x,]\d+)+")
_AHEAD = 1.0
"""So far ahead of those of other entry points is an answer that is sure to call the right one."""


def is_better(matched: Matched, adapted: Draft, request: Request, signatures: Sequence[Signature] = ()) -> bool:
    """Whether a matched command goes before an adapted example: the user spells options, or it uses more of the values.

    Who spells options has said what goes where. Where both use as many values, the matched one goes first if it uses all that
    the example does and more, or with every value firmly in its slot and nothing unasked, if it calls another entry point and
    that is the best by far, or if it calls the same one and the example has no more to say: it may say what the request says in other words. Where the two give a value to different options, matching has weighed all slots against each other,
    and only what the example does with other stated values speaks for it.

    Args:
        matched: the command, with its account.
        adapted: the first command made from an example, with its account.
        request: what the user wants.
        signatures: of the entry point that is matched.
    """
    if any(one.name.startswith("-") for one in statement_of(request).spelled):
        return True
    lacking = unused(matched.draft, matched.placed)
    if lacking != unused(adapted):
        return lacking < unused(adapted)
    if _uses_more(matched.draft, adapted, request):
        return True
    if matched.unasked or matched.least <= _FIRM:
        return False
    if matched.draft.entry != adapted.entry:
        return matched.margin > _AHEAD
    names = {flag.lstrip("-"): one.dest for signature in signatures for one in signature.options for flag in one.flags}
    given, told = _options(matched.draft.text, names), _options(adapted.text, names)
    moved = {value for name, value in given.items() if value in told.values() and told.get(name) != value}
    sides = {side for value in given.values() if _SIZE.fullmatch(value) for side in re.split("[x,]", value)}
    moved |= sides & set(told.values()) - set(given.values())
    more = {name: value for name, value in told.items() if name not in given and value not in moved}
    stated = {entry.value for entry in adapted.ledger}
    return not any(value in stated or not moved for value in more.values())


def unused(draft: Draft, placed: Collection[str] = ()) -> int:
    """How many stated values a draft has no place for, by its account; what was placed for its meaning has one."""
    return sum(entry.required and entry.status == "not found" and entry.value not in placed for entry in draft.ledger)


def _uses_more(draft: Draft, other: Draft, request: Request) -> bool:
    """Whether a draft uses all stated values that another one uses, and a path or a number besides; a name may be said of the thing itself."""
    more = _honoured_values(draft) - _honoured_values(other)
    paths = {one.value for one in statement_of(request).mentions if one.kind == "path"}
    return _honoured_values(draft) > _honoured_values(other) and any(
        "/" in one or one in paths or number(one) is not None for one in more
    )


def _honoured_values(draft: Draft) -> frozenset[str]:
    """The stated values that a draft uses, by its account."""
    return frozenset(entry.value for entry in draft.ledger if entry.status == "honoured")


def _options(text: str, names: Mapping[str, str]) -> dict[str, str]:
    """The options of a command, those of all its calls, by their names where these are known, each with the word behind it."""
    found: dict[str, str] = {}
    for call in parse_command(text).invocations:
        name = ""
        for word in call.words:
            if word.startswith("-") and word.lstrip("-")[:1].isalpha():
                flag, _, value = word.lstrip("-").partition("=")
                name = names.get(flag, flag)
                found[name] = value
            elif name:
                found[name] = found[name] or word
    return found
