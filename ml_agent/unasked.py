"""What an answer sets although nobody asked for it: the user should know before running it."""

import re
from collections.abc import Sequence
from pathlib import Path

from ml_agent.draft import Draft
from ml_agent.tools.commandline.shell import parse_command

MOST = 12
_TRUTHS = frozenset({"true", "false", "yes", "no", "on", "off"})
"""Values of a switch: who speaks of it does not say them."""
_SETTING = re.compile(r"[+~]{0,2}[A-Za-z_][\w./@]{0,80}=")
"""A key of a configuration with its value: `model.width=3`."""


def unasked(draft: Draft, instruction: str) -> list[str]:
    """Options with their values that stand in a command and that neither a value nor a word of the user's is behind."""
    if draft.kind != "bash":
        return []
    known = [*(entry.where for entry in draft.ledger), *(one.where for one in draft.placements)]
    honoured = {word.partition("=")[0] for where in known for word in where.split()}
    said = {word.strip(".,;:!?()\"'").lower() for word in re.split(r"[\s=]+", instruction)}
    found = [pair for invocation in parse_command(draft.text).invocations for pair in _pairs(invocation.words)]
    options = [
        " ".join(pair) for pair in found if pair[0].partition("=")[0] not in honoured and not _is_said(pair, said)
    ]
    options = [option for option in options if option not in draft.invented]
    return options if len(options) <= MOST else [*options[:MOST], f"{len(options) - MOST} more"]


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
        if (word.startswith("-") and not _is_number(word)) or _SETTING.match(word):
            pairs.append([word])
        elif pairs and len(pairs[-1]) < 4 and "=" not in pairs[-1][0] and Path(word).suffix != ".py":
            pairs[-1].append(word)
    return pairs


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
