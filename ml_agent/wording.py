"""What each phase found, in plain words: a first line, then details one a line. Text of others is made harmless where it is shown."""

from collections.abc import Iterable, Sequence

from ml_agent.delivery.expectation import Expectation
from ml_agent.draft import Draft, LedgerEntry
from ml_agent.request import Request, Value
from ml_agent.tools.candidates import Candidate
from ml_agent.unasked import unasked, with_spoken
from ml_agent.user_values import counted_noun, purpose

NO_LICENCE = "none found: ask the author before you publish or sell what you make with it"
_LONGEST = 100
_MOST_LINES, _MOST_CANDIDATES = 12, 5


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
    if noun := counted_noun(value, instruction):
        return f"{value.text} {noun}"
    return " ".join([*purpose(value, instruction), value.text])


def of_candidates(candidates: Sequence[Candidate]) -> str:
    """How many repositories there are, then each with its score and description."""
    if len(candidates) == 1 and candidates[0].source == "named":
        return candidates[0].full_name
    lines = [_candidate(candidate) for candidate in candidates[:_MOST_CANDIDATES]]
    return "\n".join([counted(len(candidates), "candidate"), *lines])


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


def counted(number: int, one: str) -> str:
    """A number of things, in words: "1 file", "3 files"."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def shortened(text: str) -> str:
    """The first line of a text, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def not_found(path: str) -> str:
    """Of something that the request seems to give as an input."""
    return f"{path} is neither in your folder nor in the repository: something in the run must bring it"
