"""Collects what a command line says: values by name, and what is wrong with it."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from ml_agent.tools.findings import Finding, Severity
from ml_agent.tools.signatures.model import Option, Signature, Unseen
from ml_agent.tools.signatures.nearest import is_slip, nearest, nearest_flag
from ml_agent.tools.signatures.words import FALSE, KEY_VALUE, NO_CASE, PARSERS, SAME_TYPE, convert

ArgumentKind = Literal["option", "place", "subcommand", "override", "dashes"]
VARIABLE = re.compile(r"\$\{?\w|\$\(|`|\{[^}]*\}|<[^>]+>|\*|^\.\.\.$")
"""A word whose value the shell or the reader puts in."""


BARE_VARIABLE = re.compile(r"^(?:\$\w+|\$\{\w+\}|\$@|\$\*)$")
"""A variable that may hold any number of words, options among them."""
_NAMED_BY_VARIABLE = re.compile(r"^-[^=]*(?:\$[\w{(]|`)")
"""An option with a variable in its name."""


_FOLDS: dict[str, Callable[[str], str]] = {
    "str.lower": str.lower, "str.upper": str.upper, "str.strip": str.strip, "str.title": str.title,
}  # fmt: skip
"""Converters that only change how a word is written."""
_CERTAIN = frozenset(["", "int", "float", "str", NO_CASE, *_FOLDS])
"""Converters behind which a word that is no choice is surely refused."""
_PLAIN = frozenset(["", "int", "float", "str", "bool", "list", "literal", "yaml", "string_to_bool", SAME_TYPE])
"""Converters behind which a choice is written as it is; a function of the program's own may change it."""


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """What some words of a command line are: an option with its values, or what is given by place."""

    kind: ArgumentKind = "option"
    """option: begins with a flag. place: values by position, also those behind `--`. override: key=value, +key=value, ~key.
    dashes: the `--` that ends the options."""
    option: Option | None = None
    """None where the signature does not know it."""
    flag: str = ""
    """As written: an abbreviation stays one; of an override the key with its sign."""
    values: tuple[str, ...] = ()
    """Without quotes."""
    form: Literal["apart", "equals", "attached"] = "apart"
    """apart: `--n 3`. equals: `--n=3`. attached: `-n3`."""
    glued: bool = False
    """One of several short flags in one word, and not the first: f in `-vf`."""
    start: int
    stop: int
    """Places of its words, the last one not included; a glued flag has the place of its word."""

    @property
    def dest(self) -> str:
        """The name of its option; "" where it is not known."""
        return self.option.dest if self.option is not None else ""

    def words(self) -> list[str]:
        """Its words, unquoted, as they are written where it stands alone."""
        if self.form == "apart":
            return [self.flag, *self.values] if self.flag else list(self.values)
        return [f"{self.flag}={self.values[0]}" if self.form == "equals" else self.flag + self.values[0]]


class ParsedCall(msgspec.Struct, frozen=True, kw_only=True):
    """What a command line says in the terms of a signature."""

    values: dict[str, Any] = {}
    """dest -> value (int, float, bool, str or a list of them), for what was given."""
    findings: tuple[Finding, ...] = ()
    unknown: tuple[str, ...] = ()
    """Words that the signature does not know."""
    given: tuple[Argument, ...] = ()
    """Which words belong together, in order; every word is in one of them."""


class Reader:
    """Takes words one after the other; collects values and findings."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.values: dict[str, Any] = {}
        self.findings: list[Finding] = []
        self.unknown: list[str] = []
        self.tried: set[str] = set()
        """dests that were named but given too few words."""
        self.given: list[Argument] = []
        self.excused = False
        """Whether nothing more is required: help is asked for, or a file of flags may say it."""
        self.by_flag: dict[str, Option] = {}
        for option in signature.options:
            for flag in (*option.flags, *option.negative_flags):
                self.by_flag[flag] = option

    def result(self, words: Sequence[str]) -> ParsedCall:
        """What was read of these words; those that nothing claimed are given by place to nobody."""
        claimed = {place for part in self.given for place in range(part.start, part.stop)}
        left = [
            Argument(start=place, stop=place + 1, kind="dashes" if word == "--" else "place", values=(word,))
            for place, word in enumerate(words)
            if place not in claimed
        ]
        return ParsedCall(
            values=self.values, findings=tuple(self.findings), unknown=tuple(self.unknown),
            given=tuple(sorted([*self.given, *left], key=lambda part: part.start)),
        )  # fmt: skip

    def take(self, start: int, stop: int, **facts: Any) -> None:
        """Say what the words from `start` to before `stop` are, in the fields of Argument."""
        self.given.append(Argument(start=start, stop=stop, **facts))

    def note(self, code: str, message: str, option: Option | None, *words: str, sure: bool = True) -> None:
        """Record a finding; about an option that could not be read for sure nobody can tell.

        Args:
            code: its stable name.
            message: for a person and for the model.
            option: the option that is meant; None for the whole command.
            words: the subject, and then the suggestion where there is one.
            sure: False makes it a warning.
        """
        read = option is None or option.sure
        severity: Severity = "unsure" if not read else "error" if sure else "warning"
        place = (option.path, option.line) if option is not None else self._place
        subject, suggestion = (*words, "", "")[:2]
        self.findings.append(
            Finding(
                code=code, message=message, severity=severity, subject=subject,
                suggestion=suggestion, path=place[0], line=place[1],
            )
        )  # fmt: skip

    @property
    def _place(self) -> tuple[str, int]:
        """Where the options begin: where the script says so, or, where another file reads them, its first option."""
        declared = ((one.path, one.line) for one in self.signature.options if one.path and one.line)
        here = (self.signature.path, self.signature.line)
        return here if self.signature.line else next(declared, here)

    def note_unknown(self, word: str) -> None:
        """A word that begins like an option but is none."""
        flag = word.partition("=")[0]
        self.unknown.append(word)
        if (self.signature.framework == "dataclass" or "[" in flag) and self._is_part(flag):
            return
        suggestion = nearest_flag(flag, self.by_flag)
        self.note_foreign("unknown-option", f"{self.signature.path} has no option {flag}", flag, suggestion)

    def _is_part(self, flag: str) -> bool:
        """Whether a flag names a part of what another one takes, of which no types are known: `--logger.save_dir`, `--sizes[0]`."""
        wholes = [known for known in self.by_flag if flag.startswith((f"{known}.", f"{known}+", f"{known}["))]
        return any(self.by_flag[known].type in ("json", "unknown") for known in wholes)

    def note_foreign(self, code: str, message: str, word: str, suggestion: str = "") -> None:
        """Record that the signature has no place for a word: an error where it is whole, else only where it is a slip."""
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        if _NAMED_BY_VARIABLE.match(word):
            self.cannot_tell(word, "its name contains a variable")
        elif self.signature.whole:
            self.note(code, message + hint, None, word, suggestion)
        elif suggestion and is_slip(word.lstrip("-+~"), suggestion.lstrip("-")):
            self.note(code, message + hint, None, word, suggestion, sure=False)
        else:
            self.cannot_tell(word)

    def note_too_many(self, words: Sequence[str]) -> None:
        """Record words by place that nobody takes; a variable may hold anything."""
        self.unknown += words
        extra = [word for word in words if not BARE_VARIABLE.match(word)]
        if not extra:
            return
        message = f"{self.signature.path} takes no further argument: {' '.join(extra[:5])}"
        if self.signature.whole:
            sure = not any(VARIABLE.search(word) for word in extra)
            self.note("too-many-arguments", message, None, extra[0], sure=sure)
        else:
            self.cannot_tell(extra[0])

    def cannot_tell(self, word: str, reason: str = "") -> None:
        """Say once that the signature is not whole, and from where the rest comes."""
        if any(finding.code == "cannot-tell" for finding in self.findings):
            return
        seen = "; ".join(_reason(unseen) for unseen in self.signature.unseen[:3])
        reason = reason or seen or "it passes unknown options on to another program"
        first = self.signature.unseen[:1]
        place = (first[0].path, first[0].line) if first and first[0].path else self._place
        self.findings.append(
            Finding(
                code="cannot-tell", message=f"whether {self.signature.path} takes {word}: {reason}",
                severity="unsure", subject=word, path=place[0], line=place[1],
            )
        )  # fmt: skip

    def store(self, option: Option, words: Sequence[str], flag: str = "") -> None:
        """Keep the values that an option was given."""
        if flag in option.negative_flags:
            self._store_switch(option, negative=True)
            return
        if option.nargs == "?" and not words:
            self.tried.add(option.dest)
            self.values.pop(option.dest, None)
            if option.switch_value is not None and not option.positional:
                self.values[option.dest] = convert(option, option.switch_value)[0]
            return
        if option.nargs == "0" or (option.nargs == "?bool" and not words):
            self._store_switch(option, negative=False)
            return
        values = [self.value(option, word) for word in words]
        several = option.nargs in ("*", "+", "...") or (option.nargs or "").isdigit()
        if option.repeatable:
            self.values[option.dest] = [*self.values.get(option.dest, []), *values]
        elif several:
            self.values[option.dest] = values
        elif values:
            self.values[option.dest] = values[0]

    def _store_switch(self, option: Option, *, negative: bool) -> None:
        stored: Any
        if option.type == "int" and option.repeatable:
            stored = self.values.get(option.dest, 0) + 1
        elif negative or option.switch_value == "False":
            stored = False
        elif option.switch_value in ("True", None):
            stored = True
        else:
            stored = option.switch_value
        if option.repeatable and option.type != "int":
            stored = [*self.values.get(option.dest, []), stored]
        self.values[option.dest] = stored

    def value(self, option: Option, word: str) -> Any:
        """A word as the option's type, checked against its choices."""
        if VARIABLE.search(word) or word in option.absent:
            return word
        value, good = convert(option, word)
        name = max(option.flags, key=len, default=option.dest)
        if not good:
            parsed = option.converter in PARSERS
            formed = parsed or option.converter == KEY_VALUE
            sure = formed or option.converter in ("", "int", "float", SAME_TYPE) or option.type == "bool"
            wanted = f"what {option.converter} can read" if parsed else option.converter if formed else option.type
            self.note("bad-type", f"{name} takes {wanted}, not {word!r}", option, word, sure=sure)
        elif option.choices_unread and word != option.default:
            message = f"whether {name} takes {word!r}: its allowed values are computed when the program runs"
            self.note("bad-choice", message, replace(option, sure=False), word)
        elif option.choices and not is_chosen(option, word, value):
            self.note_choice(option, name, word, option.choices, sure=option.converter in _CERTAIN)
        elif option.accepted and not is_accepted(option, word):
            self.note_choice(option, name, word, option.accepted, sure=True)
        elif option.converter == "bool" and option.nargs != "?bool" and word.lower() in FALSE:
            self.note(
                "bad-type", f"{name} {word} means true: type=bool accepts any text as true", option, word, sure=False
            )
        return value

    def note_choice(self, option: Option, name: str, word: str, choices: Sequence[str], *, sure: bool) -> None:
        """A word that is none of the choices."""
        suggestion = nearest(word, choices)
        listed = ", ".join(choices[:12]) + (", ..." if len(choices) > 12 else "")
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        where = f" (tested at {option.accepted_at})" if choices is option.accepted and option.accepted_at else ""
        self.note(
            "bad-choice",
            f"{name} takes one of {listed}, not {word!r}{where}{hint}",
            option,
            word,
            suggestion,
            sure=sure,
        )

    def finish(self) -> None:
        """Look for what is missing or excludes each other."""
        places = [value for part in self.given if part.kind == "place" for value in part.values]
        given = [*self.unknown, *places]
        if any(BARE_VARIABLE.match(word) or _NAMED_BY_VARIABLE.match(word) for word in given):
            return
        switches = {o.dest for o in self.signature.options if o.flags}
        in_file = self.signature.may_be_in_file(self.values)
        for option in self.signature.options:
            if option.required and option.dest not in self.values and option.dest not in self.tried:
                name = max(option.flags, key=len, default=option.dest)
                unless = ", unless the file of settings gives it" if in_file else ""
                said = f"{name} is required by {self.signature.path}{unless}"
                self.note("missing-required", said, replace(option, sure=option.sure and not in_file), name)
        for group in self.signature.exclusive:
            both = [d for d in group if d in self.values and d in switches]
            if len(both) > 1:
                self.note("bad-call", f"only one of {', '.join(both)} may be given", None, both[1])


def _reason(unseen: Unseen) -> str:
    """Where options come from, as half a sentence."""
    kinds = {
        "library": "{} adds options, and it is not in the repository",
        "registry": "{} may add options",
        "configuration": "it takes the settings of {}",
        "computed": "{}",
        "package": "{}",
    }
    return kinds[unseen.origin].format(unseen.name)


def is_chosen(option: Option, word: str, value: Any) -> bool:
    fold = _FOLDS.get(option.converter)
    if fold is not None:
        return fold(word) in option.choices
    if option.converter not in _PLAIN:
        return word.lower() in {c.lower() for c in option.choices}
    return word in option.choices or str(value) in option.choices


def is_accepted(option: Option, word: str) -> bool:
    folded = (
        word.lower() if option.accepted_fold == "lower" else word.upper() if option.accepted_fold == "upper" else word
    )
    value, _ = convert(option, folded)
    return folded in option.accepted or str(value) in option.accepted or folded == option.default
