"""What the call of an entry point takes from an example of it: which example is meant, and what it gives."""

import re
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Any

from ml_agent.matching.devices import is_too_many
from ml_agent.matching.entries import EntryPoint, ExampleCall
from ml_agent.matching.likeness import occurs_in
from ml_agent.matching.mentions import ParsedRequest
from ml_agent.matching.terms import alphanumeric, words_of
from ml_agent.matching.variables import expand, references, variable_values
from ml_agent.tools.signatures.model import Option
from ml_agent.values.numbers import number, same_number

HALF = 0.5
"""An example that says so much of what the request states is the very way that was asked for."""
_SHORT = 3
_REST = ("$@", "$*", "${@}")
"""The words of a script that it hands on: no value of an option."""
_INTRODUCTION = 200
_INSTEAD = re.compile(r"\binstead of (?:an? |the )?(?:--)?([\w-]+)")


def nearest_example(
    statement: ParsedRequest, entry: EntryPoint, placed: Mapping[str, Any]
) -> tuple[ExampleCall | None, float]:
    """The example that says most of a request's names and numbers and of which the fewest values must be changed; and what share it says.

    Of several the one with the fewest switches that nobody asked for, then the one whose heading says most of the request's words.

    Args:
        statement: the request.
        entry: what is called.
        placed: by dest: what the request gives.
    """
    stated = [
        alphanumeric(one.value)
        for one in statement.mentions
        if one.kind in {"name", "number"} and len(one.value) >= _SHORT and not one.whole
    ]
    switches = {option.dest for option in entry.signature.options if option.switch or option.type == "bool"}
    ranked = []
    for place, shown in enumerate(entry.example_calls):
        example = shown.example
        text = alphanumeric(" ".join([*example.headings[-2:], example.path, example.text]))
        said = sum(value in text for value in stated)
        changed = len(shown.values) - len(_values_to_keep(statement, entry, shown))
        changed += sum(dest in placed and not _is_same(placed[dest], value) for dest, value in shown.values.items())
        about = {*words_of(" ".join(example.headings[-2:])), *_introduction(shown)} & statement.vocabulary
        unasked = [dest for dest in shown.values if dest not in placed]
        turned = sum(dest in switches for dest in unasked)
        ranked.append((said - changed, said, -turned, len(about), -len(unasked), -place))
    best = max(ranked, default=None)
    return (entry.example_calls[-best[-1]], best[1] / max(1, len(stated))) if best is not None else (None, 0.0)


def _is_same(value: Any, shown: Any) -> bool:
    return str(value) == str(shown) or same_number(str(value), str(shown))


def is_filled(statement: ParsedRequest, entry: EntryPoint, shown: ExampleCall) -> bool:
    """Whether the request states what a shell variable of the example stands for: the example is written to be filled in so."""
    values = variable_values(entry.variables, statement.mentions)
    used = {name for one in shown.values.values() for name in references(str(one))}
    return any(values[name] != entry.variables[name] for name in used & values.keys())


def is_introduced(statement: ParsedRequest, entry: EntryPoint, shown: ExampleCall) -> bool:
    """Whether the request says a word by which this example alone is introduced, and that no option can mean: "For hierarchical clustering"."""
    others = [one for one in entry.example_calls if one.example.text != shown.example.text]
    own_terms = set(_introduction(shown)) - {word for one in others for word in _introduction(one)}
    own_terms -= {term for slot in entry.slots for term in slot.help_terms | slot.name_terms}
    return bool(others) and bool(own_terms & statement.vocabulary)


def _introduction(shown: ExampleCall) -> list[str]:
    return words_of(shown.example.introduction[:_INTRODUCTION])


def example_values(statement: ParsedRequest, entry: EntryPoint, shown: ExampleCall) -> dict[str, Any]:
    """What an example gives to options that are known, by dest, its shell variables filled in."""
    values = variable_values(entry.variables, statement.mentions) if entry.variables else {}
    found = {dest: _expand_value(value, values) for dest, value in _values_to_keep(statement, entry, shown).items()}
    required = {option.dest for option in entry.signature.options if option.required}
    kept = {dest: value for dest, value in found.items() if dest in required or not _is_open(value)}
    return {dest: in_named_folder(statement, entry, value) for dest, value in kept.items()}


def in_named_folder(statement: ParsedRequest, entry: EntryPoint, value: Any) -> Any:
    """The file of the same name in the folder beside the example's that the request names: "LibriTTS" for `config/LJSpeech/model.yaml`."""
    files = entry.facts.files if entry.facts is not None else ()
    if not isinstance(value, str) or "/" not in value or value not in files:
        return value
    said = {alphanumeric(one.value) for one in statement.mentions if one.kind == "name"}
    own = value.split("/")
    if not said or any(alphanumeric(part) in said for part in own):
        return value
    for path in sorted(one for one in files if one.endswith(f"/{own[-1]}") and one.count("/") == value.count("/")):
        other = [one for one, mine in zip(path.split("/"), own, strict=True) if one != mine]
        if len(other) == 1 and alphanumeric(other[0]) in said:
            return path
    return value


def _is_open(value: Any) -> bool:
    """Whether an example leaves it to the reader what stands there: an unset variable, "/path/to/data", "YOUR_PROJECT"."""
    return bool(references(str(value)) or _OPEN.search(str(value)))


_OPEN = re.compile(r"(?:^|/)path/to(?:/|$)|(?<![A-Za-z])(?:your[_-]|YOUR_)")


def _values_to_keep(statement: ParsedRequest, entry: EntryPoint, shown: ExampleCall) -> dict[str, Any]:
    """What an example gives to options that are known, but for more cards than are wanted."""
    known = {option.dest: option for option in entry.signature.options}
    return {
        dest: value
        for dest, value in shown.values.items()
        if dest in known and value not in _REST and not is_too_many(statement, known[dest], value)
    }


def _expand_value(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [expand(str(one), values) for one in value]
    return expand(value, values) if isinstance(value, str) else value


def replaces_one(option: Option, asked: Collection[str]) -> bool:
    """Whether an option is for use instead of one that is asked for: "CSV file, instead of a source"."""
    match = _INSTEAD.search(option.help)
    return match is not None and option.dest not in asked and match[1].replace("-", "_") in asked


def merged(base: Mapping[str, Any], placed: Mapping[str, Any]) -> dict[str, Any]:
    """What an example gives, with the user's values in place of its own.

    A name that the example says as a part of another value is honoured by that: "ECL" in `--id ECL_96` beside `--data custom`.
    """
    said = {
        dest for dest, value in placed.items()
        if base.get(dest) != value and any(_is_part(value, shown) for at, shown in base.items() if at != dest)
    }  # fmt: skip
    fitted = {dest: _file_within(value, base.get(dest)) for dest, value in placed.items() if dest not in said}
    return _propagate_changes(base, fitted) | fitted


def _is_part(value: Any, shown: Any) -> bool:
    """Whether a name stands in a longer value."""
    both = isinstance(value, str) and isinstance(shown, str) and number(str(value)) is None
    return both and len(value) >= _SHORT and shown != value and occurs_in(value, shown)


def _file_within(value: Any, shown: Any) -> Any:
    """The example's file where the user names the folder in which it lies: "./bert" for `./bert/config.json`."""
    if not isinstance(value, str) or not isinstance(shown, str) or not alphanumeric(value):
        return value
    folder = str(PurePosixPath(value))
    return shown if any(parent.match(folder) for parent in PurePosixPath(shown).parents) else value


def _propagate_changes(base: Mapping[str, Any], placed: Mapping[str, Any]) -> dict[str, Any]:
    """What repeats an old value in another place follows its change: "weather_96_720" where 720 becomes 192."""
    changes = {
        str(base[dest]): str(new) for dest, new in placed.items()
        if dest in base and isinstance(base[dest], (str, int)) and not isinstance(base[dest], bool) and not isinstance(new, (list, bool)) and len(str(base[dest])) >= _SHORT and str(base[dest]) != str(new)
    }  # fmt: skip
    found = dict(base)
    for dest, value in base.items():
        if dest in placed or not isinstance(value, str) or number(value) is not None:
            continue
        found[dest] = _change_all(value, changes)
    return found


def _change_all(value: str, changes: Mapping[str, str]) -> str:
    """A value with all changes at once, the longest first: what a change has put in is not changed again."""
    if not changes:
        return value
    olds = "|".join(map(re.escape, sorted(changes, key=len, reverse=True)))
    return re.sub(rf"(?<![A-Za-z0-9.])(?:{olds})(?![A-Za-z0-9])", lambda match: changes[match[0]], value)
