"""The navigator that thinks with a model. Where the model is gone the run ends; another navigator goes on only where the user asked for that."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ml_agent.conversation.loop import Conversation, ConversationTask, NoAnswer
from ml_agent.conversation.outcome import Review, Seen
from ml_agent.conversation.search import SearchConversation
from ml_agent.conversation.tools import TaskEnvironment, Toolbox
from ml_agent.conversation.verdict import verdict
from ml_agent.draft import Attempt, Draft, Rejected
from ml_agent.errors import BudgetExceededError, EndpointSettingError, ModelError
from ml_agent.finder import collect
from ml_agent.model.budget import MODEL_LIMITS
from ml_agent.model.client import ModelClient, silent
from ml_agent.navigator import Assessment, Given, Navigator, Workspace
from ml_agent.prompts.untrusted import PromptText, neutral
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate, Source
from ml_agent.trajectory import Emit
from ml_agent.understanding import rank, understood

_GONE = (ModelError, EndpointSettingError, BudgetExceededError)
FAILED = "It was run, and said:"
WISH = "Fix it, or answer differently; or dispute it."
ANOTHER = neutral("Noted. Give another answer as well, one that does it in another way.")


@dataclass(frozen=True)
class ModelOptions:
    """What the model may do beside reading, and who goes on without it."""

    environment: TaskEnvironment | None = None
    """Where there is a sandbox."""
    gpu: bool = False
    """Whether answers run with a GPU."""
    stand_in: Callable[[], Navigator] | None = None
    """Makes the navigator that goes on where the model is gone; None ends the run."""


class LlmNavigator:
    """Decides by function calling; safe to share between threads as far as its parts are."""

    name = "llm"

    def __init__(self, client: ModelClient, emit: Emit = silent, options: ModelOptions | None = None) -> None:
        self._client, self._emit, self._options = client, emit, options or ModelOptions()
        self._stand_in: Navigator | None = None
        """Who goes on in place of the model, once it is gone."""
        self._over: set[tuple[str, str]] = set()
        """Tasks whose conversation has ended: nothing more comes of asking again."""

    def understand(self, instruction: str, given: Given) -> Request:
        """What is read without a model."""
        return understood(instruction, given)

    def search(self, request: Request, source: Source) -> list[Candidate]:
        """What the model chose after searching and looking, in its order; what our own searches bring where it chose none."""
        if self._stand_in is None:
            try:
                return SearchConversation(self._client, source, self._emit, gpu=self._options.gpu).candidates(request)
            except NoAnswer as reason:
                self._emit("stand-in", phase="search", reason=str(reason))
            except _GONE as error:
                self._gone("search", error)
        return collect(request.instruction, source)

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The model's order where it chose, else by their words."""
        return rank(request.instruction, candidates)

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether there is anything to call; what it does is judged in the conversation, which begins with its entry points."""
        index = workspace.index
        things = len(index.signatures) + len(index.api.objects)
        if not things and not (request.repository or workspace.path_given):
            return Assessment(possible=False, reason="no entry point and no code that could be called was found")
        said = f"{len(index.signatures)} entry points, {len(index.api.objects)} classes and functions"
        return Assessment(possible=True, reason=said)

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """The model's answers as long as it has others. Raises Rejected where it finds that the repository cannot do the task."""
        draft = self._answered(request, workspace, lambda talk: talk.go_on(talk.opened()))
        while draft is not None:
            yield draft
            other = self._gone_on(request, workspace, draft, ANOTHER) if draft.sound else None
            draft = other if other is not None and other.text != draft.text else None
        if self._stand_in is not None:
            yield from self._stand_in.drafts(request, workspace)

    def revise(self, request: Request, workspace: Workspace, attempt: Attempt) -> Draft | None:
        """What the model makes of the problem in the same conversation; None where it says the same again without a reason."""
        if attempt.draft.thread is None:
            return self._stand_in.revise(request, workspace, attempt) if self._stand_in is not None else None
        lines = attempt.error_lines
        told = attempt.report or "\n".join([attempt.problem, *([FAILED, *lines] if lines else []), WISH])
        message = neutral(told)
        mended = self._gone_on(request, workspace, attempt.draft, message)
        if mended is not None and verdict(mended, [attempt]) == "refused" and mended.text == attempt.draft.text:
            self._over.add(_key(request, workspace))
            return None
        return mended

    def review(self, request: Request, workspace: Workspace, draft: Draft, seen: Seen, review: Review) -> Draft | None:
        """The draft with what its author says of its result, or another one; None where nobody can be asked.

        Raises Rejected where the model finds that the repository cannot do it.
        """
        thread = draft.thread
        if thread is None:
            return None
        shown = thread.with_result(seen.report, seen.pictures)
        return self._answered(request, workspace, lambda talk: talk.go_on(shown, draft, review))

    def _gone_on(self, request: Request, workspace: Workspace, draft: Draft, message: PromptText) -> Draft | None:
        """The next answer in the conversation that `draft` came of."""
        thread = draft.thread
        if thread is None:
            return None
        return self._answered(request, workspace, lambda talk: talk.go_on(thread.with_result(message), draft))

    def _answered(self, request: Request, workspace: Workspace, think: Callable[[Conversation], Draft]) -> Draft | None:
        key = _key(request, workspace)
        if key in self._over or self._stand_in is not None:
            return None
        toolbox = Toolbox(workspace, request.instruction, self._options.environment)
        talk = Conversation(self._client, ConversationTask(request=request, workspace=workspace), toolbox, self._emit)
        draft: Draft | None = None
        try:
            draft = think(talk)
        except Rejected:
            self._over.add(key)
            raise
        except NoAnswer as reason:
            self._gone("generate", ModelError(str(reason)))
        except _GONE as error:
            self._gone("generate", error)
        if draft is None or not (draft.sound or draft.disputes):
            self._over.add(key)
        return draft

    def _gone(self, phase: str, error: ModelError | EndpointSettingError | BudgetExceededError) -> None:
        """From now on without the model, where the user asked for that; else its error ends the run."""
        if self._options.stand_in is None or (
            isinstance(error, BudgetExceededError) and error.what not in MODEL_LIMITS
        ):
            raise error
        self._emit("stand-in", phase=phase, reason=str(error))
        self._stand_in = self._options.stand_in()


def _key(request: Request, workspace: Workspace) -> tuple[str, str]:
    return (request.instruction, f"{workspace.index.root} {workspace.index.version} {workspace.path}")
