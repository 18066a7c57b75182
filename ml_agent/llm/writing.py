"""Writing the answer with a model: choose one of the grounded drafts, set its slots, keep what proves best."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.literals import literals
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.case import Case
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.files import likely_files, read_opened
from ml_agent.llm.merging import best_untried, blamed, open_slots, stated, unplaced_part, worth
from ml_agent.llm.offers import Offer, offers, unplaced
from ml_agent.llm.purpose import of_purpose
from ml_agent.llm.slots import Slots, slots_of
from ml_agent.navigator import Attempt, Evidence, Navigator, Step, Workspace
from ml_agent.request import Request
from ml_agent.trajectory import Emit
from prompts import functions
from prompts.render import render
from tools.errors import RenderError
from tools.python_api.model import ApiObject

_SHOWN_ATTEMPTS = 2
_MOST_SIGNATURES = 8
_CODE_TOKENS = 600
_MOST_REFUSED = 1
"""How many drafts that the check refuses the model may try to better."""


class Writer:
    """The `write` of the llm navigator."""

    def __init__(self, client: ModelClient, grounded: Navigator, emit: Emit = silent) -> None:
        self._client, self._grounded, self._emit = client, grounded, emit

    def write(self, request: Request, workspace: Workspace, evidence: Evidence) -> Step:
        """The next step: a draft that differs from all attempts, or what the grounded navigator says where it has none."""
        case = Case(request=request, workspace=workspace, evidence=evidence)
        if self._is_done(case):
            return self._grounded.write(request, workspace, evidence)
        if case.failed and (mended := self._mended(case)) is not None:
            return Step(action="draft", draft=mended, reason=mended.because)
        found = offers(self._grounded, case)
        if not found:
            return self._grounded.write(request, workspace, evidence)
        if not case.failed:
            found = of_purpose(request.instruction, found, self._client)
        name = self._chosen(case, found)
        if name == functions.OPEN:
            return Step(action="open", path=self._file(case), reason="asked for by the model")
        if name == functions.REJECT:
            return Step(action="reject-readme", reason="the model finds nothing here that does it")
        offer = next((offer for offer in found if offer.name == name), found[0])
        draft = self._written(case, offer) if name == functions.WRITE else self._filled(case, offer)
        if offer is not found[0] and unplaced(draft) > unplaced(found[0].draft):
            draft = self._filled(case, found[0])  # the other way has no place for what the user stated
        return Step(action="draft", draft=draft, reason=draft.because)

    @staticmethod
    def _is_done(case: Case) -> bool:
        """Whether asking the model again leads nowhere new.

        Either nothing is wrong and only another answer is wanted, or the check goes on refusing drafts: it says the same of each.
        """
        attempts = case.evidence.attempts
        refused = sum(bool(attempt.problem) and not attempt.error_lines for attempt in attempts)
        return bool(attempts) and (not case.failed or (refused > _MOST_REFUSED and not attempts[-1].error_lines))

    def _chosen(self, case: Case, found: Sequence[Offer]) -> str:
        """The name of an offer, or one of the other ways where the offers are in doubt.

        A choice against the grounded order has to be made twice, the second time with the list turned round: small
        models lean to places in a list.
        """
        others = functions.OTHERS if case.failed or not found[0].draft.sound else ()
        if len(found) == 1 and not others:
            return found[0].name
        name = self._choose(case, found, others)
        if name in (found[0].name, *(other for other, _ in others)):
            return name
        return name if self._choose(case, found[::-1], others) == name else found[0].name

    def _choose(self, case: Case, found: Sequence[Offer], others: Sequence[tuple[str, str]]) -> str:
        texts = render(
            "choose",
            instruction=case.request.instruction,
            offers=found,
            others=others,
            files=read_opened(case.workspace, case.evidence.opened),
            attempts=_shown(case.evidence.attempts),
        )
        names = [*(offer.name for offer in found), *(name for name, _ in others)]
        call = self._client.decide(_prompt("choose", texts), [functions.choice(names)], max_output_tokens=48)
        return str(call.arguments["choice"])

    def _file(self, case: Case) -> str:
        paths = likely_files(case.workspace, case.request, case.evidence.opened)
        texts = render("open", instruction=case.request.instruction, paths=paths)
        call = self._client.decide(_prompt("open", texts), [functions.open_file(paths)], max_output_tokens=48)
        return str(call.arguments["path"])

    def _filled(self, case: Case, offer: Offer) -> Draft:
        """The offer's draft with what the model finds for the slots that hold nothing of the user's yet."""
        slots = slots_of(offer.draft, case.workspace, case.request.instruction)
        names = open_slots(slots, case.request) if slots is not None else []
        if slots is None or not names:
            return offer.draft
        said = self._settings(case, offer.draft, {name: slots.properties[name] for name in names})
        call = unplaced_part(stated(said, slots, case.request), slots)
        self._emit("filled", said={k: v for k, v in said.items() if v is not None}, taken=call)
        text = self._rendered(slots, call) if call else None
        if text is None:
            return offer.draft
        draft = case.examined(msgspec.structs.replace(offer.draft, text=text, source="llm"))
        return best_untried(case, [draft, offer.draft])

    def _mended(self, case: Case) -> Draft | None:
        """The draft that failed last with other values where its error lines point; None where that leads nowhere new."""
        attempt = case.evidence.attempts[-1]
        shown = _shown([attempt])
        slots = slots_of(attempt.draft, case.workspace, f"{case.request.instruction} {shown[0]['problem']}")
        names = blamed(slots, shown[0]["problem"]) if slots is not None else []
        if slots is None or not names:
            return None
        texts = render("mend", instruction=case.request.instruction, kind=_kind(attempt.draft), attempts=shown)
        function = functions.settings({name: slots.properties[name] for name in names})
        call = self._client.decide(_prompt("mend", texts), [function], 40 + 24 * len(names)).arguments
        text = self._rendered(slots, call)
        if text is None:
            return None
        because = f"mended after: {attempt.problem or 'an error'}".splitlines()[0]
        draft = msgspec.structs.replace(attempt.draft, text=text, source="llm", because=because)
        made = case.examined(draft)
        return None if case.tried(made) or worth(made) < worth(attempt.draft) else made

    def _settings(self, case: Case, draft: Draft, properties: Mapping[str, Any]) -> Mapping[str, Any]:
        attempts = _shown(case.evidence.attempts)
        texts = render("fill", instruction=case.request.instruction, kind=_kind(draft), attempts=attempts)
        most = 40 + 24 * len(properties)
        return self._client.decide(_prompt("fill", texts), [functions.settings(properties)], most).arguments

    def _rendered(self, slots: Slots, call: Mapping[str, Any]) -> str | None:
        try:
            return slots.write(call)
        except RenderError as error:
            self._emit("not-rendered", reason=str(error), call=dict(call))
            return None

    def _written(self, case: Case, offer: Offer) -> Draft:
        """Python code of the model's own, after an example."""
        texts = render(
            "write",
            instruction=case.request.instruction,
            signatures=_signatures(offer.draft, case.workspace),
            files=read_opened(case.workspace, case.evidence.opened),
            code=offer.draft.text,
            attempts=_shown(case.evidence.attempts),
        )
        call = self._client.decide(_prompt("write", texts), [functions.python_code()], max_output_tokens=_CODE_TOKENS)
        because = f"written after {offer.name}"
        draft = Draft(
            kind="python", text=call.arguments["code"], workdir=offer.draft.workdir, source="llm", because=because
        )
        return best_untried(case, [case.examined(draft), offer.draft])


_RANKS = {"task": 0, "options": 1, "draft": 1, "example": 1, "paths": 1, "attempts": 2, "api": 3, "opened": 4}
"""What gives way first when room is short: the highest."""


def _prompt(phase: str, texts: Mapping[str, str]) -> Prompt:
    """The blocks of a phase's prompt as sections."""
    parts = {name: text for name, text in texts.items() if name not in ("system", "question")}
    sections = tuple(Section(name=name, text=text, rank=_RANKS[name]) for name, text in parts.items())
    return Prompt(phase=phase, system=texts["system"], sections=sections, question=texts["question"], limit=1600)


def _kind(draft: Draft) -> str:
    return "script" if draft.kind == "bash" else "piece of Python code"


def _shown(attempts: Sequence[Attempt]) -> list[dict[str, str]]:
    """The last attempts as the model sees them: what was tried and the lines that say why it failed."""
    return [
        {"text": attempt.draft.text, "problem": "\n".join([attempt.problem, *attempt.error_lines]).strip()}
        for attempt in attempts[-_SHOWN_ATTEMPTS:]
    ]


def _signatures(draft: Draft, workspace: Workspace) -> list[str]:
    """What the functions of the repository take that a piece of code calls."""
    lines: dict[str, str] = {}
    for owner in dict.fromkeys(literal.owner for literal in literals(draft.text) if literal.owner):
        called = workspace.index.api.resolve(owner, workspace.path)
        if isinstance(called, ApiObject) and called.parameters:
            taken = ", ".join(p.name if p.default is None else f"{p.name}={p.default}" for p in called.parameters)
            lines[called.name] = f"{called.name}({taken})"
    return list(lines.values())[:_MOST_SIGNATURES]
