"""Whether a repository can do a task, and which of its READMEs to read first."""

from pathlib import PurePosixPath

from ml_agent.grounded.choices import search_words
from ml_agent.navigator import Assessment, Workspace
from ml_agent.request import Request
from ml_agent.tools.documents.read import is_readme
from ml_agent.tools.retrieval import Bm25Index

_MAIN_README = 4_000
_MOST = 8
_TREE = 2
"""Folders of the directory structure that are looked at, in levels."""


def assess(request: Request, workspace: Workspace) -> Assessment:
    """First judgement by name, directory structure, main README and the paths of all READMEs; then the READMEs, best first."""
    index = workspace.index
    query = set(search_words(request.instruction))
    structure = {"/".join(PurePosixPath(path).parts[:_TREE]) for path in index.files}
    readmes = [path for path in index.files if is_readme(path)]
    first_look = " ".join(
        [workspace.candidate.full_name, workspace.candidate.description, *structure, *readmes, _main(workspace)]
    )
    shared = query & set(search_words(first_look))
    against = ""
    if not index.signatures and not index.examples:
        against = "no entry point and no example of use was found"
    elif not shared and not workspace.path_given:
        against = "neither its README nor its folders speak of the task"
    if against:
        return Assessment(possible=False, reason=against, readmes=tuple(readmes[:_MOST]))
    reason = f"speaks of {', '.join(sorted(shared)[:6])}" if shared else "the folder was given"
    return Assessment(possible=True, reason=reason, readmes=_rank_readmes(request, workspace))


def _main(workspace: Workspace) -> str:
    text = "\n".join(
        passage.text for passage in workspace.index.passages if is_readme(passage.path) and "/" not in passage.path
    )
    return text[:_MAIN_README]


def _rank_readmes(request: Request, workspace: Workspace) -> tuple[str, ...]:
    """The READMEs by BM25 over what they say; those in the task's folder first."""
    texts: dict[str, list[str]] = {}
    for passage in workspace.index.passages:
        if is_readme(passage.path):
            texts.setdefault(passage.path, []).extend([*passage.headings, passage.text])
    paths = sorted(texts)
    ranking = Bm25Index([search_words(f"{path} {' '.join(texts[path])}") for path in paths]).top(
        search_words(request.instruction), len(paths)
    )
    ordered = [paths[hit.position] for hit in ranking]
    ordered += [path for path in paths if path not in ordered]
    folder = PurePosixPath(workspace.path or ".")
    near = [path for path in ordered if folder != PurePosixPath(".") and PurePosixPath(path).is_relative_to(folder)]
    return tuple(dict.fromkeys([*near, *ordered]))[:_MOST]
