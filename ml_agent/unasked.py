"""What an answer sets although nobody asked for it, which the user should know before he runs it.

An option of the command is asked for where a value of the ledger set it, or where the sentence says its value or the switch's name.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ml_agent.draft import Draft, LedgerEntry, Placement
from ml_agent.numbers import is_number
from ml_agent.tools.commandline.shell import parse_command

MOST = 12
_TRUTHS = frozenset({"true", "false", "yes", "no", "on", "off"})
"""Values of a switch: who speaks of it does not say them."""
_SETTING = re.compile(r"[+~]{0,2}[A-Za-z_][\w./@]{0,80}=")
"""A key of a configuration with its value: `model.width=3`."""


def unasked(draft: Draft, instruction: str) -> list[str]:
    """Options with their values that stand in a command and that neither a value nor a word of the user's is behind."""
    said = _said_words(instruction)
    options = [" ".join(pair) for pair in _without(draft, draft.placements) if not _is_said(pair, said)]
    options = [option for option in options if option not in draft.invented]
    return options if len(options) <= MOST else [*options[:MOST], f"{len(options) - MOST} more"]


def with_spoken(draft: Draft, instruction: str) -> tuple[LedgerEntry, ...]:
    """The ledger, with the words of the request that an option of the command has without having been read as values."""
    said = _said_words(instruction)
    spoken = [pair for pair in _without(draft) if _is_said(pair, said) and " ".join(pair) not in draft.invented]
    texts = [(" ".join(pair[1:]) or pair[0].partition("=")[2] or pair[0], " ".join(pair)) for pair in spoken]
    return (*draft.ledger, *(LedgerEntry(value=text, text=text, status="honoured", where=at) for text, at in texts))


def _said_words(instruction: str) -> set[str]:
    return {word.strip(".,;:!?()\"'").lower() for word in re.split(r"[\s=]+", instruction)}


def _without(draft: Draft, placements: Sequence[Placement] = ()) -> list[list[str]]:
    """Options of a command, each with its words, that neither a value of the ledger nor one of the placements set."""
    if draft.kind != "bash":
        return []
    known = [*(entry.where for entry in draft.ledger), *(one.where for one in placements)]
    honoured = {word.partition("=")[0] for where in known for word in where.split()}
    found = [pair for invocation in parse_command(draft.text).invocations for pair in _pairs(invocation.words)]
    return [pair for pair in found if pair[0].partition("=")[0] not in honoured]


def _is_said(pair: list[str], said: set[str]) -> bool:
    """Whether the user spoke of a value, or of a switch by its name."""
    flag, _, value = pair[0].partition("=")
    values = [*pair[1:], *([value] if value else [])]
    truths = all(word.lower() in _TRUTHS for word in values)
    words = re.split(r"[-_]+", flag.rpartition(".")[2].strip("-")) if truths else values
    return any(_stem(word) in {_stem(other) for other in said} for word in words)


def _stem(word: str) -> str:
    return word.lower().removesuffix("s")


def _pairs(words: Sequence[str]) -> list[list[str]]:
    """Each option with what stands behind it."""
    pairs: list[list[str]] = []
    for word in words:
        if (word.startswith("-") and not is_number(word)) or _SETTING.match(word):
            pairs.append([word])
        elif pairs and len(pairs[-1]) < 4 and "=" not in pairs[-1][0] and Path(word).suffix != ".py":
            pairs[-1].append(word)
    return pairs
