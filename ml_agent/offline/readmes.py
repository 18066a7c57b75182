"""Whether a repository can do a task, and which of its READMEs to read first."""

from pathlib import PurePosixPath

from ml_agent.navigator import Assessment, Workspace
from ml_agent.offline.programs import search_words
from ml_agent.request import Request
from ml_agent.tools.documents.read import is_readme
from ml_agent.tools.retrieval import Bm25Index

_MAIN_README, _MOST, _TREE = 4_000, 8, 2
"""Characters of the main README, READMEs, and levels of folders that are looked at."""


def assess(request: Request, workspace: Workspace) -> Assessment:
    """First judgement by name, directory structure, main README and the paths of all READMEs; then the READMEs, best first."""
    index = workspace.index
    structure = {"/".join(PurePosixPath(path).parts[:_TREE]) for path in index.files}
    readmes = [path for path in index.files if is_readme(path)]
    main = "\n".join(one.text for one in index.passages if is_readme(one.path) and "/" not in one.path)[:_MAIN_README]
    first_look = [workspace.candidate.full_name, workspace.candidate.description, *structure, *readmes, main]
    shared = set(search_words(request.instruction)) & set(search_words(" ".join(first_look)))
    shown = sorted(word for word in shared if len(word) > 1)[:6]
    against = ""
    if not index.signatures and not index.examples:
        against = "no entry point and no example of use was found"
    elif not shared and not workspace.path_given:
        against = "neither its README nor its folders speak of the task"
    if against:
        return Assessment(possible=False, reason=against, readmes=tuple(readmes[:_MOST]))
    reason = f"matching keywords: {', '.join(shown)}" if shown else "the folder was given"
    return Assessment(possible=True, reason=reason, readmes=_ranked(request, workspace))


def _ranked(request: Request, workspace: Workspace) -> tuple[str, ...]:
    """The READMEs by BM25 over what they say; those in the task's folder first."""
    texts: dict[str, list[str]] = {}
    for passage in workspace.index.passages:
        if is_readme(passage.path):
            texts.setdefault(passage.path, []).extend([*passage.headings, passage.text])
    paths = sorted(texts)
    index = Bm25Index([search_words(f"{path} {' '.join(texts[path])}") for path in paths])
    hits = index.top(search_words(request.instruction), len(paths))
    ordered = [*(paths[hit.position] for hit in hits), *paths]
    folder = workspace.path or "."
    near = [path for path in ordered if folder != "." and PurePosixPath(path).is_relative_to(folder)]
    return tuple(dict.fromkeys([*near, *ordered]))[:_MOST]
