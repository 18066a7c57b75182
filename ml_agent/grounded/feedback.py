"""What a check or a run says against a command, turned into a better command."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from ml_agent.draft import Draft
from ml_agent.grounded.arguments import argument_for, flag_of, in_order, plain_value
from ml_agent.grounded.dimensions import fitted
from ml_agent.grounded.repair import without_faults
from ml_agent.navigator import Attempt
from tools.commandline.model import Argument
from tools.commandline.parse import parse_one
from tools.findings import Finding
from tools.signatures.model import Option, Signature

_UNKNOWN = re.compile(
    r"(?:unrecognized arguments?|[Nn]o such option|[Uu]nknown command line flag|unknown-option)[: ]+(.+)"
)
_CHOICE = re.compile(
    r"argument (\S+): invalid choice: '?([^'\s]+)'?|bad-choice: (\S+) .*not '([^']+)'|Invalid value for '([^']+)'"
)
_TYPE = re.compile(r"argument (\S+): (?:invalid \w+ value|expected)|bad-type: (\S+)")
_REQUIRED = re.compile(r"(?:arguments are required|[Mm]issing option|missing-required)[: ]+(.+)")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_WORD = re.compile(r"'([\w-]+)'|\b([\w-]{2,})\b")


def repaired(attempt: Attempt, signatures: Sequence[Signature]) -> Draft | None:
    """The draft of an attempt without what was said against it; None where that is not about its options or sizes.

    Args:
        attempt: with the problem, or the lines of the error.
        signatures: of the entry point that it calls.
    """
    draft = attempt.draft
    if draft.kind == "python":
        code = fitted(draft.text, attempt.error_lines)
        return None if code is None else _revise_draft(draft, code, "with channels where they are expected")
    signature = next((one for one in signatures if parse_one(draft.text, one) is not None), None)
    if signature is None:
        return None
    # What the program refuses cannot be had from it, so nothing is kept for the user's sake.
    lines = [*attempt.problem.splitlines(), *attempt.error_lines]
    text = without_faults(draft.text, signature, list(_faults(lines)))
    text = _add_missing_options(text, signature, _missing(lines))
    if text == draft.text:
        return None
    return _revise_draft(draft, text, "without what was refused")


def _revise_draft(draft: Draft, text: str, how: str) -> Draft:
    return msgspec.structs.replace(draft, text=text, findings=(), ledger=(), because=f"{draft.because}, {how}")


def _faults(lines: Iterable[str]) -> Iterable[Finding]:
    for line in lines:
        if match := _UNKNOWN.search(line):
            for flag in _FLAG.findall(match[1])[:1] if ";" in match[1] else _FLAG.findall(match[1]):
                yield Finding(code="unknown-option", message=line, subject=flag)
        if match := _CHOICE.search(line):
            yield Finding(code="bad-choice", message=line, subject=_long(match[1] or match[3] or match[5]))
        elif match := _TYPE.search(line):
            yield Finding(code="bad-type", message=line, subject=_long(match[1] or match[2]))


def _long(flags: str) -> str:
    """The longest spelling of "-b/--batch-size"."""
    return max(re.split(r"[/,]\s*", flags), key=len).rstrip(":")


def _missing(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if match := _REQUIRED.search(line):
            found.extend(_FLAG.findall(match[1]) or [one or other for one, other in _WORD.findall(match[1])])
    return found


def _add_missing_options(command: str, signature: Signature, missing: Sequence[str]) -> str:
    call = parse_one(command, signature)
    wanted = [option for name in missing if (option := _option(name, signature)) is not None]
    if call is None or not wanted:
        return command
    given = {part.option.dest for part in call.arguments if part.option is not None}
    fresh = [
        argument_for(option, plain_value(option, {}), Argument(flag=flag_of(option)))
        for option in wanted
        if option.dest not in given
    ]
    arguments = [*call.arguments, *(part for part in fresh if part is not None)]
    return msgspec.structs.replace(call, arguments=tuple(in_order(arguments, signature))).text()


def _option(name: str, signature: Signature) -> Option | None:
    bare = name.lstrip("-").replace("-", "_")
    return next((option for option in signature.options if name in option.flags or option.dest == bare), None)
