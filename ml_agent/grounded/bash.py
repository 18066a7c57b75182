"""A bash answer: the best example's command line (or the bare entry point) with the user's values put in."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ml_agent.grounded.advice import advised
from ml_agent.grounded.affinity import OUTRIGHT, Habits, coverage, names
from ml_agent.grounded.arguments import argument_for, flag_of, in_order, plain_value
from ml_agent.grounded.choice_words import ChoiceWords, described_choices
from ml_agent.grounded.ledger import Match, match
from ml_agent.grounded.leftovers import leftovers
from ml_agent.grounded.siblings import meant_file
from ml_agent.grounded.spoken import spoken
from ml_agent.grounded.variables import bindings, filled
from ml_agent.matching.after_example import is_rival
from ml_agent.matching.likeness import stands
from ml_agent.matching.terms import plain, terms
from ml_agent.matching.variables import documented
from ml_agent.request import Value
from ml_agent.values.numbers import number
from tools.commandline.edit import renamed_entry
from tools.commandline.model import Argument, Call
from tools.commandline.parse import parse_one
from tools.commandline.quoting import quote
from tools.commandline.render import program
from tools.examples import Example
from tools.signatures.model import Option, Signature

_HELP = frozenset({"help", "h", "helpfull", "helpshort", "version"})
_UNSAFE = frozenset({"pushtohub", "upload", "publish", "share", "dryrun", "help", "debug"})
_CLEAR = 4.0
"""A match that scores more than this is beyond doubt."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a bash answer is made from."""

    signature: Signature
    workdir: str
    """Folder from which the answer runs, relative to the repository."""
    example: Example | None = None
    bare: bool = False
    """Leave out what the example gives beside the user's values and what is required."""
    seen: Mapping[str, frozenset[str]] = {}
    """By option: values that any example of this entry point gives."""
    variables: Mapping[str, str] = {}
    """Shell variables that the repository documents."""
    barred: frozenset[tuple[str, str]] = frozenset()
    """Values and options that must not be brought together."""
    instruction: str = ""
    files: tuple[str, ...] = ()
    """Of the repository."""
    choice_words: ChoiceWords | None = None
    """What the repository says of its choices."""
    borrowed: Mapping[str, tuple[str, ...]] = {}
    """By option: choices that options of the same name have elsewhere in the repository."""


class Composed(msgspec.Struct, frozen=True, kw_only=True):
    """A command line, and which value went where."""

    text: str
    matches: tuple[Match, ...]
    unasked: int = 0
    """How many options the example brings in beside what was asked for and what is required."""
    contrary: int = 0
    """How many options of the example are at odds with the wording: several devices where one is wanted."""


def compose(plan: Plan, values: Sequence[Value]) -> Composed:
    """The command line for `values`."""
    call, used = _start(plan, values)
    call = _with_unknown(call)
    options = tuple(option for option in (*plan.signature.options, *_unknown(call)) if option.dest not in _HELP)
    free = [value for value in values if value not in used]
    barred = plan.barred | _elsewhere(call, free, options)
    habits = Habits(values=plan.seen, used=_given_dests(call), present=_present(call), barred=barred)
    matches = match([*free, *_pairs(free, options)], options, habits)
    matches = tuple(found for found in matches if not _better_said(call, found))
    matches += leftovers(free, matches, options, habits.present)
    matches += advised(options, matches, values)
    matches += tuple(
        found
        for found in spoken(options, matches, plan.instruction, plan.borrowed)
        if (found.typed, found.option.dest) not in barred
    )
    matches += (
        described_choices(options, matches, plan.instruction, plan.choice_words)
        if plan.choice_words is not None
        else ()
    )
    arguments = _override(_safe(_without_rivals(call.arguments, matches), matches), matches, plan)
    arguments = [_replace_file(part, plan, matches) for part in arguments]
    if plan.bare:
        arguments = _only_needed(arguments, matches, plan.signature)
    arguments = _complete(arguments, options, plan, values)
    final = msgspec.structs.replace(call, arguments=tuple(in_order(arguments, plan.signature)))
    asked = {found.option.dest for found in matches}
    unasked = sum(
        part.kind != "subcommand" and (part.option is None or not (part.option.dest in asked or part.option.required))
        for part in final.arguments
    )
    return Composed(text=final.text(), matches=matches, unasked=unasked, contrary=_contrary(final, values))


def _with_unknown(call: Call) -> Call:
    """The command line with an option of its own for each flag that the signature does not know but the example gives a value."""
    arguments = [
        msgspec.structs.replace(part, option=_as_option(part))
        if part.option is None and part.flag and part.values
        else part
        for part in call.arguments
    ]
    return msgspec.structs.replace(call, arguments=tuple(arguments))


def _as_option(part: Argument) -> Option:
    shown = " ".join(part.values)
    kind = "str" if number(shown) is None else "int" if shown.lstrip("-").isdigit() else "float"
    return Option(dest=part.flag, flags=(part.flag,), type=kind, sure=False)  # type: ignore[arg-type]


def _unknown(call: Call) -> list[Option]:
    """The options that only the example knows."""
    return [part.option for part in call.arguments if part.option is not None and part.option.dest.startswith("-")]


def _start(plan: Plan, values: Sequence[Value]) -> tuple[Call, list[Value]]:
    """The example's command line as it runs from the working folder, or the bare call of the entry point.

    Returns: it, and the values that its variables have taken up.
    """
    if plan.example is not None:
        bound = bindings(plan.example.text, {**plan.variables, **documented(plan.example.setup)}, values)
        call = parse_one(filled(plan.example.text, bound), plan.signature)
        if call is not None:
            kept = tuple(part for part in call.arguments if part.kind != "redirect")
            moved = _relocate_entry(msgspec.structs.replace(call, arguments=kept), plan)
            return moved, [one.value for one in bound.values() if one.value is not None]
    return _bare_call(plan), []


def _bare_call(plan: Plan) -> Call:
    words = [*program(plan.signature, plan.workdir or "."), *plan.signature.subcommand]
    call = parse_one(" ".join(map(quote, words)), plan.signature)
    if call is None:
        raise ValueError(f"{plan.signature.path} cannot be called")
    return call


def relative(path: str, workdir: str) -> str:
    """A path of the repository as seen from a folder of it."""
    return posixpath.relpath(path, workdir or ".")


def _relocate_entry(call: Call, plan: Plan) -> Call:
    """The same call from the answer's working folder."""
    example = plan.example
    if example is None or posixpath.normpath(example.workdir or ".") == posixpath.normpath(plan.workdir or "."):
        return call
    if call.invocation.target not in ("script", "shell"):
        return call
    return renamed_entry(call, quote(relative(plan.signature.path, plan.workdir)))


def _elsewhere(call: Call, values: Sequence[Value], options: Sequence[Option]) -> frozenset[tuple[str, str]]:
    """Where the names that the example says already do not belong: in all options but those that the wording names outright.

    A name may be said as a part of another word: "label2city" in `--name label2city_512`.
    """
    said = [
        value
        for value in values
        if value.kind == "name" and not value.name and len(value.value) > 1 and _stands(call, value)
    ]
    given = _given_dests(call)
    return frozenset(
        (value.value, option.dest)
        for value in said
        for option in options
        if option.dest not in given or coverage(value, option) < OUTRIGHT
    )


def _better_said(call: Call, found: Match) -> bool:
    """Whether the example says a number in its own place already, and the option that was found for it is none of the example's."""
    if found.value.kind != "number" or len(found.value.value) < 3 or found.score > _CLEAR:
        return False
    given = found.option.dest in _given_dests(call)
    return not given and _stands(call, found.value)


def _stands(call: Call, value: Value) -> bool:
    return any(stands(value.value, word) for part in call.arguments for word in part.values)


def _given_dests(call: Call) -> frozenset[str]:
    return frozenset(part.option.dest for part in call.arguments if part.option is not None)


def _present(call: Call) -> dict[str, str]:
    return {part.option.dest: " ".join(part.values) for part in call.arguments if part.option is not None}


def _pairs(values: Sequence[Value], options: Sequence[Option]) -> list[Value]:
    """An image size for a script that takes height and width: the value once more, for each of both."""
    dests = " ".join(option.dest.lower() for option in options)
    if not ("height" in dests and "width" in dests) or re.search(r"im(?:a)?ge?_?size|resolution", dests):
        return []
    found = []
    for value in values:
        if (
            value.kind == "number"
            and {"image", "images", "picture"} & set(value.words[:4])
            and "size" in value.words[:4]
        ):
            for side in ("height", "width"):
                words = (side, *value.words)
                found.append(msgspec.structs.replace(value, words=words, required=False))
    return found


def _contrary(call: Call, values: Sequence[Value]) -> int:
    """ "On a single GPU", where the example gives `--gpu-ids 0,1,2,3`."""
    single = {
        term
        for value in values
        if value.value == "1" and not value.required
        for word in value.words[:2]
        for term in terms(word)
    }
    against = 0
    for part in call.arguments:
        several = len(re.split(r"[,\s]+", " ".join(part.values).strip(","))) > 1
        if part.option is not None and several:
            against += bool(single & {term for name in names(part.option) for term in terms(name)})
    return against


def _override(arguments: Sequence[Argument], matches: Sequence[Match], plan: Plan) -> list[Argument]:
    """The arguments with the user's values in place of the example's; what repeats an old value elsewhere changes along."""
    by_dest = {found.option.dest: found for found in matches}
    renamed: dict[str, str] = {}
    changed: list[Argument] = []
    for part in arguments:
        found = by_dest.pop(part.option.dest, None) if part.option is not None else None
        if found is None:
            changed.append(part)
            continue
        fresh = argument_for(found.option, found.typed, part)
        old, new = (
            " ".join(part.values),
            " ".join(fresh.values if fresh else ()),
        )
        if old and new and old != new:
            renamed[old] = new
        if fresh is not None:
            changed.append(fresh)
    style = next(
        (part.form == "equals" for part in changed if part.flag and part.values), plan.signature.syntax == "absl"
    )
    for found in by_dest.values():
        template = Argument(flag=flag_of(found.option), form="equals" if style else "apart")
        if (fresh := argument_for(found.option, found.typed, template)) is not None:
            changed.append(fresh)
    fixed = {found.option.dest for found in matches}
    kept = [part if part.dest in fixed else _propagate_changes(part, renamed) for part in changed]
    return [part if part.dest in fixed else _fitting(part, renamed, plan) for part in kept]


def _fitting(part: Argument, renamed: Mapping[str, str], plan: Plan) -> Argument:
    """An argument that names what the repository has of another model: what it has of the user's model instead."""
    if plan.choice_words is None or len(part.values) != 1:
        return part
    for old, new in renamed.items():
        variant = plan.choice_words.variant_instead(old, new, part.values[0])
        if variant is not None:
            return msgspec.structs.replace(part, values=(variant,))
    return part


def _without_rivals(arguments: Sequence[Argument], matches: Sequence[Match]) -> list[Argument]:
    """The arguments but those that are for use instead of what the user asked for: "CSV file, instead of a source"."""
    asked = {found.option.dest for found in matches}
    return [
        part
        for part in arguments
        if part.option is None or part.option.dest in asked or not is_rival(part.option, asked)
    ]


def _safe(arguments: Sequence[Argument], matches: Sequence[Match]) -> list[Argument]:
    """The arguments but the switches that publish something or keep the program from running, which nobody asked for."""
    asked = {found.option.dest for found in matches}
    return [part for part in arguments if part.dest in asked or not _is_unsafe(part)]


def _is_unsafe(part: Argument) -> bool:
    option = part.option
    if option is None:
        return not part.values and plain(part.flag) in _UNSAFE
    takes_none = option.switch or option.nargs == "?bool" or option.type == "bool"
    return takes_none and any(plain(name) in _UNSAFE for name in names(option))


def _replace_file(part: Argument, plan: Plan, matches: Sequence[Match]) -> Argument:
    """An argument with the file that the user means where the example has another of the same folder."""
    if len(part.values) != 1 or "." not in part.values[0] or part.dest in {found.option.dest for found in matches}:
        return part
    meant = meant_file(part.values[0], plan.workdir, plan.instruction, plan.files)
    return part if meant is None else msgspec.structs.replace(part, values=(meant,))


def _propagate_changes(part: Argument, renamed: Mapping[str, str]) -> Argument:
    """An argument in which an old value stands as a part ("ETTh1_mask_0.25") follows the change of that value."""
    if not part.values or all(number(word) is not None for word in part.values):
        return part
    words = []
    for word in part.values:
        for old, new in renamed.items():
            if len(old) > 2:
                word = re.sub(rf"(?<![A-Za-z0-9.]){re.escape(old)}(?![A-Za-z0-9])", new.replace("\\", r"\\"), word)
        words.append(word)
    return msgspec.structs.replace(part, values=tuple(words))


def _only_needed(arguments: Iterable[Argument], matches: Sequence[Match], signature: Signature) -> list[Argument]:
    wanted = {found.option.dest for found in matches}
    return [
        part
        for part in arguments
        if part.kind == "subcommand"
        or (part.option is not None and (part.option.dest in wanted or part.option.required or part.option.positional))
    ]


def _complete(
    arguments: list[Argument], options: Sequence[Option], plan: Plan, values: Sequence[Value]
) -> list[Argument]:
    """What is required and not given yet, with a value that examples give, or a plain one."""
    given = {part.dest for part in arguments}
    joined = next((part.form == "equals" for part in arguments if part.flag and part.values), False)
    for option in options:
        needed = option.required or (option.positional and option.nargs not in {"?", "*"} and option.default is None)
        if option.dest in given or not needed or option.switch:
            continue
        fresh = argument_for(
            option,
            _fallback_value(option, plan, values),
            Argument(flag=flag_of(option), form="equals" if joined else "apart"),
        )
        if fresh is not None:
            arguments.append(fresh)
    return arguments


def _fallback_value(option: Option, plan: Plan, values: Sequence[Value]) -> str:
    text = plain_value(option, plan.seen)
    return filled(text, bindings(text, plan.variables, values))
