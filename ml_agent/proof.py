"""The check of a draft before anything is spent on it: repository, language, and every value of the user's."""

import msgspec

from ml_agent.draft import Draft, LedgerEntry
from ml_agent.ledger import account
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from tools.check.command import check_command
from tools.check.python import check_python
from tools.findings import Finding

UNUSED = "value-not-used"
"""The finding about a value of the user's, where all others are about the repository and the language."""


def examine(draft: Draft, request: Request, workspace: Workspace, earlier: Draft | None = None) -> Draft:
    """The draft with its findings and its ledger; a required value that nothing honours is an error.

    So is another way of doing it than the sound `earlier` draft's that has a place for fewer of the user's values: it does
    another task, and that it runs to its end says nothing.
    """
    check = check_command if draft.kind == "bash" else check_python
    ledger = account(draft, request, workspace)
    findings = [*check(draft.text, workspace.index, draft.workdir), *_unused(ledger)]
    examined = msgspec.structs.replace(draft, findings=tuple(findings), ledger=ledger)
    if earlier is None or (draft.kind, draft.entry) == (earlier.kind, earlier.entry):
        return examined
    return msgspec.structs.replace(examined, findings=(*findings, *_left_out(examined, earlier)))


def _left_out(draft: Draft, earlier: Draft) -> list[Finding]:
    before, now = _honoured(earlier), _honoured(draft)
    if len(now) >= len(before):
        return []
    lost = ", ".join(repr(value) for value in before if value not in now)
    return [Finding(code=UNUSED, message=f"an earlier draft used {lost}, this one does not", severity="error")]


def _honoured(draft: Draft) -> list[str]:
    return [entry.value for entry in draft.ledger if entry.status != "not found"]


def _unused(ledger: tuple[LedgerEntry, ...]) -> list[Finding]:
    return [
        Finding(
            code=UNUSED,
            message=f"the instruction asks for {entry.text!r}, which the answer does not use",
            severity="error" if entry.required else "warning",
            subject=entry.value,
        )
        for entry in ledger
        if entry.status == "not found"
    ]


def problem_of(draft: Draft) -> str:
    """Every error found in a draft, one line each."""
    return "\n".join(_line(finding) for finding in draft.findings if finding.severity == "error")


def _line(finding: Finding) -> str:
    place = f" ({finding.path}:{finding.line})" if finding.path else ""
    advice = f"; did you mean {finding.suggestion}?" if finding.suggestion else ""
    return f"{finding.code}: {finding.message}{advice}{place}"
