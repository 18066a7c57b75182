"""The words of a command line as fire reads them: flags anywhere, what is left by place, then members of the result."""

import re
from collections.abc import Sequence

from ml_agent.tools.commandline.reader import BARE_VARIABLE, VARIABLE, Reader
from ml_agent.tools.launchers import HELP
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.words import match_places

FLAG = re.compile(r"^(?:--|-[A-Za-z])")


def read_fire(reader: Reader, words: list[str]) -> None:
    """Words up to `--`, behind which fire's own flags stand, and up to `-`, behind which the result is asked for more."""
    end = next((at for at, word in enumerate(words) if word in ("-", "--")), len(words))
    if end < len(words) and words[end] == "--":
        reader.take(end, end + 1, kind="dashes", values=("--",))
    reader.unknown += words[end + 1 :]
    places: list[tuple[int, str]] = []
    unknown: list[str] = []
    at = 0
    while at < end:
        if not FLAG.match(words[at]):
            places.append((at, words[at]))
            at += 1
            continue
        at = _flag(reader, words[:end], at, unknown)
    names = list(reader.signature.subcommand)
    while names and places:
        place, word = places.pop(0)
        names.remove(word) if word in names else None
        reader.take(place, place + 1, kind="subcommand", values=(word,))
    left = _fill(reader, places)
    asked = "--" in words or any(word in HELP for word in words)
    if names and not asked:
        _note_swallowed(reader, names)
    _say(reader, unknown, left, asked=asked)


def _note_swallowed(reader: Reader, names: Sequence[str]) -> None:
    """A flag takes the word behind it, also where that is meant for a member: nothing is called then."""
    for part in reader.given:
        name = next((name for name in names if name in part.values and part.form == "apart"), "")
        if name and part.option is not None:
            message = f"{part.flag} takes {name} as its value, so {name} is not called"
            suggestion = f"{part.flag}=True" if part.option.type == "bool" else ""
            reader.note("missing-required", message, None, name, suggestion)
            reader.tried |= {option.dest for option in reader.signature.options}
            return


def _note_unknown(reader: Reader, word: str) -> None:
    """A flag that no parameter has; one that turns a parameter off is read as that only where no word is behind it."""
    option = reader.by_flag.get(word)
    if option is None or word not in option.negative_flags or not reader.signature.whole:
        reader.note_unknown(word)
        return
    written = f"{option.flags[0]}=False"
    message = f"{word} takes the next word as its value, and no parameter is called so; write {written}"
    reader.unknown.append(word)
    reader.note("unknown-option", message, None, word, written)


def _flag(reader: Reader, words: Sequence[str], at: int, unknown: list[str]) -> int:
    """One flag and its value; returns where to go on."""
    flag, equals, value = words[at].partition("=")
    follows = at + 1 < len(words) and not FLAG.match(words[at + 1])
    option = _option(reader, flag, bare=not equals and not follows)
    if option is None:
        if words[at] not in HELP:
            unknown.append(words[at])
        stop = at + 1 if equals or not follows else at + 2
        reader.take(
            at, stop, flag=flag, values=(value,) if equals else tuple(words[at + 1 : stop]),
            form="equals" if equals else "apart",
        )  # fmt: skip
        return stop
    if equals or follows:
        given = value if equals else words[at + 1]
        reader.store(option, [given])
        reader.take(
            at,
            at + 1 if equals else at + 2,
            option=option,
            flag=flag,
            values=(given,),
            form="equals" if equals else "apart",
        )
        return at + 1 if equals else at + 2
    negative = option.negative_flags[0] if option.negative_flags and flag in option.negative_flags else ""
    if negative or option.nargs == "?":
        reader.store(option, [], negative)
    else:
        reader.values[option.dest] = True
    reader.take(at, at + 1, option=option, flag=flag)
    return at + 1


def _option(reader: Reader, flag: str, *, bare: bool) -> Option | None:
    """The parameter that a flag names; one letter names the only one that begins with it."""
    name = flag.lstrip("-").replace("-", "_")
    named = {option.dest: option for option in reader.signature.options if option.flags}
    if name in named:
        return named[name]
    if bare and name.startswith("no") and name[2:] in named:
        return named[name[2:]]
    alike = [option for dest, option in named.items() if len(name) == 1 and dest.startswith(name)]
    return alike[0] if len(alike) == 1 else None


def _fill(reader: Reader, places: list[tuple[int, str]]) -> list[str]:
    """Give the words without a name to the parameters that have no value yet; returns those that are left."""
    level = len(reader.signature.subcommand)
    open_ones = [o for o in reader.signature.options if o.level == level and o.dest not in reader.values]
    wanted = [o.nargs if not o.flags else "?" for o in open_ones]
    counts = match_places(wanted, "A" * len(places))
    for option, count in zip(open_ones, counts, strict=False):
        mine, places = places[:count], places[count:]
        if mine:
            reader.store(option, [word for _, word in mine])
        for at, word in mine:
            reader.take(at, at + 1, kind="place", option=option, values=(word,))
    return [word for _, word in places]


def _say(reader: Reader, unknown: list[str], left: list[str], *, asked: bool) -> None:
    """What nobody takes, and what is missing; a member of the result may take it, where there is one."""
    signature = reader.signature
    if asked:
        reader.unknown += [*unknown, *left]
        reader.tried |= {option.dest for option in signature.options}
        return
    for word in unknown:
        if left and signature.chains:
            reader.unknown.append(word)
            reader.cannot_tell(word.partition("=")[0], "the object that it returns may take it")
        else:
            _note_unknown(reader, word)
    if left and signature.chains:
        reader.unknown += left
        reader.cannot_tell(left[0], "the object that it returns may take it")
    elif left:
        reader.note_too_many(left)
    for option in signature.options:
        if not option.required or option.dest in reader.values or option.dest in reader.tried:
            continue
        if not any(BARE_VARIABLE.match(word) or VARIABLE.search(word) for word in [*unknown, *left]):
            message = f"{option.dest} is required by {signature.path}"
            flag = option.flags[-1] if option.flags else option.dest
            reader.note("missing-required", message, None, flag)
        reader.tried.add(option.dest)
