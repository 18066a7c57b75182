"""For models that cannot hold a conversation: they list what each phrase of the request means, which is weighed with what was learned."""

from collections.abc import Iterator, Sequence

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.commands import draft_of, statement_of
from ml_agent.grounded.order import unused
from ml_agent.grounded.outlook import signature_of
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.help_text import help_of
from ml_agent.llm.likely import ranked_entries, wants_code
from ml_agent.llm.loop import Case
from ml_agent.llm.opinion import Told
from ml_agent.llm.phrases import phrases
from ml_agent.matching.answers import Given, command
from ml_agent.matching.entries import EntryPoint
from ml_agent.matching.fill import fill
from ml_agent.matching.model import shipped
from ml_agent.matching.solver import callee_of, weighed, workdir_of
from ml_agent.proof import examine
from ml_agent.trajectory import Emit
from prompts.render import render
from prompts.untrusted import neutral

_CLOSE = 0.7
"""An entry point that the grounded draft calls is kept where its score is so near to the first one's."""
_MOST_TOKENS = 400
_LIMIT = 2000
_EXAMPLES = ("places", "keys", "options")


class Form:
    """Has a request read phrase by phrase; the grounded drafts are candidates among the others."""

    def __init__(self, client: ModelClient, case: Case, emit: Emit = silent) -> None:
        self._client, self._case, self._emit = client, case, emit
        self._statement = statement_of(case.request)

    def answers(self, drafts: Sequence[Draft]) -> list[Draft]:
        """All candidates, best first: the grounded drafts, and the command with the model's opinion.

        Raises ModelAnswerError, EndpointError, BudgetExceededError.
        """
        request, workspace = self._case.request, self._case.workspace
        examined = [examine(draft, request, workspace) for draft in drafts]
        if wants_code(request) or (examined and examined[0].kind == "python"):
            return examined
        chosen = self._choose_entry(drafts[0] if drafts else None)
        if chosen is None or _is_settled(examined, chosen.entry):
            return examined
        made = list(self._drafts_after(chosen))[:1]
        if made and examined and unused(made[0]) > unused(examined[0]):
            # It has no place for values that the rules place: another task, or a slip of a small model.
            return sorted([examined[0], *made, *examined[1:]], key=_errors)
        return sorted([*made, *examined], key=_errors)

    def _choose_entry(self, draft: Draft | None) -> Given | None:
        """The first entry point of the learned ranking, or the grounded draft's own where that is close behind."""
        ranked = ranked_entries(self._statement, self._case.workspace)
        if not ranked:
            return None
        best = ranked[0][0]
        called = signature_of(draft, self._case.workspace) if draft is not None and draft.kind == "bash" else None
        same = [pair for pair in ranked if draft is not None and pair[1].signature.path == draft.entry]
        own = min(same or ranked[:1], key=lambda pair: (pair[1].signature != called, -pair[0]))
        score, entry = own if best - own[0] < _CLOSE else ranked[0]
        return Given(entry, score, best) if entry.slots else None

    def _drafts_after(self, given: Given) -> Iterator[Draft]:
        """The answers with an entry point after what the model lists, best first; none where it lists no option."""
        entry, model, workspace = given.entry, shipped(), self._case.workspace
        text = self._ask(entry)
        listed = phrases(text, self._statement, entry.slots)
        taken = sorted({one.slot for one in listed if one.slot is not None})
        self._emit("filled", entry=entry.signature.path, said=text, taken=taken)
        if not taken:
            return
        told = Told(self._statement, entry.slots, listed)
        filled = told.added(fill(self._statement, entry.slots, model, told, callee_of(entry)), model.switch)
        for answer in weighed(self._statement, given, filled, model):
            workdir = workdir_of(answer, workspace.path, workspace.path_given)
            line = command(answer, workdir)
            if line is not None:
                because = f"{entry.signature.path} as the model reads the request"
                draft = msgspec.structs.replace(draft_of(answer, line, workdir), source="llm", because=because)
                yield examine(draft, self._case.request, workspace)

    def _ask(self, entry: EntryPoint) -> str:
        shown = help_of(self._statement, entry, self._case.workspace.path or ".", shipped())
        instruction = " ".join(self._statement.text.split())
        texts = render("fill", usage=shown.usage, lines=shown.lines, instruction=instruction)
        prompt = Prompt(
            phase="fill",
            system=texts["system"],
            sections=(Section(name="task", text=texts["question"], keep="tail"),),
            question=neutral(""),
            limit=_LIMIT,
            examples=tuple((texts[name], texts[f"{name}_answer"]) for name in _EXAMPLES),
        )
        return self._client.write(prompt, _MOST_TOKENS)


def _is_settled(drafts: Sequence[Draft], entry: EntryPoint) -> bool:
    """Whether the first draft calls an entry point as the repository shows it, and uses all that the user states."""
    same = [one for one in drafts if one.entry == entry.signature.path and not unused(one)]
    shown = any(one.provenance is not None and one.provenance.kind == "example" for one in same)
    return shown and drafts[0] in same


def _errors(draft: Draft) -> int:
    return sum(one.severity == "error" for one in draft.findings)
