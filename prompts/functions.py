"""The functions that a model may call, as it reads them: names, descriptions and parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

Function = dict[str, Any]

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def finding() -> list[Function]:
    """What a model may call to find a repository."""
    place = {"repository": {**_TEXT, "description": "OWNER/NAME, or the name of a Python package"}}
    best = {"type": "object", "properties": {"repository": _TEXT, "why": _TEXT}, "required": ["repository", "why"]}
    return [
        _loose(
            "search",
            "Search GitHub's repositories.",
            {
                "query": _TEXT,
                "language": _TEXT,
                "min_stars": {"type": "integer"},
                "pushed_after": {**_TEXT, "description": "YYYY-MM-DD"},
                "topic": _TEXT,
            },
            ("query",),
        ),
        _loose("look", "Files, entry points, README and needs of a repository.", place),
        _loose("similar", "Others like a repository.", place),
        _loose(
            "choose",
            "The repositories that do it, best first, two or three, with one short reason each for or against.",
            {"best_first": {"type": "array", "items": best, "maxItems": 5}},
        ),
    ]


def tools(*, can_run: bool, places: bool) -> list[Function]:
    """What a model may call in a conversation.

    Args:
        can_run: whether there is a sandbox for a look around.
        places: whether the answer may run from another folder than the task's.
    """
    folder = {"folder": {**_TEXT, "description": "from the root"}} if places else {}
    output = {
        "path": {**_TEXT, "description": "may hold *"},
        "kind": {**_TEXT, "description": "if the name does not tell it: csv, folder"},
        "columns": {**_TEXTS, "description": "of a table; keys of JSON"},
        "rows": {"type": "integer"},
        "must": {"type": "boolean"},
    }
    doubt = {"type": "object", "properties": {"doubt": _TEXT, "answer": _TEXT}}
    offered = [
        _loose("find", "Search documents, entry points, API and all files.", {"query": _TEXT}),
        _loose("read", "A file, lines 120-180 of it, or a folder's list.", {"path": _TEXT, "lines": _TEXT}, ("path",)),
        _loose("signature", "Options of an entry point; parameters of a class or function.", {"entry": _TEXT}),
        _loose("run", "Look around by a command in the answer's environment, offline.", {"command": _TEXT}),
        _loose(
            "install",
            "Add numpy<2 and the like to the answer's environment; -e . builds the repository.",
            {"requirements": _TEXTS, "why": _TEXT, "python": _TEXT, "system": {**_TEXTS, "description": "Debian"}},
            ("requirements", "why"),
        ),
        _loose(
            "answer",
            "A command line or code, whole; files it needs are written first, by here-documents.",
            {
                "kind": {"enum": list(KINDS)},
                "text": _TEXT,
                "outputs": {
                    "type": "array",
                    "items": {"type": "object", "properties": output, "required": ["path"]},
                    "description": "files to come out; columns, rows as the sentence says, must false if optional",
                },
                **folder,
            },
            ("kind", "text"),
        ),
        _loose(
            "done",
            "What came out is as asked: say what, and an honest sentence on each doubt, yours too.",
            {"what": _TEXT, "doubts": {"type": "array", "items": doubt}},
            ("what",),
        ),
        _loose("dispute", "Say why a finding is wrong.", {"finding": _TEXT, "why": _TEXT}),
        _loose("reject", "This repository cannot do it.", {"why": _TEXT}),
    ]
    return [function for function in offered if can_run or function["name"] not in ("run", "install", "done")]


KINDS = ("command", "python")


def _loose(
    name: str, description: str, properties: Mapping[str, Any], required: Sequence[str] | None = None
) -> Function:
    """A function in as few tokens as will do."""
    wanted = list(properties) if required is None else list(required)
    parameters = {"type": "object", "properties": dict(properties), "required": wanted}
    return {"name": name, "description": description, "parameters": parameters}
