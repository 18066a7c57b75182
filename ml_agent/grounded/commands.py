"""Command drafts from the learned matching of a request with entry points."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ml_agent.draft import Draft, Placement, Provenance
from ml_agent.matching.answers import Answer, command
from ml_agent.matching.mentions import ParsedRequest, read_request
from ml_agent.matching.model import Model
from ml_agent.matching.retrieval import EntryIndex
from ml_agent.matching.solver import doubtful_count, margin, solve, weakest_placement, workdir_of
from ml_agent.navigator import Workspace
from ml_agent.request import Request
from ml_agent.tools.signatures.model import Option
from ml_agent.values.numbers import number

_PARTED = re.compile(r"(?<=\d)[x,:](?=\d)")
"""What stands between the numbers of a size, a series or a ratio."""


class CommandDraft(NamedTuple):
    """A command, and what matching says of it."""

    draft: Draft
    margin: float
    """How far its answer is ahead of those of other entry points."""
    weakest_placement: float
    """Its weakest placement of a value, as log-odds."""
    placed_values: frozenset[str] = frozenset()
    """The values, as they are typed, that it has because of what the request says of them."""
    doubtful_count: int = 0
    """How many of these may as well belong elsewhere."""


def command_drafts(
    statement: ParsedRequest, model: Model, workspace: Workspace, entry_index: EntryIndex
) -> Iterator[CommandDraft]:
    """Distinct commands, best first, each with its provenance.

    Args:
        statement: what the user wants, to be read by its sense or by its words alone.
        model: the learned tables.
        workspace: the repository and the folder of the task.
        entry_index: the entry points of that folder.
    """
    found = solve(statement, entry_index, model if statement.by_sense else model.words)
    texts: set[str] = set()
    for answer in found:
        workdir = workdir_of(answer, workspace.path, workspace.path_given)
        text = command(answer, workdir)
        if text is None or text in texts:
            continue
        texts.add(text)
        draft = draft_of(answer, text, workdir)
        yield CommandDraft(
            draft, margin(answer, found), weakest_placement(answer), _values(answer), doubtful_count(answer)
        )


def _values(answer: Answer) -> frozenset[str]:
    values = [value for one in answer.assignment.placed for value in one.values]
    return frozenset([*values, *(part for value in values if number(value) is None for part in _PARTED.split(value))])


def statement_of(request: Request) -> ParsedRequest:
    """The request as matching reads it, with what was given by name."""
    return read_request(request.instruction, given_by_name(request))


def given_by_name(request: Request) -> tuple[tuple[str, str], ...]:
    """Name and value of what the user gave beside the instruction."""
    return tuple((one.name, one.value) for one in request.values if one.name and one.start < 0)


def draft_of(answer: Answer, text: str, workdir: str) -> Draft:
    """An answer as a draft.

    Args:
        answer: what is called, and with what.
        text: its command line.
        workdir: from where it is called.
    """
    signature, shown = answer.entry.signature, answer.shown
    if shown is not None:
        made_from = Provenance(kind="example", path=shown.example.path, line=shown.example.line)
        because = f"{signature.path} after {shown.example.path}:{shown.example.line}"
    else:
        made_from = Provenance(kind="signature", path=signature.path, line=signature.line)
        because = f"{signature.path} after its signature"
    slots = answer.entry.slots
    placements = tuple(
        Placement(where=_text_of(slots[one.slot].option, one.values), starts=one.starts)
        for one in answer.assignment.placed
    )
    invented = tuple(
        _text_of(o, [] if o.switch else _words(answer.call[o.dest]))
        for o in signature.options
        if o.dest in answer.invented
    )
    return Draft(
        kind="bash", text=text, workdir=workdir, entry=signature.path, because=because, provenance=made_from,
        placements=placements, invented=invented,
    )  # fmt: skip


def _words(value: Any) -> list[str]:
    return list(map(str, value if isinstance(value, list) else [value]))


def _text_of(option: Option, values: Sequence[str]) -> str:
    """An option with its values as it stands in the command."""
    given = " ".join(values)
    flag = max(option.flags, key=len, default="")
    return given if option.positional else f"{flag} {given}".strip() if flag else f"{option.dest}={given}"
