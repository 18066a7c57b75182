"""What a capable model needs to answer a request with a repository, without a conversation of ours: for agents that have their own."""

from ml_agent.conversation.first_message import open_thread
from ml_agent.navigator import Given, Workspace
from ml_agent.observer import Observer
from ml_agent.repositories import open_index
from ml_agent.tools.candidates import Candidate
from ml_agent.understanding import understood
from ml_agent.workspaces import normal_folder


def brief(instruction: str, repository: str, folder: str = "", observer: Observer | None = None) -> str:
    """The likely entry points with their options, documented calls, passages, as text.

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
    request = understood(instruction, Given(repository=repository, path=folder))
    index = open_index(repository, first=folder)
    goes_on("")
    workspace = Workspace(
        index=index,
        candidate=Candidate(full_name=index.root.name, url=repository),
        path=normal_folder(index.root, folder),
        path_given=bool(folder),
    )
    thread = open_thread(request, workspace)
    return f"{thread.opening}\n\n{thread.task}"


def _ignore(_text: str) -> None:
    """Nobody watches."""
