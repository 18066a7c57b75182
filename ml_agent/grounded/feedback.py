"""What a check or a run says against a command, turned into a better command."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

import msgspec

from ml_agent.draft import Attempt, Draft
from ml_agent.grounded.dimensions import fit_channels
from ml_agent.tools.commandline.edit import parse_one, set_option, without
from ml_agent.tools.commandline.reader import Argument
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option, Signature

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


def repair_draft(attempt: Attempt, signatures: Sequence[Signature]) -> Draft | None:
    """The draft of an attempt without what was said against it; None where that is not about its options or sizes.

    Args:
        attempt: with the problem, or the lines of the error.
        signatures: of the entry point that it calls.
    """
    draft = attempt.draft
    if draft.kind == "python":
        code = fit_channels(draft.text, attempt.error_lines)
        return None if code is None else _revise_draft(draft, code, "with channels where they are expected")
    signature = next((one for one in signatures if parse_one(draft.text, one) is not None), None)
    if signature is None:
        return None
    lines = [*attempt.problem.splitlines(), *attempt.error_lines]
    text = _without_faults(draft.text, signature, frozenset(_faults(lines)))
    text = _add_missing_options(text, signature, _missing(lines))
    return None if text == draft.text else _revise_draft(draft, text, "without what was refused")


def _revise_draft(draft: Draft, text: str, how: str) -> Draft:
    return msgspec.structs.replace(draft, text=text, findings=(), ledger=(), because=f"{draft.because}, {how}")


def _faults(lines: Iterable[str]) -> Iterator[str]:
    """The flags and options that are refused."""
    for line in lines:
        if match := _UNKNOWN.search(line):
            flags = _FLAG.findall(match[1])
            yield from flags[:1] if ";" in match[1] else flags
        if match := _CHOICE.search(line):
            yield _long(match[1] or match[3] or match[5])
        elif match := _TYPE.search(line):
            yield _long(match[1] or match[2])


def _long(flags: str) -> str:
    """The longest spelling of "-b/--batch-size"."""
    return max(re.split(r"[/,]\s*", flags), key=len).rstrip(":")


def _without_faults(command: str, signature: Signature, faults: frozenset[str]) -> str:
    """The command without the options that were refused, but for those that must be given."""
    call = parse_one(command, signature)
    if call is None or not faults:
        return command
    required = [part for part in call.arguments if part.option and part.option.required]
    refused = [part for part in call.arguments if part not in required and _is_refused(part, faults)]
    with suppress(RenderError):  # one of several flags in a word
        return without(call, refused).text()
    return command


def _is_refused(part: Argument, faults: frozenset[str]) -> bool:
    names = (part.flag, *part.values, *((part.option.dest,) if part.option is not None else ()))
    return not faults.isdisjoint(names)


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
    for option in (one for one in wanted if call.given(one.dest) is None):
        with suppress(RenderError):  # what cannot be written stays missing
            call = set_option(call, option.dest, _usual_value(option))
    return call.text()


def _option(name: str, signature: Signature) -> Option | None:
    bare = name.lstrip("-").replace("-", "_")
    return next((option for option in signature.options if name in option.flags or option.dest == bare), None)


def _usual_value(option: Option) -> bool | str | list[str]:
    """A value that an option takes: its default, its first choice, or one that fits its type."""
    if option.switch:
        return True
    if option.default:
        return option.default.split() if option.nargs not in {None, "?", "0", "1"} else option.default
    if option.choices:
        return option.choices[0]
    if option.type in {"int", "float"}:
        return "1"
    stem = PurePosixPath(option.dest).name.lower()
    return "output" if "out" in stem or "save" in stem else stem
