"""What a program's words set, by name: as its own parser said, else by its signature, else by the look of the words."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.observation.model import Program
from ml_agent.benchmarks.observation.repository import signature_reader
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.signatures.console import console_programs
from ml_agent.tools.signatures.model import Signature

PLACES = "arguments by place"
"""The key of words that belong to no option."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Values by name."""

    values: Mapping[str, Any]
    """What is set, and where the parser said them the values of all other options."""
    given: frozenset[str]
    """Names that the command line sets."""
    defaults: Mapping[str, Any] = {}
    subcommand: tuple[str, ...] = ()


def options_of(program: Program, root: Path, *, believe_parser: bool = True) -> Options:
    """What a program is asked for.

    Args:
        program: as it was seen.
        root: the repository's folder.
        believe_parser: False reads the words although a parser did, to compare with a program that came to none.
    """
    if program.parsed and believe_parser:
        return _parsed_options(program)
    return _read_options(program, root)


def _read_options(program: Program, root: Path) -> Options:
    """What the words say by the signature, or by their look."""
    signature = choose(_signatures(root, program), program.words)
    if signature is None or not signature.options:
        loose = by_look(program.words)
        return Options(values=loose, given=frozenset(loose))
    call = parse_call(signature, program.words)
    values = by_look(program.words, _spellings(signature)) if call.unknown else call.values
    if signature.framework == "hydra":  # its words may add, remove and choose what nobody declares
        overrides = [w for w in program.words if w[0] != "-" and ("=" in w or w[0] == "~")]
        pairs = (word.removeprefix("++").partition("=") for word in overrides)
        values = {key: value for key, _, value in pairs} | by_look([w for w in program.words if w not in overrides])
    known = {o.dest: o.default for o in signature.options if o.default is not None}
    return Options(values=values, given=frozenset(values), defaults=known, subcommand=signature.subcommand)


def _parsed_options(program: Program) -> Options:
    """As the program's own parser said; what it hid inside a converter is taken as it was typed, what it left by its look."""
    rest = by_look(program.rest)
    shown = {k: v for k, v in program.values.items() if not _is_hidden(v)}
    hidden = {k: program.given[k] for k, v in program.values.items() if k in program.given and _is_hidden(v)}
    typed = {k: words[0] if len(words) == 1 else list(words) for k, words in hidden.items()}
    defaults = {k: v for k, v in program.defaults.items() if not _is_hidden(v)}
    unseen = {k: defaults[k] for k in program.values.keys() - shown.keys() - typed.keys() if k in defaults}
    given = frozenset({*program.given, *rest} - {""})
    values = {**shown, **unseen, **typed, **rest}
    return Options(values=values, given=given, defaults=defaults, subcommand=program.subcommand)


def _spellings(signature: Signature) -> dict[str, tuple[str, bool]]:
    """(destination, whether it takes no value) by the name of each flag, as `by_look` writes names."""
    return {
        flag.lstrip("-").replace("-", "_"): (option.dest, option.switch)
        for option in signature.options
        for flag in option.flags
    }


def _is_hidden(value: Any) -> bool:
    """Whether a parsed value does not show what was typed: a converter made a thing of it that cannot be looked into."""
    return isinstance(value, dict) and value.keys() in ({"?"}, {"is"})


@functools.lru_cache(maxsize=32)
def _console(root: Path) -> tuple[Signature, ...]:
    programs = console_programs(signature_reader(root))
    return tuple(signature for several in programs.values() for signature in several)


def _signatures(root: Path, program: Program) -> tuple[Signature, ...]:
    """Those of a script, or of the command that is installed under its name or for a function of its file."""
    found = signature_reader(root).read(program.file) if program.file else ()
    return found or tuple(one for one in _console(root) if one.path == program.file or program.name in _names(one))


def _names(console: Signature) -> tuple[str, str]:
    """What an installed command is called, and the module of its function."""
    return console.name, console.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def by_look(words: Sequence[str], known: Mapping[str, tuple[str, bool]] = {}) -> dict[str, Any]:
    """Options by their dashes, settings by their `=`, the rest by place; `-` and `_` are one, `--no-x` is `--x false`.

    Args:
        words: what follows the program.
        known: by the name of a flag its destination, and whether it takes no value.
    """
    found: dict[str, Any] = {}
    places: list[str] = []
    name = ""
    for word in words:
        if word.startswith("-") and not _is_number(word) and word not in ("-", "--"):
            spelled, equals, value = word.lstrip("-").partition("=")
            spelled = spelled.replace("-", "_")
            name, switch = known.get(spelled, (spelled, bool(equals)))
            if spelled.startswith("no_") and not equals and spelled not in known:
                found[spelled.removeprefix("no_")], name = False, ""
                continue
            found[name] = value if equals else True
            name = "" if switch or equals else name
        elif name:
            kept = found[name]
            found[name] = word if kept is True else [*(kept if isinstance(kept, list) else [kept]), word]
        elif "=" in word.lstrip("+~") and word.lstrip("+~")[:1].isalpha():
            key, _, value = word.lstrip("+~").partition("=")
            found[key.replace("-", "_")] = value
        else:
            places.append(word)
    return {**found, PLACES: places} if places else found


def _is_number(word: str) -> bool:
    return word[1:].replace(".", "", 1).replace("e", "").replace("-", "").isdigit()
