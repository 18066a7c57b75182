"""A slot is what can take a value: an option of a program, or a literal of an example, with what the repository says of it.

Most is read from the option's help text and from values that examples give it: what it is for, whether it is on or off, what it takes.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from ml_agent.numbers import number
from ml_agent.offline.words import canonical, telling, terms, weight
from ml_agent.tools.own_cache import remembered
from ml_agent.tools.signatures.model import Option
from ml_agent.tools.usage.entry import holds_placeholder
from ml_agent.user_values import TRUTH, is_file_name

_LISTED = re.compile(r"comma|list of|separated|multiple|several|\[\w|\bids\b|one or more", re.IGNORECASE)
_ROLES = {
    role: frozenset(map(canonical, marks.split()))
    for role, marks in {
        "input": "input source data image video audio text query sentence mel wav src",
        "output": "output out save result log logdir write dest destination export outf store",
        "weights": "checkpoint weight network resume restore pkl load pretrained",
        "config": "configuration yaml",
        "path": "path file directory folder root filename input output checkpoint outf prefix workdir dataroot",
    }.items()
}
"""By role: the terms that say it in the name or the help of an option."""
_DEPRECATED = re.compile(r"\W*(?:is\s+)?(?:deprecated|obsolete)\b", re.IGNORECASE)
_CHOICES_IN_HELP = re.compile(
    r"[\[({]\s*([\w.+-]+(?:\s*[,|/]\s*[\w.+-]+){1,14})\s*[\])}]|((?:['\"`][\w./+-]+['\"`](?:\s*(?:,|\||/|or|and)+\s*)?){2,})"
    r"|(?<![\w.|+-])[\w.+-]{1,40}(?:\s?\|\s?[\w.+-]{1,40}){1,20}(?![\w|])"
)
"""Values that a help text lists: in brackets, in quotes, with bars between."""
_WORD = re.compile(r"[\w.+/-]+")
_SEVERAL = re.compile(r"[A-Za-z][\w-]*(?:,[A-Za-z][\w-]*)+")
_ON_OFF = re.compile(
    r"^(?:is|use|do|with|enable|if)\b|\b(?:whether|true|enable|0 or 1|1 or 0|0/1|1/0|1 for|0 for|1 means|bool|boolean)\b",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\b(?:number of|how many|num(?:ber)? gpus?)\b", re.IGNORECASE)
_PATH_IN_HELP = re.compile(r"\b(?:paths?|files?|folders?|director(?:y|ies)|checkpoints?|filenames?)\b", re.IGNORECASE)
_ASIDE = frozenset({"help", "h", "helpfull", "helpshort"})
_MOST_HELP = 600


class Slot:
    """One option that may be given.

    Args:
        option: what is known of it.
        seen: values that examples give it.
        files: files of the repository that it could name, being beside one that is named.
    """

    def __init__(self, option: Option, seen: Sequence[str] = (), files: Sequence[str] = ()) -> None:
        self.option = option
        self.seen = tuple(dict.fromkeys(one for one in seen if not holds_placeholder(one)))
        self.files = tuple(files)

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The terms of each of its names that says something."""
        flags = [flag.lstrip("-+").removesuffix("=") for flag in self.option.flags]
        bare = dict.fromkeys([self.option.dest.rpartition(".")[2] or self.option.dest, *flags])
        longer = [name for name in bare if len(name) > 1] or list(bare)
        return tuple(dict.fromkeys(found for name in longer if (found := tuple(dict.fromkeys(terms(name))))))

    @cached_property
    def name_terms(self) -> frozenset[str]:
        """The terms of all its names."""
        return frozenset(term for name in self.names for term in name)

    @cached_property
    def help_terms(self) -> frozenset[str]:
        """The terms of its help text and of what its name stands in."""
        return frozenset(telling(f"{self.option.help[:_MOST_HELP]} {self.option.dest.replace('.', ' ')}"))

    @cached_property
    def usual_number(self) -> float | None:
        """Its default, or the first value that was seen, as a number; None where one of them is a file or in a folder."""
        known = [text for text in (self.option.default, *self.seen) if text]
        if any(is_file_name(text) or re.search("[A-Za-z]/", text) for text in known):
            return None
        return next((float(amount) for text in known if (amount := number(text)) is not None), None)

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
    def binary(self) -> bool:
        """Whether it is on or off by 1 and 0."""
        option = self.option
        if option.switch or option.nargs or option.type not in {"int", "unknown"} or _COUNTS.search(option.help):
            return False
        if option.choices:
            return set(option.choices) == {"0", "1"}
        return option.default in {"0", "1"} and bool(_ON_OFF.search(f"{option.dest.replace('_', ' ')}: {option.help}"))

    @cached_property
    def internal(self) -> bool:
        """Whether only who spells it can want it: its name is private, or its help begins by calling it deprecated."""
        return self.option.dest.startswith("_") or bool(_DEPRECATED.match(self.option.help))

    @cached_property
    def several(self) -> bool:
        """Whether it takes more than one word: `--sizes 1 2 3`, `-x 1 -x 2`."""
        nargs = self.option.nargs or ""
        return nargs in {"+", "*"} or self.option.repeatable or (nargs.isdigit() and nargs not in {"0", "1"})

    @cached_property
    def listed(self) -> bool:
        """Whether one word of it may hold several values, of whatever kind: `--names a,b`."""
        shown = [self.option.default or "", *self.seen]
        return bool(_LISTED.search(self.option.help)) or any("," in text for text in shown)

    @cached_property
    def series(self) -> bool:
        """Whether its one word is a series of numbers, as its default or a value that was seen: "0,1,2"."""
        shown = [text for text in (self.option.default, *self.seen) if text and not self.several]
        return any("," in text and _is_numeric(text) for text in shown)

    @cached_property
    def role(self) -> frozenset[str]:
        """What its name says of a path in it (input, output, weights, config, path), and its help (input-help and so on)."""
        first = set(terms(self.option.help.split(".")[0][:80]))
        found = {role for role, marks in _ROLES.items() if self.name_terms & marks}
        found |= {f"{role}-help" for role, marks in _ROLES.items() if first & marks}
        known = (self.option.default or "", *self.seen)
        if self.option.type == "path" or any("/" in text or re.search(r"\.\w{2,5}$", text) for text in known):
            found.add("path")
        return frozenset(found)

    @cached_property
    def takes_path(self) -> bool:
        """Whether a path belongs there: its name or help says so, or it is known to take paths."""
        option = self.option
        if option.type not in {"str", "path", "unknown"} or self.closed or self.usual_number is not None:
            return False
        named = option.type == "path" or self.role & {"path", "output"}
        return bool(named or _PATH_IN_HELP.search(option.help[:120]))

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Values that it is known to take: choices, the default, what examples give, what the help lists, files."""
        option = self.option
        if option.choices or option.accepted:
            return tuple(dict.fromkeys((*option.choices, *option.accepted)))
        if option.type in {"int", "float"}:
            return ()
        listed = listed_in(option.help)
        names = listed and option.type != "path" and not _PATH_IN_HELP.search(option.help)
        if self.role & {"path", "output"} and not names:
            return self.files
        usual = (option.default or "").split() if self.several else [option.default]
        known = [text for text in (*usual, *self.seen) if text]
        apart = (one for text in known for one in (text.split(",") if _SEVERAL.fullmatch(text) else [text]))
        found = [one for one in apart if not _is_numeric(one) and len(one) < 80]
        return tuple(dict.fromkeys(one for one in (*found, *listed, *self.files) if one.lower() not in TRUTH))

    @cached_property
    def closed(self) -> bool:
        """Whether it takes nothing but its choices."""
        return bool(self.option.choices or self.option.accepted) and self.option.sure


@remembered(8192, longest=2000)
def listed_in(text: str) -> tuple[str, ...]:
    """Values that a help text lists: "[M, S, MS]", "'mean' or 'max'"."""
    said = (word for match in _CHOICES_IN_HELP.finditer(text[:2000]) for word in _WORD.findall(match[0]))
    found = (word.strip("./") for word in said if word not in {"or", "and"} and number(word) is None)
    return tuple(dict.fromkeys(word for word in found if word))


def _is_numeric(text: str) -> bool:
    """A number, or several with commas."""
    return all(number(part.strip()) is not None for part in text.split(","))


class TermWeights:
    """How much each term says among the slots of one program: what is rare says more.

    Args:
        slots: of the program.
    """

    def __init__(self, slots: Iterable[Slot]) -> None:
        slots = list(slots)
        self._names = Counter(term for slot in slots for term in slot.name_terms)
        self._helps = Counter(term for slot in slots for term in slot.help_terms | slot.name_terms)
        self._count = len(slots)

    def name(self, term: str) -> float:
        """In a name."""
        return weight(term) * self._rarity(self._names[term])

    def help(self, term: str) -> float:
        """In a help text."""
        return self._rarity(self._helps[term])

    def _rarity(self, frequency: int) -> float:
        return math.log(1 + (self._count + 1) / (frequency + 0.5)) / math.log(1 + (self._count + 1) / 1.5)


def distinct_options(options: Iterable[Option]) -> tuple[Option, ...]:
    """The options that can take a value, without help; of several for one thing the first, each value of a switch for itself."""
    found: dict[tuple[str, str | None], Option] = {}
    for option in options:
        if option.dest not in _ASIDE and not (option.dest == "version" and option.switch):
            found.setdefault((option.dest, option.switch_value if option.switch else None), option)
    return tuple(found.values())
