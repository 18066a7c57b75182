"""What a capable model needs to answer a request with a repository, without a conversation of ours: for agents that have their own."""

from itertools import islice

from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.llm.briefing import open_thread
from ml_agent.navigator import Given, Workspace
from ml_agent.observer import Observer
from ml_agent.proof import examine
from ml_agent.repositories import open_index
from ml_agent.tools.candidates import Candidate
from ml_agent.workspaces import normal_folder


def brief(instruction: str, repository: str, folder: str = "", observer: Observer | None = None) -> str:
    """The likely entry points with their options, documented calls, passages, and the draft of the rules, as text.

    Args:
        instruction: the task in one sentence, with every value that matters.
        repository: a folder, OWNER/NAME or URL.
        folder: folder of the task in the repository, where known.
        observer: asked after each step whether it is to go on.

    Raises:
        UsageError: the instruction is empty or too long, or there is no such folder.
        RepositoryError: the repository cannot be had.
        CancelledRunError: the observer wants no more.
    """
    goes_on = observer.on_output if observer is not None else _ignore
    navigator = GroundedNavigator()
    request = navigator.understand(instruction, Given(repository=repository, path=folder))
    index = open_index(repository, first=folder)
    goes_on("")
    workspace = Workspace(
        index=index,
        candidate=Candidate(full_name=index.root.name, url=repository),
        path=normal_folder(index.root, folder),
        path_given=bool(folder),
    )
    drafts = [examine(draft, request, workspace) for draft in islice(navigator.drafts(request, workspace), 1)]
    goes_on("")
    thread = open_thread(request, workspace, drafts)
    return f"{thread.opening}\n\n{thread.task}"


def _ignore(_text: str) -> None:
    """Nobody watches."""
