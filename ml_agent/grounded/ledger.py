"""The ledger: what became of each of the user's values in a draft."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from ml_agent.draft import Draft, LedgerEntry
from ml_agent.grounded.literals import Literal, literals
from ml_agent.matching.likeness import shortened, stands
from ml_agent.matching.terms import canonical, plain, terms, thing, weight
from ml_agent.navigator import Workspace
from ml_agent.request import Request, Value
from ml_agent.values.numbers import number, same_number
from tools.commandline.parse import parse_one, single_commands
from tools.signatures.model import Option, Signature

_LITTLE = 0.5
"""A word that says so little ("number", "name") does not tell what a number is for."""

_STATUS = {"honoured": 0, "default": 1, "not found": 2}


def _merge_duplicates(values: Sequence[Value]) -> list[Value]:
    """Names that are said twice become one value with the words of both places."""
    merged: dict[tuple[str, str], Value] = {}
    for place, value in enumerate(values):
        key = (
            (value.kind, plain(value.value))
            if value.kind in {"name", "path", "text"} and not value.name
            else ("", str(place))
        )
        earlier = merged.get(key)
        if earlier is None:
            merged[key] = value
            continue
        words = tuple(dict.fromkeys([*earlier.words, *value.words]))
        merged[key] = msgspec.structs.replace(earlier, words=words, required=earlier.required or value.required)
    return list(merged.values())


def account(draft: Draft, request: Request, workspace: Workspace) -> tuple[LedgerEntry, ...]:
    """What became of each of the user's values in a draft, whoever wrote it; guesses that nobody honours are left out."""
    if draft.kind == "python":
        return relevant_entries(full_account(draft.text, request.values))
    ledgers = [
        full_account(command, request.values, _signature_of(command, draft, workspace))
        for command in single_commands(draft.text)
    ]
    return relevant_entries([best_entry(several) for several in zip(*ledgers, strict=True)])


def best_entry(entries: Sequence[LedgerEntry]) -> LedgerEntry:
    """A value is honoured where any of several commands honours it."""
    return min(entries, key=lambda entry: _STATUS[entry.status])


def _signature_of(command: str, draft: Draft, workspace: Workspace) -> Signature:
    """The signature of the entry point that a command calls; an empty one where that is not known."""
    signatures = workspace.index.signatures
    ordered = [draft.entry] * (draft.entry in signatures) + [
        path for path in signatures if posixpath.basename(path) in command
    ]
    for path in ordered:
        fitting = [one for one in signatures[path] if all(word in command.split() for word in one.subcommand)]
        called = [
            one
            for one in fitting
            if parse_one(command, one) is not None and (path == draft.entry or _is_called(command, draft, path))
        ]
        if called:
            return max(called, key=lambda one: len(one.subcommand))
    return Signature(path=draft.entry or "unknown")


def _is_called(command: str, draft: Draft, path: str) -> bool:
    """Whether one of the words of a command is this file, as seen from the folder where it runs."""
    return path in (posixpath.normpath(posixpath.join(draft.workdir, word)) for word in command.split())


def relevant_entries(ledger: Sequence[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """The entries that concern the user: not the guesses that nobody honours."""
    return tuple(entry for entry in ledger if entry.required or entry.status != "not found")


def full_account(draft: str, values: Sequence[Value], signature: Signature | None = None) -> tuple[LedgerEntry, ...]:
    """What became of each value in the text of a draft.

    Args:
        draft: a bash command, or Python code where `signature` is None.
        values: what the user stated.
        signature: of the entry point that the command calls.
    """
    stated = [value for value in _merge_duplicates(values) if value.kind != "switch" or value.name]
    if signature is None:
        found = literals(draft)
        return tuple(_entry(value, _in_code(value, found)) for value in stated)
    given, spent = _given_options(draft, signature), dict[str, Value]()
    return tuple(_in_command(value, given, signature, spent) for value in stated)


def _in_command(
    value: Value, given: Sequence["_Argument"], signature: Signature, spent: dict[str, Value]
) -> LedgerEntry:
    if _is_program(value, signature):
        return _entry(value, signature.path)
    where = _place(value, given, spent)
    spent.setdefault(where, value)
    if not where and (option := _by_default(value, given, signature)):
        return _ledger_entry(value, "default", f"{_longest_flag(option)} {option.default}")
    return _entry(value, where)


def _is_program(value: Value, signature: Signature) -> bool:
    """Whether a value names the program that is called, by the end of its path or of its module's name."""
    path = f"/{signature.path}"
    if value.kind == "path" and path.endswith(f"/{posixpath.normpath(value.value)}"):
        return True
    module = f"/{value.value.replace('.', '/')}"
    return "." in value.value and path.endswith((f"{module}.py", f"{module}/__main__.py"))


def _entry(value: Value, where: str) -> LedgerEntry:
    return _ledger_entry(value, "honoured" if where else "not found", where)


def _ledger_entry(value: Value, status: str, where: str) -> LedgerEntry:
    return LedgerEntry(value=value.value, text=value.text, status=status, where=where, required=value.required)  # type: ignore[arg-type]


def _place(value: Value, arguments: Sequence["_Argument"], spent: Mapping[str, Value]) -> str:
    """The option of a command that carries the value; the best fitting one where several have it.

    One number in a command honours one number of the user's, or the same one said twice.
    """
    best: tuple[float, str] = (-1.0, "")
    for option, flag, given in arguments:
        where = f"{flag} {given}".strip()
        if value.kind == "switch":
            if _is_called_by(option, flag, value.name):
                return where
            continue
        if not says(given, value) or (where in spent and " " not in given and _is_another(value, spent[where])):
            continue
        if option is not None and not _may_have(value, option, given):
            continue
        best = max(best, (float(_words_in_common(value, option)) if option is not None else 0.0, where))
    return best[1]


def _is_called_by(option: Option | None, flag: str, name: str) -> bool:
    """Whether an argument of a command is the switch that the user spells, by whichever of its names."""
    known = (flag,) if option is None else (flag, option.dest, *option.flags, *option.negative_flags)
    return thing(name) in {thing(one) for one in known if one}


def _is_another(value: Value, other: Value) -> bool:
    """Whether two equal numbers are meant for two things."""
    if value.kind != "number" or " " in value.value or " " in other.value or value.start < 0:
        return False
    return not set(value.words[:4]) & set(other.words[:4])


def _may_have(value: Value, option: Option, given: str) -> bool:
    """Whether an option that has the value may have it for the user's sake.

    One that is given by name goes into that option; a number into one that shares a word with the wording, that counts something,
    or whose name or place tells nothing.
    """
    if value.name and f"{value.name}={value.value}" in given:
        return True
    if value.name:
        return any(thing(value.name) == thing(name) for name in (option.dest, *option.flags))
    if (
        value.kind != "number"
        or _words_in_common(value, option)
        or option.positional
        or _has_digits(given, value.value)
    ):
        return True
    called = _name_terms(option)
    several = option.nargs in {"+", "*"} or (option.nargs or "").isdigit()
    share = _is_share(value) and (canonical("share") in called or canonical("share") in terms(option.help))
    return several or share or (option.type == "int" and value.value.isdigit() and canonical("number") in called)


def _words_in_common(value: Value, option: Option) -> int:
    """How many words around the value are in the name or the help of the option."""
    said = {term for word in value.words for term in terms(word) if weight(term) > _LITTLE}
    return len(said & (_name_terms(option) | set(terms(option.help))))


def _name_terms(option: Option) -> frozenset[str]:
    """The terms of an option's names; single letters say too little unless they are all there is."""
    bare = [option.dest, *(flag.lstrip("-") for flag in option.flags)]
    return frozenset(term for name in [one for one in bare if len(one) > 1] or bare for term in terms(name))


def _is_share(value: Value) -> bool:
    """ "A quarter of", "30 percent"."""
    return value.text.endswith(("%", "cent")) or ("." in value.value and not value.text[:1].isdigit())


def _by_default(value: Value, arguments: Sequence["_Argument"], signature: Signature) -> Option | None:
    given = {option.dest for option, _, _ in arguments if option is not None}
    for option in signature.options:
        if option.dest in given or option.default is None or not says(option.default, value, whole=True):
            continue
        if value.kind != "number" or _words_in_common(value, option):
            return option
    return None


def says(text: str, value: Value, *, whole: bool = False) -> bool:
    """Whether the text of an argument contains the value: the same number, the same letters, or the value as a part of it."""
    if value.kind == "number":
        parts = value.value.split()
        given = text.split() if len(parts) == 1 else text.strip("()[]").replace(",", " ").split()
        if len(parts) > 1:
            return len(parts) == len(given) and all(same_number(a, b) for a, b in zip(parts, given, strict=True))
        return any(same_number(part, one) for part in given for one in _readings(value)) or (
            not whole and _has_digits(text, value.value)
        )
    wanted, said = plain(value.value), plain(text)
    if not wanted:
        return value.value.rstrip("/") == text.rstrip("/")
    if wanted == said:
        return True
    stated = value.value
    return not whole and ((len(wanted) > 2 and wanted in said) or stands(stated, text) or shortened(stated, text))


def _readings(value: Value) -> tuple[str, ...]:
    """A number as it may be typed: "30 percent" is 30, or the share 0.3."""
    amount = number(value.value)
    if amount is None or not value.text.rstrip().endswith(("%", "cent")):
        return (value.value,)
    return (value.value, format(amount / 100, "f"))


def _has_digits(text: str, digits: str) -> bool:
    """Whether a telling number stands as a part in a name: "512" in "city_512"."""
    telling = digits.isdigit() and len(digits) > 2 and number(text) is None
    return telling and re.search(rf"(?<![A-Za-z0-9.]){digits}(?![A-Za-z0-9.])", text) is not None


def _in_code(value: Value, found: Sequence[Literal]) -> str:
    best: tuple[float, str] = (-1.0, "")
    for literal in found:
        if says(literal.text, value):
            shared = set(terms(literal.slot)) & {term for word in value.words for term in terms(word)}
            best = max(best, (float(len(shared)), literal.where))
    return best[1]


def _longest_flag(option: Option) -> str:
    return max(option.flags, key=len, default=option.dest)


class _Argument(NamedTuple):
    """An argument of a command: its option, the flag as written, and its values."""

    option: Option | None
    flag: str
    given: str


def _given_options(command: str, signature: Signature) -> list[_Argument]:
    call = parse_one(command, signature)
    parts = call.arguments if call is not None else ()
    return [_Argument(part.option, part.flag, " ".join(part.values)) for part in parts if part.kind != "redirect"]
