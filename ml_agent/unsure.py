"""What is offered where no answer is likely enough: different answers, what speaks against each, what would decide."""

from collections.abc import Iterable, Sequence
from itertools import islice

from ml_agent.draft import Draft
from ml_agent.state import Plain

MOST = 3
MOST_LINES = 12
"""Of each answer that is shown beside others."""
_LOOKED_AT = 12


def different(drafts: Iterable[Draft]) -> list[Draft]:
    """Up to three answers, those first that call different entry points."""
    seen = list(islice(drafts, _LOOKED_AT))
    entries: dict[str, Draft] = {}
    for draft in seen:
        entries.setdefault(draft.entry or draft.text, draft)
    firsts = list(entries.values())
    rest = [draft for draft in seen if draft not in firsts]
    return [*firsts, *rest][:MOST]


def offer(draft: Draft) -> Plain:
    """An answer as run.json holds it, with what speaks for and against it."""
    return {
        "text": draft.text,
        "kind": draft.kind,
        "workdir": draft.workdir,
        "entry": draft.entry,
        "confidence": draft.confidence,
        "because": draft.because,
        "unused": [entry.text for entry in draft.ledger if entry.required and entry.status == "not found"],
        "unplaced": list(draft.unplaced),
    }


def lines_of(offered: Plain) -> list[str]:
    """The lines of an offered answer, as far as they fit beside others; how many are left out is said."""
    lines = offered["text"].strip().splitlines() or [""]
    left = len(lines) - MOST_LINES
    return lines if left < 2 else [*lines[:MOST_LINES], f"… {left} more lines, in run.json"]


def what_would_decide(offered: Sequence[Plain]) -> str:
    """What the user could say so that one answer is likelier than the others."""
    entries = list(dict.fromkeys(one["entry"] for one in offered if one["entry"]))
    if len(entries) > 1:
        return f"name the script ({', '.join(entries)}), write its options, or use --model"
    return "write the options as the program names them, choose another folder with --path, or use --model"
