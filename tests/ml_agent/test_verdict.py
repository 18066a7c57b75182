"""When an answer is taken: a table of cases."""

import pytest

from ml_agent.answer_gate import NOT_FOR_HOST
from ml_agent.conversation.verdict import UNUSED, verdict
from ml_agent.draft import Attempt, Dispute, Draft, LedgerEntry, Output
from ml_agent.tools.findings import Finding

WRONG = Finding(code="unknown-option", message="--nodes is no option")
OTHER = Finding(code="no-such-file", message="a.txt is not there")
PERHAPS = Finding(code="unknown-option", message="--nodes may be no option", severity="warning")
IN_SANDBOX = Finding(code=NOT_FOR_HOST, message="eval is not for your own shell", severity="warning")
QUOTED = LedgerEntry(value="spring 7", text="'spring 7'", status="not found", exact=True)
NUMBER = LedgerEntry(value="180000", text="180,000", status="not found")
LOST = Finding(code=UNUSED, message="'spring 7' is not used", severity="warning", subject="spring 7")
DESCRIBES = Finding(code=UNUSED, message="180000 is not used", severity="warning", subject="180000")
WHY = (Dispute(finding="all of it", why="I know better"),)
AGAIN = (*WHY, *WHY)


FILES = (Output(path="out.csv"),)


def answer(
    *findings: Finding,
    text: str = "python a.py",
    disputes: tuple[Dispute, ...] = (),
    outputs: tuple[Output, ...] = (),
) -> Draft:
    ledger = (QUOTED, NUMBER)
    return Draft(kind="bash", text=text, findings=findings, ledger=ledger, disputes=disputes, outputs=outputs)


@pytest.mark.parametrize(
    ("draft", "told", "said"),
    [
        (answer(), (), "taken"),
        (answer(PERHAPS), (), "taken"),
        (answer(WRONG), (), "refused"),
        (answer(WRONG), (WRONG,), "refused"),
        (answer(WRONG, disputes=WHY), (), "refused"),
        (answer(WRONG, disputes=WHY), (WRONG,), "disputed"),
        (answer(WRONG, OTHER, disputes=WHY), (WRONG,), "refused"),
        (answer(IN_SANDBOX), (), "advised"),
        (answer(IN_SANDBOX), (IN_SANDBOX,), "taken"),
        (answer(IN_SANDBOX, outputs=FILES), (), "taken"),
        (answer(LOST), (), "advised"),
        (answer(LOST), (LOST,), "taken"),
        (answer(LOST, disputes=WHY), (), "taken"),
        (answer(LOST, WRONG), (), "refused"),
        (answer(DESCRIBES), (), "taken"),
    ],
)
def test_what_speaks_against_an_answer_and_what_its_author_knows_decide(
    draft: Draft, told: tuple[Finding, ...], said: str
) -> None:
    assert verdict(draft, told={finding.message for finding in told}) == said


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (answer(), answer(), "refused"),
        (answer(), answer(text=" python a.py\n"), "refused"),
        (answer(), answer(disputes=WHY), "disputed"),
        (answer(disputes=WHY), answer(disputes=WHY), "refused"),
        (answer(disputes=WHY), answer(disputes=AGAIN), "disputed"),
        (answer(), answer(text="python b.py"), "taken"),
        (answer(), answer(WRONG, text="python b.py"), "refused"),
    ],
)
def test_what_was_tried_is_only_stood_by_with_a_reason(before: Draft, now: Draft, said: str) -> None:
    assert verdict(now, [Attempt(draft=before, problem="it failed")]) == said
