"""Writes a function call as a command line: only real options, quoted for a shell."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ml_agent.tools.commandline.lexer import quote
from ml_agent.tools.errors import RenderError
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.words import NEGATIVE_NUMBER, written


def render_command(signature: Signature, call: Mapping[str, Any], workdir: str = ".") -> str:
    """The command line of a call, to be typed in `workdir`.

    Args:
        signature: what is called.
        call: dest -> value; None means not given.
        workdir: folder relative to the repository from which it runs.

    Raises:
        RenderError: a name that the signature does not have, or a value that cannot be written.
    """
    words = [*program(signature, workdir), *render_words(signature, call)]
    return " ".join(quote(word) for word in words)


def program(signature: Signature, workdir: str = ".") -> tuple[str, ...]:
    """The words that start it."""
    if signature.kind == "console":
        return (signature.name,)
    if signature.kind == "module":
        return ("python", "-m", signature.name)
    folder = posixpath.dirname(signature.path) or "."
    if signature.kind == "make":
        place = posixpath.relpath(folder, workdir)
        return ("make", signature.name) if place == "." else ("make", "-C", place, signature.name)
    path = posixpath.relpath(signature.path, workdir)
    return ("bash" if signature.kind == "shell" else "python", path)


def render_words(signature: Signature, call: Mapping[str, Any]) -> tuple[str, ...]:
    """The words after the program, unquoted, in an order that no option can swallow its neighbours."""
    known = {option.dest for option in signature.options}
    given = {dest: value for dest, value in call.items() if value is not None}
    for dest in given:
        if dest not in known:
            raise RenderError(f"{signature.path} has no option or argument called {dest}")
    if signature.syntax == "overrides":
        flags = {option.dest: max(option.flags, key=len) for option in signature.options if option.flags}
        return tuple(f"{flags.get(dest, dest)}={_plain(value)}" for dest, value in given.items())
    if signature.syntax == "plain":
        return _by_place(signature, given)
    words: list[str] = []
    for level in range(len(signature.subcommand) + 1):
        words += _level(signature, given, level)
        if level < len(signature.subcommand):
            words.append(signature.subcommand[level])
    return (*words, *_rest_words(signature, given))


def _rest_words(signature: Signature, given: Mapping[str, Any]) -> Iterator[str]:
    """What takes all that follows comes last."""
    for option in signature.options:
        if takes_the_rest(option) and option.dest in given:
            yield from [_flag(option)] if option.flags else []
            yield from (written(option, v) for v in _as_list(given[option.dest]))


def takes_the_rest(option: Option) -> bool:
    """Whether every word behind it is its own (argparse.REMAINDER)."""
    return option.nargs == "..."


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_plain(v) for v in value) + "]"
    return str(value)


def _by_place(signature: Signature, given: Mapping[str, Any]) -> tuple[str, ...]:
    words: list[str] = []
    for option in signature.options:
        if option.flags and option.dest in given:
            words += _option_words(signature, option, given[option.dest])
    places = [o for o in signature.options if o.positional]
    last = max((n for n, o in enumerate(places) if o.dest in given), default=-1)
    for option in places[: last + 1]:
        value = given.get(option.dest, option.default)
        if value is None:
            raise RenderError(
                f"the positional argument {option.dest} of {signature.path} needs a value, because one after it has a value"
            )
        words += [written(option, v) for v in _as_list(value)]
    return tuple(words)


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def _level(signature: Signature, given: Mapping[str, Any], level: int) -> list[str]:
    """Positional arguments first, then options that take several values, then all others."""
    options = [o for o in signature.options if o.level == level and o.dest in given and not takes_the_rest(o)]
    places = [w for o in options if o.positional for w in (written(o, v) for v in _as_list(given[o.dest]))]
    _refuse_gaps(signature, given, level)
    greedy: list[str] = []
    others: list[str] = []
    done = {one.dest for one in options if one.positional}  # what has a place of its own takes its value from there
    for option in options:
        if option.positional or option.dest in done:
            continue
        chosen = _spelling(options, option, given[option.dest])
        if chosen is None:
            continue
        done.add(option.dest)
        target = greedy if chosen.nargs in ("*", "+", "?") else others
        target += _option_words(signature, chosen, given[option.dest])
    if level < len(signature.subcommand) and greedy and not others:
        raise RenderError(
            f"the option {greedy[0]} takes any number of values, so it would take the subcommand {signature.subcommand[level]} as one"
        )
    if any(w.startswith("-") and not _is_number(signature, w) for w in places):
        return [*greedy, *others, "--", *places]
    return [*places, *greedy, *others]


def _refuse_gaps(signature: Signature, given: Mapping[str, Any], level: int) -> None:
    """A positional argument cannot be given without those before it."""
    missing: Option | None = None
    for option in signature.options:
        if not option.positional or option.level != level:
            continue
        if option.dest not in given:
            missing = missing or option
        elif missing is not None and given[option.dest] != []:
            raise RenderError(
                f"the positional argument {option.dest} has a value, so {missing.dest}, which comes before it, needs one, too"
            )


def _is_number(signature: Signature, word: str) -> bool:
    """Whether argparse takes a word that begins with a dash as a negative number."""
    if signature.syntax != "argparse" or not NEGATIVE_NUMBER.match(word):
        return False
    return not any(NEGATIVE_NUMBER.match(f) for o in signature.options for f in o.flags)


def _spelling(options: Sequence[Option], option: Option, value: Any) -> Option | None:
    """Of the options that store under one name, the one that stores this value; None where leaving out does."""
    same = [o for o in options if o.dest == option.dest]
    for candidate in same:
        if not candidate.switch or candidate.repeatable:
            return candidate
        stored = candidate.switch_value or "True"
        if stored == str(value) or (stored == "True" and value is False and candidate.negative_flags):
            return candidate
    if str(value) == (option.default or "None") or isinstance(value, bool):
        return None
    raise RenderError(f"no option of {option.path} sets {option.dest} to {value!r}")


def _flag(option: Option) -> str:
    """The long spelling where there is one."""
    return next((f for f in option.flags if f.startswith("--")), option.flags[0])


def _option_words(signature: Signature, option: Option, value: Any) -> list[str]:
    flag = _flag(option)
    if option.switch:
        return _switch_words(option, flag, value)
    if signature.syntax == "absl" or option.joined:
        return [f"{flag}={written(option, v)}" for v in _as_list(value)]
    several = option.nargs in ("*", "+", "...") or (option.nargs or "").isdigit()
    if not several:
        values = _as_list(value) if option.repeatable else [value]
        return [word for v in values for word in _one_value(signature, flag, written(option, v))]
    words = [written(option, v) for v in _as_list(value)]
    if (option.nargs or "").isdigit() and len(words) != int(option.nargs or 0):
        raise RenderError(f"the option {flag} takes {option.nargs} values")
    if option.nargs == "+" and not words:
        raise RenderError(f"the option {flag} takes at least one value")
    if signature.syntax == "argparse" and any(_looks_like_option(signature, w) for w in words):
        raise RenderError(f"a value of the option {flag} begins with a dash and would be read as an option")
    return [flag, *words]


def _switch_words(option: Option, flag: str, value: Any) -> list[str]:
    if option.repeatable:
        return [flag] * (value if isinstance(value, int) else len(_as_list(value)))
    if value is False and option.switch_value != "False":
        return [option.negative_flags[0]] if option.negative_flags else []
    return [flag]


def _one_value(signature: Signature, flag: str, word: str) -> list[str]:
    if not _looks_like_option(signature, word):
        return [flag, word]
    if flag.startswith("--"):
        return [f"{flag}={word}"]
    if signature.syntax == "click":
        return [flag, word]
    return [flag + word] if len(flag) == 2 else [f"{flag}={word}"]


def _looks_like_option(signature: Signature, word: str) -> bool:
    return word.startswith("-") and not _is_number(signature, word)
