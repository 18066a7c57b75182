"""What was run is what is handed over: a repair that rewrites the command rewrites the draft, and all else is said beside it."""

import os
from collections.abc import Callable, Sequence

import msgspec

from ml_agent.draft import Draft
from ml_agent.sandbox.artifacts import own_package
from ml_agent.sandbox.repair import Repair
from ml_agent.sandbox.script_lines import exported, folders_made, path_word
from ml_agent.sandbox.session import SessionRecord

REWRITES = "folder"
"""The kind of repair that gives the command and its folder anew."""


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was done before the answer ran and that its text does not say."""

    command: str
    """Bash, to be run where the answer is run."""
    why: str = ""


def beside(repairs: Sequence[Repair]) -> list[Repair]:
    """The repairs that a draft's own text does not carry: what is rewritten belongs to one draft and stands in it."""
    return [repair for repair in repairs if repair.kind != REWRITES]


def rewritten(draft: Draft, repair: Repair) -> Draft:
    """The draft as a repair writes it; the same where the repair changes its surroundings.

    The name under which Python code runs is ours: of a draft of code only the folder can be another.
    """
    if repair.kind != REWRITES:
        return draft
    text = draft.text if draft.kind == "python" else repair.arguments[-1]
    because = f"{draft.because}; {repair.why}".lstrip("; ")
    return msgspec.structs.replace(
        draft, text=text, workdir=repair.arguments[0], because=because, findings=(), ledger=(), thread=None
    )


Next = Callable[[Draft, Sequence[Repair]], Repair | None]
"""The repair that is next after those that were taken."""


def mended(
    draft: Draft, repairs: Sequence[Repair], most: int, step: Next, look: Callable[[Draft], Draft]
) -> tuple[Draft, list[Repair]] | None:
    """The draft after the next repair that leaves it sound, with all repairs that were taken; None where there is none.

    `look` examines a draft: one that a repair robs of what the user asked for is no answer any more.
    """
    taken = list(repairs)
    while len(taken) < most and (repair := step(draft, taken)) is not None:
        taken.append(repair)
        changed = rewritten(draft, repair)
        if repair.kind != REWRITES:
            return draft, taken
        changed = look(changed)
        if (changed.text, changed.workdir) != (draft.text, draft.workdir) and (changed.sound or not draft.sound):
            return changed, taken
    return None


def before_of(record: SessionRecord, draft: Draft) -> tuple[Before, ...]:
    """What stands between a fresh environment and the answer, but for packages, each written from the answer's folder."""
    text = record.task.text
    own = "" if draft.kind == "python" else draft.text
    prelude = text.removesuffix(own).strip() if own and text.endswith(own) else ""
    if draft.kind == "python" and text.startswith("export PYTHONPATH="):
        prelude = text.partition("\n")[0]
    paths = [Before(command=prelude, why="folders of the repository on Python's path")] if prelude else []
    variables = [Before(command=exported(name, value)) for name, value in record.task.environment.items()]
    folders = [Before(command=folders_made(record.task.folders), why="folders that it writes into")]
    root = path_word(os.path.relpath(".", draft.workdir))
    own_line = [
        Before(command=line, why="installs the repository: pip install -e .") for line in own_package(record, root)
    ]
    return (*paths, *variables, *own_line, *(folders if record.task.folders else []))
