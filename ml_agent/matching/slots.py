"""What can take a value: an option, a parameter or a literal of an example, with all that the repository says of it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cached_property

from ml_agent.matching.terms import canonical, terms, weight
from ml_agent.matching.usage import OptionUsage
from ml_agent.tools.remember import remembered
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.usage.placeholders import holds_placeholder
from ml_agent.values.lexer import is_file_name
from ml_agent.values.lexicon import words
from ml_agent.values.numbers import number, quantity

_WORD = re.compile(r"[\w.+/-]+")
_KEYED = re.compile(r"(?<![\w./])[A-Za-z_][\w.]*([:=])(?=[\w\"'.-])")
_LISTED = re.compile(r"comma|list of|separated|multiple|several|\[\w|\bids\b|one or more", re.IGNORECASE)
_ROLES = {
    "input": frozenset(map(canonical, ("input", "source", "data", "image", "video", "audio", "text", "query", "sentence", "mel", "wav", "src"))),
    "output": frozenset(map(canonical, ("output", "out", "save", "saved", "result", "results", "log", "logs", "logdir", "write", "written", "dest", "destination", "export", "outf", "store"))),
    "weights": frozenset(map(canonical, ("checkpoint", "weight", "weights", "network", "resume", "restore", "pkl", "load", "pretrained"))),
    "config": frozenset({*map(canonical, ["config", "configuration", "yaml"]), *terms("cfg")}),
    "path": frozenset(map(canonical, ("path", "file", "directory", "folder", "root", "filename", "input", "output", "checkpoint", "outf", "prefix", "workdir", "dataroot"))),
}  # fmt: skip
"""By role: the terms that say it in the name or the help of an option."""
_DEPRECATED = re.compile(r"\W*+(?:is\s++)?(?:deprecated|obsolete)\b", re.IGNORECASE)
_CHOICES_IN_HELP = re.compile(
    r"[\[({]\s*([\w.+-]+(?:\s*[,|/]\s*[\w.+-]+){1,14})\s*[\])}]|((?:['\"`][\w./+-]+['\"`](?:\s*(?:,|\||/|or|and)+\s*)?){2,})"
    r"|(?<![\w.|+-])[\w.+-]{1,40}(?:\s?\|\s?[\w.+-]{1,40}){1,20}(?![\w|])"
    r"|(?:^|:\s)[\w.+-]{1,40}(?:, [\w.+-]{1,40}){3,20}(?![\w.+-])(?!\s\w)"
)
"""In brackets, in quotes, with bars between; or four words and more with nothing but commas, where a sentence or its second half begins."""
_LONGEST_HELP = 2000
"""Characters of a help text that are looked at."""
_SEVERAL = re.compile(r"[A-Za-z][\w-]*(?:,[A-Za-z][\w-]*)+")
"""A text that lists several values: "rouge1,rouge2"."""
_ON_OFF = re.compile(
    r"^(?:is|use|do|with|enable|if)\b|\b(?:whether|true|enable|0 or 1|1 or 0|0/1|1/0|(?<!-)1 for|0 for|(?<!-)1 means|bool|boolean)\b",
    re.IGNORECASE,
)
_LONGEST_WORD, _MOST_HELP = 40, 160
APART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.\-]+")
_KINDS = {"int": "whole number", "float": "number", "path": "path", "bool": "yes or no"}
_ASIDE = frozenset({"help", "version", "h", "helpfull", "helpshort"})
"""Options that say something and end; "version" may take a value and be one of the program's own."""
COUNTS = re.compile(r"\b(?:number of|how many|num(?:ber)? gpus?)\b", re.IGNORECASE)
"""Who says so has a number: "number of GPUs, 0 for CPU" is no switch."""
_PATH_IN_HELP = re.compile(r"\b(?:paths?|files?|folders?|director(?:y|ies)|checkpoints?|filenames?)\b", re.IGNORECASE)
_NONE = frozenset({"none", "no", "off", "0"})
TRUTH = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False, "on": True, "off": False}


class Slot:
    """One slot of an entry point.

    Args:
        option: what is known of it.
        seen: values that examples give it.
        prose: what documents say around it.
        files: files of the repository that it could name, by sibling of a default or of a value that was seen.
        usage: what the source does with it.
    """

    def __init__(
        self,
        option: Option,
        seen: Sequence[str] = (),
        prose: str = "",
        files: Sequence[str] = (),
        usage: OptionUsage = OptionUsage(),
    ) -> None:
        self.option = option
        self.seen = tuple(dict.fromkeys(one for one in seen if not holds_placeholder(one)))
        self.prose = prose
        self.files = tuple(files)
        takes_path = option.type in {"str", "path", "unknown"}
        self.direction = usage.direction if takes_path else ""
        self.form = usage.form if takes_path else ""
        self.compared = tuple(filter(_is_short, usage.compared)) if takes_path else ()

    def with_seen(self, others: Sequence[str]) -> "Slot":
        """The same slot, which takes these values, too: what the source has beside a known one."""
        found = Slot(self.option, self.seen, self.prose, self.files)
        found.direction, found.form = self.direction, self.form
        found.compared = tuple(dict.fromkeys((*self.compared, *filter(_is_short, others))))
        return found

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The terms of each of its names that says something."""
        bare = dict.fromkeys(
            [
                self.option.dest.rpartition(".")[2] or self.option.dest,
                *(flag.lstrip("-+").removesuffix("=") for flag in self.option.flags),
            ]
        )
        longer = [name for name in bare if len(name) > 1] or list(bare)
        return tuple(dict.fromkeys(found for name in longer if (found := tuple(dict.fromkeys(terms(name))))))

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """The terms of all its names."""
        return frozenset(term for name in self.names for term in name)

    @cached_property
    def help_terms(self) -> frozenset[str]:
        """The terms of its help text."""
        return content_terms(self.option.help) | content_terms(self.option.dest.replace(".", " "))

    @cached_property
    def prose_terms(self) -> frozenset[str]:
        """The terms of the documents' sentences about it."""
        return content_terms(self.prose)

    @cached_property
    def numeric_default(self) -> float | None:
        """Its default, or the first value that was seen, as a number; None where one of them is a file or in a folder."""
        known = [text for text in (self.option.default, *self.seen) if text]
        if any(is_file_name(text) or re.search("[A-Za-z]/", text) for text in known):
            return None
        if self.quantity is not None:
            return float(self.quantity)
        return next((float(amount) for text in known if (amount := number(text)) is not None), None)

    @cached_property
    def quantity(self) -> Decimal | None:
        """The amount of its default, where that is a number with a unit right behind it: "128k"."""
        measured = self.option.type in {"str", "unknown"} and not self.closed
        found = quantity(self.option.default or "") if measured else None
        return found[0] if found is not None else None

    @cached_property
    def boolean(self) -> bool:
        """Whether it is on or off, with or without a word for it."""
        option = self.option
        if option.switch:
            return option.switch_value in {None, "True", "False"} or not option.choices
        if option.type == "bool" or option.nargs == "?bool" or self.binary:
            return True
        loads = option.type == "str" and {"weights", "path"} & self.role  # `--load`, a path that is off by default
        return not option.choices and (option.default or "").lower() in {"true", "false"} and not loads

    @cached_property
    def described(self) -> str:
        """It in words: its names, help, kind, choices and a usual value."""
        option = self.option
        long = [flag.lstrip("-+") for flag in option.flags if len(flag.lstrip("-+")) > 1] or [option.dest]
        names = list(dict.fromkeys(APART.sub(" ", name).strip() for name in [*long, option.dest]))[:2]
        kind = "switch" if option.switch else "yes or no" if self.boolean else _KINDS.get(option.type, "text")
        parts = [", ".join(names), " ".join((option.help or self.prose).split())[:_MOST_HELP], kind]
        if option.choices:
            parts.append("one of " + ", ".join(option.choices[:8]))
        usual = next((one for one in (option.default, *self.seen[:1]) if one and len(one) < _LONGEST_WORD), "")
        return "; ".join(part for part in [*parts, usual and f"such as {usual}"] if part)

    @cached_property
    def binary(self) -> bool:
        """Whether it is on or off by 1 and 0."""
        option = self.option
        if option.switch or option.nargs or option.type not in {"int", "unknown"}:
            return False
        if option.choices:
            return set(option.choices) == {"0", "1"}
        if COUNTS.search(option.help):
            return False
        return option.default in {"0", "1"} and bool(_ON_OFF.search(f"{option.dest.replace('_', ' ')}: {option.help}"))

    @cached_property
    def internal(self) -> bool:
        """Whether only who spells it can want it: its name is private, or its help begins by calling it deprecated."""
        return self.option.dest.startswith("_") or bool(_DEPRECATED.match(self.option.help))

    @cached_property
    def several(self) -> bool:
        """Whether it takes more than one word."""
        option = self.option
        return (
            option.nargs in {"+", "*"}
            or option.repeatable
            or ((option.nargs or "").isdigit() and option.nargs not in {"0", "1"})
        )

    @cached_property
    def listed(self) -> bool:
        """Whether one word of it may hold several values."""
        shown = [self.option.default or "", *self.seen]
        return bool(_LISTED.search(self.option.help)) or any("," in text for text in shown)

    @cached_property
    def series(self) -> str:
        """What stands between the numbers of its one word, as its default or a value that was seen has it ("0,1,2"); else ""."""
        shown = [text for text in (self.option.default, *self.seen) if text and not self.several]
        if any("," in text and _is_numeric(text) for text in shown):
            return ","
        return "-" if any(_DASHED.fullmatch(text) for text in shown) else ""

    @cached_property
    def sized(self) -> bool:
        """Whether its one word is a size of two numbers, as its help, its default or a value that was seen has one: "512x512"."""
        if self.several or self.option.type in {"int", "float"}:
            return False
        return any(_SIZE.search(text) for text in (self.option.help, self.option.default or "", *self.seen))

    @cached_property
    def separator(self) -> str:
        """What stands between a key and its value, where its words are such pairs by its help, examples or name; else ""."""
        keys = [match[1] for match in _KEYED.finditer(self.option.help)]
        shown = [match[1] for text in self.seen if (match := _KEYED.match(text)) is not None]
        usual = ["="] if self.option.dest.endswith("kwargs") else [""]
        return (keys + shown + usual)[0] if self.several else ""

    @cached_property
    def role(self) -> frozenset[str]:
        """What its name says of a path in it: input, output, weights, config, path."""
        first = set(terms(self.option.help.split(".")[0][:80]))
        found = {role for role, marks in _ROLES.items() if self.name_terms & marks}
        found |= {f"{role}-help" for role, marks in _ROLES.items() if first & marks}
        if self.option.type == "path" or any(
            "/" in text or re.search(r"\.\w{2,5}$", text) for text in (self.option.default or "", *self.seen)
        ):
            found.add("path")
        if self.direction and self.numeric_default is None:
            # What the source does with a path says more than what it is called.
            found -= {"input", "output"}
            found.add(self.direction)
        return frozenset(found)

    @cached_property
    def takes_path(self) -> bool:
        """Whether a path belongs there: the source opens it, its name or help says so, or it is known to take paths."""
        option = self.option
        if option.type not in {"str", "path", "unknown"} or self.closed or self.numeric_default is not None:
            return False
        if self.direction or self.form or option.type == "path" or self.role & {"path", "output"}:
            return True
        return bool(_PATH_IN_HELP.search(option.help[:120]))

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Values that it is known to take: choices, the default, what examples give, what the help lists, files."""
        option = self.option
        if option.choices or option.accepted:
            return tuple(dict.fromkeys((*option.choices, *option.accepted)))
        if option.type in {"int", "float"}:
            return ()
        names = bool(listed_in(option.help)) and option.type != "path" and not _PATH_IN_HELP.search(option.help)
        if ("path" in self.role or "output" in self.role) and not names:
            return self.files
        usual = (option.default or "").split() if self.several else [option.default]
        known = [text for text in (*usual, *self.seen) if text]
        apart = (one for text in known for one in (text.split(",") if _SEVERAL.fullmatch(text) else [text]))
        amount = self.quantity is not None
        found = [one for one in apart if not (_is_numeric(one) or (amount and quantity(one))) and len(one) < 80]
        shown = (*found, *listed_in(option.help), *self.compared, *self.files)
        return tuple(dict.fromkeys(text for text in shown if text.lower() not in TRUTH))

    @cached_property
    def closed(self) -> bool:
        """Whether it takes nothing but its choices."""
        return bool(self.option.choices or self.option.accepted) and self.option.sure

    @cached_property
    def zero(self) -> str | None:
        """How it is told that nothing of it is wanted; None where that cannot be told."""
        if self.closed:
            return next((choice for choice in self.vocabulary if choice.lower() in _NONE), None)
        default = self.numeric_default
        known = default is not None or self.option.type in {"int", "float"}
        return "0" if known and default != 0 and self.takes_number() else None

    def takes_number(self) -> bool:
        """Whether a number may go there, where it does not take its choices alone."""
        option = self.option
        return option.type not in {"path", "bool"} and option.nargs not in {"0", "?bool"} and not self.boolean


_SIZE = re.compile(r"(?<![\w./-])(?:\d+x\d+|[Ww]\s?x\s?[Hh])(?![\w./-])")
_DASHED = re.compile(r"(?!\d{4}-\d\d-\d\d$)\d+(?:-\d+){2,}")
"""Three numbers and more with dashes between, "2048-2048-1024"; two are a range, and a date is none."""


@remembered(8192, longest=2000)
def listed_in(text: str) -> tuple[str, ...]:
    """Values that a help text lists: "[M, S, MS]", "'mean' or 'max'"."""
    found: list[str] = []
    for match in _CHOICES_IN_HELP.finditer(text[:_LONGEST_HELP]):
        found += [
            word.strip("./") for word in _WORD.findall(match[0]) if word not in {"or", "and"} and number(word) is None
        ]
    return tuple(dict.fromkeys(word for word in found if word))


def _is_short(text: str) -> bool:
    return 0 < len(text) < _LONGEST_WORD


def _is_numeric(text: str) -> bool:
    """A number, or several with commas or dashes: "0,1,2" lists no words that a slot takes."""
    return bool(_DASHED.fullmatch(text)) or all(number(part.strip()) is not None for part in text.split(","))


@remembered(16384, longest=2000)
def content_terms(text: str) -> frozenset[str]:
    """The terms of a text without those that mean nothing."""
    return frozenset(
        term for word in _WORD.findall(text[:600]) if word.lower() not in words("stop") for term in terms(word)
    )


class TermWeights:
    """How much each term says among the slots of one entry point: what is rare says more.

    Args:
        slots: of the entry point.
    """

    def __init__(self, slots: Iterable[Slot]) -> None:
        slots = list(slots)
        self._names = Counter(term for slot in slots for term in slot.name_terms)
        self._helps = Counter(term for slot in slots for term in slot.help_terms | slot.name_terms)
        self._count = len(slots)

    def name(self, term: str) -> float:
        """In a name."""
        return weight(term) * _rarity(self._names[term], self._count)

    def help(self, term: str) -> float:
        """In a help text."""
        return _rarity(self._helps[term], self._count)


def _rarity(frequency: int, count: int) -> float:
    return math.log(1 + (count + 1) / (frequency + 0.5)) / math.log(1 + (count + 1) / 1.5)


def distinct_options(options: Iterable[Option]) -> tuple[Option, ...]:
    """The options that can take a value, without help and version; of several for one thing the first, each value of a switch for itself."""
    found: dict[tuple[str, str | None], Option] = {}
    for option in options:
        if option.dest not in _ASIDE or (option.dest == "version" and not option.switch):
            found.setdefault((option.dest, option.switch_value if option.switch else None), option)
    return tuple(found.values())
