"""How a small model is asked which of several programs does what a request asks."""

from collections.abc import Sequence

from ml_agent.llm.listing import line_of
from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.prompts.render import render
from ml_agent.prompts.untrusted import PromptText

MOST = 5
"""Programs in the question."""
_NAMES, _HEADING = 160, 60
"""Characters for the names of a program's options, and for the heading under which documents show it."""


def question(statement: ParsedRequest, entries: Sequence[EntryPoint], folder: str) -> PromptText:
    """The programs, each with its number, and the request.

    Args:
        statement: the request.
        entries: the programs, likeliest first.
        folder: from where they are called.
    """
    lines = [f"{number}. {_line(entry, folder, statement.text)}" for number, entry in enumerate(entries, 1)]
    text = " ".join(statement.text.split())
    return render("choose", programs="\n".join(lines), instruction=text)["question"]


def system() -> PromptText:
    """Who the model is."""
    return render("choose", programs="", instruction="")["system"]


def _line(entry: EntryPoint, folder: str, words: str) -> str:
    shown = entry.facts.examples.get(entry.signature.path, ())
    heading = next((one.headings[-1][:_HEADING] for one in shown if one.headings), "")
    under = f" [{heading}]" if heading else ""
    return line_of([entry.signature], folder, _NAMES, words) + under
