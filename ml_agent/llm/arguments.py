"""How a small model is asked for the arguments of one command."""

import re
from collections.abc import Sequence

from ml_agent.llm.listing import called, options_of
from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.meanings import vocabulary_matches
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.prompts.render import render
from ml_agent.prompts.untrusted import PromptText
from ml_agent.tools.signatures.model import Signature

OPTIONS = 1800
"""Characters for the options."""
_MOST_FITTING, _MOST_OF_A_SLOT = 6, 2
_SIZE_OF_MODEL = re.compile(r"\d[\d.]*B")
"""A part of a model's name more often than a number: "Llama 3.1 8B"."""
_LONGEST = 80


def head(signature: Signature, words: str, folder: str, most: int = OPTIONS) -> PromptText:
    """What comes before the request: how the program is called, and its options.

    Args:
        signature: of the program.
        words: by which options are chosen where there are too many.
        folder: from where it is called.
        most: characters for the options.
    """
    return render("fill", name=called(signature, folder), options=options_of(signature, words, most), **_NOTHING)[
        "head"
    ]


def tail(statement: ParsedRequest, entry: EntryPoint) -> PromptText:
    """The request, the numbers that it says in words, and known values that it seems to mean."""
    fitting = "; ".join(_fitting(statement, entry))
    text = " ".join(statement.text.split())
    return render("fill", name="", options="", instruction=text, values=reworded_numbers(statement), fitting=fitting)[
        "question"
    ]


def system() -> PromptText:
    """Who the model is."""
    return render("fill", name="", options="", **_NOTHING)["system"]


_NOTHING = {"instruction": "", "values": "", "fitting": ""}


def _fitting(statement: ParsedRequest, entry: EntryPoint) -> Sequence[str]:
    """By option, values that the repository gives it and the request seems to mean, where they are not listed with the option."""
    found = []
    for slot in entry.slots:
        if slot.option.choices or slot.boolean or slot.internal or not slot.vocabulary:
            continue
        values = [one.value for one in vocabulary_matches(statement, slot) if len(one.value) < _LONGEST][
            :_MOST_OF_A_SLOT
        ]
        if values:
            name = max(slot.option.flags, key=len, default=slot.option.dest)
            found.append(f"{name} {' | '.join(values)}")
    return found[:_MOST_FITTING]


def reworded_numbers(statement: ParsedRequest, *, plain: bool = True) -> str:
    """The numbers that are said in words or in another form; the others stand in the sentence as they are.

    Args:
        statement: the request.
        plain: also whole numbers in one word ("five"), which nobody gets wrong who reads well.
    """
    said = [one for one in statement.mentions if one.kind == "number" and not one.parts]
    other = [
        one
        for one in said
        if not one.text.startswith(one.value)
        and one.value != "1"
        and not _SIZE_OF_MODEL.fullmatch(one.text)
        and not (one.value == "0" and statement.text[one.end : one.end + 1] == "-")
    ]
    mentioned = [one for one in other if plain or not (one.text.isalpha() and one.value.isdigit())]
    return "; ".join(dict.fromkeys(f"{one.text} = {one.value}" for one in mentioned if any(map(str.isalpha, one.text))))
