"""Shell variables of the documentation ("$MODEL_DIR/config.json"): filled with what the user named, else as documented."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ml_agent.matching.likeness import likeness
from ml_agent.matching.terms import terms
from ml_agent.matching.variables import expand, references
from ml_agent.request import Value

_ALIKE = 0.3


class Binding(NamedTuple):
    """What stands for a variable, and the user's value that it is; None where it is the documented value."""

    text: str
    value: Value | None = None


def bindings(command: str, known: Mapping[str, str], values: Sequence[Value]) -> dict[str, Binding]:
    """What to put for each variable of a command: a folder or name of the user's that looks like the documented value, else that."""
    return {name: _binding(name, known.get(name, ""), values) for name in references(command)}


def filled(command: str, found: Mapping[str, Binding]) -> str:
    """The command with its variables filled in; one without a value is left alone."""
    return expand(command, {name: one.text for name, one in found.items()})


def _binding(name: str, known: str, values: Sequence[Value]) -> Binding:
    best: tuple[float, Value | None] = (0.0, None)
    for value in values:
        if value.kind not in {"path", "name"} or value.name or not known:
            continue
        alike = likeness(value.value, known)
        if alike <= _ALIKE:
            continue
        said = {term for word in value.words[:4] for term in terms(word)}
        fit = alike + 0.2 * bool(said & set(terms(name))) + 0.1 * value.required
        if fit > best[0]:
            best = (fit, value)
    if best[1] is None:
        return Binding(known)
    chosen = best[1].value
    return Binding(f"./{chosen}" if "/" in known and "/" not in chosen else chosen.rstrip("/"), best[1])


def join_folders(values: Sequence[Value]) -> tuple[Value, ...]:
    """A name and the folder where the user says it lies, made one: "X, which resides in the './model/' directory"."""
    folders = [
        value
        for value in values
        if value.kind == "path" and value.value.endswith("/") and {"directory", "folder"} & set(value.words)
    ]
    if not folders:
        return tuple(values)
    joined = list(values)
    for folder in folders:
        before = [
            value for value in joined if value.kind == "name" and value.required and 0 <= value.start < folder.start
        ]
        if not before:
            continue
        name = before[-1]
        whole = folder.value + name.value
        words = tuple(dict.fromkeys([*name.words, *folder.words]))
        merged = Value(
            text=f"{name.text} in {folder.text}",
            value=whole,
            kind="path",
            start=name.start,
            end=folder.end,
            words=words,
        )
        joined[joined.index(name)] = merged
        joined.remove(folder)
    return tuple(joined)
