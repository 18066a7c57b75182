"""The request for a command in six styles, from templates and help texts."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any, Literal

import msgspec

from ml_agent.benchmarks.make.phrases import (
    deed,
    entry_name,
    entry_words,
    help_noun,
    name_words,
    purpose,
    switch_sentence,
)
from ml_agent.benchmarks.make.vary import OUTPUT_WORDS, RequestedOption, words_of
from ml_agent.tools.signatures.model import Signature

Style = Literal["polite", "plain", "terse", "flags", "indirect", "context"]
STYLES: tuple[Style, ...] = ("polite", "plain", "terse", "flags", "indirect", "context")
ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
PLACE = re.compile(r"\b(?:path|folder|directory|dir)\b", re.IGNORECASE)
SAYS_NOTHING = frozenset(
    [
        "path",
        "paths",
        "file",
        "files",
        "folder",
        "directory",
        "dir",
        "to",
        "the",
        "of",
        "a",
        "an",
        "name",
        "names",
        "number",
        "value",
        "list",
        "type",
        "input",
        "output",
        "data",
    ]
)
"""Words of help texts that do not tell one option from another."""
SPELLED = 1000
"""Numbers below this one may be written in words."""


class UnsayableRequest(Exception):
    """The request cannot be written in this style."""


class RequestContent(msgspec.Struct, frozen=True, kw_only=True):
    """What a request is about."""

    signature: Signature
    wishes: tuple[RequestedOption, ...]
    workdir: str
    alone: bool
    """Whether the options tell which entry point is meant, so that it need not be named."""
    repository: str


def request(content: RequestContent, style: Style, random: Random) -> str:
    """The request in a style, checked to contain every value.

    Raises:
        UnsayableRequest: the style needs words that the entry point does not give, or a value got lost.
    """
    text = WRITERS[style](content, random)
    text = re.sub(r"\s+", " ", text).strip()
    text = text[0].upper() + text[1:] if style != "terse" else text
    for wish in content.wishes:
        if not says(text, wish):
            raise UnsayableRequest(f"the value of {wish.option.dest} is not in it")
    if style != "flags":
        _see_that_things_differ(content)
    return text


def _see_that_things_differ(content: RequestContent) -> None:
    """No two things that a request names have the same name."""
    for by_help in (False, True):
        nouns = [_noun(content, w, by_help).lower() for w in _split(content)[0]]
        if len(set(nouns)) < len(nouns):
            raise UnsayableRequest("two options have the same name in words")


def says(text: str, wish: RequestedOption) -> bool:
    """Whether a text contains a wish's value as a whole word, in words or digits; of a switch its name or its deed."""
    lower = text.lower()
    if wish.option.switch or isinstance(wish.value, bool):
        return _says_switch(lower, wish)
    values = wish.value if isinstance(wish.value, list) else [wish.value]
    return all(_stands(str(v), lower) or (isinstance(v, int) and _stands(in_words(v), lower)) for v in values)


def _stands(value: str, lower: str) -> bool:
    return re.search(rf"(?<![\w/]){re.escape(value.lower())}(?![\w/]|\.\w|-\w)", lower) is not None


def _says_switch(lower: str, wish: RequestedOption) -> bool:
    """Whether most words of a switch's flag, or what its help says that it does, are there."""
    if (verb := deed(wish.option)) and verb.lower() in lower:
        return True
    spelled = " ".join(
        (*wish.option.flags, *wish.option.negative_flags, wish.option.dest, name_words(wish.option))
    ).lower()
    words = [w for w in re.split(r"[\s_.-]+", wish.option.dest.lower()) if w]
    return any(w in lower for w in {*words, *re.split(r"[\s_.-]+", spelled)} if len(w) > 1)


def in_words(number: int) -> str:
    """A whole number below 1000 in words; larger ones in digits."""
    if not 0 <= number < SPELLED:
        return str(number)
    if number < len(ONES):
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    rest = f" and {in_words(number % 100)}" if number % 100 else ""
    return f"{ONES[number // 100]} hundred{rest}"


def _value(wish: RequestedOption, spelled: bool = False) -> str:
    values = wish.value if isinstance(wish.value, list) else [wish.value]
    shown = [
        in_words(v) if spelled and isinstance(v, int) and not isinstance(v, bool) and v <= 100 else quoted(v)
        for v in values
    ]
    return join_phrases(shown)


def quoted(value: Any) -> str:
    """A value as a sentence can hold it: with quotes where it has blanks or ends as a sentence does."""
    text = str(value)
    return f'"{text}"' if re.search(r"\s|[.,?!]$|^$", text) else text


def join_phrases(parts: Sequence[str]) -> str:
    """Several things as a sentence lists them."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _noun(content: RequestContent, wish: RequestedOption, by_help: bool = False) -> str:
    return (_help_noun(content, wish) if by_help else "") or name_words(wish.option)


def _help_noun(content: RequestContent, wish: RequestedOption) -> str:
    """What the help text says it is; "" where that does not tell it from another option.

    Some texts speak of a place and belong to another option, whose value is one; some say no more than that it is a file.
    """
    noun = help_noun(wish.option)
    if PLACE.search(noun) and not wish.is_path:
        return ""
    if not set(re.findall(r"[a-z]+", noun.lower())) - SAYS_NOTHING:
        return ""
    others = (o for o in content.signature.options if o.dest != wish.option.dest)
    return "" if any(help_noun(o).lower() == noun.lower() for o in others) else noun


def _split(content: RequestContent) -> tuple[list[RequestedOption], list[RequestedOption]]:
    """Wishes with values, and switches."""
    switches = [w for w in content.wishes if w.option.switch or isinstance(w.value, bool)]
    return [w for w in content.wishes if w not in switches], switches


def _deeds(switches: Sequence[RequestedOption], by_help: bool) -> list[str]:
    return [
        switch_sentence(w, by_help) if w.option.switch else f"set {_flag(w).lstrip('-')} to {w.value}" for w in switches
    ]


def _goal(content: RequestContent) -> str:
    """What is to be done; with the entry point's name where the options do not tell which is meant."""
    goal = purpose(content.signature)
    if not goal or (goal.endswith(" program") and not content.alone):
        return f"run {_entry(content)}"
    return goal if content.alone else f"{goal} with {_entry(content)}"


def _entry(content: RequestContent) -> str:
    """The entry point, with the folder that its name does not tell: many folders of a repository have a `main.py`."""
    name = entry_name(content.signature, content.workdir)
    return (
        name
        if content.workdir == "." or content.signature.kind == "console"
        else f"{name} from the folder {content.workdir}"
    )


def _polite(content: RequestContent, random: Random) -> str:
    values, switches = _split(content)
    opening = random.choice((
        "Could you please help me to {}?", "I would be grateful for a command to {}.", "Hello, I should like to {}, and would appreciate your help.",
    )).format(_goal(content))  # fmt: skip
    wishes = [f"the {_noun(content, w, True)} should be {_value(w, True)}" for w in values]
    if wishes:
        opening += f" In this run, {join_phrases(wishes)}."
    if switches:
        opening += f" Would you also kindly {join_phrases(_deeds(switches, True))}?"
    return opening + random.choice(
        (" Thank you very much in advance.", " Many thanks for your time.", " I thank you kindly.")
    )


def _plain(content: RequestContent, random: Random) -> str:
    values, switches = _split(content)
    text = f"{_goal(content)}."
    if values:
        text += f" Set {join_phrases([f'the {_noun(content, w)} to {_value(w)}' for w in values])}."
    if switches:
        text += f" {'Also, ' if values else 'Please '}{join_phrases(_deeds(switches, True))}."
    return text


def _terse(content: RequestContent, random: Random) -> str:
    values, switches = _split(content)
    head = " ".join(entry_words(content.signature)) if content.alone else _entry(content)
    if not head:
        raise UnsayableRequest("the entry point has no words")
    parts = [f"{name_words(w.option)} {_value(w)}" for w in values]
    head = head if head.split()[0].lower() == content.repository.lower() else f"{content.repository} {head}"
    return ", ".join([head, *parts, *_deeds(switches, False)])


def _flags(content: RequestContent, random: Random) -> str:
    values, switches = _split(content)
    values += [w for w in switches if not w.option.switch]
    switches = [w for w in switches if w.option.switch]
    said = [f"{_flag(w)} {_value_as_typed(w)}" for w in values]
    said += [
        w.option.flags[-1] if w.value else (w.option.negative_flags or w.option.flags)[-1]
        for w in switches
        if w.option.flags
    ]
    if len(said) != len(content.wishes):
        raise UnsayableRequest("an option has no flag")
    return f"Give me the call of {_entry(content)} with {join_phrases(said)}."


def _flag(wish: RequestedOption) -> str:
    if wish.option.flags:
        return next((f for f in wish.option.flags if f.startswith("--")), wish.option.flags[0])
    if wish.option.positional and "." not in wish.option.dest and wish.option.nargs is None:
        return f"{name_words(wish.option)}"
    return wish.option.dest


def _value_as_typed(wish: RequestedOption) -> str:
    return " ".join(map(quoted, wish.value)) if isinstance(wish.value, list) else quoted(wish.value)


def _indirect(content: RequestContent, random: Random) -> str:
    if not content.alone:
        raise UnsayableRequest("other entry points take the same options")
    goal = purpose(content.signature)
    if not goal or goal.endswith(" program"):
        raise UnsayableRequest("nothing says what the entry point does")
    values, switches = _split(content)
    if not all(_help_noun(content, w) for w in values):
        raise UnsayableRequest("an option has no help in plain words")
    parts = [f"The {_help_noun(content, w)} must be {_value(w)}." for w in values]
    return " ".join([f"{goal}.", *parts, *(f"{d[0].upper()}{d[1:]}." for d in _deeds(switches, True))])


def _context(content: RequestContent, random: Random) -> str:
    places = [w for w in content.wishes if w.is_path]
    if not places:
        raise UnsayableRequest("there is no path in it")
    values, switches = _split(content)
    where = "the repository's root" if content.workdir == "." else f"the folder {content.workdir}"
    goal = _goal(content).removesuffix(f" from the folder {content.workdir}")
    text = f"I work in {where} of {content.repository} and want to {goal}."
    for wish in places:
        noun = _noun(content, wish, True)
        text += (
            f" The {noun} should be {_value(wish)}."
            if words_of(wish.option) & OUTPUT_WORDS
            else f" For the {noun} take {_value(wish)}."
        )
    rest = [f"{_noun(content, w)} {_value(w)}" for w in values if w not in places]
    if rest:
        text += f" Use {join_phrases(rest)}."
    if switches:
        text += f" And {join_phrases(_deeds(switches, True))}."
    return text


WRITERS = {
    "polite": _polite,
    "plain": _plain,
    "terse": _terse,
    "flags": _flags,
    "indirect": _indirect,
    "context": _context,
}
