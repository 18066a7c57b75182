"""What a check or a run says against a command, turned into a better command."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec

from ml_agent.draft import Attempt, Draft
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


def repaired(attempt: Attempt, signatures: Sequence[Signature]) -> Draft | None:
    """The command of an attempt without what was said against it; None where that is not about its options.

    Args:
        attempt: with the problem, or the lines of the error.
        signatures: of the entry point that it calls.
    """
    draft = attempt.draft
    signature = next((one for one in signatures if parse_one(draft.text, one) is not None), None)
    if draft.kind != "bash" or signature is None:
        return None
    lines = [*attempt.problem.splitlines(), *attempt.error_lines]
    text = _without(draft.text, signature, frozenset(_refused(lines)))
    text = _with_missing(text, signature, _missing(lines))
    if text == draft.text:
        return None
    because = f"{draft.because}, without what was refused"
    return msgspec.structs.replace(draft, text=text, findings=(), ledger=(), because=because)


def _refused(lines: Iterable[str]) -> Iterator[str]:
    """The flags and options that are refused."""
    for line in lines:
        if match := _UNKNOWN.search(line):
            flags = _FLAG.findall(match[1])
            yield from flags[:1] if ";" in match[1] else flags
        if match := _CHOICE.search(line) or _TYPE.search(line):
            flag = next(one for one in (*match.groups()[::2], *match.groups()) if one)
            yield max(re.split(r"[/,]\s*", flag), key=len).rstrip(":")  # the longest spelling of "-b/--batch-size"


def _without(command: str, signature: Signature, refused: frozenset[str]) -> str:
    """The command without the options that were refused, but for those that must be given."""
    call = parse_one(command, signature)
    if call is None or not refused:
        return command
    gone = [part for part in call.arguments if not (part.option and part.option.required) and _is_named(part, refused)]
    with suppress(RenderError):  # one of several flags in a word
        return without(call, gone).text()
    return command


def _is_named(part: Argument, names: frozenset[str]) -> bool:
    dests = (part.option.dest,) if part.option is not None else ()
    return not names.isdisjoint((part.flag, *part.values, *dests))


def _missing(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if match := _REQUIRED.search(line):
            found += _FLAG.findall(match[1]) or [one or other for one, other in _WORD.findall(match[1])]
    return found


def _with_missing(command: str, signature: Signature, missing: Sequence[str]) -> str:
    call = parse_one(command, signature)
    bare = {name: name.lstrip("-").replace("-", "_") for name in missing}
    wanted = [o for name in missing for o in signature.options if name in o.flags or o.dest == bare[name]]
    if call is None:
        return command
    for option in (one for one in wanted if call.given(one.dest) is None):
        with suppress(RenderError):  # what cannot be written stays missing
            call = set_option(call, option.dest, _usual_value(option))
    return call.text()


def _usual_value(option: Option) -> bool | str | list[str]:
    """A value that an option takes: its default, its first choice, or one that fits its type."""
    if option.switch:
        return True
    if option.default:
        return option.default.split() if option.nargs not in {None, "?", "0", "1"} else option.default
    if option.choices:
        return option.choices[0]
    return "1" if option.type in {"int", "float"} else option.dest.lower()
