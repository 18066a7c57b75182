"""What a program's words set, by name: as its own parser said, else by its signature, else by the look of the words."""

import functools
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.same_call.model import Program
from ml_agent.benchmarks.same_call.streams import UNKNOWN
from ml_agent.benchmarks.same_call.values import plain, same
from ml_agent.benchmarks.strict.inside.pictures import STDIN, STDOUT
from ml_agent.benchmarks.strict.script_variables import signature_reader
from ml_agent.tools.check.repository import decisions
from ml_agent.tools.commandline.fire_words import fire_value
from ml_agent.tools.commandline.hydra_words import CHOOSES, OWN, SHOWS
from ml_agent.tools.commandline.reader import ParsedCall
from ml_agent.tools.commandline.words import choose, parse_call
from ml_agent.tools.signatures.console import read_console
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.sweeps import GROUP
from ml_agent.tools.signatures.words import SAME_TYPE

PLACES = "arguments by place"
"""The key of words that belong to no option."""
_CHOOSING = {flag: option.dest for option in OWN.options if option.dest in CHOOSES for flag in option.flags}
"""Options of hydra's own that choose another configuration."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Values by name."""

    values: Mapping[str, Any]
    """What is set, and where the parser said them the values of all other options."""
    given: frozenset[str]
    """Names that the command line sets."""
    defaults: Mapping[str, Any] = {}
    subcommand: tuple[str, ...] = ()
    words: Mapping[str, Sequence[str]] = {}
    """What was typed, where it is known by name."""
    texts: frozenset[str] = frozenset()
    """Options whose values are plain text, whatever the text looks like."""
    nullable: frozenset[str] = frozenset()
    """Options that may be nothing at all: their default is."""
    reads: str = ""
    """What standard input is given, where no option stands for it."""
    writes: tuple[str, ...] = ()
    """Where the output is kept, likewise."""
    streamed: frozenset[str] = frozenset()
    """Options that stand for standard input or output, and whose values are what these lead to."""


def options_of(program: Program, root: Path, *, believe_parser: bool = True) -> Options:
    """What a program is asked for.

    Args:
        program: as it was seen.
        root: the repository's folder.
        believe_parser: False reads the words although a parser did, to compare with a program that came to none.
    """
    if program.parsed and believe_parser:
        return _with_streams(_parsed_options(program, _read_rest(program, root)), program)
    found = _read_options(program, root)
    return msgspec.structs.replace(found, reads=program.reads, writes=program.writes)


def _with_streams(options: Options, program: Program) -> Options:
    """The same, where an option whose value is standard input or output has as its value what that leads to."""
    ends = {STDIN: [program.reads] if program.reads else [], STDOUT: list(program.writes)}
    marks = {k: v["is"] for k, v in program.values.items() if _is_hidden(v) and v.get("is") in ends}
    led = {name: _from_folder(ends[mark][0], program.folder) for name, mark in marks.items() if ends[mark]}
    return msgspec.structs.replace(
        options,
        values={k: v for k, v in options.values.items() if k not in marks} | led,
        given=options.given - marks.keys() | led.keys(),
        reads="" if STDIN in marks.values() else program.reads,
        writes=() if STDOUT in marks.values() else program.writes,
        streamed=frozenset(led),
    )


def _from_folder(place: str, folder: str) -> Any:
    """What a stream leads to, as an option of a program that runs in a folder would name it."""
    if place == UNKNOWN:
        return {"?": "a stream"}
    return place if place.startswith("/") or " " in place else posixpath.relpath(place, folder)


def _read_options(program: Program, root: Path) -> Options:
    """What the words say by the signature, or by their look."""
    signature = choose(_signatures(root, program), program.words)
    if signature is None or not signature.options:
        loose = by_look(program.words)
        return Options(values=loose, given=frozenset(loose), defaults=program.settings)
    call = parse_call(signature, program.words)
    if signature.framework == "hydra":
        return _compose(root, program, signature)
    values = by_look(program.words, _spellings(signature)) if call.unknown else call.values
    if signature.framework == "fire" and not call.unknown:
        return _of_fire(signature, call)
    composed = _global_settings(program, signature, call)
    known = {o.dest: o.default for o in signature.options if o.default is not None}
    texts = {o.dest for o in signature.options if _is_text(o) and signature.syntax != "overrides"}
    nullable = {o.dest for o in signature.options if o.default in (None, "None", "null")}
    return Options(
        values=values | composed, given=frozenset(values), defaults=known, subcommand=signature.subcommand, texts=frozenset(texts),
        nullable=frozenset(nullable),
    )  # fmt: skip


def _of_fire(signature: Signature, call: ParsedCall) -> Options:
    """The values as fire makes them of the words: what is text then stays text."""
    typed = {p.option.dest: _fire_value(p.values[0]) for p in call.given if p.option is not None and len(p.values) == 1}
    known = {o.dest: _fire_value(o.default) for o in signature.options if o.default is not None}
    return Options(
        values=dict(call.values) | typed, given=frozenset(call.values), defaults=known, subcommand=signature.subcommand,
        texts=frozenset(o.dest for o in signature.options),
    )  # fmt: skip


def _fire_value(word: str) -> Any:
    value = fire_value(word)
    return list(value) if isinstance(value, tuple) else value


def _global_settings(program: Program, signature: Signature, call: ParsedCall) -> dict[str, Any]:
    """All settings as they were seen at the end of a program whose words and files change its global variables; none where it did not come so far."""
    changed = [o for o in signature.options if o.converter in ("literal", SAME_TYPE) and o.dest in program.settings]
    if signature.framework != "sysargv":
        return {}
    settings = {o.dest: program.settings[o.dest] for o in changed}
    typed = any(same(settings[name], value) for name, value in call.values.items() if name in settings)
    read = typed or any(not same(settings[o.dest], o.default) for o in changed if o.default is not None)
    return settings if read else {}


def _compose(root: Path, program: Program, base: Signature) -> Options:
    """The whole configuration that hydra composes of groups, another configuration and overrides, and what the words change of it that
    cannot be composed; where it cannot be known, the words.

    Args:
        root: the repository's folder.
        program: what is started.
        base: its signature without what the words choose.
    """
    known = _signatures(root, program)
    signature = (
        choose(signature_reader(root).called(known, lambda s: decisions(s, program.words)), program.words) or base
    )
    call = parse_call(signature, program.words)
    whole = not (signature.accepts_unknown or signature.unseen)
    composed, before = ({o.dest: o.default for o in _keys(s)} for s in (signature, base))
    chosen = {key.lstrip("-").replace("-", "_"): value for key, value in call.chosen if key.startswith("--")}
    groups = {o.dest for o in signature.options if o.converter == GROUP} if whole and call.chosen else set()
    values = {k: v for k, v in call.values.items() if k not in groups} | _modes(call) | _not_composed(call, signature)
    changed = {k for k in composed.keys() | before.keys() if composed.get(k) != before.get(k)} if whole else set()
    return Options(
        values={**composed, **values} if whole else {**values, **chosen}, given=frozenset({*values, *changed, *chosen}),
        defaults={} if whole else {k: v for k, v in before.items() if v is not None},
        nullable=frozenset(k for k, v in composed.items() if v in (None, "None", "null")),
    )  # fmt: skip


def _modes(call: ParsedCall) -> dict[str, Any]:
    """What of hydra's own options decides what is done: one job or a sweep, or nothing but showing something."""
    own = {option.dest for part in call.given for option in OWN.options if part.flag in option.flags}
    shown = sorted(own & set(SHOWS))
    return ({"multirun": True} if "multirun" in own else {}) | ({"only shows": shown} if shown else {})


def _not_composed(call: ParsedCall, signature: Signature) -> dict[str, Any]:
    """What words of hydra add, remove or change that is not in the configuration as it is known, by key: the order of keys says nothing."""
    known = {option.dest: option.default for option in signature.options}
    addable = {option.dest for option in signature.addable}
    overrides = {"=".join((part.flag, *part.values)): part for part in call.given if part.kind == "override"}
    found = by_look([word for word in call.unknown if word not in overrides])
    if not call.chosen:
        found |= {_CHOOSING[part.flag]: list(part.values) for part in call.given if part.flag in _CHOOSING}
    for word, part in overrides.items():
        key = part.flag.lstrip("+~")
        sign = part.flag[: len(part.flag) - len(key)]
        if sign == "++":
            sign = "" if key in known else "+"
        elif sign == "+" and key in known and known[key] is None and key not in addable:
            sign = ""
        if word in call.unknown or sign == "~":
            found[sign + key] = part.values[0] if part.values else True
    return found | _overlapping(call)


def _overlapping(call: ParsedCall) -> dict[str, Any]:
    """The order of keys that lie in one another, where a whole table is written or removed: what comes later counts."""
    given = [(part.flag.lstrip("+~"), "".join(part.values)) for part in call.given if part.kind == "override"]
    removed = {part.flag.lstrip("~") for part in call.given if part.flag.startswith("~")}
    whole = removed | {key for key, value in given if value == "null" or value.startswith("{")}
    met = {outer for outer in whole for key, _ in given if key.startswith(f"{outer}.")}
    order = [key for key, _ in given if any(key == outer or key.startswith(f"{outer}.") for outer in met)]
    return {"order of overrides": order} if order else {}


def _keys(signature: Signature) -> list[Option]:
    """What a configuration holds, the choices of its groups left out."""
    return [o for o in signature.options if o.converter != GROUP and not o.required]


def _is_text(option: Option) -> bool:
    """Whether a signature says for sure that an option takes text as it stands."""
    return option.type in ("str", "path") and option.sure and not option.converter and not _looks_typed(option.default)


def _looks_typed(default: Any) -> bool:
    """Whether a default is a number or a truth value, so that the text of an option is likely read as one."""
    return isinstance(plain(default, "set"), (bool, int, float))


def _read_rest(program: Program, root: Path) -> Options:
    """The words that a parser left, for one that was not reached: by the signature where it knows them all, else by their look."""
    signature = choose(_signatures(root, program), program.words) if program.rest else None
    call = parse_call(signature, program.words) if signature is not None else None
    if signature is None or call is None or call.unknown or not set(call.values) - set(program.given):
        loose = by_look(program.rest)
        return Options(values=loose, given=frozenset(loose))
    known = {o.dest: o.default for o in signature.options if o.default is not None and o.dest not in program.values}
    left = {k: v for k, v in call.values.items() if k not in program.values}
    return Options(values=left, given=frozenset(left), defaults=known)


def _parsed_options(program: Program, rest: Options) -> Options:
    """As the program's own parser said; what it hid inside a converter is taken as it was typed."""
    shown = {k: v for k, v in program.values.items() if not _is_hidden(v)}
    hidden = {k: program.given[k] for k, v in program.values.items() if k in program.given and _is_hidden(v)}
    typed = {k: words[0] if len(words) == 1 else list(words) for k, words in hidden.items()}
    defaults = {**rest.defaults, **{k: v for k, v in program.defaults.items() if not _is_hidden(v)}}
    unseen = {k: defaults[k] for k in program.values.keys() - shown.keys() - typed.keys() if k in defaults}
    given = frozenset({*program.given, *rest.given} - {""})
    return Options(
        values={**shown, **unseen, **typed, **rest.values}, given=given, defaults=defaults, subcommand=program.subcommand,
        words=program.given, texts=frozenset(_texts(program)), nullable=frozenset(k for k, v in defaults.items() if v is None),
    )  # fmt: skip


def _texts(program: Program) -> Iterator[str]:
    """Options that a parser left as text, and whose defaults do not look like numbers."""
    for name, value in program.values.items():
        parts = value if isinstance(value, list) else [value]
        if parts and all(isinstance(v, str) for v in parts) and not _looks_typed(program.defaults.get(name)):
            yield name


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
    return read_console(signature_reader(root))


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
