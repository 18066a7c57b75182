"""The words of a command line as hydra reads them: its own options, and overrides of the configuration."""

import re
from typing import NamedTuple

import msgspec

from ml_agent.tools.commandline.argparse_words import ArgparseWords
from ml_agent.tools.commandline.reader import VARIABLE, Reader
from ml_agent.tools.signatures.hydra_reader import GROUP
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.nearest import nearest


def _switches(*flags: str) -> Option:
    return Option(dest=flags[0].lstrip("-"), flags=flags, nargs="0", type="bool", switch_value="True")


OWN = Signature(
    path="", framework="hydra",
    options=(
        _switches("--help", "-h"), _switches("--hydra-help"), _switches("--version"), _switches("--resolve"),
        _switches("--run", "-r"), _switches("--multirun", "-m"), _switches("--shell-completion", "-sc"),
        Option(dest="cfg", flags=("--cfg", "-c"), choices=("job", "hydra", "all")),
        Option(dest="package", flags=("--package", "-p")),
        Option(dest="config-path", flags=("--config-path", "-cp")),
        Option(dest="config-name", flags=("--config-name", "-cn")),
        Option(dest="config-dir", flags=("--config-dir", "-cd")),
        Option(dest="experimental-rerun", flags=("--experimental-rerun",)),
        Option(
            dest="info", flags=("--info", "-i"), nargs="?", switch_value="all",
            choices=("all", "config", "defaults", "defaults-tree", "plugins", "searchpath"),
        ),
        Option(dest="overrides", nargs="*"),
    ),
)  # fmt: skip
"""What every program of hydra takes besides the keys of its configuration."""
CHOOSES = frozenset(["config-path", "config-name", "config-dir"])
"""Those that choose another configuration."""
SHOWS = frozenset(["help", "hydra-help", "version", "cfg", "info", "experimental-rerun", "shell-completion"])
"""Those with which the program is not run."""
_FUNCTION = re.compile(r"\s*\w+\(.*\)\s*", re.DOTALL)
_SWEEP = re.compile(r"\s*(?:choice|range|interval|glob)\(.*\)\s*", re.DOTALL)
_ENCLOSED = re.compile(r"\[[^\[\]]*\]|\{[^{}]*\}|\([^()]*\)|'[^']*'|\"[^\"]*\"|\\\\.")


class Override(NamedTuple):
    """One word: key=value, +key=value, ++key=value, ~key or ~key=value."""

    word: str
    sign: str
    key: str
    value: str | None


def is_sweep(value: str) -> bool:
    """Whether hydra tries several values: `a,b`, `choice(...)`, `range(...)`, `interval(...)`, `glob(...)`."""
    return _SWEEP.fullmatch(value) is not None or "," in _ENCLOSED.sub("", value)


def is_plain(value: str) -> bool:
    """Whether a value is one word or number, and neither a list, a table, a function, in quotes, nor nothing."""
    stripped = value.strip()
    special = stripped in ("", "null") or stripped[0] in "[{'\"" or "${" in stripped
    return not special and not _FUNCTION.fullmatch(stripped) and not is_sweep(stripped)


def read_hydra(reader: Reader, words: list[str]) -> None:
    """hydra's own options as argparse reads them, and the overrides among the words."""
    own = _own_words(reader, words)
    overrides = [_override(word) for word in own.values.get("overrides", [])]
    shown = not SHOWS.isdisjoint(own.values)
    _Overrides(
        reader, overrides, sweeps=bool(own.values.get("multirun")), settled=CHOOSES.isdisjoint(own.values)
    ).read()
    if shown:
        reader.tried |= {option.dest for option in reader.signature.options}


def _own_words(reader: Reader, words: list[str]) -> Reader:
    """Read hydra's own options, and those of a parser that ran before it."""
    signature = reader.signature
    earlier = tuple(option for option in signature.options if option.flags)
    unseen = tuple(one for one in signature.unseen if one.origin != "configuration")
    own = Reader(
        msgspec.structs.replace(
            OWN, path=signature.path, options=(*earlier, *OWN.options), unseen=unseen, accepts_unknown=bool(unseen)
        )
    )
    ArgparseWords(own, words).read()
    reader.findings += own.findings
    reader.unknown += own.unknown
    dests = {option.dest for option in earlier}
    reader.values |= {dest: value for dest, value in own.values.items() if dest in dests}
    keys = {option.dest: option for option in signature.options}
    for part in own.given:
        if part.kind == "place":
            for at, word in enumerate(part.values, part.start):
                if not word:
                    reader.take(at, at + 1, kind="place", values=(word,))
                    continue
                override = _override(word)
                reader.take(
                    at, at + 1, kind="override", option=keys.get(override.key), flag=override.sign + override.key,
                    values=() if override.value is None else (override.value,),
                    form="apart" if override.value is None else "equals",
                )  # fmt: skip
        else:
            known = part.option if part.option is not None and part.option.dest in dests else None
            reader.given.append(msgspec.structs.replace(part, option=known))
    return own


def _override(word: str) -> Override:
    key, equals, value = word.partition("=")
    name = key.lstrip("+~")
    return Override(word, key[: len(key) - len(name)], name, value if equals else None)


class _Overrides:
    """Reads overrides against the keys and groups of the program's own configuration."""

    def __init__(self, reader: Reader, overrides: list[Override], *, sweeps: bool, settled: bool) -> None:
        self.reader = reader
        self.overrides = overrides
        self.sweeps = sweeps or any(one.key == "hydra.mode" for one in overrides)
        self.known = {option.dest: option for option in reader.signature.options}
        self.groups = {dest.partition("@")[0] for dest, one in self.known.items() if one.converter == GROUP}
        others = (self._group_of(one) for one in overrides)
        self.settled = settled and not any(others)
        """Whether the configuration is the one that was read: no word chooses another file of it."""
        self.added = [one.key for one in overrides if one.sign in ("+", "++") or (one.value or "").startswith("{")]

    def _group_of(self, one: Override) -> bool:
        """Whether an override may choose a file."""
        if one.sign == "+" and one.key in self.known:
            return False  # which is an error
        added = one.sign == "+" and "." not in one.key
        return (
            added or one.key.partition("@")[0] in self.groups or ("/" in one.key and not one.key.startswith("hydra/"))
        )

    def read(self) -> None:
        """Every override; what is in them is not missing."""
        for one in self.overrides:
            self._one(one)
        names = [one.key for one in self.overrides]
        below = [dest for dest in self.known if any(dest.startswith(f"{name}.") for name in names)]
        self.reader.tried |= {*names, *below, *(() if self.settled else self.known)}

    def _one(self, one: Override) -> None:
        option = self.known.get(one.key)
        if VARIABLE.search(one.key) or not one.key or one.key.partition(".")[0].partition("/")[0] == "hydra":
            self.reader.unknown.append(one.word)
        elif one.value is None and not one.sign.startswith("~"):
            self.reader.unknown.append(one.word)
            self.reader.note("unknown-option", f"{one.word} is not of the form key=value", None, one.word)
        elif option is not None and one.sign in ("", "++") and one.value is not None:
            self._store(one, option, one.value)
        else:
            self.reader.unknown.append(one.word)
            self._unlisted(one, option)

    def _unlisted(self, one: Override, option: Option | None) -> None:
        """What adds or removes a key, or changes one that the configuration does not have."""
        table = any(key.startswith(f"{one.key}.") for key in self.known)
        if one.sign == "+" and self._is_there(option) and self._is_closed() and (one.value or "")[:1] not in ("[", "{"):
            plain = one.word.lstrip("+")
            message = f"{one.key} is there already, and + only adds; write {plain}"
            self.reader.note("bad-call", message, None, one.word, plain)
        elif one.sign in ("+", "++") or table or option is not None:
            return
        elif not self._is_new(one.key):
            message = f"{self.reader.signature.path} has no setting {one.key}"
            if self.settled:
                self.reader.note_foreign("unknown-option", message, one.key, nearest(one.key, list(self.known)))
            else:
                self.reader.cannot_tell(one.key, "the command line chooses another configuration")

    def _is_there(self, option: Option | None) -> bool:
        return option is not None and (option.default is not None or option.converter == GROUP)

    def _is_new(self, key: str) -> bool:
        """Whether a key may be one that the command line adds, or a place in a list."""
        outer, _, last = key.rpartition(".")
        above = self.known.get(outer)
        in_list = above is not None and above.type == "json" and last.isdigit()
        return in_list or any(key == one or key.startswith(f"{one}.") for one in self.added)

    def _store(self, one: Override, option: Option, value: str) -> None:
        """The value of a setting, or the choice of a file."""
        if is_sweep(value) and not self.sweeps and self.reader.signature.whole:
            message = f"{one.word} are several values: add --multirun to try each, or write them as [a,b]"
            self.reader.note("bad-call", message, None, one.word, "--multirun")
        if option.converter == GROUP:
            name = value.removesuffix(".yaml")
            if is_plain(value) and "/" not in name and not VARIABLE.search(name) and name not in option.choices:
                self.reader.note_choice(option, one.key, name, option.choices, sure=True)
            self.reader.values[one.key] = value
        elif is_plain(value) or (option.type == "json" and not is_sweep(value)):
            self.reader.store(option, [value])
            if "=" in value and not set("'\"\\$<[{") & set(value):
                self.reader.note("bad-type", f"{one.word}: hydra needs quotes around a value with =", option, one.word)
        else:
            self.reader.values[option.dest] = value

    def _is_closed(self) -> bool:
        """Whether the signature tells what the configuration has with these words."""
        return self.settled and self.reader.signature.whole
