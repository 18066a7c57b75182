"""Changes to a call: an option set, added or taken out; everything else stays as it is written."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ml_agent.tools.commandline.model import Argument, Call
from ml_agent.tools.commandline.reader import ParsedCall
from ml_agent.tools.commandline.render import option_words
from ml_agent.tools.commandline.words import parse_call
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option, Signature

_GREEDY = frozenset({"*", "+", "?", "..."})


def reading(call: Call) -> ParsedCall:
    """What a call says by its signature: values, findings, unknown words.

    Raises:
        RenderError: the call has no signature.
    """
    return parse_call(_signature(call), call.words())


def set_option(call: Call, dest: str, value: Any, *, origin: str = "") -> Call:
    """The call with an option given this value: in its place where it is given already, else added.

    Args:
        call: with a signature.
        dest: name of the option.
        value: bool, number, text, or a list of them.
        origin: kept with the argument: where the value comes from.

    Raises:
        RenderError: no such option, a value that cannot be written, or one that would change what other words mean.
    """
    signature = _signature(call)
    options = [option for option in signature.options if option.dest == dest]
    if not options:
        raise RenderError(f"{signature.path} has no option {dest}")
    present = [part for part in call.arguments if part.dest == dest]
    fresh = made(signature, options, value, like=present[-1] if present else None, origin=origin)
    others = _others(call, dest)
    if present:
        at = next(n for n, part in enumerate(call.arguments) if part.dest == dest)
        arguments = [*call.arguments[:at], *fresh, *(p for p in call.arguments[at:] if p.dest != dest)]
    else:
        arguments = _insert(call.arguments, fresh, signature)
    return _keep_others(msgspec.structs.replace(call, arguments=tuple(arguments)), dest, others)


def remove_option(call: Call, dest: str) -> Call:
    """The call without an option.

    Raises:
        RenderError: the words behind it would mean something else without it.
    """
    left = tuple(part for part in call.arguments if part.dest != dest)
    return _keep_others(msgspec.structs.replace(call, arguments=left), dest, _others(call, dest))


def made(
    signature: Signature, options: Sequence[Option], value: Any, *, like: Argument | None = None, origin: str = ""
) -> tuple[Argument, ...]:
    """The arguments that give an option a value; () where leaving it out does.

    Args:
        signature: it belongs to.
        options: all that store under its name.
        value: as in `set_option`.
        like: an argument whose spelling (flag, joined or apart, blanks) is kept where that is possible.
        origin: kept with the arguments.
    """
    flat = tuple(msgspec.structs.replace(option, level=0) for option in options)
    alone = msgspec.structs.replace(signature, options=flat, subcommand=(), exclusive=(), one_of=())
    meant = dict(zip(flat, options, strict=True))
    found = [
        Argument(
            kind=part.kind, option=meant[part.option] if part.option else None, flag=part.flag, values=part.values, form=part.form, glued=part.glued,
            origin=origin,
        )
        for part in parse_call(alone, option_words(alone, value)).given
        if part.kind != "dashes"
    ]  # fmt: skip
    if like is not None and len(found) == 1:
        found = [_spelled_as(found[0], like)]
    return tuple(found)


def _spelled_as(part: Argument, like: Argument) -> Argument:
    """An argument with the flag, the form and the blanks of another one of the same option."""
    changed = msgspec.structs.replace(part, written=like.written if like.kind == part.kind else ())
    if part.option != like.option or part.kind != like.kind or part.kind not in ("option", "override"):
        return changed
    if like.flag.startswith("~"):
        return part  # what takes a key away gives it no value
    same_sign = part.option is None or (part.flag in part.option.negative_flags) == (
        like.flag in part.option.negative_flags
    )
    if same_sign:
        changed = msgspec.structs.replace(changed, flag=like.flag, glued=like.glued)
    if len(part.values) == 1 and len(like.values) == 1 and not part.values[0].startswith("-"):
        changed = msgspec.structs.replace(changed, form=like.form)
    return changed


def _insert(arguments: Sequence[Argument], fresh: Sequence[Argument], signature: Signature) -> list[Argument]:
    """The arguments with new ones where they are read as they are meant: in the words of their subcommand, before `--`."""
    if not fresh:
        return list(arguments)
    option = fresh[0].option
    level = option.level if option is not None else 0
    start, stop = _level(arguments, level)
    by_place = fresh[0].kind == "place"
    if by_place:
        stop = start + _places_before(arguments[start:stop], option, signature)
    elif signature.syntax in ("absl", "plain"):
        stop = next((n for n in range(start, stop) if arguments[n].kind == "place"), stop)
    elif option is not None and option.nargs in _GREEDY and stop < len(arguments):
        stop = start if arguments[stop].kind == "subcommand" else stop
    return [*arguments[:stop], *fresh, *arguments[stop:]]


def _level(arguments: Sequence[Argument], level: int) -> tuple[int, int]:
    """Where the words of a level begin and where options of it may end."""
    names = [n for n, part in enumerate(arguments) if part.kind == "subcommand"]
    start = names[level - 1] + 1 if 0 < level <= len(names) else 0
    end = names[level] if level < len(names) else len(arguments)
    for at in range(start, end):
        if arguments[at].kind == "dashes":
            return start, at
    while end > start and arguments[end - 1].kind == "redirect":
        end -= 1
    return start, end


def _places_before(arguments: Sequence[Argument], option: Option | None, signature: Signature) -> int:
    """How many arguments stand before a positional one: those up to the last that comes earlier in the signature."""
    order = {one.dest: n for n, one in enumerate(signature.options)}
    mine = order.get(option.dest, 0) if option is not None else 0
    earlier = [n for n, part in enumerate(arguments) if part.kind == "place" and order.get(part.dest, 0) < mine]
    return earlier[-1] + 1 if earlier else 0


def _signature(call: Call) -> Signature:
    if call.signature is None:
        raise RenderError(f"what {call.invocation.name} takes is not known")
    return call.signature


def _others(call: Call, dest: str) -> dict[str, Any]:
    return {name: value for name, value in reading(call).values.items() if name != dest}


def _keep_others(call: Call, dest: str, others: dict[str, Any]) -> Call:
    """The call, where everything but one option says what it said before."""
    if _others(call, dest) != others:
        raise RenderError(f"the words beside {dest} would mean something else")
    return call
