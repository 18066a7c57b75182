"""Distinct drafts in the order in which they deserve to be tried; each is checked only when its turn comes."""

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.candidates import Candidate, Task, candidates, command
from ml_agent.grounded.chains import chained
from ml_agent.grounded.repair import blamed, without_faults
from tools.check.command import check_command
from tools.check.python import check_python
from tools.findings import Finding

_FAULTY = 1.0
"""What an error costs: a sound draft goes before an unsound one unless it is much worse otherwise."""
_ALIKE = 0.25
"""What it costs to be of the same family as a draft that was given already."""
_SAME_KIND = 0.12
"""What it costs that so many drafts of this kind, bash or Python, were given already."""
_MOST_REPAIRS = 3


class _Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate waiting for its turn."""

    candidate: Candidate
    checked: bool = False
    relatives: int = 0
    """How many of its family had been given when its place was worked out."""
    kindred: int = 0
    """How many of its kind, bash or Python."""

    @property
    def cost(self) -> float:
        """What it is sorted by: the less the sooner."""
        faulty = self.checked and not self.candidate.draft.sound
        return _FAULTY * faulty + _ALIKE * self.relatives + _SAME_KIND * self.kindred - self.candidate.score


def ordered_drafts(task: Task) -> Iterator[Draft]:
    """All drafts, the most promising first; a second one differs in what is most in doubt."""
    order = count()
    single = candidates(task)
    waiting = [(turn.cost, next(order), turn) for turn in (_Turn(candidate=one) for one in (*single, *chained(single)))]
    heapq.heapify(waiting)
    given: Counter[str] = Counter()
    texts: set[str] = set()
    while waiting:
        _, _, turn = heapq.heappop(waiting)
        family, kind = turn.candidate.family, turn.candidate.draft.kind
        ready = turn.checked and (turn.relatives, turn.kindred) == (given[family], given[kind])
        if not ready:
            candidate = turn.candidate if turn.checked else examined(turn.candidate, task)
            turn = _Turn(candidate=candidate, checked=True, relatives=given[family], kindred=given[kind])
            heapq.heappush(waiting, (turn.cost, next(order), turn))
        elif turn.candidate.draft.text not in texts:
            texts.add(turn.candidate.draft.text)
            given[family] += 1
            given[kind] += 1
            yield msgspec.structs.replace(turn.candidate.draft, confidence=confidence(turn.cost))


def confidence(cost: float) -> float:
    """A cost as a figure from 0 to 1; it keeps the order and is no probability."""
    return 1 / (1 + math.exp(min(max(cost, -30.0), 30.0)))


def examined(candidate: Candidate, task: Task) -> Candidate:
    """The candidate with its findings, and without the faults that it need not have."""
    findings = _findings(candidate, task)
    for _ in range(_MOST_REPAIRS):
        barred = blamed(findings, candidate.matches)
        if _sound(findings) or candidate.plan is None or not barred:
            break
        plan = msgspec.structs.replace(candidate.plan, barred=candidate.plan.barred | barred)
        candidate = command(candidate.choice, plan, task.values)
        findings = _findings(candidate, task)
    if _sound(findings) or candidate.plan is None:
        return _with(candidate, findings)
    text = without_faults(candidate.draft.text, candidate.plan.signature, findings, candidate.matches)
    if text != candidate.draft.text:
        candidate = msgspec.structs.replace(candidate, draft=msgspec.structs.replace(candidate.draft, text=text))
        findings = _findings(candidate, task)
    return _with(candidate, findings)


def _findings(candidate: Candidate, task: Task) -> Sequence[Finding]:
    draft = candidate.draft
    check = check_command if draft.kind == "bash" else check_python
    return check(draft.text, task.workspace.index, draft.workdir)


def _sound(findings: Sequence[Finding]) -> bool:
    return not any(finding.severity == "error" for finding in findings)


def _with(candidate: Candidate, findings: Sequence[Finding]) -> Candidate:
    return msgspec.structs.replace(candidate, draft=msgspec.structs.replace(candidate.draft, findings=tuple(findings)))
