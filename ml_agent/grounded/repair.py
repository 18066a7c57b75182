"""Takes out of a command what a check or a run refused."""

from collections.abc import Sequence

import msgspec

from tools.commandline.model import Argument
from tools.commandline.parse import parse_one
from tools.findings import Finding
from tools.signatures.model import Signature

_ABOUT_OPTIONS = frozenset({"unknown-option", "bad-choice", "bad-type", "missing-value", "too-many-arguments"})


def without_faults(command: str, signature: Signature, findings: Sequence[Finding]) -> str:
    """The command with faulty options corrected or left out.

    Args:
        command: that was refused.
        signature: of its entry point.
        findings: what was found wrong.
    """
    call = parse_one(command, signature)
    faults = {
        finding.subject: finding
        for finding in findings
        if finding.severity == "error" and finding.code in _ABOUT_OPTIONS
    }
    if call is None or not faults:
        return command
    kept = [fixed for part in call.arguments if (fixed := _repair_argument(part, faults)) is not None]
    return msgspec.structs.replace(call, arguments=tuple(kept)).text()


def _repair_argument(part: Argument, faults: dict[str, Finding]) -> Argument | None:
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
    keeps = part.option is not None and part.option.required
    return part if keeps else None
