"""The words of a command line as hydra reads them: its own options, and overrides of the configuration."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ml_agent.tools.commandline.argparse_words import ArgparseWords
from ml_agent.tools.commandline.reader import VARIABLE, Reader
from ml_agent.tools.signatures.model import Option, Signature
from ml_agent.tools.signatures.nearest import nearest
from ml_agent.tools.signatures.sweeps import CONFIGURATION, GROUP, choices_in, is_plain, is_sweep, single_values


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
        Option(dest=CONFIGURATION, flags=("--config-name", "-cn")),
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
CHOOSES = ("config-path", CONFIGURATION, "config-dir")
"""Those that choose another configuration."""
SHOWS = ("help", "hydra-help", "version", "cfg", "info", "experimental-rerun", "shell-completion")
"""Those with which the program is not run."""
_MOST_NAMED = 6


class Override(NamedTuple):
    """One word: key=value, +key=value, ++key=value, ~key or ~key=value."""

    word: str
    sign: str
    key: str
    value: str | None

    @property
    def group(self) -> str:
        """The key without a package."""
        return self.key.partition("@")[0]


def read_hydra(reader: Reader, words: list[str]) -> None:
    """hydra's own options as argparse reads them, and the overrides among the words."""
    own = _own_words(reader, words)
    given = [_override(word) for word in own.values.get("overrides", [])]
    if _names_nothing(reader, own, given):
        return
    reader.chosen = _choices(reader, own, given)
    sweeps = bool(own.values.get("multirun")) or _has_multirun(reader, given)
    overrides = _Overrides(reader, sweeps=sweeps, shown=any(name in own.values for name in SHOWS))
    for override in given:
        overrides.read(override)
    overrides.finish()
    _note_missing_name(reader, own)


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


def _names_nothing(reader: Reader, own: Reader, given: list[Override]) -> bool:
    """Whether --config-name gives a name that no configuration has; then nothing can be said of the rest."""
    name, known = str(own.values.get(CONFIGURATION, "")), reader.signature.configurations
    stem = name.removesuffix(".yaml").removesuffix(".yml")
    elsewhere = any(dest in own.values for dest in ("config-path", "config-dir"))
    elsewhere = elsewhere or any(one.key == "hydra.searchpath" for one in given)
    if not name or not known or stem in known or elsewhere or ".." in stem or VARIABLE.search(name):
        return False
    suggestion = nearest(stem, known)
    hint = f"; did you mean {suggestion}?" if suggestion else f"; it has {_some(known)}"
    reader.note("bad-choice", f"{reader.signature.path} has no configuration {name}{hint}", None, name, suggestion)
    reader.tried |= {option.dest for option in reader.signature.options}
    reader.unknown += [one.word for one in given]
    return True


def _note_missing_name(reader: Reader, own: Reader) -> None:
    """Say that nothing is known of the keys where a program has no configuration of its own, and none is chosen.

    The signature then has the keys of all that may be chosen.
    """
    name = next((one for one in reader.signature.options if one.dest == CONFIGURATION and one.flags), None)
    if name is None or any(dest in own.values for dest in (*CHOOSES, *SHOWS)):
        return
    choose = f"--{CONFIGURATION} chooses one of {_some(name.choices)}"
    message = f"which settings {reader.signature.path} has, because no configuration is chosen; {choose}"
    reader.findings = [one for one in own.findings if one.severity == "error"]
    reader.tried |= {option.dest for option in reader.signature.options}
    reader.note("cannot-tell", message, name, f"--{CONFIGURATION}")


def _some(names: Sequence[str]) -> str:
    """A few of several configurations, those that are in no group first."""
    ordered = sorted(names, key=lambda name: name.count("/"))
    return ", ".join(ordered[:_MOST_NAMED]) + (", ..." if len(ordered) > _MOST_NAMED else "")


def _choices(reader: Reader, own: Reader, given: list[Override]) -> tuple[tuple[str, str], ...]:
    """What the words choose: files of groups, and the configuration itself."""
    groups = {o.dest.partition("@")[0] for o in reader.signature.options if o.converter == GROUP}
    groups |= {o.dest for o in reader.signature.addable}
    found = {f"--{dest}": str(own.values[dest]) for dest in CHOOSES if dest in own.values}
    for one in given:
        if one.group in groups and not (one.value or "").startswith("{"):
            found[one.sign + one.key] = one.value or ""
    return tuple(found.items())


def _has_multirun(reader: Reader, given: list[Override]) -> bool:
    """Whether several runs are asked for by a setting."""
    mode = next((o.default for o in reader.signature.options if o.dest == "hydra.mode"), "")
    return "MULTIRUN" in [mode, *((one.value or "").upper() for one in given if one.key == "hydra.mode")]


class _Overrides:
    """Reads overrides against the keys and groups of a configuration."""

    def __init__(self, reader: Reader, *, sweeps: bool, shown: bool) -> None:
        self.reader = reader
        self.sweeps = sweeps
        self.shown = shown
        self.known = {option.dest: option for option in reader.signature.options}
        self.addable = {option.dest: option for option in reader.signature.addable}
        self.settled = reader.chosen == reader.signature.chosen
        """Whether the signature was read for what these words choose."""
        self.touched: list[Override] = []

    def read(self, one: Override) -> None:
        """One override."""
        if VARIABLE.search(one.key) or not one.key:
            self.reader.unknown.append(one.word)
            return
        option = self.known.get(one.key)
        group = option if option is not None and option.converter == GROUP else self._other_group(one)
        if not one.sign.startswith("~") and one.value is None:
            self.reader.unknown.append(one.word)
            self.reader.note("unknown-option", f"{one.word} is not of the form key=value", None, one.word)
        elif one.key.startswith(("hydra.", "hydra/")) or one.key == "hydra":
            self.reader.unknown.append(one.word)
        elif group is not None and not (one.value or "").startswith("{"):
            self._group(one, group, listed=option is not None)
        else:
            self._key(one, option)
        self.touched.append(one)

    def _other_group(self, one: Override) -> Option | None:
        """The group of a key that no defaults list names in this way."""
        if one.group in self.addable:
            return self.addable[one.group]
        return next(
            (o for o in self.known.values() if o.converter == GROUP and "@" in one.key and o.dest == one.group), None
        )

    def _group(self, one: Override, group: Option, *, listed: bool) -> None:
        """A choice of a file."""
        if one.sign == "++":
            message = f"hydra cannot force a group: {one.word}"
            self.reader.note("bad-call", message, None, one.word, one.word.lstrip("+") if listed else one.word[1:])
        elif one.sign == "+" and listed:
            self._exists_already(one)
        elif one.sign != "+" and not listed:
            self._not_listed(one)
        elif one.sign == "~":
            if one.value and group.default is not None and one.value != group.default and self._is_closed():
                self.reader.note("bad-choice", f"{one.key} is {group.default}, not {one.value}", group, one.word)
        else:
            self._check_choice(one, group)
        if not one.sign and listed and one.value is not None:
            self.reader.values[one.key] = one.value
        elif one.sign != "~" or not listed:
            self.reader.unknown.append(one.word)

    def _not_listed(self, one: Override) -> None:
        """A group whose choice cannot be changed, because no defaults list names it."""
        if not self._is_closed():
            self.reader.cannot_tell(one.key, self._elsewhere())
            return
        other = next((k for k in self.known if k.partition("@")[0] == one.group), "")
        meant = one.word.replace(one.key, other, 1) if other else f"+{one.word.lstrip('~')}"
        message = f"no defaults list of {self.reader.signature.path} names {one.key}; did you mean {meant}?"
        self.reader.note("unknown-option", message, None, one.word, meant)

    def _check_choice(self, one: Override, group: Option) -> None:
        value = one.value or ""
        if VARIABLE.search(value) and not is_sweep(value):
            return
        self._check_sweep(one)
        if value == "null":
            message = f"hydra refuses {one.word} from version 1.1 on; ~{one.key} leaves it out"
            self.reader.note("bad-choice", message, group, one.word, f"~{one.key}", sure=False)
            return
        for choice in choices_in(value, group.choices):
            for name in choice if isinstance(choice, list) else [choice]:
                plain = (name or "").removesuffix(".yaml")
                if name is not None and "/" not in plain and group.choices and plain not in group.choices:
                    self.reader.note_choice(group, one.key, name, group.choices, sure=True)

    def _key(self, one: Override, option: Option | None) -> None:
        """A setting that is changed, added or removed."""
        table = option is None and any(k.startswith(one.key + ".") for k in self.known)
        if one.sign in ("", "++") and option is not None and one.value is not None:
            self._store(one, option)
            return
        self.reader.unknown.append(one.word)
        if one.sign == "+":
            holds = table or (option is not None and option.default is not None)
            if holds and one.value is not None and one.value[:1] not in ("[", "{") and self._is_closed():
                self._exists_already(one)
        elif one.sign == "++" or table:
            return
        elif option is None:
            self._unknown_key(one)
        elif one.sign == "~" and option.default is None and option.sure and self._is_closed():
            self.reader.note("bad-call", f"there is nothing to remove: {one.key} has no value", option, one.word)

    def _unknown_key(self, one: Override) -> None:
        """A key that the configuration does not have; below a list or what this command line adds it may."""
        made = [o.key for o in self.touched if o.sign in ("+", "++") or (o.value or "").startswith("{")]
        if any(one.key == key or one.key.startswith(key + ".") for key in made if key not in self.addable):
            return
        outer, _, last = one.key.rpartition(".")
        above = self.known.get(outer)
        if above is not None and above.type == "json" and last.isdigit():
            return
        path = self.reader.signature.path
        if self.settled:
            message = f"{path} has no setting {one.key}"
            self.reader.note_foreign("unknown-option", message, one.key, nearest(one.key, list(self.known)))
        else:
            self.reader.cannot_tell(one.key, self._elsewhere())

    def _store(self, one: Override, option: Option) -> None:
        """The value of a setting."""
        value = one.value or ""
        self._check_sweep(one)
        if is_plain(value) and not is_sweep(value):
            self.reader.store(option, [value])
            if "=" in value and not set("'\"\\$<") & set(value):
                self.reader.note("bad-type", f"{one.word}: hydra needs quotes around a value with =", option, one.word)
            return
        for part in single_values(value) if is_sweep(value) else ():
            self.reader.value(option, part)
        if option.type == "json" and not is_sweep(value):
            self.reader.store(option, [value])
        else:
            self.reader.values[option.dest] = value

    def _check_sweep(self, one: Override) -> None:
        """Several values need several runs."""
        if one.value and is_sweep(one.value) and not self.sweeps:
            message = f"{one.word} are several values: add --multirun to try each, or write them as [a,b]"
            self.reader.note("bad-call", message, None, one.word, "--multirun")

    def _exists_already(self, one: Override) -> None:
        plain = one.word.lstrip("+")
        message = f"{one.key} is there already, and + only adds; write {plain}"
        self.reader.note("bad-call", message, None, one.word, plain)

    def _is_closed(self) -> bool:
        """Whether the signature tells what the configuration lacks and has with these words."""
        return self.settled and self.reader.signature.whole

    def _elsewhere(self) -> str:
        return "" if self.settled else "the command line chooses another configuration"

    def finish(self) -> None:
        """What the command line itself adds, removes, or does not need is not missing."""
        names = {one.key for one in self.touched}
        below = [option.dest for option in self.known.values() if any(option.dest.startswith(n + ".") for n in names)]
        self.reader.tried |= names | set(below)
        if self.shown or not self.settled:
            self.reader.tried |= set(self.known)
