"""What is offered where rules find no answer likely enough: up to three different answers, and what would decide between them.

Only answers without a model end so. Each offer is plain JSON, as run.json and the question of `--ask` take it.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from ml_agent.draft import Draft
from ml_agent.state import Plain
from ml_agent.tools.index import RepoIndex

MOST = 3
MOST_LINES = 12
"""Of each answer that is shown beside others."""
_LOOKED_AT, _MOST_OPTIONS, _MOST_DOCUMENTED = 12, 16, 300
_MODEL = "give a model (--model NAME with OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint)"


def different(drafts: Iterable[Draft]) -> list[Draft]:
    """Up to three answers, those first that call different entry points."""
    seen = list(islice(drafts, _LOOKED_AT))
    entries: dict[str, Draft] = {}
    for draft in seen:
        entries.setdefault(draft.entry or draft.text, draft)
    firsts = list(entries.values())
    rest = [draft for draft in seen if draft not in firsts]
    return [*firsts, *rest][:MOST]


def offer(draft: Draft, index: RepoIndex) -> Plain:
    """An answer as run.json holds it: what speaks for and against it, what its entry point takes, and the nearest documented call of it."""
    shown = [one for one in index.examples if one.entry == draft.entry != ""]
    made_from = draft.provenance
    own = [one for one in shown if made_from is not None and (one.path, one.line) == (made_from.path, made_from.line)]
    nearest = next((f"{one.text} ({one.path} line {one.line})" for one in (*own, *shown)), "")
    signatures = index.signatures.get(draft.entry, ())
    options = dict.fromkeys(max(o.flags, key=len, default=o.dest) for one in signatures for o in one.options)
    return {
        "text": draft.text,
        "kind": draft.kind,
        "workdir": draft.workdir,
        "entry": draft.entry,
        "confidence": draft.confidence,
        "because": draft.because,
        "unused": [entry.text for entry in draft.ledger if entry.required and entry.status == "not found"],
        "unplaced": list(draft.unplaced),
        "options": list(options)[:_MOST_OPTIONS],
        "documented": nearest[:_MOST_DOCUMENTED],
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
        return f"name the script ({', '.join(entries)}), write its options, or {_MODEL}"
    return f"write the options as the program names them, choose another folder with --path, or {_MODEL}"
