"""Command drafts from the learned matching of a request with entry points."""

from collections.abc import Iterator

from ml_agent.draft import Draft, Provenance
from ml_agent.matching.answers import Answer, command
from ml_agent.matching.mentions import read
from ml_agent.matching.model import Model, probability
from ml_agent.matching.retrieval import Shelf
from ml_agent.matching.solver import solve, workdir_of
from ml_agent.navigator import Workspace
from ml_agent.request import Request

_MOST = 12


def command_drafts(request: Request, workspace: Workspace, shelf: Shelf, model: Model) -> Iterator[Draft]:
    """Distinct commands, best first, each with its provenance; the first one with a calibrated confidence.

    Args:
        request: what the user wants.
        workspace: the repository and the folder of the task.
        shelf: the entry points of that folder.
        model: the learned tables.
    """
    given = tuple((value.name, value.value) for value in request.values if value.name and value.start < 0)
    solved = solve(read(request.instruction, given), shelf, model)
    sure = probability(model.confidence, solved.margin)
    texts: set[str] = set()
    for answer in solved.answers:
        workdir = workdir_of(answer, workspace.path, workspace.path_given)
        text = command(answer, workdir)
        if text is None or text in texts:
            continue
        texts.add(text)
        yield _draft(answer, text, workdir, sure if len(texts) == 1 else sure / (1 + len(texts)))
        if len(texts) == _MOST:
            return


def _draft(answer: Answer, text: str, workdir: str, confidence: float) -> Draft:
    signature, shown = answer.entry.signature, answer.shown
    if shown is not None:
        made_from = Provenance(kind="example", path=shown.example.path, line=shown.example.line)
        because = f"{signature.path} after {shown.example.path}:{shown.example.line}"
    else:
        made_from = Provenance(kind="signature", path=signature.path, line=signature.line)
        because = f"{signature.path} after its signature"
    return Draft(kind="bash", text=text, workdir=workdir, entry=signature.path, because=because, provenance=made_from, confidence=round(confidence, 3))  # fmt: skip
