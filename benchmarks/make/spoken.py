"""Requests by a model: the template's facts in its own words, taken only where they still hold every value and add none."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import openai

from ml_agent.benchmarks.make.wording import in_words
from ml_agent.budget import Budget
from ml_agent.errors import AgentError
from ml_agent.llm.answers import read_reply
from ml_agent.llm.configured import endpoint_of
from ml_agent.llm.memory import Memory
from ml_agent.llm.sender import ClientParts, RequestBody, Sender
from ml_agent.prices import load_prices
from ml_agent.prompts.untrusted import neutral
from ml_agent.settings import Settings
from ml_agent.tools.commandline.shell import parse_command

OUTPUT_TOKENS = 300
STYLES = {
    "polite": "long and courteous, numbers in words where that reads well",
    "plain": "short, everyday sentences",
    "terse": "a few words, as one types to a colleague in a hurry",
    "flags": "with the options as they are spelled",
    "indirect": "in the words of the field only: no script, no option names",
    "context": "telling where the user stands, where the data is and where results shall go",
}
ASKED = """Rewrite this request of a user in another wording: {style}. Keep every fact and every value exactly; add nothing.

Request: {request}
The command it asks for: {command}
What its options mean:
{helps}

Reply with the request only."""
WORDED = "by the model"
FAILED = "template: the model failed"
GIVEN_UP = 3
"""Failures in a row after which a repository's other rows are not asked any more."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
_SAYS_NOTHING = frozenset(
    {
        "the",
        "use",
        "used",
        "using",
        "with",
        "and",
        "for",
        "whether",
        "will",
        "this",
        "that",
        "not",
        "all",
        "enable",
        "when",
        "your",
    }
)
"""Words of help texts that do not tell one option from another."""
_OPTION = re.compile(r"(?<!\S)--?[A-Za-z][\w.-]*")


class RewordedRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows in a model's words."""

    rows: tuple[dict[str, Any], ...]
    wording: dict[str, int]
    """How many rows are by the model, and how many kept the template, by reason."""


def reworded(rows: Sequence[dict[str, Any]], settings: Settings) -> RewordedRows:
    """These rows with requests in the words of the model that the settings name; ConfigurationError where they name none."""
    parts = ClientParts(memory=Memory(), prices=load_prices(settings.prices))
    sender = Sender(endpoint_of(settings), Budget(), lambda event, **fields: None, parts)
    made, wording, failures = list[dict[str, Any]](), Counter[str](), 0
    try:
        for row in rows:
            text, how = _reword(sender, row) if failures < GIVEN_UP else (str(row["instruction"]), FAILED)
            failures = failures + 1 if how == FAILED else 0
            wording[how] += 1
            made.append({**row, "instruction": text})
    finally:
        sender.close()
    return RewordedRows(rows=tuple(made), wording=dict(wording))


def _reword(sender: Sender, row: Mapping[str, Any]) -> tuple[str, str]:
    """The row's request in the model's words, and WORDED; or the request as it was, and why."""
    template, helps = str(row["instruction"]), "\n".join(f"{k}: {v}" for k, v in row["helps"].items())
    prompt = ASKED.format(style=STYLES[row["style"]], request=template, command=row["output"], helps=helps or "-")
    body = RequestBody(
        messages=({"role": "user", "content": neutral(prompt)},),
        options={"max_tokens": OUTPUT_TOKENS, "temperature": 0.0},
    )
    try:
        text = read_reply(sender.send("reword", body, "text")).content.strip().strip('"')
    except (openai.APIError, AgentError):
        return template, FAILED
    reason = refused(text, row)
    return (template, f"template: {reason}") if reason else (text, WORDED)


def refused(text: str, row: Mapping[str, Any]) -> str:
    """What speaks against a model's wording of a row's request; empty where nothing does."""
    template, style = str(row["instruction"]), row["style"]
    lower, before = text.lower(), template.lower()
    if not text:
        return "no text"
    if any(_is_stated(value, before) and not _is_stated(value, lower) for value in row["arguments"].values()):
        return "a value was lost"
    if any(_is_lost(str(name), row, before, lower) for name in row["arguments"]):
        return "an option was lost"
    called = _program_names(str(row["output"]))
    if any(_stands(name, before) for name in called) and not any(_stands(name, lower) for name in called):
        return "the script's name was lost"
    if set(_NUMBER.findall(text)) - set(_NUMBER.findall(f"{template} {row['output']}")):
        return "a number was added"
    if style != "flags" and set(_OPTION.findall(text)) - set(_OPTION.findall(template)):
        return "options are spelled"
    return ""


def _is_lost(name: str, row: Mapping[str, Any], before: str, lower: str) -> bool:
    """Whether an option that the template tells without its value, as it does switches, is in no word of the text any more."""
    if _is_stated(str(row["arguments"][name]), before):
        return False
    helps = row.get("helps", {})
    others = {w for other in row["arguments"] if other != name for w in _stems(f"{other} {helps.get(other, '')}")}
    own_stems = _stems(f"{name} {helps.get(name, '')}")
    own_stems = ((own_stems - others) or own_stems) & _stems(before)
    return bool(own_stems) and not own_stems & _stems(lower)


def _stems(text: str) -> set[str]:
    """The beginnings of the words that mean something."""
    words = re.findall(r"[a-z]{3,}", text.lower().replace("_", " "))
    return {w[:5] for w in words if w not in _SAYS_NOTHING}


def _program_names(command: str) -> set[str]:
    """The names by which a command's program is known: its file with and without folders, its module, its console script."""
    names = {i.name.lower() for i in parse_command(command).invocations if i.target != "code"}
    return {n for name in names for n in (name.removeprefix("./"), name.rpartition("/")[2])} - {""}


def _is_stated(value: str, lower: str) -> bool:
    return all(_stands(part, lower) for part in value.lower().split())


def _stands(part: str, lower: str) -> bool:
    """Whether a word stands in a text as a whole, or as a number in words."""
    if re.search(rf"(?<![\w.]){re.escape(part)}(?![\w])(?!\.\d)", lower):
        return True
    return part.isdigit() and in_words(int(part)) in lower
