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
from ml_agent.llm.merging import best_untried, stated, unprotected
from ml_agent.llm.offers import Offer, offers, unplaced
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


class Writer:
    """The `write` of the llm navigator."""

    def __init__(self, client: ModelClient, grounded: Navigator, emit: Emit = silent) -> None:
        self._client, self._grounded, self._emit = client, grounded, emit

    def write(self, request: Request, workspace: Workspace, evidence: Evidence) -> Step:
        """The next step: a draft that differs from all attempts, or what the grounded navigator says where it has none."""
        case = Case(request=request, workspace=workspace, evidence=evidence)
        found = offers(self._grounded, case)
        if not found:
            return self._grounded.write(request, workspace, evidence)
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
        """The offer's draft with the model's values, as far as that proves at least as good."""
        slots = slots_of(offer.draft, case.workspace, case.request)
        if slots is None:
            return offer.draft
        said = self._settings(case, offer.draft, slots)
        call = stated(said, slots, case.request)
        gentle = unprotected(call, slots, case.request)
        self._emit("filled", said={k: v for k, v in said.items() if v is not None}, stated=call, gentle=gentle)
        texts = [text for part in (gentle, call) if part and (text := self._rendered(slots, part)) is not None]
        drafts = [msgspec.structs.replace(offer.draft, text=text, source="llm") for text in dict.fromkeys(texts)]
        return best_untried(case, [*(case.examined(draft) for draft in drafts), offer.draft])

    def _settings(self, case: Case, draft: Draft, slots: Slots) -> Mapping[str, Any]:
        kind = "command" if draft.kind == "bash" else "Python example"
        attempts = _shown(case.evidence.attempts)
        texts = render("fill", instruction=case.request.instruction, kind=kind, text=draft.text, attempts=attempts)
        function = functions.settings(slots.properties)
        most = 40 + 24 * len(slots.properties)
        return self._client.decide(_prompt("fill", texts), [function], max_output_tokens=most).arguments

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
