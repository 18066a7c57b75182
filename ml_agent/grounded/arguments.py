"""The arguments of a command line: written for an option and a value, and put in the order in which they are read."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from tools.commandline.model import Argument
from tools.signatures.model import Option, Signature

_FALSE = frozenset({"false", "no", "off", "0"})
_NEGATIVE = re.compile(r"^(?:no|not|disable|without|skip)[-_]")


def argument_for(option: Option, typed: str, like: Argument) -> Argument | None:
    """An option with its value, written as `like` is; None where the wish is met by leaving it out."""
    wants_off = typed.lower() in _FALSE
    if option.switch:
        negative = bool(_NEGATIVE.match(flag_of(option).lstrip("-")))
        if wants_off and option.negative_flags:
            return Argument(option=option, flag=option.negative_flags[0])
        return Argument(option=option, flag=like.flag or flag_of(option)) if wants_off == negative else None
    if option.nargs == "?bool" or option.type == "bool":
        if option.negative_flags and option.nargs != "?bool":
            return Argument(option=option, flag=option.negative_flags[0] if wants_off else flag_of(option))
        return Argument(
            option=option, flag=like.flag or flag_of(option), values=("False" if wants_off else "True",), form="equals"
        )
    several = option.nargs in {"+", "*"} or ((option.nargs or "").isdigit() and option.nargs not in {"0", "1"})
    words = typed.split() if several else [typed]
    if option.positional:
        return Argument(kind="place", option=option, values=tuple(words))
    form = like.form if len(words) == 1 else "apart"
    return Argument(option=option, flag=like.flag or flag_of(option), values=tuple(words), form=form)


def flag_of(option: Option) -> str:
    """The longest spelling of an option; "" for one given by place."""
    return max(option.flags, key=len, default="")


def in_order(arguments: Sequence[Argument], signature: Signature) -> list[Argument]:
    """The arguments of each level in front of the subcommand that they precede."""
    names = [part for part in arguments if part.kind == "subcommand"]
    ordered: list[Argument] = []
    for level in range(len(names) + 1):
        here = [
            part
            for part in arguments
            if part.kind != "subcommand" and min(_level(part, len(names)), len(names)) == level
        ]
        ordered += [*_level_in_order(here, signature), *names[level : level + 1]]
    return ordered


def _level(part: Argument, deepest: int) -> int:
    return part.option.level if part.option is not None else deepest


def _level_in_order(arguments: Sequence[Argument], signature: Signature) -> list[Argument]:
    """Words given by place in the order of the signature: in front of options that take any number of values."""
    places = {option.dest: at for at, option in enumerate(signature.options)}
    by_place = [part for part in arguments if not part.flag]
    by_place.sort(key=lambda part: places.get(part.dest, len(places)))
    named = [part for part in arguments if part.flag]
    greedy = any(part.option is not None and part.option.nargs in {"*", "+"} for part in by_place)
    return [*named, *by_place] if greedy and named and not _swallows(named[-1]) else [*by_place, *named]


def _swallows(part: Argument) -> bool:
    return part.option is None or part.option.nargs in {"*", "+", "?"}


def plain_value(option: Option, seen: Mapping[str, frozenset[str]]) -> str:
    """A value that an option takes: as examples give it, its default, its first choice, or one that fits its type."""
    examples = sorted(seen.get(option.dest, ()), key=lambda text: (len(text), text))
    if examples:
        return examples[0]
    if option.default:
        return option.default
    if option.choices:
        return option.choices[0]
    if option.type in {"int", "float"}:
        return "1"
    stem = PurePosixPath(option.dest).name.lower()
    return "output" if "out" in stem or "save" in stem else stem
