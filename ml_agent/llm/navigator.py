"""The navigator that thinks with a model: the grounded navigator's evidence, the model's decisions.

Whatever the model fails at, the grounded navigator decides; the trajectory then says so.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from ml_agent.errors import BudgetExceededError
from ml_agent.llm.assembly import Prompt, Section
from ml_agent.llm.client import ModelClient, silent
from ml_agent.llm.errors import EndpointError, ModelAnswerError
from ml_agent.llm.writing import Writer
from ml_agent.navigator import Assessment, Evidence, Given, Navigator, Step, Workspace
from ml_agent.request import Request
from ml_agent.trajectory import Emit
from prompts import functions
from prompts.render import render
from tools.candidates import Candidate

T = TypeVar("T")
MODEL_LIMITS = frozenset({"tokens", "usd", "calls"})
"""Limits that end the model's part and not the run: the grounded navigator spends none of them."""
_PATIENCE = 2
"""After so many failures of the endpoint in a row the model is not asked again in this run."""
_MOST_RANKED = 12
_MOST_READMES = 24
_MOST_TREE = 80
_README_LINES = 120


class LlmNavigator:
    """Decides by function calling; safe to share between threads as far as its parts are."""

    name = "llm"

    def __init__(self, client: ModelClient, grounded: Navigator, emit: Emit = silent) -> None:
        self._client, self._grounded, self._emit = client, grounded, emit
        self._writer = Writer(client, grounded, emit)
        self._failures = 0

    def understand(self, instruction: str, given: Given) -> Request:
        """What the grounded navigator reads, and where no repository is named, what the model knows of the task."""
        request = self._grounded.understand(instruction, given)
        if request.repository:
            return request
        return self._or_grounded("understand", lambda: self._known(request), lambda: request)

    def rank(self, request: Request, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates that the model takes, in its order, then the others."""
        ranked = self._grounded.rank(request, candidates)
        if len(ranked) < 2:
            return ranked
        return self._or_grounded("rank", lambda: self._chosen(request, ranked), lambda: ranked)

    def assess(self, request: Request, workspace: Workspace) -> Assessment:
        """Whether the repository can do the task; a folder or repository that the user names is not in question."""
        grounded = self._grounded.assess(request, workspace)
        if request.repository or workspace.path_given or not grounded.possible:
            return grounded
        return self._or_grounded("plan", lambda: self._judged(request, workspace, grounded), lambda: grounded)

    def write(self, request: Request, workspace: Workspace, evidence: Evidence) -> Step:
        """The next step; the grounded answer stands in where the model has none."""
        return self._or_grounded(
            "generate",
            lambda: self._writer.write(request, workspace, evidence),
            lambda: self._grounded.write(request, workspace, evidence),
        )

    def _or_grounded(self, phase: str, think: Callable[[], T], grounded: Callable[[], T]) -> T:
        """The model's decision, or the grounded one where it fails or may spend no more."""
        if self._failures >= _PATIENCE:
            return grounded()
        try:
            decision = think()
        except (ModelAnswerError, EndpointError) as error:
            self._failures += isinstance(error, EndpointError)
            self._emit("stand-in", phase=phase, reason=str(error))
            return grounded()
        except BudgetExceededError as error:
            if error.what not in MODEL_LIMITS:
                raise
            self._emit("stand-in", phase=phase, reason=str(error))
            return grounded()
        self._failures = 0
        return decision

    def _known(self, request: Request) -> Request:
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
            task=said["task"],
            model=said["model"],
            dataset=said["dataset"],
            keywords=_distinct([*request.keywords, *said["libraries"], said["model"]]),
            queries=_interleaved(request.queries, [query for query in queries if query.strip()]),
        )

    def _chosen(self, request: Request, ranked: Sequence[Candidate]) -> list[Candidate]:
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

    def _judged(self, request: Request, workspace: Workspace, grounded: Assessment) -> Assessment:
        readmes = grounded.readmes[:_MOST_READMES]
        if not readmes:
            return grounded
        prompt = _plan_prompt(request, workspace, readmes)
        call = self._client.decide(prompt, [functions.assessment(readmes)], max_output_tokens=160)
        order = _distinct([*call.arguments["readmes"], *grounded.readmes])
        return Assessment(possible=call.arguments["possible"], reason=call.arguments["reason"], readmes=order)


def _plan_prompt(request: Request, workspace: Workspace, readmes: Sequence[str]) -> Prompt:
    index, candidate = workspace.index, workspace.candidate
    passages = [passage.text for passage in index.passages if passage.path == readmes[0]]
    tree = sorted({path.split("/")[0] + ("/" if "/" in path else "") for path in index.files})
    texts = render(
        "plan",
        name=candidate.full_name,
        description=candidate.description,
        tree=tree[:_MOST_TREE],
        readme_path=readmes[0],
        readme_text="\n".join("\n".join(passages).splitlines()[:_README_LINES]),
        readmes=readmes,
        instruction=request.instruction,
    )
    sections = (
        Section(name="repository", text=texts["repository"], rank=1),
        Section(name="readme", text=texts["readme"], rank=3),
        Section(name="readmes", text=texts["readmes"], rank=2),
        Section(name="task", text=texts["task"]),
    )
    return Prompt(phase="plan", system=texts["system"], sections=sections, question=texts["question"], limit=1200)


def _distinct(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word.strip()))


def _interleaved(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Both in turns, so that neither crowds the other out of a search that takes the first few."""
    longest = max(len(one), len(other))
    pairs = ((*one[i : i + 1], *other[i : i + 1]) for i in range(longest))
    return _distinct([word for pair in pairs for word in pair])
