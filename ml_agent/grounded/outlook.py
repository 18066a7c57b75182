"""How likely each draft is what was asked, and the words of the request that it has no place for."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ml_agent.account import called
from ml_agent.delivery.request_words import PUTTING, expectations_of
from ml_agent.draft import Draft
from ml_agent.grounded.commands import CommandDraft, statement_of
from ml_agent.matching.confidence import ConfidenceInput, confidence_vector, unplaced
from ml_agent.matching.model import Model
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.signatures.model import Signature

_MOST_WORDS = 12


def with_outlook(
    drafts: Iterable[Draft], commands: Sequence[CommandDraft], request: Request, workspace: Workspace, model: Model
) -> Iterator[Draft]:
    """Each draft with its calibrated probability, what is said of it, and the words without a place.

    Args:
        drafts: in their order, with their accounts.
        commands: those among them that were matched, with what matching says of them.
        request: what the user wants.
        workspace: where they run.
        model: the learned tables.
    """
    statement = statement_of(request)
    for draft in drafts:
        judged = confidence_input(draft, commands, workspace)
        probability = model.levels.probability(confidence_vector(statement, draft.text, judged))
        lost = unplaced(statement, draft.text, judged.signature, judged.shown)
        yield msgspec.structs.replace(
            draft,
            confidence=round(probability, 3),
            level=model.levels.level(probability),
            unplaced=_words_without_place(lost, request, draft)[:_MOST_WORDS],
        )


def _words_without_place(lost: tuple[str, ...], request: Request, draft: Draft) -> tuple[str, ...]:
    """The words without a place; where all files that should come out have theirs, so has the word that says to write them."""
    expected = [one.path for one in expectations_of(request.instruction) if one.path]
    if not expected or any(path not in draft.text for path in expected):
        return lost
    return tuple(word for word in lost if word.lower() not in PUTTING)


def confidence_input(draft: Draft, commands: Sequence[CommandDraft], workspace: Workspace) -> ConfidenceInput:
    """What confidence is judged by, of one draft."""
    text = draft.text.strip()
    matched = next((one for one in commands if one.draft.text.strip() == text), None)
    stated = [entry for entry in draft.ledger if entry.required]
    return ConfidenceInput(
        signature=signature_of(draft, workspace) if draft.kind == "bash" else None,
        shown=_example_text(draft, workspace),
        unused=sum(entry.status == "not found" for entry in stated)
        + (matched.doubtful_count if matched is not None else 0),
        stated=len(stated),
        margin=matched.margin if matched is not None else 0.0,
        least=matched.weakest_placement if matched is not None else 0.0,
    )


def signature_of(draft: Draft, workspace: Workspace) -> Signature | None:
    """The signature of what a command calls last, as far as it is known."""
    found = [called(call, draft.workdir, workspace.index) for call in parse_command(draft.text).invocations]
    return next((one for one in reversed(found) if one is not None), None)


def _example_text(draft: Draft, workspace: Workspace) -> str:
    """The example that a draft was made from, with its headings and introduction."""
    made_from = draft.provenance
    if made_from is None or made_from.kind != "example":
        return ""
    for example in workspace.index.examples:
        if (example.path, example.line) == (made_from.path, made_from.line):
            return " ".join([*example.headings, example.introduction, example.text])
    return ""
