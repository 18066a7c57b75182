"""Entry points, options, parameters and classes written for a model: as few characters as say what there is and what each takes.

Each function gets how many characters it may use; what shares words with the request, or is required, comes first and in full.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ml_agent.terms import terms
from ml_agent.tools.python_api.model import ApiObject, Parameter
from ml_agent.tools.retrieval import tokenize
from ml_agent.tools.signatures.model import Option, Signature

_HELP, _HELP_SAID = 90, 180
"""Characters of a help text; of one that shares words with the request the more."""
_DEFAULT = 40
_TYPE = 24
_DOC = 70
_PARAMETERS = 400
_MOST_CHOICES = 16
_NEEDED = 10
"""Beside what an overlap of words is worth, five at most."""
_PLAIN_FORMS = frozenset({"str", "string", "text", "value", "val", "var", "arg", "name"})
_SPOKEN_OF, _SAID = 1.5, 150
"""What is in common with a parameter of which a request speaks, and characters of what is said of it."""
_TELLS = re.compile(r"['\"`]|\b(?:one of|options?|either|can be|must be|none|true|false|if)\b", re.IGNORECASE)
"""What is said of values, rather than of what a parameter is."""
_NO_USE = frozenset({"help", "h", "helpfull", "helpshort"})
_FIRST_LINE = 150
_LICENCE = re.compile(r"\s*(?:copyright\b|licensed under|all rights reserved|spdx)", re.IGNORECASE)
_ALL_WORDS = re.compile(r"\$[@*]|\$\{[@*]")


class _RequestWords(NamedTuple):
    """What a request says."""

    words: frozenset[str]
    terms: frozenset[str]
    """In one form for what is called in several ways: "learning rate" and `lr`."""

    @classmethod
    def of(cls, text: str) -> "_RequestWords":
        """Of a text."""
        return cls(frozenset(tokenize(text)), frozenset(terms(text)))


def called(signature: Signature, folder: str = ".") -> str:
    """How an entry point is called from a folder."""
    if signature.kind in ("console", "make") and signature.name:
        return " ".join(
            [f"make {signature.name}" if signature.kind == "make" else signature.name, *signature.subcommand]
        )
    path = posixpath.relpath(signature.path, folder or ".")
    return " ".join([path, *signature.subcommand])


def line_of(signatures: Sequence[Signature], folder: str, names: int = 0, sought: str = "") -> str:
    """An entry point in one line: how it is called, its subcommands, its description, how many options it has.

    Args:
        signatures: of it, one for each subcommand.
        folder: from which it is called.
        names: characters for the names of its options.
        sought: words by which these are chosen.
    """
    first = signatures[0]
    subcommands = list(dict.fromkeys(" ".join(one.subcommand) for one in signatures if one.subcommand))
    name = called(first, folder).removesuffix(" ".join(first.subcommand)).strip()
    installed = next((one.name for one in signatures if one.kind == "console" and one.name), "")
    name += f", installed as {installed}" if installed not in ("", name) else ""
    more = f" | {len(subcommands) - _MOST_CHOICES} more" if len(subcommands) > _MOST_CHOICES else ""
    words = f" {{{' | '.join(subcommands[:_MOST_CHOICES])}{more}}}" if subcommands else ""
    doc = " ".join(first.doc.split())
    said = f": {doc[:_FIRST_LINE]}" if doc and not _LICENCE.match(doc) else ""
    options = max((one.options for one in signatures), key=len)
    listed = f": {names_of(options, names, sought)}" if names and options else ""
    return f"{name}{words} ({len(options)} options{listed}{_of_script(first)}){said}"


def _of_script(signature: Signature) -> str:
    """The environment variables that a shell script reads, and whether it passes its arguments on."""
    if signature.kind != "shell":
        return ""
    shown = ", ".join(f"{name}={_default(default)}" if default else name for name, default in signature.variables)
    passing = next((call for call in signature.calls if _ALL_WORDS.search(call)), "")
    to = next((f" to {word}" for word in passing.split() if word.endswith((".py", ".sh"))), "")
    return (f"; reads the variables {shown}" if shown else "") + (f"; passes its arguments on{to}" if passing else "")


def options_of(signature: Signature, words: str, most: int) -> str:
    """All options within `most` characters: those that share words with `words`, or are required, in full, the others shorter.

    Of those that do not fit the names stand at the end, in up to half of the room.

    Args:
        signature: whose options.
        words: what is asked for.
        most: characters.
    """
    options = [_said_first(option, words) for option in signature.options if _is_of_use(option)]
    late = (
        signature.syntax == "overrides"
    )  # what chooses the configuration alone has a flag there: all keys depend on it
    order = sorted(_by_relevance(options, words), key=lambda place: late and not options[place].flags)
    texts: dict[int, str] = {}
    shown = _left_open if signature.syntax == "overrides" else _short
    left, names = most, sum(len(name_of(option)) + 1 for option in options)
    for place in order:
        names -= len(name_of(options[place])) + 1
        if left - len(text := shown(options[place])) - 1 < min(names, most // 2):
            break
        texts[place] = text
        left -= len(text) + 1
    left_out = [options[place] for place in order if place not in texts]
    said = _RequestWords.of(words)
    for place in () if left_out else order:
        whole = texts[place] + _help_of(options[place], _HELP_SAID if _overlap(options[place], said) else _HELP)
        if (cost := len(whole) - len(texts[place])) <= left:
            texts[place] = whole
            left -= cost
    others = [f"... and {names_of(left_out, left + len(left_out))}"] if left_out else []
    return "\n".join([*(texts[place] for place in sorted(texts)), *others, *_notes(signature)])


def _said_first(option: Option, words: str) -> Option:
    """The option with those of its many choices first that the words say: of the others few are shown."""
    if len(option.choices) <= _MOST_CHOICES:
        return option
    said = set(tokenize(words))
    first = sorted(option.choices, key=lambda choice: not set(tokenize(choice)) <= said)
    return msgspec.structs.replace(option, choices=tuple(first))


def names_of(options: Sequence[Option], most: int, words: str = "") -> str:
    """The names of options alone, as many as fit, those first that share words with `words`, and how many there are beside."""
    known = [option for option in options if _is_of_use(option)]
    kept: list[str] = []
    for place in _by_relevance(known, words):
        name = name_of(known[place])
        if len(name) + 2 <= most:
            kept.append(name)
            most -= len(name) + 2
    more = len(known) - len(kept)
    return ", ".join([*kept, *([f"{more} more"] if more else [])])


def _is_of_use(option: Option) -> bool:
    """Whether an option does anything but show how or what a program is; one called version may be a model's."""
    return option.dest not in _NO_USE and not (option.dest == "version" and option.switch)


def _by_relevance(options: Sequence[Option], words: str) -> list[int]:
    """The places of options, those first that are required or share words with `words`."""
    said = _RequestWords.of(words)
    worth = [_relevance(option, said) for option in options]
    return sorted(range(len(options)), key=lambda place: -worth[place])


def name_of(option: Option) -> str:
    """Its longest name, as it is spelled on the command line."""
    return max(option.flags, key=len, default=option.dest)


def api_line(item: ApiObject, most: int = 220, returns: str = "", words: str = "") -> str:
    """A class or function in one line, of many parameters those first that are needed or share words with `words`."""
    parameters = parameters_of(item.parameters, most - len(item.name), words)
    text = f"{item.name}({parameters})" if item.parameters or item.kind != "module" else item.name
    text += f" -> {returns}" if returns else ""
    return f"{text}  # {' '.join(item.doc.split())[:_DOC]}" if item.doc else text


def parameters_of(parameters: Sequence[Parameter], most: int = _PARAMETERS, words: str = "") -> str:
    """Parameters as in source, with short types and defaults.

    Where they are longer than `most`, those stay that are needed or share words with `words`, then the first ones.
    """
    texts = [parameter_of(one) for one in parameters]
    if sum(len(text) + 2 for text in texts) <= most:
        return ", ".join(texts)
    said = _RequestWords.of(words)
    kept = set[int]()
    for place in sorted(range(len(texts)), key=lambda at: _rank(parameters[at], said)):
        if len(texts[place]) + 2 <= most:
            kept.add(place)
            most -= len(texts[place]) + 2
    return ", ".join([*(texts[place] for place in sorted(kept)), "..."])


def _rank(one: Parameter, said: _RequestWords) -> tuple[bool, int]:
    return not one.required, -len(said.terms & set(terms(one.name)))


def parameter_of(one: Parameter) -> str:
    """A parameter as in source, with a short type where it has no default."""
    starred = {"rest": "*", "keywords": "**"}.get(one.kind, "")
    typed = f": {one.annotation}" if one.default is None and 0 < len(one.annotation) <= _TYPE else ""
    return f"{starred}{one.name}{typed}" + ("" if one.default is None else f"={_default(one.default)}")


def _notes(signature: Signature) -> list[str]:
    notes = []
    if signature.accepts_unknown:
        notes.append("(takes other options as well)")
    if signature.syntax == "overrides":
        notes.append("(options are given as NAME=VALUE)" if not _has_flags(signature) else "")
    if any(option.joined for option in signature.options):
        notes.append("(a value is joined to its option: --name=VALUE)")
    names = {option.dest: name_of(option) for option in signature.options}
    groups = dict.fromkeys(", ".join(names.get(dest, dest) for dest in group) for group in signature.exclusive[:3])
    notes += [f"(at most one of: {group})" for group in groups]
    return [note for note in notes if note]


def _has_flags(signature: Signature) -> bool:
    return any(flag.startswith("-") for option in signature.options for flag in option.flags)


def _help_of(option: Option, most: int) -> str:
    text = " ".join(option.help.split())
    return f"  {text[:most]}" if text else ""


def _left_open(option: Option) -> str:
    """A key of a configuration: one that is left open (`???`) is often set by the program, and one without a value is not needed."""
    open_still = " =???" if option.required else ""
    nargs = option.nargs or (None if option.flags else "?")
    return _short(msgspec.structs.replace(option, required=False, nargs=nargs)) + open_still


def _short(option: Option) -> str:
    spelled = {flag.lstrip("-").replace("-", "_"): flag for flag in reversed(option.flags)}
    names = sorted(spelled.values(), key=len, reverse=True)[:2] or [option.dest]
    negative = () if option.nargs == "?bool" else option.negative_flags[:1]  # "=false" says it as well
    text = "/".join([*names, *negative])
    kind = _kind(option)
    text += f" {kind}" if kind else ""
    if option.default is not None and not option.switch and option.default not in ("", "None"):
        plain = option.default if option.default.isprintable() and option.default.strip() else repr(option.default)
        text += f" ={_default(plain)}"
    if option.switch and option.default == "True" and option.switch_value == "True":
        text += " =on"
    return text + (" required" if option.required or (option.positional and _is_needed(option)) else "")


def _is_needed(option: Option) -> bool:
    return option.nargs not in ("?", "*", "...") and option.default is None


def _form(option: Option) -> str:
    """What the program's help shows for a value that is a text, where that says more than the option's name."""
    said = "".join(filter(str.isalnum, option.metavar)).lower()
    name = "".join(filter(str.isalnum, option.dest)).lower()
    tells = len(said) > 1 and said not in name and said not in _PLAIN_FORMS
    return option.metavar[:_TYPE] if tells and option.type in ("str", "path", "unknown") else ""


def _kind(option: Option) -> str:
    if option.switch or option.nargs == "?bool":
        return "" if option.switch else "[true|false]"
    choices = option.choices or option.accepted
    if option.type == "bool" and not choices and option.converter in _TRUTH_OF:
        kind = "[True|False]" if option.nargs == "?" and not option.converter else _TRUTH_OF[option.converter]
    elif choices:
        shown = "|".join(choices[:_MOST_CHOICES]) + ("|..." if len(choices) > _MOST_CHOICES else "")
        kind = f"{{{shown}}}"
    else:
        kind = _form(option) or {"unknown": "", "str": "STR"}.get(option.type, option.type.upper())
    if option.nargs in ("*", "+", "..."):
        kind += "..."
    elif option.nargs and option.nargs.isdigit():
        kind += f" x{option.nargs}"
    if option.nargs == "?" and option.flags and not kind.startswith("["):
        first, space, more = kind.partition(" ")
        kind = f"[{first}]{space}{more}" if first else kind
    return kind + (" (repeatable)" if option.repeatable else "")


def _default(text: str) -> str:
    return text if len(text) <= _DEFAULT else f"{text[: _DEFAULT - 1]}…"


_TRUTH_OF = {"": "{True|False}", "literal": "[True|False]", "bool": "BOOL (any text is true)"}
"""How a truth is given: where a word is read as one, and where `bool` makes true of every word, of "False" as well."""


def _relevance(option: Option, said: _RequestWords) -> float:
    """What is needed first, then what shares words with the request."""
    return _NEEDED * (option.required or option.positional) + _overlap(option, said)


def _overlap(option: Option, said: _RequestWords) -> float:
    """What an option's name, help and choices have in common with what is said."""
    return _common([option.dest, *option.flags], [option.help, *option.choices], said)


def _common(names: Iterable[str], texts: Iterable[str], said: _RequestWords) -> float:
    known = {term for name in names for term in terms(name)}
    rest = {word for text in texts for word in tokenize(text)}
    return 3 * len(known & said.terms) / (len(known) or 1) + min(len(rest & said.words) / 3, 2)


def said_of(described: Mapping[str, str], words: str, most: int) -> list[str]:
    """What is said of those parameters of which `words` speak, in the order of the source: first of those whose values are told and that are not given by name.

    Args:
        described: by parameter.
        words: what is asked for.
        most: how many.
    """
    said = _RequestWords.of(words)
    worth = {name: _common([name], [text], said) for name, text in described.items()}
    spoken_of = [name for name in worth if worth[name] >= _SPOKEN_OF]
    near = sorted(spoken_of, key=lambda name: (not _TELLS.search(described[name]), name in words, -worth[name]))[:most]
    return [f"{name}: {cut_off(described[name], _SAID)}" for name in described if name in near]


def cut_off(text: str, most: int) -> str:
    """A text in one line, cut behind a word."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[:most].rpartition(" ")[0] + " ..."
