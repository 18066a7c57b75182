"""Answers in bash: an entry point with the request's values, by itself or in place of the values of a documented call.

`commands` gives every command that deserves a look, best first; the rest of the module makes and weighs the ways to call one entry
point. What uploads, deletes, reports or pays is set only where the request says so (end of the module).
"""

import ast
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from ml_agent.numbers import number, same_number
from ml_agent.offline.assignment import Callee, SlotAssignment, assign
from ml_agent.offline.entries import EntryPoint, ExampleCall
from ml_agent.offline.ranking import EntryIndex
from ml_agent.offline.reading import Mention, ParsedRequest
from ml_agent.offline.slots import Slot
from ml_agent.offline.variables import expand, references, variable_values
from ml_agent.offline.vocabulary import vocabulary_matches
from ml_agent.offline.weights import Weights
from ml_agent.offline.words import alphanumeric, telling
from ml_agent.tools.commandline.render import render_command
from ml_agent.tools.errors import RenderError
from ml_agent.tools.python_source import parse_python
from ml_agent.tools.signatures.model import Option, Signature

_NAMES_OF_FEATURES = """
entry gap left_numbers left_paths left_names mean least placed unknown share total certain switched invented
"""
ANSWER_FEATURES = tuple(_NAMES_OF_FEATURES.split())
_MOST_ENTRIES, _FAR = 6, 6.0
"""So many entry points are looked at, and none that is so far behind the first, as log-odds."""
_CERTAIN = 3.0
_HALF = 0.5
"""A documented call that says so much of what the request states is the very way that was asked for."""
_SHORT = 3
_REST = ("$@", "$*", "${@}")
_OPEN = re.compile(r"(?:^|/)path/to(?:/|$)|(?<![A-Za-z])(?:your[_-]|YOUR_|my[_-])")


class Command(msgspec.Struct, frozen=True):
    """One complete call."""

    entry: EntryPoint
    assignment: SlotAssignment
    values: dict[str, Any]
    """By dest: what is given."""
    shown: ExampleCall | None
    """The documented call that it follows; None for one made from the signature."""
    vector: tuple[float, ...]
    invented: tuple[str, ...] = ()
    """dests of what is required and gets a placeholder, because neither the request nor the repository gives it a value."""
    score: float = 0.0


def commands(statement: ParsedRequest, index: EntryIndex, model: Weights) -> list[Command]:
    """Every command that deserves a look, best first."""
    ranked = (one for one in index.ranked(statement) if not program_acts_unasked(one.entry.signature, statement.text))
    scored = sorted(((model.entry(one.vector), one.entry) for one in ranked), key=lambda one: -one[0])
    found: list[Command] = []
    for place, (score, entry) in enumerate(scored[:_MOST_ENTRIES]):
        if place > 1 and score < scored[0][0] - _FAR:
            break
        assignment = assign(statement, entry.slots, model, callee_of(entry, index.folder))
        found += [
            msgspec.structs.replace(one, score=model.answer(one.vector))
            for one in ways(statement, entry, assignment, (score, score - scored[0][0]))
        ]
    return sorted(found, key=lambda one: -one.score)


def callee_of(entry: EntryPoint, folder: str) -> Callee:
    """What an assignment must know of an entry point beside its slots."""
    signature, path = entry.signature, PurePosixPath(entry.signature.path)
    parts = path.with_suffix("").parts
    tails = {".".join(parts[place:]).removesuffix(".__main__") for place in range(len(parts))}
    names = {signature.path, path.name, *tails, signature.name, entry.facts.index.root.name}
    described = frozenset(word for word in map(alphanumeric, signature.doc.split()) if len(word) > 2)
    return Callee(frozenset(alphanumeric(name) for name in names if name), (str(path.parent), folder), described)


def ways(
    statement: ParsedRequest, entry: EntryPoint, assignment: SlotAssignment, scores: tuple[float, float]
) -> list[Command]:
    """The call after the nearest documented one, and the bare call; first the one that was asked for.

    A documented call is the way that was asked for where it says half of what the request states and no option
    is spelled, for who spells options says what he wants; and where the bare call needs values that nobody gives.
    """
    placed = _by_dest(entry, assignment)
    values, invented = _complete(statement, entry, placed, {})
    vector = _vector(entry, assignment, values, scores, len(invented))
    bare = Command(entry, assignment, values, None, vector, invented)
    shown, said = _nearest_example(statement, entry, placed)
    if shown is None:
        return [bare]
    after_values, still = _complete(statement, entry, placed, _example_values(statement, entry, shown))
    after = Command(entry, assignment, after_values, shown, vector, still)
    spelled = any(one.name.startswith("-") for one in statement.flags) or len(statement.flags) > 2
    meant = (said >= _HALF or _is_introduced(statement, entry, shown)) and not spelled
    return [after, bare] if meant or (invented and not still) else [bare, after]


def _by_dest(entry: EntryPoint, assignment: SlotAssignment) -> dict[str, Any]:
    """By dest: what the request gives."""
    found: dict[str, Any] = {}
    for one in assignment.all:
        slot = entry.slots[one.slot]
        said_anyhow = entry.signature.kind == "make" and one.values == (slot.option.default,)
        if not said_anyhow:
            found[slot.option.dest] = _value(slot, one.values)
    return found


def _value(slot: Slot, values: Sequence[str]) -> Any:
    option = slot.option
    if slot.boolean and values[0] in {"True", "False"}:
        if option.switch and option.switch_value not in {None, "True", "False"}:
            return option.switch_value
        if option.switch or option.nargs == "?bool" or option.type == "bool":
            return (values[0] == "True") == (
                option.switch_value != "False"
            )  # `--no-x` puts False where the program looks
    return list(values) if slot.several else values[0]


def _complete(
    statement: ParsedRequest, entry: EntryPoint, placed: Mapping[str, Any], base: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values by dest, and those dests of them whose value neither the request nor the repository ever gives."""
    refused = {
        slot.option.dest
        for slot in entry.slots
        if acts_outward(slot.option) and not asks_for(statement.text, slot.option)
    }
    placed = {
        dest: value for dest, value in placed.items() if dest not in refused or _is_spelled(entry, statement, dest)
    }
    values = _merged({dest: value for dest, value in base.items() if dest not in refused}, placed)
    invented = []
    for slot in _lacking(entry, values):
        option = slot.option
        nearest = [one.value for one in vocabulary_matches(statement, slot)[:1]]
        default = [] if option.default is None else [option.default]
        known = [*nearest, *entry.seen_values.get(option.dest, ()), *default, *option.choices]
        known = [one for one in known if not _OPEN.search(one)]
        values[option.dest] = known[0] if known else _placeholder(option)
        invented += [] if known else [option.dest]
    for group in entry.signature.exclusive:
        if asked := [dest for dest in group if dest in placed]:
            values = {dest: value for dest, value in values.items() if dest not in group or dest in asked}
    return values, tuple(dest for dest in invented if dest in values)


def _is_spelled(entry: EntryPoint, statement: ParsedRequest, dest: str) -> bool:
    spellings = {alphanumeric(one) for o in entry.signature.options if o.dest == dest for one in (dest, *o.flags)}
    return any(alphanumeric(one.name) in spellings for one in statement.flags)


def _lacking(entry: EntryPoint, values: Mapping[str, Any]) -> Iterator[Slot]:
    """What is required and has no value yet; nothing where a file of settings may give it."""
    if not entry.signature.may_be_in_file(values):
        yield from (slot for slot in entry.slots if slot.option.required and values.get(slot.option.dest) is None)


def _placeholder(option: Option) -> Any:
    """What stands for a required value of which nothing is known."""
    if option.switch or option.type == "bool":
        return True
    text = {"int": "1", "float": "1.0"}.get(option.type, option.dest)
    count = int(option.nargs) if option.nargs and option.nargs.isdigit() else 1
    return [text] * count if option.nargs in {"+", "*"} or count > 1 else text


def _nearest_example(
    statement: ParsedRequest, entry: EntryPoint, placed: Mapping[str, Any]
) -> tuple[ExampleCall | None, float]:
    """The documented call that says most of a request's names and numbers and of which the fewest values must be changed, and what share it says."""
    stated = [
        alphanumeric(one.value)
        for one in statement.mentions
        if one.kind in {"name", "number"} and len(one.value) >= _SHORT and not one.parts
    ]
    switches = {option.dest for option in entry.signature.options if option.switch or option.type == "bool"}
    ranked = []
    for place, shown in enumerate(entry.example_calls):
        example = shown.example
        text = alphanumeric(" ".join([*example.headings[-2:], example.path, example.text]))
        said = sum(value in text for value in stated)
        known = _known_values(entry, shown)
        changed = len(shown.values) - len(known)
        changed += sum(dest in placed and not _is_same(placed[dest], value) for dest, value in shown.values.items())
        about = {*telling(" ".join(example.headings[-2:])), *telling(example.introduction[:200])} & statement.vocabulary
        unasked = [dest for dest in shown.values if dest not in placed]
        turned = sum(dest in switches for dest in unasked)
        ranked.append((said - changed, said, -turned, len(about), -len(unasked), -place))
    best = max(ranked, default=None)
    return (entry.example_calls[-best[-1]], best[1] / max(1, len(stated))) if best is not None else (None, 0.0)


def _is_same(value: Any, shown: Any) -> bool:
    return str(value) == str(shown) or same_number(str(value), str(shown))


def _known_values(entry: EntryPoint, shown: ExampleCall) -> dict[str, Any]:
    known = {option.dest for option in entry.signature.options}
    return {dest: value for dest, value in shown.values.items() if dest in known and value not in _REST}


def _is_introduced(statement: ParsedRequest, entry: EntryPoint, shown: ExampleCall) -> bool:
    """Whether an example is introduced by a word that the request says and that no option and no other call of the program means."""
    if len(entry.example_calls) < 2:
        return False
    signature = entry.signature
    known = {*telling(signature.doc), *telling(signature.path), *telling(signature.name)}
    known.update(term for slot in entry.slots for term in slot.name_terms | slot.help_terms)
    known.update(term for slot in entry.slots for value in slot.vocabulary for term in telling(value))
    others = (one.example for one in entry.example_calls if one is not shown)
    known.update(term for one in others for term in telling(" ".join([*one.headings, one.introduction])))
    return bool(({*telling(shown.example.introduction[:200])} & statement.vocabulary) - known)


def _example_values(statement: ParsedRequest, entry: EntryPoint, shown: ExampleCall) -> dict[str, Any]:
    """What an example gives, by dest, its shell variables filled in; what it leaves to the reader only where that must be given."""
    values = variable_values(entry.variables, statement.mentions)
    required = {option.dest for option in entry.signature.options if option.required}
    found = {dest: _expanded(value, values) for dest, value in _known_values(entry, shown).items()}
    return {dest: value for dest, value in found.items() if dest in required or not _is_open(value)}


def _expanded(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [expand(str(one), values) for one in value]
    return expand(value, values) if isinstance(value, str) else value


def _is_open(value: Any) -> bool:
    """Whether an example leaves it to the reader what stands there: an unset variable, "/path/to/data", "YOUR_PROJECT"."""
    return bool(references(str(value)) or _OPEN.search(str(value)))


def _merged(base: Mapping[str, Any], placed: Mapping[str, Any]) -> dict[str, Any]:
    """What an example gives, with the user's values in place of its own.

    A name that the example says as a part of another value is honoured by that: "ECL" in `--id ECL_96` beside `--data custom`.
    """
    said = {
        dest
        for dest, value in placed.items()
        if base.get(dest) != value and any(_is_part(value, shown) for at, shown in base.items() if at != dest)
    }
    fresh = {dest: value for dest, value in placed.items() if dest not in said}
    return {**base, **fresh}


def _is_part(value: Any, shown: Any) -> bool:
    """Whether a name stands in a longer value as a word of it."""
    if not isinstance(value, str) or not isinstance(shown, str) or number(value) is not None or shown == value:
        return False
    word = rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"
    return len(value) >= _SHORT and re.search(word, shown, re.IGNORECASE) is not None


def _vector(
    entry: EntryPoint, assignment: SlotAssignment, values: Mapping[str, Any], scores: tuple[float, float], invented: int
) -> tuple[float, ...]:
    left = [one for one in assignment.unplaced if not _is_said(one, values, entry)]
    kinds = Counter(one.kind for one in left)
    placed = [min(one.score, 6.0) for one in assignment.all]
    return (
        *scores,
        float(kinds["number"]),
        float(kinds["path"]),
        float(kinds["name"]),
        sum(placed) / len(placed) if placed else 0.0,
        min(placed, default=0.0),
        float(len(placed)),
        float(len(assignment.unknown)),
        len(placed) / (1 + len(placed) + len(left)),
        sum(placed),
        float(sum(score > _CERTAIN for score in placed)),
        float(len(assignment.switched)),
        float(invented),
    )


def _is_said(mention: Mention, values: Mapping[str, Any], entry: EntryPoint) -> bool:
    """Whether a value is in the call in another way: the script's name, a part of a longer value."""
    wanted = alphanumeric(mention.value)
    if not wanted or wanted in alphanumeric(entry.signature.path) or wanted in alphanumeric(entry.signature.name):
        return True
    return len(wanted) > 2 and any(wanted in alphanumeric(str(value)) for value in values.values())


def text_of(command: Command, workdir: str) -> str | None:
    """The command line; None where the call cannot be written."""
    signature, module = command.entry.signature, command.entry.module
    if module:
        signature = msgspec.structs.replace(signature, kind="module", name=module)
    places = (workdir, posixpath.dirname(signature.path))
    values = {dest: command.entry.facts.path_of(value, places) for dest, value in command.values.items()}
    try:
        return render_command(signature, values, workdir)
    except RenderError:
        return None


def workdir_of(command: Command, folder: str, given: bool) -> str:
    """The folder from which the answer runs: the user's, else the one from which examples run, else the script's own with a README."""
    signature = command.entry.signature
    if given or folder not in {"", "."}:
        return folder
    if signature.kind == "console":
        return "."
    shown = command.shown or next(iter(command.entry.example_calls), None)
    if shown is not None:
        return shown.example.workdir or "."
    own = str(PurePosixPath(signature.path).parent)
    return own if _has_readme(own, command.entry.facts.files) else "."


def _has_readme(folder: str, files: Collection[str]) -> bool:
    return any(
        PurePosixPath(path).name.lower().startswith("readme") and str(PurePosixPath(path).parent) == folder
        for path in files
    )


# Options that reach beyond the machine or cannot be undone: they upload, publish, delete, pay or report somewhere.
#
# None of them is ever set unless the request says so itself, whatever an example has or a matching finds likely.

_ACTS = {
    "upload": r"upload\w*|push(?:ed|es|ing)?|publish\w*|releas\w*|shar(?:e|ed|es|ing)|gradio|hub|huggingface|s3|bucket|gcs|pull request|pr",
    "delete": r"delet\w*|remov\w*|eras\w*|purg\w*|wip\w*|clean\w*|prun\w*|overwrit\w*|replac\w*|discard\w*|drop\w*|forc(?:e|ed|es|ing)",
    "report": r"report\w*|wandb|weights (?:and|&) biases|comet\w*|neptune|mlflow|clearml|tensorboard|aim|track\w*|log\w*|telemetry",
    "pay": r"pay\w*|purchas\w*|buy\w*|bill\w*|spend\w*|spot|instance\w*|cloud|aws|gcp|azure",
}
"""By what is done: the words by which a request asks for it."""
_NAMES = {
    "upload": re.compile(
        r"(?:^|[_.-])(?:upload|push|publish|create_pr|release)(?:[_.-]|$)|^share$|(?:to|the)_hub(?:[_.-]|$)|^hub_|^push_to",
        re.IGNORECASE,
    ),
    "delete": re.compile(
        r"(?:^|[_.-])(?:delete|remove|rm|erase|purge|wipe|clean|cleanup|overwrite)(?:[_.-]|$)", re.IGNORECASE
    ),
    "report": re.compile(
        r"(?:^|[_.-])(?:report_to|wandb|comet|neptune|mlflow|clearml|telemetry)(?:[_.-]|$)", re.IGNORECASE
    ),
    "pay": re.compile(r"(?:^|[_.-])(?:pay|purchase|billing|spot_instance)(?:[_.-]|$)", re.IGNORECASE),
}
_HELPS = {
    "upload": re.compile(
        r"\b(?:upload|push|publish)(?:s|es|ed|ing)?\b.{0,60}\b(?:hub|huggingface|s3|bucket|server|cloud|gcs|remote|web)\b|\bpublic link\b",
        re.IGNORECASE,
    ),
    "delete": re.compile(
        r"^\W*(?:if set,?\s+)?(?:delete|remove|erase|purge|wipe|overwrite)s?\b.{0,40}\b(?:files?|folders?|director(?:y|ies)|checkpoints?|data|outputs?|results?)\b",
        re.IGNORECASE,
    ),
    "report": re.compile(
        r"\b(?:wandb|weights (?:and|&) biases|comet|neptune|mlflow|clearml|telemetry)\b", re.IGNORECASE
    ),
    "pay": re.compile(r"\b(?:costs? money|will be (?:billed|charged))\b", re.IGNORECASE),
}


def acts_outward(option: Option) -> str:
    """What an option does beyond the machine or for good: upload, delete, report or pay; "" for nothing of the kind."""
    if option.type in {"int", "float"}:
        return ""
    names = (option.dest, *(flag.lstrip("-").replace("-", "_") for flag in option.flags))
    for act in _ACTS:
        if any(map(_NAMES[act].search, names)) or _HELPS[act].search(option.help):
            return act
    return ""


def asks_for(text: str, option: Option) -> bool:
    """Whether a request says a word for what an option does."""
    act = acts_outward(option)
    return bool(act) and _says(text, act)


def program_acts_unasked(signature: Signature, text: str) -> bool:
    """Whether a program is called after what a request says no word of: `push_to_hub.py`, `tool delete`."""
    names = (PurePosixPath(signature.path).stem, signature.name, *signature.subcommand)
    return any(_NAMES[act].search(name) and not _says(text, act) for act in _ACTS for name in names)


def code_acts_unasked(code: str, text: str) -> bool:
    """Whether Python code calls, or hands a keyword that is not False, for what a request says no word of."""
    tree = parse_python(code)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    names = {ast.unparse(node.func) for node in calls}
    names |= {one.arg for node in calls for one in node.keywords if one.arg and not _is_off(one.value)}
    return any(_NAMES[act].search(name) and not _says(text, act) for act in _ACTS for name in names)


def _is_off(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _says(text: str, act: str) -> bool:
    return re.search(rf"(?<![\w-])(?:{_ACTS[act]})(?![\w])", text, re.IGNORECASE) is not None
