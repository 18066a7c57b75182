"""The navigator that thinks with a model: the grounded navigator's evidence, the model's decisions.

Whatever the model fails at, the grounded navigator decides; the trajectory then says so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeVar

import msgspec

from ml_agent.delivery.expectation import Expectation, kind_of
from ml_agent.draft import Draft, stands_by
from ml_agent.errors import BudgetExceededError
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.briefing import open_thread
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.errors import EndpointError, EndpointSettingError, ModelAnswerError
from ml_agent.llm.form import Form
from ml_agent.llm.loop import Conversation, ConversationTask, Stopped
from ml_agent.llm.profile import Profile, profile_of
from ml_agent.llm.toolbox import Look, Toolbox
from ml_agent.navigator import Assessment, Given, Navigator, Problem, Workspace
from ml_agent.prompts import functions
from ml_agent.prompts.render import render
from ml_agent.prompts.untrusted import PromptText, neutral
from ml_agent.proof import examine
from ml_agent.request import Request
from ml_agent.tools.candidates import Candidate
from ml_agent.trajectory import Emit

T = TypeVar("T")
MODEL_LIMITS = frozenset({"tokens", "usd", "calls"})
"""Limits that end the model's part and not the run: the grounded navigator spends none of them."""
_PATIENCE = 2
"""After so many failures of the endpoint in a row the model is not asked again in this run."""
_MOST_RANKED = 12
_MOST_TREE = 80
_README_LINES = 120


_GUESSES = 6
"""Grounded drafts that help to find the likeliest entry points."""
FAILED = "It was run, and said:"
WISH = "Mend it, or answer otherwise; or dispute it."
ANOTHER = neutral("Noted. Give another answer as well, one that does it in another way.")


@dataclass(frozen=True)
class ModelOptions:
    """How to work with the model, and what it may look at beside the files."""

    profile: Literal["auto", "tools", "form"] = "auto"
    look: Look | None = None
    """A look around in the sandbox, where there is one."""
    fallback: bool = True
    """Whether the run goes on without a model that never answered."""


class LlmNavigator:
    """Decides by function calling; safe to share between threads as far as its parts are."""

    name = "llm"

    def __init__(
        self, client: ModelClient, grounded: Navigator, emit: Emit = silent, how: ModelOptions | None = None
    ) -> None:
        self._client, self._grounded, self._emit = client, grounded, emit
        self._how = how or ModelOptions()
        self._failures = 0
        self._forms: dict[tuple[str, str], list[Draft]] = {}
        """What the form brought, by task."""
        self._over: set[tuple[str, str]] = set()
        """Tasks whose conversation has ended: nothing more comes of asking again."""

    def understand(self, instruction: str, given: Given) -> Request:
        """What the grounded navigator reads, and where no repository is named, what the model knows of the task."""
        request = self._grounded.understand(instruction, given)
        if request.repository:
            return request
        return self._or_grounded("understand", lambda: self._add_keywords(request), lambda: request)

    def expects(self, request: Request) -> tuple[Expectation, ...]:
        """The results that the model finds named in the request; only what stands there is taken."""
        paths = self._or_grounded("understand", lambda: self._results(request), lambda: ())
        named = dict.fromkeys(path.strip() for path in paths if path.strip() and path.strip() in request.instruction)
        return tuple(Expectation(path=path.rstrip("/"), kind=kind_of(path), source="model") for path in named)

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates that the model takes, in its order, then the others."""
        ranked = self._grounded.rank(request, candidates)
        if len(ranked) < 2:
            return ranked
        return self._or_grounded("rank", lambda: self._order(request, ranked), lambda: ranked)

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether the repository can do the task; a folder or repository that the user names is not in question."""
        grounded = self._grounded.assess(request, workspace)
        if request.repository or workspace.path_given:
            return msgspec.structs.replace(grounded, possible=True, foreign=False)
        if not grounded.possible:
            return grounded
        return self._or_grounded("plan", lambda: self._judge(request, workspace, grounded), lambda: grounded)

    def drafts(self, request: Request, workspace: Workspace) -> Iterator[Draft]:
        """The model's answers as long as it has others, then the grounded ones."""
        profile = self._or_grounded("probe", self._profile, lambda: "grounded")
        if profile == "form":
            yield from self._filled_drafts(request, workspace)
        draft = self._begin(request, workspace) if profile == "tools" else None
        while draft is not None:
            yield draft
            other = self._gone_on(request, workspace, draft, ANOTHER) if draft.sound else None
            draft = other if other is not None and other.text != draft.text else None
        yield from self._grounded.drafts(request, workspace)

    def revise(self, request: Request, workspace: Workspace, draft: Draft, problem: Problem) -> Draft | None:
        """What the model makes of the problem in the same conversation; of a grounded draft what the rules make of it.

        Whoever stands by what the check refused and no run bore out has nothing more to say.
        """
        if draft.thread is None:
            return self._grounded.revise(request, workspace, draft, problem)
        lines = problem.error_lines
        message = neutral("\n".join([problem.text, *([FAILED, *lines] if lines else []), WISH]))
        mended = self._gone_on(request, workspace, draft, message)
        if mended is not None and mended.text == draft.text and not (draft.sound and stands_by(mended, draft)):
            self._over.add(self._key(request, workspace))
            return None
        return mended

    def _begin(self, request: Request, workspace: Workspace) -> Draft | None:
        """The first answer of a new conversation; None where the model is not up to one, or has none."""
        if self._key(request, workspace) in self._over:
            return None

        def think() -> Draft | None:
            first = list(islice(self._grounded.drafts(request, workspace), _GUESSES))
            shown = [*(examine(draft, request, workspace) for draft in first[:1]), *first[1:]]
            return self._conversation(request, workspace).go_on(open_thread(request, workspace, shown))

        return self._answer(request, workspace, think)

    def _filled_drafts(self, request: Request, workspace: Workspace) -> list[Draft]:
        """The calls that a model filled in, and the grounded drafts among them, best first; none where the model fails."""
        key = self._key(request, workspace)
        if key not in self._forms:
            first = list(islice(self._grounded.drafts(request, workspace), _GUESSES))
            form = Form(self._client, ConversationTask(request=request, workspace=workspace), self._emit)
            self._forms[key] = self._or_grounded("generate", lambda: form.answers(first), list)
        return self._forms[key]

    def _gone_on(self, request: Request, workspace: Workspace, draft: Draft, message: PromptText) -> Draft | None:
        """The next answer in the conversation that `draft` came of."""
        thread = draft.thread
        if thread is None or self._key(request, workspace) in self._over:
            return None

        def think() -> Draft | None:
            return self._conversation(request, workspace).go_on(thread.with_result(message), draft)

        return self._answer(request, workspace, think)

    def _answer(self, request: Request, workspace: Workspace, think: Callable[[], Draft | None]) -> Draft | None:
        draft: Draft | None = None
        try:
            draft = self._or_grounded("generate", think, lambda: None)
        except Stopped as reason:
            self._emit("stand-in", phase="generate", reason=str(reason))
        if draft is None or not (draft.sound or draft.disputes):
            self._over.add(self._key(request, workspace))
        return draft

    def _conversation(self, request: Request, workspace: Workspace) -> Conversation:
        toolbox = Toolbox(workspace, request.instruction, self._how.look)
        return Conversation(self._client, ConversationTask(request=request, workspace=workspace), toolbox, self._emit)

    def _profile(self) -> Profile | Literal["grounded"]:
        return profile_of(self._client) if self._how.profile == "auto" else self._how.profile

    @staticmethod
    def _key(request: Request, workspace: Workspace) -> tuple[str, str]:
        return (request.instruction, f"{workspace.index.root} {workspace.index.version} {workspace.path}")

    def _or_grounded(self, phase: str, think: Callable[[], T], grounded: Callable[[], T]) -> T:
        """The model's decision, or the grounded one where it fails or may spend no more."""
        if self._failures >= _PATIENCE:
            return grounded()
        try:
            decision = think()
        except (ModelAnswerError, EndpointError, EndpointSettingError) as error:
            ends = isinstance(error, EndpointSettingError) or not (
                isinstance(error, ModelAnswerError) or self._client.answered
            )
            if ends and not self._how.fallback:
                raise type(error)(f"{error}; --fallback grounded goes on without a model") from error
            self._failures += not isinstance(error, ModelAnswerError)
            self._emit("stand-in", phase=phase, reason=str(error))
            return grounded()
        except BudgetExceededError as error:
            if error.what not in MODEL_LIMITS:
                raise
            self._emit("stand-in", phase=phase, reason=str(error))
            return grounded()
        self._failures = 0
        return decision

    def _results(self, request: Request) -> tuple[str, ...]:
        texts = render("outputs", instruction=request.instruction)
        prompt = Prompt(
            phase="understand",
            system=texts["system"],
            sections=(Section(name="task", text=texts["task"]),),
            question=texts["question"],
        )
        return tuple(self._client.decide(prompt, [functions.outputs()], max_output_tokens=120).arguments["paths"])

    def _add_keywords(self, request: Request) -> Request:
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

    def _order(self, request: Request, ranked: Sequence[Candidate]) -> list[Candidate]:
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

    def _judge(self, request: Request, workspace: Workspace, grounded: Assessment) -> Assessment:
        if not grounded.readmes:
            return grounded
        prompt = _plan_prompt(request, workspace, grounded.readmes[0])
        call = self._client.decide(prompt, [functions.assessment()], max_output_tokens=160)
        return msgspec.structs.replace(grounded, possible=call.arguments["possible"], reason=call.arguments["reason"])


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
