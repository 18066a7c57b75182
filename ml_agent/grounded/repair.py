"""Takes out of a command what a check or a run refused, as far as it came from the example and not from the user."""

from collections.abc import Sequence

import msgspec

from ml_agent.grounded.ledger import Match
from ml_agent.matching.terms import plain
from tools.commandline.model import Argument
from tools.commandline.parse import parse_one
from tools.findings import Finding
from tools.signatures.model import Signature

_ABOUT_OPTIONS = frozenset({"unknown-option", "bad-choice", "bad-type", "missing-value", "too-many-arguments"})


def without_faults(command: str, signature: Signature, findings: Sequence[Finding], matches: Sequence[Match]) -> str:
    """The command with faulty options corrected or left out.

    Args:
        command: that was refused.
        signature: of its entry point.
        findings: what was found wrong.
        matches: the user's values; their options stay.
    """
    call = parse_one(command, signature)
    faults = {
        finding.subject: finding
        for finding in findings
        if finding.severity == "error" and finding.code in _ABOUT_OPTIONS
    }
    if call is None or not faults:
        return command
    wanted = {found.option.dest for found in matches}
    kept = [fixed for part in call.arguments if (fixed := _repair_argument(part, faults, wanted)) is not None]
    return msgspec.structs.replace(call, arguments=tuple(kept)).text()


def blamed(findings: Sequence[Finding], matches: Sequence[Match]) -> frozenset[tuple[str, str]]:
    """The names of the user's that a check found in the wrong option: value and option, not to be brought together again."""
    subjects = {finding.subject for finding in findings if finding.severity == "error" and not _is_spelling(finding)}
    return frozenset(
        (found.value.value, found.option.dest)
        for found in matches
        if found.value.kind != "number"
        and not found.value.name
        and subjects & {found.typed, found.value.value, found.option.dest, *found.option.flags}
    )


def _is_spelling(finding: Finding) -> bool:
    """Whether only the spelling of a choice is wrong."""
    return finding.code == "bad-choice" and plain(finding.suggestion) == plain(finding.subject) != ""


def _repair_argument(part: Argument, faults: dict[str, Finding], wanted: set[str]) -> Argument | None:
    words = [part.flag, *part.values]
    fault = next((faults[word] for word in words if word in faults), None)
    if fault is None and part.option is not None:
        fault = faults.get(part.option.dest)
    if fault is None:
        return part
    if fault.suggestion:
        if fault.code == "unknown-option" and part.flag:
            return msgspec.structs.replace(part, flag=fault.suggestion)
        if fault.code == "bad-choice":
            return msgspec.structs.replace(part, values=(fault.suggestion,))
    keeps = part.option is not None and (part.option.dest in wanted or part.option.required)
    return part if keeps else None
