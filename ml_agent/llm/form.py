"""For models that cannot hold a conversation: they choose a program and write its arguments; the grounded drafts stand beside it."""

from collections.abc import Sequence

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.commands import draft_of, statement_of
from ml_agent.grounded.kind import wanted_kind
from ml_agent.grounded.order import unused_value_count
from ml_agent.llm import choosing
from ml_agent.llm.arguments import head, system, tail
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.in_process import is_tuned
from ml_agent.llm.likely import ranked_entries
from ml_agent.llm.loop import ConversationTask
from ml_agent.llm.written_call import arguments_by_slot
from ml_agent.llm.written_call_prior import WrittenCallPrior
from ml_agent.matching.answers import ScoredEntry, command
from ml_agent.matching.fill import fill
from ml_agent.matching.model import shipped
from ml_agent.matching.solver import callee_of, scored_answers, workdir_of
from ml_agent.prompts.untrusted import PromptText, joined, neutral
from ml_agent.proof import examine
from ml_agent.trajectory import Emit

_MOST_TOKENS, _NUMBER_TOKENS = 300, 4
_LIMIT = 2000


class Form:
    """Has a program chosen and its arguments written; the grounded drafts are candidates beside it."""

    def __init__(self, client: ModelClient, case: ConversationTask, emit: Emit = silent) -> None:
        self._client, self._case, self._emit = client, case, emit
        self._statement = statement_of(case.request)
        self._folder = case.workspace.path or "."
        self._tuned = is_tuned(client.endpoint)

    def answers(self, drafts: Sequence[Draft]) -> list[Draft]:
        """All candidates, best first: the command with the model's arguments, and the grounded drafts.

        Raises ModelAnswerError, EndpointError, BudgetExceededError.
        """
        request, workspace = self._case.request, self._case.workspace
        examined = [examine(draft, request, workspace) for draft in drafts]
        if wanted_kind(request.instruction) == "python" or (examined and examined[0].kind == "python"):
            return examined
        chosen = self._choose_entry()
        made = self._fill(chosen) if chosen is not None and chosen.entry.slots else []
        if made and examined and not self._tuned and not goes_first(made[0], examined[0]):
            return sorted([examined[0], *made, *examined[1:]], key=_errors)
        return sorted([*made, *examined], key=_errors)

    def _choose_entry(self) -> ScoredEntry | None:
        """What the model takes among the first entry points of the learned ranking; the first one where it says none of them."""
        ranked = ranked_entries(self._statement, self._case.workspace)[: choosing.MOST]
        if not ranked:
            return None
        place = 0
        if len(ranked) > 1:
            text = choosing.question(self._statement, [entry for _, entry in ranked], self._folder)
            said = self._client.write(_prompt("choose", choosing.system(), text), _NUMBER_TOKENS).strip().rstrip(".")
            place = int(said) - 1 if said in _numbers(len(ranked)) else 0
        score, entry = ranked[place]
        return ScoredEntry(entry, score, ranked[0][0])

    def _fill(self, chosen: ScoredEntry) -> list[Draft]:
        """The command with the arguments that the model writes; none where it writes no option."""
        entry, workspace = chosen.entry, self._case.workspace
        text = joined("\n\n", [head(entry.signature, self._statement.text, self._folder), tail(self._statement, entry)])
        said = self._client.write(_prompt("fill", system(), text), _MOST_TOKENS)
        values = arguments_by_slot(said, entry)
        self._emit("filled", entry=entry.signature.path, said=said, taken=sorted(values))
        if not values:
            return []
        model, slots = shipped(), entry.slots_for(self._statement)
        prior = WrittenCallPrior(self._statement, slots, values)
        assignment = prior.with_given_values(
            fill(self._statement, slots, model, prior, callee_of(entry, self._folder)), model.switch
        )
        for answer in scored_answers(self._statement, chosen, assignment, model):
            workdir = workdir_of(answer, workspace.path, workspace.path_given)
            line = command(answer, workdir)
            if line is not None:
                because = f"{entry.signature.path} with the model's arguments"
                draft = msgspec.structs.replace(draft_of(answer, line, workdir), source="llm", because=because)
                return [examine(draft, self._case.request, workspace)]
        return []


def goes_first(made: Draft, grounded: Draft) -> bool:
    """Whether an untrained model's command has a place for more of what the user states, or for as much in a likelier program.

    It leaves out and invents; what the rules place without it is right more often than what it says.
    """
    left, found = unused_value_count(made), unused_value_count(grounded)
    return left < found or (left == found and made.entry != grounded.entry)


def _numbers(most: int) -> list[str]:
    return [str(number) for number in range(1, most + 1)]


def _prompt(phase: str, who: PromptText, text: PromptText) -> Prompt:
    section = Section(name="task", text=text, keep="tail")
    return Prompt(phase=phase, system=who, sections=(section,), question=neutral(""), limit=_LIMIT)


def _errors(draft: Draft) -> int:
    return sum(one.severity == "error" for one in draft.findings)
