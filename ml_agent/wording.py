"""What each phase found, in plain words: a first line, then details one a line. Text of others is made harmless where it is shown."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ml_agent.delivery.expectation import Expectation
from ml_agent.draft import Draft, LedgerEntry, Placement
from ml_agent.numbers import is_number
from ml_agent.request import Request, Value
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.user_values import counted_noun, purpose

NO_LICENCE = "none found: ask the author before you publish or sell what you make with it"
_LONGEST = 100
_MOST_LINES = 12


def of_request(request: Request, expected: Sequence[Expectation]) -> str:
    """ "read 2 values: learning rate 1e-4, epochs 25", then what should come out."""
    values = [value for value in request.values if value.kind != "switch" or value.name]
    named = list(dict.fromkeys(_describe(value, request.instruction) for value in values if value.required))
    guessed = list(dict.fromkeys(value.text for value in values if not value.required))
    lines = [f"read {counted(len(named), 'value')}: {', '.join(named)}" if named else "no values stated"]
    lines += [f"possibly also {', '.join(guessed)}"] if guessed else []
    return "\n".join([*lines, *(f"expected: {one.describe()}" for one in expected)])


def _describe(value: Value, instruction: str) -> str:
    """A value with what it is for, as the user put it."""
    if value.start < 0 or value.name:
        return f"{value.name.lstrip('-')} {value.value}" if value.name else value.text
    if value.kind != "number" or not value.words:
        return value.value
    if counted := counted_noun(value, instruction):
        return f"{value.text} {counted}"
    return " ".join([*purpose(value, instruction), value.text])


def of_candidates(candidates: Sequence[Candidate], limit: int = 5) -> str:
    """How many repositories there are, then each with its score and description."""
    if len(candidates) == 1 and candidates[0].source == "named":
        return candidates[0].full_name
    lines = [_candidate(candidate) for candidate in candidates[:limit]]
    return "\n".join([counted(len(candidates), "candidate", "candidates"), *lines])


def of_ranking(ranked: Sequence[Candidate], before: Sequence[Candidate]) -> str:
    """The first repository, then the order with scores and reasons where it is not the one before."""
    first = ranked[0].full_name
    if len(ranked) == 1:
        return first
    if [one.full_name for one in ranked] == [one.full_name for one in before]:
        return f"{first} first, order unchanged"
    return "\n".join([f"{first} first", *(_candidate(candidate) for candidate in ranked)])


def _candidate(candidate: Candidate) -> str:
    score = f" {candidate.score:.3g}" if candidate.score else ""
    said = shortened(candidate.why or candidate.description or ", ".join(candidate.topics))
    return f"{candidate.full_name}{score}" + (f": {said}" if said else "")


def of_draft(draft: Draft) -> str:
    """A draft's first line, the lines behind it, and what it was made from."""
    head, *more = draft.text.strip().splitlines() or [""]
    shown = more[:_MOST_LINES] + ([f"… {len(more) - _MOST_LINES} more lines"] if len(more) > _MOST_LINES else [])
    said = (
        draft.because if draft.because.startswith(("adapted", "written", "based on")) else f"based on {draft.because}"
    )
    return "\n".join([head, *shown, *([said] if draft.because else [])])


def of_inputs(absent: Sequence[str], refused: Sequence[str]) -> list[str]:
    """Which files that the user names do not go in, a line each reason."""
    lines = [f"{', '.join(absent)}: not found in your folder or in the repository"] if absent else []
    return lines + [f"not taken: {line}" for line in refused]


def of_check(draft: Draft, instruction: str, lacking: Sequence[str] = ()) -> str:
    """Whether a draft is sound, which files are nowhere, the account of the user's values, and what was kept from an example unasked."""
    entries = [one for one in with_spoken(draft, instruction) if one.required or one.status != "not found"]
    placed = sum(entry.status != "not found" for entry in entries)
    verdict = "ok" if draft.sound else "disputed by the model, so it is run"
    lines = [f"{verdict}; {counted(placed, 'value')} used"]
    lines += lacking
    lines += map(_entry, entries)
    lines += [f"{one}: fill this in; it is required and the request gives no value" for one in draft.invented]
    return "\n".join([*lines, *_kept_options(draft, instruction)])


def _entry(entry: LedgerEntry) -> str:
    if entry.status == "not found":
        return f"{entry.text}: not used"
    where = "in the command" if entry.where == entry.text else entry.where
    return f"{entry.text}: {where}" + (" (its default)" if entry.status == "default" else "")


def _kept_options(draft: Draft, instruction: str) -> Iterable[str]:
    """Options that nobody asked for, with the example that they stand in."""
    kept = unasked(draft, instruction)
    if not kept:
        return
    origin = draft.provenance
    if origin is not None and origin.kind == "example":
        yield f"copied from {origin.path}:{origin.line}, the example: {', '.join(kept)}"
    else:
        yield f"also set, not named in your request: {', '.join(kept)}"


def counted(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


def shortened(text: str) -> str:
    """The first line of a text, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def not_found(path: str) -> str:
    """Of something that the request seems to give as an input."""
    return f"{path} is neither in your folder nor in the repository: something in the run must bring it"


# What an answer sets although nobody asked for it: the user should know before running it.

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
