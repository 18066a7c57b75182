"""What the model may choose from: the grounded navigator's drafts, one for each way of doing the task."""

import posixpath
import re
from collections.abc import Sequence

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.kind import leaning
from ml_agent.llm.case import Case
from ml_agent.navigator import Attempt, Evidence, Navigator, Workspace

MOST = 6
_LOOKED_AT = 14
_EXAMINED = 8
_SEVERAL = 3
"""From so many honoured values on, a draft of another kind has to honour half as many."""
_LONGEST_SUMMARY = 140
_LONGEST_NAME = 80
_CODE_LINES = 3
_SCRIPT = re.compile(r"[\w./-]+\.(?:py|sh)$")


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One draft, with the name by which the model calls it."""

    name: str
    """Says what it is: a small model chooses better among words than among letters."""
    draft: Draft
    summary: str


def offers(grounded: Navigator, case: Case) -> list[Offer]:
    """The grounded drafts that were not tried yet, best first, one for each script or example.

    Those that leave more of the user's values without a place than the first one does are left out, but for the best
    command and the best code: whether a command or code is wanted stays the model's to say, unless the user's wording
    leans to the kind of the first one anyway, or the other kind has a place for less than half of what the first one honours.
    """
    distinct: dict[str, Draft] = {}
    for draft in untried(grounded, case):
        distinct.setdefault(_way(draft), draft)
    drafts = [case.examined(draft) for draft in distinct.values()][:_EXAMINED]
    if drafts and drafts[0].sound and not case.failed and leaning(case.request.instruction) == drafts[0].kind:
        drafts = [draft for draft in drafts if draft.kind == drafts[0].kind]
    found: dict[str, Offer] = {}
    for draft in _worth_offering(drafts)[:MOST]:
        name = _free(_name(draft, _headings(draft, case.workspace)), found)
        found[name] = Offer(name=name, draft=draft, summary=_summary(draft))
    return list(found.values())


def _worth_offering(drafts: Sequence[Draft]) -> list[Draft]:
    first = {draft.kind: draft for draft in reversed(drafts)}
    most = _honoured(drafts[0]) if drafts else 0
    kinds = [kind for kind, draft in first.items() if most < _SEVERAL or 2 * _honoured(draft) >= most]
    return [
        draft
        for draft in drafts
        if draft.kind in kinds and (draft is first[draft.kind] or unplaced(draft) <= unplaced(drafts[0]))
    ]


def unplaced(draft: Draft) -> int:
    """How many of the values that the user stated have no place in an examined draft."""
    return sum(entry.required and entry.status == "not found" for entry in draft.ledger)


def _honoured(draft: Draft) -> int:
    return sum(entry.status != "not found" for entry in draft.ledger)


def untried(grounded: Navigator, case: Case) -> list[Draft]:
    """The next drafts of the grounded navigator, in its order."""
    found: list[Draft] = []
    for _ in range(_LOOKED_AT):
        seen = tuple(Attempt(draft=draft) for draft in found)
        step = grounded.write(case.request, case.workspace, Evidence(attempts=(*case.evidence.attempts, *seen)))
        if step.action != "draft" or step.draft is None:
            break
        found.append(step.draft)
    return found


def _way(draft: Draft) -> str:
    """What makes a draft another way of doing it: the script, or what the code does first."""
    return f"bash {draft.entry}" if draft.kind == "bash" else f"python {_telling(draft)}"


def _name(draft: Draft, headings: str) -> str:
    if draft.kind == "python":
        return f"Python: {headings or _telling(draft)[0]}"[:_LONGEST_NAME]
    words = draft.text.split()
    script = next((word for word in words if _SCRIPT.match(word)), "")
    if not script and "-m" in words[:-1]:
        script = words[words.index("-m") + 1]
    return f"run {posixpath.basename(script or draft.entry or words[0])}"[:_LONGEST_NAME]


def _free(name: str, taken: dict[str, Offer]) -> str:
    return next(made for n in range(1, 1000) if (made := name if n == 1 else f"{name} {n}") not in taken)


def _summary(draft: Draft) -> str:
    text = " ".join(draft.text.split()) if draft.kind == "bash" else "; ".join(_telling(draft))
    return text if len(text) <= _LONGEST_SUMMARY else text[:_LONGEST_SUMMARY] + " ..."


def _telling(draft: Draft) -> list[str]:
    """The first lines of code that call something."""
    lines = [line.strip() for line in draft.text.splitlines() if "(" in line and not line.lstrip().startswith("#")]
    telling = [line for line in lines if not line.startswith(("import ", "from ", "print("))] or lines
    return [line[:80] for line in telling[:_CODE_LINES]] or ["code"]


def _headings(draft: Draft, workspace: Workspace) -> str:
    """The two headings above the example that code was made from."""
    if draft.kind == "bash":
        return ""
    for example in workspace.index.examples:
        if example.kind == "python" and f"{example.path}:{example.line}" in draft.because.split():
            return " / ".join(example.headings[-2:])
    return ""
