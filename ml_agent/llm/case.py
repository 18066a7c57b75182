"""What is to be written, where, and what was tried."""

import msgspec

from ml_agent.draft import Draft
from ml_agent.navigator import Evidence, Workspace
from ml_agent.proof import examine
from ml_agent.request import Request


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One call of `write`."""

    request: Request
    workspace: Workspace
    evidence: Evidence

    @property
    def failed(self) -> bool:
        """Whether something was tried that does not do."""
        return any(attempt.problem or attempt.error_lines for attempt in self.evidence.attempts)

    def tried(self, draft: Draft) -> bool:
        """Whether this very text was tried."""
        return draft.text.strip() in {attempt.draft.text.strip() for attempt in self.evidence.attempts}

    def examined(self, draft: Draft) -> Draft:
        """The draft with its findings and its ledger."""
        return examine(draft, self.request, self.workspace)
