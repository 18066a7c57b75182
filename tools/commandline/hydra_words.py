"""The words of a command line as hydra reads them: its own options, and overrides of the configuration."""

import re

from ml_agent.tools.commandline.reader import VARIABLE, Reader
from ml_agent.tools.signatures.hydra_reader import GROUP
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.signatures.nearest import nearest

_CHOOSES = frozenset(["--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"])
"""Hydra's options that choose another configuration."""
_SHOWS = frozenset(
    [
        "--help",
        "-h",
        "--hydra-help",
        "--version",
        "--cfg",
        "-c",
        "--info",
        "-i",
        "--experimental-rerun",
        "--shell-completion",
        "-sc",
    ]
)
"""Those with which the program is not run."""
_VALUED = _CHOOSES | {"--cfg", "-c", "--package", "-p", "--experimental-rerun"}
_OWN = _VALUED | _SHOWS | {"--resolve", "--run", "-r", "--multirun", "-m"}
_PLAIN = re.compile(r"[\w.+-]+")
"""A value that is one word or number: no list, table, function or sweep, and not in quotes."""


def read_hydra(reader: Reader, words: list[str]) -> None:
    """hydra's own options, those of a parser that ran before it, and the overrides among the words."""
    options = {option.dest: option for option in reader.signature.options}
    flags = {word.partition("=")[0] for word in words if word.startswith("-")}
    overrides = [word for word in words if not word.startswith("-")]
    settled = _CHOOSES.isdisjoint(flags) and not any(_may_choose(word, options) for word in overrides)
    at = 0
    while at < len(words):
        if words[at].startswith("-"):
            at = _flag(reader, words, at)
        else:
            _override(reader, at, words[at], options, settled)
            at += 1
    names = [part.flag.lstrip("+~") for part in reader.given if part.kind == "override"]
    below = [dest for dest in options if any(dest.startswith(f"{name}.") for name in names)]
    everything = not settled or not _SHOWS.isdisjoint(flags)
    reader.tried |= {*names, *below, *(options if everything else ())}


def _flag(reader: Reader, words: list[str], at: int) -> int:
    """One option and its value; returns where to go on."""
    flag, equals, value = words[at].partition("=")
    option = reader.by_flag.get(flag)
    if option is None and flag not in _OWN:
        reader.note_unknown(words[at])
    takes = flag in _VALUED or (option is not None and not option.switch)
    if takes and not equals and at + 1 == len(words):
        reader.note("missing-value", f"{flag} needs a value", option, flag)
    stop = at + 2 if takes and not equals else at + 1
    given = (value,) if equals else tuple(words[at + 1 : stop])
    reader.take(at, min(stop, len(words)), option=option, flag=flag, values=given, form="equals" if equals else "apart")
    if option is not None:
        reader.store(option, given, flag)
    return stop


def _parts(word: str) -> tuple[str, str, str | None]:
    """key=value, +key=value, ++key=value, ~key or ~key=value: the sign, the key and the value."""
    key, equals, value = word.partition("=")
    name = key.lstrip("+~")
    return key[: len(key) - len(name)], name, value if equals else None


def _may_choose(word: str, options: dict[str, Option]) -> bool:
    """Whether an override may choose another file, or adds keys that no file has."""
    sign, key, value = _parts(word)
    groups = {dest.partition("@")[0] for dest, one in options.items() if one.converter == GROUP}
    adds = sign.startswith("+") or (value or "").startswith(("{", "["))
    return adds or key.partition("@")[0] in groups or ("/" in key and not key.startswith("hydra/"))


def _override(reader: Reader, at: int, word: str, options: dict[str, Option], settled: bool) -> None:
    """A word that changes, adds or removes a setting."""
    sign, key, value = _parts(word)
    option = options.get(key)
    reader.take(
        at, at + 1, kind="override", option=option, flag=sign + key, values=() if value is None else (value,),
        form="apart" if value is None else "equals",
    )  # fmt: skip
    if option is not None and sign in ("", "++") and value is not None:
        _store(reader, option, value)
        return
    reader.unknown.append(word)
    if VARIABLE.search(key) or not key or re.match(r"hydra\b", key) or sign.startswith("+"):
        return
    if value is None and sign != "~":
        reader.note("unknown-option", f"{word} is not of the form key=value", None, word)
        return
    above = options.get(key.rpartition(".")[0])
    in_list = above is not None and above.type == "json" and key.rpartition(".")[2].isdigit()
    if option is None and not in_list and not any(dest.startswith(f"{key}.") for dest in options):
        if settled:
            message = f"{reader.signature.path} has no setting {key}"
            reader.note_foreign("unknown-option", message, key, nearest(key, list(options)))
        else:
            reader.cannot_tell(key, "the command line chooses another configuration")


def _store(reader: Reader, option: Option, value: str) -> None:
    """The value of a setting, or the choice of a file."""
    if option.converter != GROUP and _PLAIN.fullmatch(value):
        reader.store(option, [value])
        return
    reader.values[option.dest] = value
    name = value.removesuffix(".yaml")
    if option.converter == GROUP and _PLAIN.fullmatch(name) and name != "null" and name not in option.choices:
        reader.note_choice(option, option.dest, name, option.choices, sure=True)
