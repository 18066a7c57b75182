"""Which of two commands goes first: the matched one, or the one adapted from an example."""

from ml_agent.draft import Draft
from ml_agent.grounded.commands import Matched, statement_of
from ml_agent.request import Request
from tools.commandline.shell import parse_command

_FIRM = 1.25
"""Log-odds of the weakest placement from which on a matched command is held to be as good as a way that authors have tried."""


def is_better(matched: Matched, adapted: Draft, request: Request) -> bool:
    """Whether a matched command goes before an adapted example: the user spells options, or it uses more of the values.

    Who spells options has said what goes where. Where both use as many values, the matched one goes first if it calls the
    same entry point with every value firmly in its slot, as matching weighs all slots against each other. An example that
    gives something which the matched one has nowhere goes before it: it may say what the request says in other words.

    Args:
        matched: the command, with its account.
        adapted: the first command made from an example, with its account.
        request: what the user wants.
    """
    if any(one.name.startswith("-") for one in statement_of(request).spelled):
        return True
    if unused(matched.draft) != unused(adapted):
        return unused(matched.draft) < unused(adapted)
    if matched.draft.entry != adapted.entry or matched.unasked or matched.least <= _FIRM:
        return False
    given, told = _options(matched.draft.text), _options(adapted.text)
    return all(flag in given or (value and value in given.values()) for flag, value in told.items())


def unused(draft: Draft) -> int:
    """How many stated values a draft has no place for, by its account."""
    return sum(entry.required and entry.status == "not found" for entry in draft.ledger)


def _options(text: str) -> dict[str, str]:
    """The flags of a command, those of all its calls, each with the word behind it."""
    found: dict[str, str] = {}
    for call in parse_command(text).invocations:
        flag = ""
        for word in call.words:
            if word.startswith("-") and word.lstrip("-")[:1].isalpha():
                flag, _, value = word.lstrip("-").partition("=")
                found[flag] = value
            elif flag:
                found[flag] = found[flag] or word
    return found
