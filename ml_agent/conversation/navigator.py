"""The navigator that thinks with a model. Where the model is gone the run ends; another navigator goes on only where the user asked for that."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from ml_agent.conversation.loop import Conversation, ConversationTask, NoAnswer
from ml_agent.conversation.outcome import Review
from ml_agent.conversation.tools import TaskEnvironment, Toolbox
from ml_agent.conversation.verdict import verdict
from ml_agent.draft import Attempt, Draft, Rejected
from ml_agent.errors import BudgetExceededError, EndpointSettingError, ModelAnswerError, ModelError
from ml_agent.model.budget import MODEL_LIMITS
from ml_agent.model.client import ModelClient, silent
from ml_agent.model.prompt import Prompt, Section
from ml_agent.navigator import Assessment, Given, Navigator, Workspace
from ml_agent.prompts import functions
from ml_agent.prompts.render import render
from ml_agent.prompts.untrusted import PromptText, neutral
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate
from ml_agent.tools.documents.read import is_readme
from ml_agent.trajectory import Emit
from ml_agent.understanding import rank, understood

T = TypeVar("T")
_GONE = (ModelError, EndpointSettingError, BudgetExceededError)
_MOST_RANKED = 12
_MOST_TREE = 80
_README_LINES = 120
FAILED = "It was run, and said:"
WISH = "Mend it, or answer otherwise; or dispute it."
ANOTHER = neutral("Noted. Give another answer as well, one that does it in another way.")


@dataclass(frozen=True)
class ModelOptions:
    """What the model may do beside reading, and who goes on without it."""

    environment: TaskEnvironment | None = None
    """Where there is a sandbox."""
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
        """What is read without a model, and where no repository is named, what the model knows of the task."""
        request = understood(instruction, given)
        return (
            request if request.repository else self._asked("understand", lambda: self._with_keywords(request), request)
        )

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates that the model takes, in its order, then the others."""
        ranked = rank(request.instruction, candidates)
        return ranked if len(ranked) < 2 else self._asked("rank", lambda: self._ordered(request, ranked), ranked)

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether the repository can do the task; a folder or repository that the user names is not in question."""
        index = workspace.index
        callable_things = len(index.signatures) + len(index.api.objects)
        found = Assessment(
            possible=True,
            reason=f"{len(index.signatures)} entry points, {len(index.api.objects)} classes and functions",
        )
        if request.repository or workspace.path_given:
            return found
        if not callable_things:
            return Assessment(possible=False, reason="no entry point and no code that could be called was found")
        return self._asked("plan", lambda: self._judged(request, workspace, found), found)

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """The model's answers as long as it has others. Raises Rejected where it finds that the repository cannot do the task."""
        draft = self._begun(request, workspace)
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

    def review(
        self, request: Request, workspace: Workspace, draft: Draft, report: PromptText, review: Review
    ) -> Draft | None:
        """The draft with what its author says of its result, or another one; None where nobody can be asked.

        Raises Rejected where the model finds that the repository cannot do it.
        """
        thread = draft.thread
        if thread is None:
            return None
        return self._answered(request, workspace, lambda talk: talk.go_on(thread.with_result(report), draft, review))

    def _begun(self, request: Request, workspace: Workspace) -> Draft | None:
        """The first answer of a new conversation."""
        return self._answered(request, workspace, lambda talk: talk.go_on(talk.opened()))

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

    def _asked(self, phase: str, think: Callable[[], T], otherwise: T) -> T:
        """The model's decision; what our own reading says where it has none that can be used, or where it is gone."""
        if self._stand_in is not None:
            return otherwise
        try:
            return think()
        except ModelAnswerError:
            return otherwise  # the trajectory has its reply; nothing that it decides is lost
        except _GONE as error:
            self._gone(phase, error)
            return otherwise

    def _gone(self, phase: str, error: ModelError | EndpointSettingError | BudgetExceededError) -> None:
        """From now on without the model, where the user asked for that; else its error ends the run."""
        if self._options.stand_in is None or (
            isinstance(error, BudgetExceededError) and error.what not in MODEL_LIMITS
        ):
            raise error
        self._emit("stand-in", phase=phase, reason=str(error))
        self._stand_in = self._options.stand_in()

    def _with_keywords(self, request: Request) -> Request:
        texts = render("understand", instruction=request.instruction)
        prompt = Prompt(
            phase="understand",
            system=texts["system"],
            sections=(Section(name="task", text=texts["task"]),),
            question=texts["question"],
        )
        said = self._client.decide(prompt, [functions.understood()], max_output_tokens=160).arguments
        queries = [*said["libraries"], *said["queries"]]
        return msgspec.structs.replace(
            request,
            keywords=_distinct([*request.keywords, *said["libraries"], said["model"]]),
            queries=_interleave(request.queries, [query for query in queries if query.strip()]),
        )

    def _ordered(self, request: Request, ranked: Sequence[Candidate]) -> list[Candidate]:
        looked_at = ranked[:_MOST_RANKED]
        texts = render("rank", instruction=request.instruction, candidates=looked_at)
        sections = (
            Section(name="candidates", text=texts["candidates"], rank=1),
            Section(name="task", text=texts["task"]),
        )
        prompt = Prompt(phase="rank", system=texts["system"], sections=sections, question=texts["question"])
        call = self._client.decide(prompt, [functions.ranking(len(looked_at))], max_output_tokens=60)
        first = [looked_at[number - 1] for number in dict.fromkeys(call.arguments["best_first"])]
        return [*first, *(candidate for candidate in ranked if candidate not in first)]

    def _judged(self, request: Request, workspace: Workspace, found: Assessment) -> Assessment:
        readmes = sorted(filter(is_readme, workspace.index.files), key=lambda path: (path.count("/"), path))
        if not readmes:
            return found
        call = self._client.decide(
            _plan_prompt(request, workspace, readmes[0]), [functions.assessment()], max_output_tokens=160
        )
        return Assessment(possible=call.arguments["possible"], reason=call.arguments["reason"])


def _key(request: Request, workspace: Workspace) -> tuple[str, str]:
    return (request.instruction, f"{workspace.index.root} {workspace.index.version} {workspace.path}")


def _plan_prompt(request: Request, workspace: Workspace, readme: str) -> Prompt:
    index, candidate = workspace.index, workspace.candidate
    passages = [passage.text for passage in index.passages if passage.path == readme]
    tree = sorted({path.split("/")[0] + ("/" if "/" in path else "") for path in index.files})
    texts = render(
        "plan",
        name=candidate.full_name,
        description=candidate.description,
        tree=tree[:_MOST_TREE],
        readme_path=readme,
        readme_text="\n".join("\n".join(passages).splitlines()[:_README_LINES]),
        instruction=request.instruction,
    )
    sections = (
        Section(name="repository", text=texts["repository"], rank=1),
        Section(name="readme", text=texts["readme"], rank=3),
        Section(name="task", text=texts["task"]),
    )
    return Prompt(phase="plan", system=texts["system"], sections=sections, question=texts["question"], limit=1200)


def _distinct(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word.strip()))


def _interleave(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Both in turns, so that neither crowds the other out of a search that takes the first few."""
    longest = max(len(one), len(other))
    pairs = ((*one[i : i + 1], *other[i : i + 1]) for i in range(longest))
    return _distinct([word for pair in pairs for word in pair])
