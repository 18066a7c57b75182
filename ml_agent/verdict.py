"""Whether an answer is taken: the one place that decides it, for the conversation, the graph and the bench's one-shot answers."""

from collections.abc import Collection, Sequence
from typing import Literal

from ml_agent.answer_gate import NOT_FOR_HOST
from ml_agent.draft import Attempt, Draft
from ml_agent.tools.findings import Finding

Verdict = Literal["taken", "advised", "refused", "disputed"]
"""taken: it may be run, or handed over. advised: sound, but its author should hear once that something seems to be left out.
refused: it is proven wrong, or was tried already. disputed: its author knows what speaks against it and stands by it, with a reason."""
UNUSED = "value-not-used"
"""The finding about a value of the user's, where all others are about the repository and the language."""


def verdict(answer: Draft, attempts: Sequence[Attempt] = (), told: Collection[str] = ()) -> Verdict:
    """What becomes of an answer.

    Args:
        answer: examined, so that its findings are those of the check.
        attempts: answers that were tried on this repository and do not do, oldest first.
        told: messages of findings that the author has read.
    """
    if (earlier := tried_before(answer, attempts)) is not None:
        return "disputed" if len(answer.disputes) > len(earlier.draft.disputes) else "refused"
    errors = errors_of(answer)
    if errors:
        known = {one.message for one in errors} <= set(told)
        return "disputed" if answer.disputes and known else "refused"
    return (
        "advised" if any(one.message not in told for one in weighty_advice(answer)) and not answer.disputes else "taken"
    )


def tried_before(answer: Draft, attempts: Sequence[Attempt]) -> Attempt | None:
    """The last attempt with the same text in the same environment; None where it is new."""

    def what(draft: Draft) -> object:
        return draft.kind, draft.text.strip(), draft.set_up

    same = [one for one in attempts if what(one.draft) == what(answer)]
    return same[-1] if same else None


def told_in(answer: Draft) -> Collection[str]:
    """The messages of findings that the author of an answer has read in its conversation."""
    return answer.thread.told if answer.thread is not None else ()


def errors_of(answer: Draft) -> list[Finding]:
    """What the check proves against an answer."""
    return [finding for finding in answer.findings if finding.severity == "error"]


def weighty_advice(answer: Draft) -> list[Finding]:
    """Advice that is worth a reply: what keeps an answer from being handed over; and of values those that are spelled out, quoted
    or a path, since a number may well only describe something."""
    exact = {one.value for one in answer.ledger if one.status == "not found" and one.required and one.exact}
    weighty = (one for one in answer.findings if one.severity != "error")
    return [one for one in weighty if one.code == NOT_FOR_HOST or (one.code == UNUSED and one.subject in exact)]
