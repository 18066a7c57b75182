"""What was done before an answer ran and its text does not say (paths, variables, folders, installing): told beside it, so that what is
handed over is what was run."""

import os

import msgspec

from ml_agent.draft import Draft
from ml_agent.sandbox.artifacts import own_package
from ml_agent.sandbox.script_lines import exported, folders_made, path_word
from ml_agent.sandbox.session import SessionRecord


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was done before the answer ran and that its text does not say."""

    command: str
    """Bash, to be run where the answer is run."""
    why: str = ""


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
