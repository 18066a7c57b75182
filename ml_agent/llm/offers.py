"""What the model may choose from: the grounded navigator's drafts, one for each way of doing the task."""

import posixpath
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.kind import leaning
from ml_agent.grounded.literals import literals
from ml_agent.llm.case import Case
from ml_agent.navigator import Attempt, Evidence, Navigator, Workspace
from ml_agent.proof import UNUSED
from tools.examples import Example

MOST = 6
_LOOKED_AT = 14
_EXAMINED = 8
_SEVERAL = 3
"""From so many honoured values on, a draft of another kind has to honour half as many."""
_LONGEST_SUMMARY = 140
_LONGEST_NAME = 80
_CODE_LINES = 3
_WORD = re.compile(r"[a-z]{3,}")
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
    So is what the check refuses, where it does not refuse the first one, and code whose example was about something else.
    """
    distinct: dict[str, Draft] = {}
    for draft in untried(grounded, case):
        distinct.setdefault(_way(draft), draft)
    drafts = _fitting([case.examined(draft) for draft in distinct.values()][:_EXAMINED], case.workspace)
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


def _fitting(drafts: Sequence[Draft], workspace: Workspace) -> list[Draft]:
    """The first draft, and of the others those that are no worse: not refused, and still about what their example is about."""
    if not drafts:
        return []
    first, *others = drafts
    fitting = [draft for draft in others if _refused(first) or not _refused(draft)]
    return [first, *(draft for draft in fitting if not _lost_subject(draft, workspace))]


def _refused(draft: Draft) -> bool:
    """Whether the check found an error in it, apart from values that have no place."""
    return any(finding.severity == "error" and finding.code != UNUSED for finding in draft.findings)


def _lost_subject(draft: Draft, workspace: Workspace) -> bool:
    """Whether the thing that an example's heading or notebook is named for gave way to a value of the user's.

    "Captions with BLIP" that loads "blip-base" is no example of how to use another model.
    """
    example = _example(draft, workspace)
    if example is None:
        return False
    title = " ".join((*example.headings[-1:], PurePosixPath(example.path).stem))
    return bool(_words(title) & (_strings(example.text) - _strings(draft.text)))


def _strings(code: str) -> frozenset[str]:
    return frozenset(word for one in literals(code) if one.kind == "text" for word in _words(one.text))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


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
    example = _example(draft, workspace)
    return " / ".join(example.headings[-2:]) if example is not None else ""


def _example(draft: Draft, workspace: Workspace) -> Example | None:
    """What code was made from."""
    if draft.kind == "bash":
        return None
    made_from = draft.because.split()
    python = (example for example in workspace.index.examples if example.kind == "python")
    return next((example for example in python if f"{example.path}:{example.line}" in made_from), None)
