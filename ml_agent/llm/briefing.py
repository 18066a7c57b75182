"""The first message of a conversation: worth ten calls, within a budget of characters for each section."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from ml_agent.draft import Draft
from ml_agent.llm.likely import (
    Entry,
    blocks_of,
    likely_entries,
    likely_files,
    likely_objects,
    likely_passages,
    wants_code,
)
from ml_agent.llm.listing import api_line, called, line_of, options_of
from ml_agent.navigator import Workspace
from ml_agent.proof import UNUSED
from ml_agent.request import Request
from ml_agent.thread import Thread
from prompts.render import render
from tools.documents.read import is_readme
from tools.signatures.model import Signature

ENTRIES = 5
_OPTIONS = (4800, 1800, 700)
"""Characters for the options of the first entry points."""
_OPTIONS_OF_CODE = (1500, 500)
_PASSAGES = 3
_PASSAGE = 900
_FILES = 8
_OTHERS = 12
_OTHER_NAMES = 500
_API = 7
_API_OF_COMMANDS = 2
_TREE = 700
_GUESS = 900
_LONGEST_DESCRIPTION = 200
_FEW_WORDS = 5


def system() -> str:
    """Who the model is; the same for all tasks."""
    return render("solve", **_nothing())["system"]


def open_thread(request: Request, workspace: Workspace, drafts: Sequence[Draft]) -> Thread:
    """The conversation before the first reply.

    Args:
        request: what is asked for.
        workspace: where.
        drafts: of the grounded navigator, best first, the first one examined.
    """
    code = wants_code(request)
    found = likely_entries(request, workspace, drafts, ENTRIES + _OTHERS)
    entries, others = found[:ENTRIES], found[ENTRIES:]
    candidate = workspace.candidate
    texts = render(
        "solve",
        name=candidate.full_name,
        description=(candidate.description or _first_words(workspace))[:_LONGEST_DESCRIPTION],
        tree=tree_of(workspace.index.files, _TREE),
        folder=_folder(workspace),
        entries=[line_of(entry, workspace.path) for entry in entries],
        others=_names(others, workspace),
        options=_options(entries, request, workspace, _OPTIONS_OF_CODE if code else _OPTIONS),
        api=_api(request, workspace, _API if code or not entries else _API_OF_COMMANDS),
        passages=[
            {"place": f"{one.path}:{one.line} {' / '.join(one.headings[-2:])}", "text": blocks_of(one, _PASSAGE)}
            for one in likely_passages(request.instruction, workspace, _PASSAGES)
        ],
        files=", ".join(likely_files(request.instruction, workspace, _FILES)),
        guess=drafts[0].text[:_GUESS] if _may_be_right(drafts) else "",
        against=_against(drafts[0]) if _may_be_right(drafts) else [],
        instruction=request.instruction,
        values=_values(request),
    )
    parts = [text for name, text in texts.items() if name not in ("system", "question") and text]
    return Thread(opening="\n\n".join(parts), task=texts["question"])


def tree_of(files: Sequence[str], most: int) -> str:
    """What is in a repository: its folders with the number of files in each, then the files at its top."""
    folders: dict[str, int] = {}
    for path in files:
        parts = PurePosixPath(path).parts
        for depth in (1, 2):
            if len(parts) > depth:
                folder = "/".join(parts[:depth]) + "/"
                folders[folder] = folders.get(folder, 0) + 1
    top = [path for path in files if "/" not in path and not path.startswith(".")]
    first = [
        f"{name} ({count})" for name, count in folders.items() if name.count("/") == 1 and not name.startswith(".")
    ]
    second = [name for name in folders if name.count("/") == 2 and not name.startswith(".")]
    text = ", ".join([*top, *first, *second])
    return text if len(text) <= most else text[:most].rpartition(", ")[0] + ", ..."


def _first_words(workspace: Workspace) -> str:
    """The first line of prose in the main README."""
    passages = (one for one in workspace.index.passages if is_readme(one.path) and "/" not in one.path)
    lines = (line.strip() for one in passages for line in one.text.splitlines())
    return next((line for line in lines if len(line.split()) > _FEW_WORDS and line[0].isalpha()), "")


def _folder(workspace: Workspace) -> str:
    inside = "" if workspace.path in ("", ".") else f"its folder {workspace.path}"
    return inside or "its root folder"


def _options(
    entries: Sequence[Entry], request: Request, workspace: Workspace, room: Sequence[int]
) -> list[dict[str, Any]]:
    """The options of the first entry points; of one with subcommands those of the likeliest."""
    shown: list[dict[str, Any]] = []
    for entry, most in zip(entries, room, strict=False):
        best = likeliest(entry, request)
        text = options_of(best, request.instruction, most) if best.options else ""
        twin = next((one["name"] for one in shown if one["options"] == best.options), "")
        if text:
            name = called(best, workspace.path)
            shown.append({"name": name, "text": f"those of {twin}" if twin else text, "options": best.options})
    return shown


def likeliest(entry: Entry, request: Request) -> Signature:
    """Of an entry point with subcommands the one that the wording names."""
    said = set(request.instruction.lower().replace("-", " ").split())
    return max(entry, key=lambda one: (sum(word.lower() in said for word in one.subcommand), -len(one.subcommand)))


def _api(request: Request, workspace: Workspace, most: int) -> list[str]:
    return [api_line(item) for item in likely_objects(request.instruction, workspace, most)]


def _names(entries: Sequence[Entry], workspace: Workspace) -> str:
    """How further entry points are called, without more about them."""
    text = ", ".join(dict.fromkeys(called(entry[0], workspace.path).split(" ")[0] for entry in entries))
    return text if len(text) <= _OTHER_NAMES else text[:_OTHER_NAMES].rpartition(", ")[0]


def _may_be_right(drafts: Sequence[Draft]) -> bool:
    """Whether the best draft of the rules is worth a look: one that cannot run only misleads."""
    return bool(drafts) and not any(one.severity == "error" and one.code != UNUSED for one in drafts[0].findings)


def _against(draft: Draft) -> list[str]:
    """The values that a draft does not use; that named files are not there yet is no news."""
    unused = [finding.subject for finding in draft.findings if finding.code == UNUSED]
    return [f"it does not use {', '.join(unused)}"] if unused else []


def _values(request: Request) -> str:
    """The numbers that are said in words or in another form; the others stand in the sentence as they are."""
    read = [f"{value.text} = {value.value}" for value in request.values if value.kind == "number" and value.required]
    return "; ".join(dict.fromkeys(one for one in read if one.partition(" = ")[0] != one.partition(" = ")[2]))


def _nothing() -> dict[str, object]:
    texts = ("name", "description", "tree", "folder", "others", "files", "guess", "instruction", "values")
    lists = ("entries", "options", "api", "passages", "against")
    return {**dict.fromkeys(texts, ""), **{name: [] for name in lists}}
