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


def examine(draft: Draft, request: Request, workspace: Workspace) -> Draft:
    """The draft with its findings and its ledger; a required value that nothing honours is an error."""
    check = check_command if draft.kind == "bash" else check_python
    ledger = account(draft, request, workspace)
    findings = [*check(draft.text, workspace.index, draft.workdir), *_unused(ledger)]
    return msgspec.structs.replace(draft, findings=tuple(findings), ledger=ledger)


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
