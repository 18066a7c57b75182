"""The functions that a model may call, as it reads them: names, descriptions and parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

Function = dict[str, Any]

_TEXT = {"type": "string"}


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
    folder = (
        {"folder": {**_TEXT, "description": "where it runs, from the root; default: as said above"}} if places else {}
    )
    offered = [
        _loose(
            "find",
            "Search documents, entry points, classes and functions, and the text of all files.",
            {"query": _TEXT},
        ),
        _loose(
            "read",
            "A text file, whole where it is short, or a folder's list.",
            {"path": _TEXT, "lines": {**_TEXT, "description": "such as 120-180"}},
            ("path",),
        ),
        _loose("signature", "All options of an entry point, or what a class or function takes.", {"entry": _TEXT}),
        _loose(
            "run", "Run a command in the answer's environment, without network, to look around.", {"command": _TEXT}
        ),
        _loose(
            "install",
            "Add packages to the environment, as part of the answer; all is resolved anew as one.",
            {
                "requirements": {
                    "type": "array",
                    "items": _TEXT,
                    "description": "such as numpy<2; -e . builds the repository's package",
                },
                "why": _TEXT,
                "python": {**_TEXT, "description": "such as 3.8"},
                "system": {"type": "array", "items": _TEXT, "description": "Debian packages"},
            },
            ("requirements", "why"),
        ),
        _loose(
            "answer",
            "The answer, whole.",
            {
                "kind": {"enum": list(KINDS)},
                "text": {
                    **_TEXT,
                    "description": "the command line or the code; files that it needs are written first, by here-documents",
                },
                "outputs": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "path": {**_TEXT, "description": "may hold * and ?"},
                            "kind": {**_TEXT, "description": "if the name does not tell: csv, png, folder, ..."},
                            "columns": {
                                "type": "array",
                                "items": _TEXT,
                                "description": "or keys, that the sentence names",
                            },
                            "rows": {"type": "integer", "description": "that the sentence states"},
                            "must": {"type": "boolean", "description": "false where it may be missing"},
                        },
                        "required": ["path"],
                    },
                    "description": "files that should come out",
                },
                **folder,
            },
            ("kind", "text"),
        ),
        _loose(
            "done",
            "After the run, once what came out is what the sentence asks for.",
            {
                "what": {**_TEXT, "description": "what came out, one sentence"},
                "doubts": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"doubt": _TEXT, "answer": _TEXT}},
                    "description": "each doubt with one honest sentence; your own, too",
                },
            },
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
