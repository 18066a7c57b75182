"""The words of a command line as fire reads them: flags anywhere, what is left by place, then members of the result."""

import re

from ml_agent.tools.commandline.reader import BARE_VARIABLE, VARIABLE, Reader
from ml_agent.tools.launchers import HELP
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.words import match_places

FLAG = re.compile(r"^(?:--|-[A-Za-z])")


def read_fire(reader: Reader, words: list[str]) -> None:
    """Words up to `--`, behind which fire's own flags stand, and up to `-`, behind which the result is asked for more."""
    end = next((at for at, word in enumerate(words) if word in ("-", "--")), len(words))
    reader.unknown += words[end + 1 :]
    places: list[tuple[int, str]] = []
    unknown: list[str] = []
    at = 0
    while at < end:
        if FLAG.match(words[at]):
            at = _flag(reader, words[:end], at, unknown)
        else:
            places.append((at, words[at]))
            at += 1
    for name in reader.signature.subcommand:
        found = next((place for place in places if place[1] == name), None)
        if found is not None:
            places.remove(found)
            reader.take(found[0], found[0] + 1, kind="subcommand", values=(name,))
    _say(reader, unknown, _fill(reader, places), asked="--" in words or any(word in HELP for word in words))


def _flag(reader: Reader, words: list[str], at: int, unknown: list[str]) -> int:
    """One flag and its value; returns where to go on."""
    flag, equals, value = words[at].partition("=")
    follows = not equals and at + 1 < len(words) and not FLAG.match(words[at + 1])
    option = _option(reader, flag, bare=not equals and not follows)
    values = (value,) if equals else (words[at + 1],) if follows else ()
    stop = at + 2 if follows else at + 1
    if option is None:
        unknown += [] if words[at] in HELP else [words[at]]
    elif values:
        reader.store(option, values)
    elif flag in option.negative_flags or option.nargs == "?":
        reader.store(option, [], flag)
    else:
        reader.values[option.dest] = True
    reader.take(at, stop, option=option, flag=flag, values=values, form="equals" if equals else "apart")
    return stop


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
    counts = match_places([o.nargs if not o.flags else "?" for o in open_ones], "A" * len(places))
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
    elif left and signature.chains:
        reader.unknown += [*unknown, *left]
        reader.cannot_tell(left[0], "the object that it returns may take it")
    else:
        for word in unknown:
            reader.note_unknown(word)
        if left:
            reader.note_too_many(left)
    variable = any(BARE_VARIABLE.match(word) or VARIABLE.search(word) for word in [*unknown, *left])
    for option in signature.options:
        if option.required and option.dest not in reader.values and option.dest not in reader.tried and not variable:
            message = f"{option.dest} is required by {signature.path}"
            reader.note("missing-required", message, None, option.flags[-1] if option.flags else option.dest)
    reader.tried |= {option.dest for option in signature.options}
