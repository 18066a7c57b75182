"""The functions that a model may call, as it reads them: names, descriptions and parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

Function = dict[str, Any]

_TEXT = {"type": "string"}


def understood() -> Function:
    """What the instruction is about."""
    return _function(
        "describe_task",
        "Say what the task is about.",
        {
            "task": {**_TEXT, "description": "kind of task, a few words"},
            "model": {**_TEXT, "description": "the model, or empty"},
            "dataset": {**_TEXT, "description": "the dataset, or empty"},
            "libraries": _list(_TEXT, "up to four projects that implement it, best known first", 4),
            "queries": _list(_TEXT, "up to three GitHub searches of one to three words", 3),
        },
    )


def ranking(count: int) -> Function:
    """The repositories' numbers in order."""
    return _function(
        "rank_repositories",
        "Give the numbers of the repositories that can do the task.",
        {
            "best_first": _list(
                {"type": "integer", "enum": list(range(1, count + 1))}, "numbers, best first", min(3, count)
            )
        },
    )


def assessment(readmes: Sequence[str]) -> Function:
    """Whether the repository can do it, and by which READMEs."""
    return _function(
        "assess_repository",
        "Say whether the repository can do the task.",
        {
            "reason": {**_TEXT, "description": "one short sentence"},
            "possible": {"type": "boolean", "description": "whether it can"},
            "readmes": _list({"type": "string", "enum": list(readmes)}, "READMEs to read, best first", 4),
        },
    )


WRITE = "write new Python code"
OPEN = "read a file first"
REJECT = "none of these"
OTHERS = ((WRITE, "after the nearest example"), (OPEN, "where no choice is sure"), (REJECT, "nothing here can do it"))
"""What else may be chosen where the choices at hand are in doubt."""


def choice(names: Sequence[str]) -> Function:
    """One of the choices, by name."""
    return _function("choose", "Take a choice.", {"choice": {**_TEXT, "enum": list(names), "description": "its name"}})


TRAIN, USE = "train a model", "use a trained model"
PURPOSES = (TRAIN, USE)


def purpose(order: Sequence[str] = PURPOSES) -> Function:
    """What is to be done with a model, the answers in this order."""
    return _function("say_purpose", "Say what the user wants.", {"purpose": {**_TEXT, "enum": list(order)}})


def open_file(paths: Sequence[str]) -> Function:
    """A file to be read before the next choice."""
    return _function("open_file", "Read a file.", {"path": {**_TEXT, "enum": list(paths), "description": "the file"}})


def settings(properties: Mapping[str, Any]) -> Function:
    """The options of a script or the literals of an example."""
    return _function("set_options", "Set what the user states; null leaves an option as it is.", properties)


def python_code() -> Function:
    """A whole program."""
    return _function(
        "write_python", "Give the whole changed code.", {"code": {**_TEXT, "description": "Python code, all of it"}}
    )


def _function(name: str, description: str, properties: Mapping[str, Any]) -> Function:
    parameters = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "parameters": parameters}


def _list(items: Mapping[str, Any], description: str, most: int) -> dict[str, Any]:
    return {"type": "array", "items": dict(items), "maxItems": most, "description": description}
