"""Requests: from templates and help texts, or in a model's words where these still hold every value and add none."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import openai

from ml_agent.conversation.configured import endpoint_of
from ml_agent.errors import AgentError
from ml_agent.model.budget import Budget, load_prices
from ml_agent.model.memory import Memory
from ml_agent.model.replies import read_reply
from ml_agent.model.sender import ClientParts, RequestBody, Sender
from ml_agent.prompts.untrusted import neutral
from ml_agent.settings import Settings
from ml_agent.tools.signatures.model import Option, Signature

STYLES = {
    "polite": ("Could you please run {program} with {options}?", "long and courteous"),
    "plain": ("Run {program} with {options}.", "short, everyday sentences"),
    "terse": ("{program}: {options}", "a few words, as one types to a colleague in a hurry"),
    "flags": ("Run {program} with {flags}.", "with the options as they are spelled"),
    "indirect": ("I would like to have what {program} makes, given {options}.", "in the words of the field"),
    "context": (
        "We are comparing settings. For the next run of {program} take {options}.",
        "telling where the user stands",
    ),
}
"""Style -> template, and how a model is asked for it."""
OUTPUT_TOKENS = 300
ASKED = """Rewrite this request of a user in another wording: {style}. Keep every fact and every value exactly; add nothing.

Request: {request}
The command it asks for: {command}
What its options mean:
{helps}

Reply with the request only."""
WORDED, FAILED = "by the model", "template: the model failed"
GIVEN_UP = 3
"""Failures in a row after which a repository's other rows are not asked any more."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
_NOUN = re.compile(r"(?:the |path to the |path to |specify the )?([a-z][a-z -]{3,40}?)(?=[.,;:(\n]|$)", re.IGNORECASE)


def request(
    signature: Signature, options: Mapping[str, Option], call: Mapping[str, Any], style: str, random: Random
) -> str:
    """A request in a style that holds every value and names the program.

    Args:
        signature: of the program.
        options: those that it asks for, by name.
        call: the values by name.
        style: one of STYLES.
        random: decides the order.
    """
    program = signature.name if signature.kind in ("console", "module") else signature.path
    names = list(options)
    random.shuffle(names)
    texts = {name: " ".join(map(str, v)) if isinstance(v := call[name], list) else str(v) for name in names}
    told = [f"{noun(options[n])} on" if options[n].switch else f"{noun(options[n])} {texts[n]}" for n in names]
    spelled = [
        f"{options[n].flags[-1] if options[n].flags else n}" + ("" if options[n].switch else f" {texts[n]}")
        for n in names
    ]
    joined = ", ".join(told[:-1]) + (" and " if told[1:] else "") + "".join(told[-1:])
    fields = {"program": " ".join([program, *signature.subcommand]), "options": joined, "flags": " ".join(spelled)}
    return STYLES[style][0].format(**fields)


def noun(option: Option) -> str:
    """What an option is called: by its help where that begins with a short noun, else by its name."""
    match = _NOUN.match(option.help.strip())
    name = option.dest.rpartition(".")[2].replace("_", " ").replace("-", " ")
    return match[1].strip().lower() if match and len(match[1].split()) <= 4 and not option.switch else name


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
    style = STYLES[row["style"]][1]
    prompt = ASKED.format(style=style, request=template, command=row["output"], helps=helps or "-")
    options = {"max_tokens": OUTPUT_TOKENS, "temperature": 0.0}
    body = RequestBody(messages=({"role": "user", "content": neutral(prompt)},), options=options)
    try:
        text = read_reply(sender.send("reword", body, "text")).content.strip().strip('"')
    except (openai.APIError, AgentError):
        return template, FAILED
    reason = refused(text, row)
    return (template, f"template: {reason}") if reason else (text, WORDED)


def refused(text: str, row: Mapping[str, Any]) -> str:
    """What speaks against a model's wording of a row's request; empty where nothing does."""
    template = str(row["instruction"])
    if not text:
        return "no text"
    stated = [str(value) for value in row["arguments"].values() if _stands(str(value), template)]
    if not all(_stands(value, text) for value in stated):
        return "a value was lost"
    if set(_NUMBER.findall(text)) - set(_NUMBER.findall(f"{template} {row['output']}")):
        return "a number was added"
    return ""


def _stands(value: str, text: str) -> bool:
    """Whether all words of a value stand in a text as wholes."""
    found = (re.search(rf"(?<![\w.]){re.escape(part)}(?!\w)(?!\.\d)", text, re.IGNORECASE) for part in value.split())
    return all(found)
