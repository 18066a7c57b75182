"""Whether an answer is taken: the one place that decides it, for the conversation, the graph and the bench's one-shot answers."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ml_agent.account import SPEAKS, account, called
from ml_agent.answer_gate import NOT_FOR_HOST, refusals
from ml_agent.draft import CHOSEN, Attempt, Draft, LedgerEntry
from ml_agent.inputs import against
from ml_agent.navigator import Navigator, Workspace
from ml_agent.request import Request
from ml_agent.tools.check.command import check_command
from ml_agent.tools.check.python import check_python
from ml_agent.tools.commandline.shell import parse_command
from ml_agent.tools.findings import Finding

# Variables that a request says are there: "there is a graph called G", "on arrays X and Y", "my `frame`".

_UNDEFINED = "undefined-name"
_NAMED = r"(?:called|named|variables?|arrays?|objects?)"
_SHORT = 2
"""Letters of a name that is no ordinary word of a sentence where code could have it: `X`, `df`."""


def without_given(findings: Sequence[Finding], instruction: str) -> list[Finding]:
    """The findings, names that the user says are there as warnings: code for his own script goes on with them.

    Args:
        findings: of a check.
        instruction: the user's own sentence.
    """
    return [
        msgspec.structs.replace(one, severity="warning")
        if one.code == _UNDEFINED and is_given(one.subject, instruction)
        else one
        for one in findings
    ]


def is_given(name: str, instruction: str) -> bool:
    """Whether a sentence speaks of a variable: its name is spelled as no plain word is, set as code, or introduced as a name."""
    if not name:
        return False
    word = re.escape(name)
    plain = name.isalpha() and name.islower() and len(name) > _SHORT
    introduced = rf"[`'\"]{word}[`'\"]|\b{_NAMED}\s+{word}(?!\w)"
    return re.search(introduced if plain else rf"(?<![\w./-]){word}(?![\w/-])(?!\.\w)", instruction) is not None


Verdict = Literal["taken", "advised", "refused", "disputed"]
"""taken: it may be run, or handed over. advised: sound, but its author should hear once that something seems to be left out.
refused: it is proven wrong, or was tried already. disputed: its author knows what speaks against it and stands by it, with a reason."""
UNUSED = "value-not-used"
"""The finding about a value of the user's, where all others are about the repository and the language."""


def verdict(answer: Draft, attempts: Sequence[Attempt] = (), told: Collection[str] = ()) -> Verdict:
    """What becomes of an answer.

    Args:
        answer: examined, so that its findings are those of the check.
        attempts: answers that were tried on this repository and do not do, oldest first.
        told: messages of findings that the author has read.
    """
    if (earlier := tried_before(answer, attempts)) is not None:
        return "disputed" if len(answer.disputes) > len(earlier.draft.disputes) else "refused"
    errors = errors_of(answer)
    if errors:
        known = {one.message for one in errors} <= set(told)
        return "disputed" if answer.disputes and known else "refused"
    return (
        "advised" if any(one.message not in told for one in weighty_advice(answer)) and not answer.disputes else "taken"
    )


def tried_before(answer: Draft, attempts: Sequence[Attempt]) -> Attempt | None:
    """The last attempt with the same text in the same environment; None where it is new."""

    def what(draft: Draft) -> object:
        return draft.kind, draft.text.strip(), draft.set_up

    same = [one for one in attempts if what(one.draft) == what(answer)]
    return same[-1] if same else None


def told_in(answer: Draft) -> Collection[str]:
    """The messages of findings that the author of an answer has read in its conversation."""
    return answer.thread.told if answer.thread is not None else ()


def errors_of(answer: Draft) -> list[Finding]:
    """What the check proves against an answer."""
    return [finding for finding in answer.findings if finding.severity == "error"]


def weighty_advice(answer: Draft) -> list[Finding]:
    """Advice that is worth a reply: what keeps an answer from being handed over; and of values those that are spelled out, quoted or a
    path, since a number may well only describe something. Where the answer's files are what is wanted, its run shows what they are."""
    if answer.outputs:
        return []
    unused = set(answer.unused)
    weighty = (one for one in answer.findings if one.severity != "error")
    return [one for one in weighty if one.code == NOT_FOR_HOST or (one.code == UNUSED and one.subject in unused)]


_PASSIVE = SPEAKS | {"test", "[", "exit", "pwd", "sleep"}
"""Programs that do nothing of anybody's task."""
_RUNS_MORE = re.compile(r"[(){}`<>|]")
"""What a file gets, or another program reads, is for a run to tell."""


def examine(draft: Draft, request: Request, workspace: Workspace, earlier: Draft | None = None) -> Draft:
    """The draft with its findings and its ledger.

    A required value that a draft of rules does not use is an error: the rules had no place for it. So is another way of doing it
    than the sound `earlier` draft's that uses fewer of the user's values: it does another task, and that it runs to its end says
    nothing. Of a model's answer, and of one that the user chose, both are advice: they read the wording better than we do.
    """
    check = check_command if draft.kind == "bash" else check_python
    ledger, advises = account(draft, request, workspace), draft.source in ("llm", CHOSEN)
    refused = refusals(draft, request, workspace.index)
    said = against(check(draft.text, workspace.index, draft.workdir), draft, request, workspace.index, Path.cwd())
    checked = [*without_given(said, request.instruction), *_nothing_called(draft, workspace)]
    findings = [*checked, *refused, *_unused_findings(ledger, advises)]
    examined = msgspec.structs.replace(draft, findings=tuple(findings), ledger=ledger)
    if earlier is None or (draft.kind, draft.entry) == (earlier.kind, earlier.entry):
        return examined
    return msgspec.structs.replace(examined, findings=(*findings, *_left_out(examined, earlier, advises)))


def _nothing_called(draft: Draft, workspace: Workspace) -> list[Finding]:
    """Commands that only say something or wait; an example of the repository is its way of doing things, whatever it calls."""
    shown = draft.provenance is not None and draft.provenance.kind == "example"
    if draft.kind != "bash" or shown or not draft.text.strip() or _RUNS_MORE.search(draft.text):
        return []
    calls = parse_command(draft.text).invocations
    if all(call.program in _PASSIVE and called(call, draft.workdir, workspace.index) is None for call in calls):
        return [Finding(code="nothing-runs", message="it calls no program of the repository")]
    return []


def _left_out(draft: Draft, earlier: Draft, advises: bool) -> list[Finding]:
    before, now = _honoured_values(earlier), _honoured_values(draft)
    if len(now) >= len(before):
        return []
    lost = ", ".join(repr(value) for value in before if value not in now)
    message = f"an earlier answer used {lost}, this one does not"
    return [Finding(code=UNUSED, message=message, severity="warning" if advises else "error")]


def _honoured_values(draft: Draft) -> list[str]:
    return [entry.value for entry in draft.ledger if entry.status != "not found"]


def _unused_findings(ledger: tuple[LedgerEntry, ...], advises: bool) -> list[Finding]:
    return [
        Finding(
            code=UNUSED,
            message=_unused_message(entry, ledger),
            severity="error" if entry.required and not advises else "warning",
            subject=entry.value,
        )
        for entry in ledger
        if entry.status == "not found"
    ]


def _unused_message(entry: LedgerEntry, ledger: Sequence[LedgerEntry]) -> str:
    """What is said of a value without a place: of a name that was given twice, that there is one place for it."""
    name, separator, value = entry.text.partition("=")
    same_name = (other for other in ledger if other is not entry and other.text.startswith(f"{name}="))
    other_value = next((other for other in same_name if other.status != "not found"), None)
    if separator and other_value is not None:
        return f"{name!r} is given twice, {value} and {other_value.value}: the answer can use only one of them"
    return f"the request asks for {entry.text!r}, which the answer does not use"


def problem_of(draft: Draft) -> str:
    """Every error found in a draft, one line each."""
    return "\n".join(lines_of(errors_of(draft)))


def lines_of(findings: Sequence[Finding]) -> list[str]:
    """The findings for a person or a model, one line each."""
    return [_line(finding) for finding in findings]


def _line(finding: Finding) -> str:
    place = f" ({finding.path}:{finding.line or 1})" if finding.path else ""
    suggested = "did you mean" in finding.message
    advice = f"; did you mean {finding.suggestion}?" if finding.suggestion and not suggested else ""
    return f"{finding.code}: {finding.message}{advice}{place}"


def next_draft(navigator: Navigator, request: Request, workspace: Workspace, tried: Sequence[Attempt]) -> Draft | None:
    """A draft that was not tried: the last one mended where something speaks against it, else the navigator's next.

    The last one again where its author disputes what was said of it. None where nothing is left.
    """
    last = tried[-1] if tried else None
    if last is not None and (last.problem or last.error_lines):
        mended = navigator.revise(request, workspace, last)
        if mended is not None and (tried_before(mended, tried) is None or verdict(mended, tried) == "disputed"):
            return mended
    return next((draft for draft in navigator.drafts(request, workspace) if tried_before(draft, tried) is None), None)
