"""For models that cannot hold a conversation: they write the arguments of one command; the grounded drafts stand beside it."""

from collections.abc import Sequence

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.commands import draft_of, statement_of
from ml_agent.grounded.kind import wanted_kind
from ml_agent.grounded.order import unused_value_count
from ml_agent.grounded.outlook import signature_of
from ml_agent.llm.arguments import head, system, tail
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.likely import ranked_entries
from ml_agent.llm.loop import ConversationTask
from ml_agent.llm.written_call import arguments_by_slot
from ml_agent.llm.written_call_prior import WrittenCallPrior
from ml_agent.matching.answers import ScoredEntry, command
from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.fill import fill
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.model import shipped
from ml_agent.matching.solver import callee_of, scored_answers, workdir_of
from ml_agent.proof import examine
from ml_agent.trajectory import Emit
from prompts.untrusted import joined, neutral

_CLOSE = 0.7
"""An entry point that the grounded draft calls is kept where its score is so near to the first one's."""
_MOST_TOKENS = 300
_LIMIT = 2000


class Form:
    """Has the arguments of a command written; the grounded drafts are candidates beside it."""

    def __init__(self, client: ModelClient, case: ConversationTask, emit: Emit = silent) -> None:
        self._client, self._case, self._emit = client, case, emit
        self._statement = statement_of(case.request)

    def answers(self, drafts: Sequence[Draft]) -> list[Draft]:
        """All candidates, best first: the command with the model's arguments, and the grounded drafts.

        Raises ModelAnswerError, EndpointError, BudgetExceededError.
        """
        request, workspace = self._case.request, self._case.workspace
        examined = [examine(draft, request, workspace) for draft in drafts]
        if wanted_kind(request.instruction) == "python" or (examined and examined[0].kind == "python"):
            return examined
        chosen = self._choose_entry(drafts[0] if drafts else None)
        if chosen is None or _is_settled(examined, chosen.entry):
            return examined
        made = self._fill(chosen)
        if made and examined and not goes_first(made[0], examined[0]):
            return sorted([examined[0], *made, *examined[1:]], key=_errors)
        return sorted([*made, *examined], key=_errors)

    def _choose_entry(self, draft: Draft | None) -> ScoredEntry | None:
        """The first entry point of the learned ranking, or the grounded draft's own where that is close behind."""
        ranked = ranked_entries(self._statement, self._case.workspace)
        if not ranked:
            return None
        best = ranked[0][0]
        called = signature_of(draft, self._case.workspace) if draft is not None and draft.kind == "bash" else None
        same = [pair for pair in ranked if draft is not None and pair[1].signature.path == draft.entry]
        own = min(same or ranked[:1], key=lambda pair: (pair[1].signature != called, -pair[0]))
        score, entry = own if best - own[0] < _CLOSE else ranked[0]
        return ScoredEntry(entry, score, best) if entry.slots else None

    def _fill(self, chosen: ScoredEntry) -> list[Draft]:
        """The command with the arguments that the model writes; none where it writes no option."""
        entry, workspace = chosen.entry, self._case.workspace
        said = self._client.write(prompt_of(self._statement, entry, workspace.path or "."), _MOST_TOKENS)
        values = arguments_by_slot(said, entry)
        self._emit("filled", entry=entry.signature.path, said=said, taken=sorted(values))
        if not values:
            return []
        model, slots = shipped(), entry.slots_for(self._statement)
        prior = WrittenCallPrior(self._statement, slots, values)
        assignment = prior.with_given_values(
            fill(self._statement, slots, model, prior, callee_of(entry, workspace.path or ".")), model.switch
        )
        for answer in scored_answers(self._statement, chosen, assignment, model):
            workdir = workdir_of(answer, workspace.path, workspace.path_given)
            line = command(answer, workdir)
            if line is not None:
                because = f"{entry.signature.path} with the model's arguments"
                draft = msgspec.structs.replace(draft_of(answer, line, workdir), source="llm", because=because)
                return [examine(draft, self._case.request, workspace)]
        return []


def prompt_of(statement: ParsedRequest, entry: EntryPoint, folder: str) -> Prompt:
    """The one request to the model.

    Args:
        statement: the request.
        entry: what is called.
        folder: from where.
    """
    text = joined("\n\n", [head(entry.signature, statement.text, folder), tail(statement, entry)])
    section = Section(name="task", text=text, keep="tail")
    return Prompt(phase="fill", system=system(), sections=(section,), question=neutral(""), limit=_LIMIT)


def _is_settled(drafts: Sequence[Draft], entry: EntryPoint) -> bool:
    """Whether the first draft calls an entry point as the repository shows it, and uses all that the user states."""
    same = [one for one in drafts if one.entry == entry.signature.path and not unused_value_count(one)]
    shown = any(one.provenance is not None and one.provenance.kind == "example" for one in same)
    return shown and drafts[0] in same


def goes_first(made: Draft, grounded: Draft) -> bool:
    """Whether the model's command has a place for more of what the user states, or for as much in a likelier program.

    A small model leaves out and invents; what the rules place without it is right more often than what it says.
    """
    left, found = unused_value_count(made), unused_value_count(grounded)
    return left < found or (left == found and made.entry != grounded.entry)


def _errors(draft: Draft) -> int:
    return sum(one.severity == "error" for one in draft.findings)
