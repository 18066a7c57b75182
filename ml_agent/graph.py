"""The way from a sentence to a command that is seen to work, as a graph of LangGraph.

The eight nodes come first, in running order (`understand` to `diagnose`); each returns what it changes of the state, and the node that
is next. Behind them stand what they share and, last, `build`, which wires them. What they work with is in `Services`.
"""

import posixpath
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import msgspec
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from ml_agent import wording
from ml_agent.account import with_rows_seen
from ml_agent.answer_gate import is_refused, refusals
from ml_agent.conversation.outcome import Reviewer, Seen, concluded, report_of, review_of
from ml_agent.conversation.verdict import examine, next_draft, problem_of, told_in, tried_before, verdict
from ml_agent.delivery.expected import expectations, said_before, with_answer
from ml_agent.delivery.judge import missing_text
from ml_agent.draft import CHOSEN, Attempt, Draft, Rejected
from ml_agent.endings import Ending, bounded, is_reached, level_asked
from ml_agent.errors import BudgetExceededError, UsageError
from ml_agent.execution import FileExpectations, Outcome, told_of
from ml_agent.finder import CANDIDATES
from ml_agent.inputs import Inputs, inputs_of, kept_out, not_found, nowhere
from ml_agent.model.budget import MODEL_LIMITS
from ml_agent.named_paths import named_paths
from ml_agent.navigator import Given, Workspace
from ml_agent.phases import as_node, ended
from ml_agent.request import Request
from ml_agent.sandbox.diagnosis import Diagnosis
from ml_agent.sandbox.repair import Repair
from ml_agent.services import Services
from ml_agent.state import EVIDENCE, Plain, State, expected_of, stated_of
from ml_agent.tools.candidates import Candidate, considered
from ml_agent.tools.errors import RepositoryError, SearchError, ToolError
from ml_agent.tools.files import Tree
from ml_agent.tools.index import RepoIndex
from ml_agent.understanding import unknown_names, with_option_names
from ml_agent.unsure import different, offer, what_would_decide

MOST_LINES = 40
"""Of a failure, that a model is shown."""
ANEW = "the model saw the result and answered again"
_NONE_FOUND = "none of the repositories found can do this; name one with --repo"
_NOT_IN_NAMED = "nothing in it does this; supported are Python and shell scripts, makefiles and console scripts"


def understand(state: State, services: Services) -> Command[Literal["search"]]:
    """Keywords, and every value that must be honoured."""
    given = msgspec.convert(state["given"], Given)
    request = services.navigator.understand(state["instruction"], given)
    expected = expectations(state["instruction"], (*given.expect, *given.expect_before))
    if state.get("turn"):
        request = last_said(request, services.navigator.understand(state["turn"], given))
        expected = said_before(expected, given.expect_before, state["turn"])
    services.note("understand", wording.of_request(request, expected))
    return Command(
        update={"request": plain(request), "stated": plain(expected), "expected": plain(expected)}, goto="search"
    )


def search(state: State, services: Services) -> Command[Literal["rank", "__end__"]]:
    """Repositories that may do it, in a conversation where a model thinks; or the one that was named."""
    try:
        candidates = _searched(request_of(state), services)
    except SearchError:
        services.budget.check_time()
        raise
    services.note("search", wording.of_candidates(candidates))
    if not candidates:
        return ended(Ending.NO_REPOSITORY, "no repository was found: name one with --repo, or use other words")
    return Command(update={"candidates": plain(candidates)}, goto="rank")


def _searched(request: Request, services: Services) -> list[Candidate]:
    if services.named is not None:
        return [services.named]
    assert services.source is not None
    return services.navigator.search(request, services.source)


def rank(state: State, services: Services) -> Command[Literal["plan"]]:
    """In descending relevance; the order is remembered."""
    candidates = msgspec.convert(state["candidates"], list[Candidate])
    ranked = services.navigator.rank(request_of(state), candidates)[:CANDIDATES] if len(candidates) > 1 else candidates
    if services.named is None and len(ranked) > 1:
        chosen = services.observer.choose([considered(one) for one in ranked])
        if chosen is not None:
            ranked = [ranked[chosen], *(one for one in ranked if one is not ranked[chosen])]
    services.note("rank", wording.of_ranking(ranked, candidates))
    return Command(update={"candidates": plain(ranked), "position": 0}, goto="plan")


def plan(state: State, services: Services) -> Command[Literal["generate", "plan", "__end__"]]:
    """Bring the candidate in turn, index it, and decide whether it can do the task."""
    if state["position"] >= len(state["candidates"]):
        services.note("plan", "no other repository is left to try")
        return without_candidates(state)
    candidate = msgspec.convert(state["candidates"][state["position"]], Candidate)
    if not services.budget.may_try_repository() and candidate.full_name not in state.get("rejected", []):
        return Command(update={"position": state["position"] + 1}, goto="plan")
    try:
        checkout = services.workspaces.checkout(candidate)
    except RepositoryError as error:
        services.budget.check_time()
        if state["given"].get("repository"):
            raise
        services.note("plan", f"{candidate.full_name}: {error}")
        return Command(update=left_for(state, str(error)), goto="plan")
    second_look = candidate.full_name in state.get("rejected", [])
    if not second_look:
        services.budget.spend_repository()
    repository: Plain = {"root": str(checkout.root), "version": checkout.version, "url": checkout.url}
    if services.changed_from and checkout.local:
        repository["changed_from"] = services.changed_from
    candidate = msgspec.structs.replace(candidate, url=checkout.url)  # as all later steps know it
    workspace = services.workspaces.open(
        candidate, checkout.root, checkout.version, msgspec.convert(state["given"], Given)
    )
    request = request_by_options(state, workspace)
    assessment = services.navigator.assess(request, workspace)
    reason = f"{assessment.reason} ({checkout.note})" if checkout.note else assessment.reason
    changed = f" (changed: the run began at {services.changed_from[:12]})" if "changed_from" in repository else ""
    repository["licence"] = candidate.licence or licence_of(workspace.index)
    outputs = {posixpath.normpath(one.path) for one in stated_of(state) if one.path}
    if absent := not_found(state["instruction"], workspace.index, Path.cwd(), outputs):
        repository["not_found"] = absent
    lacking = "".join(f"\ninput: {wording.not_found(path)}" for path in absent)
    services.note("plan", f"{candidate.full_name} at {checkout.version[:12]}{changed}: {reason}{lacking}")
    if not assessment.possible and not second_look and not state["given"].get("repository"):
        return Command(update=reject(state, assessment.reason), goto="plan")
    made = {one.path for one in stated_of(state)}
    found = nowhere(state["instruction"], msgspec.convert(state["given"], Given).arguments, workspace.index)
    lost = [path for path in found if path not in made]
    if lost and services.shows_inputs and not state.get("turn"):
        raise UsageError(
            f"the file {lost[0]}, which the task names, does not exist: correct the path (nothing was installed or run)"
        )
    if services.executor is not None:
        services.executor.begin(workspace)
    learned = tuple(f"{one['name']}: {one['why']}" for one in state.get("left", []))
    request = msgspec.structs.replace(request, learned=learned)
    attempts, repairs = continued(state)
    fresh: Plain = {"attempts": plain(attempts), "repairs": repairs, "request": plain(request)}
    return Command(update={"repository": repository, "workdir": workspace.path, **fresh}, goto="generate")


def last_said(request: Request, said: Request) -> Request:
    """The request of a continued run: only what the user said last must be in the answer, it may take back what was said before."""
    now = {value.value for value in said.values}
    values = [
        value if value.value in now else msgspec.structs.replace(value, required=False) for value in request.values
    ]
    return msgspec.structs.replace(request, values=tuple(values))


def continued(state: State) -> tuple[list[Attempt], list[Plain]]:
    """What was tried and done on a repository before it is read: in a continued run its author is told what the user says."""
    if not state.get("turn"):
        return [], []
    draft = msgspec.convert(state["draft"], Draft)
    repairs = state.get("repairs", [])
    if draft.thread is None:
        return [], repairs
    thread = msgspec.structs.replace(draft.thread, begun=len(draft.thread.turns), refused=0, told=frozenset())
    draft = msgspec.structs.replace(draft, thread=thread, disputes=(), conclusion=None)
    told = f"The user has seen what came out and says:\n{state['turn']}\nAnswer anew, whole: it runs in the same environment, from a clean repository."
    return [Attempt(draft=draft, problem=f"the user says: {state['turn']}", report=told)], repairs


def request_by_options(state: State, workspace: Workspace) -> Request:
    """The request with the names of given values as the repository has them.

    Raises UsageError where the user named the repository, and a value by a name that nothing in it has.
    """
    request, given = request_of(state), msgspec.convert(state["given"], Given)
    wrong = unknown_names([name for name, _ in given.arguments], workspace.index)
    if wrong and given.repository:
        raise UsageError(wrong)
    if not given.arguments:
        return request
    return msgspec.structs.replace(request, values=with_option_names(request.values, workspace.index))


def generate(state: State, services: Services) -> Command[Literal["check", "diagnose", "plan", "__end__"]]:
    """Write a command or code, mend the last one where something speaks against it, or look at what came of it."""
    if state.get("review") and isinstance(services.navigator, Reviewer):
        return review(state, services, services.navigator)
    attempts = attempts_of(state)
    if len(attempts) >= services.settings.max_attempts:
        services.note("generate", f"{len(attempts)} answers were tried (--max-attempts)")
        return give_up_candidate(state, services)
    try:
        draft = next_draft(services.navigator, request_of(state), workspace_of(state, services), attempts)
    except Rejected as reason:
        services.note("generate", str(reason))
        return give_up_candidate({**state, "rejection": str(reason)}, services)
    if draft is None:
        services.note("generate", "nothing else in this repository to try")
        return give_up_candidate(state, services)
    if tried_before(draft, attempts) is not None:
        services.note("generate", f"the answer was kept; the model says: {draft.disputes[-1].why}")
        return stood_by(state, services, draft, attempts[-1].problem)
    if not attempts and draft.level == "unsure":
        request, workspace = request_of(state), workspace_of(state, services)
        drafts = services.navigator.drafts(request, workspace)
        offered = different(one for one in drafts if not refusals(one, request, workspace.index))
        if offered and all(one.level == "unsure" for one in offered):
            chosen = services.observer.choose([offer(one, workspace.index) for one in offered])
            if chosen is None:
                return unsure(state, services, [offer(one, workspace.index) for one in offered])
            draft = msgspec.structs.replace(offered[chosen], source=CHOSEN)
    services.trajectory.emit("draft", draft=plain(msgspec.structs.replace(draft, thread=None)))
    services.note("generate", wording.of_draft(draft))
    tried = [plain(without_thread(one)) for one in attempts]
    repairs = [*state["repairs"], *(one for one in plain(draft.set_up) if one not in state["repairs"])]
    return Command(update={"draft": plain(draft), "attempts": tried, "repairs": repairs}, goto="check")


def unsure(state: State, services: Services, found: list[Plain]) -> Command[Any]:
    """Offer several answers where the repository was named; else see whether another repository has a likelier one."""
    offered = state.get("offered") or found
    services.note("generate", "no answer is likely enough to be what you asked for")
    if not state["given"].get("repository"):
        return Command(update={**left_for(state, "no answer is likely enough"), "offered": offered}, goto="plan")
    return ended(Ending.UNSURE, f"no answer is likely enough; {what_would_decide(offered)}", offered=offered)


def check(state: State, services: Services) -> Command[Literal["execute", "generate", "__end__"]]:
    """Prove the draft against signatures, files, imports and ledger; no token, no container."""
    workspace = workspace_of(state, services)
    earlier = next((attempt.draft for attempt in attempts_of(state) if attempt.draft.sound), None)
    draft = examine(msgspec.convert(state["draft"], Draft), request_of(state), workspace, earlier)
    decision = verdict(draft, told=told_in(draft))
    if decision == "refused" or (decision == "disputed" and services.executor is None):
        problem = problem_of(draft)
        services.note("check", problem)
        best = state.get("best") if is_refused(draft) else better(state, draft, "none")
        tried = Attempt(draft=draft, problem=problem)
        return Command(update={"attempts": [*state["attempts"], plain(tried)], "best": best}, goto="generate")
    expected = with_answer(stated_of(state), draft.outputs)
    inputs = inputs_for(state, workspace, draft, services)
    made = {one.path for one in expected}
    lacking = wording.of_inputs([path for path in inputs.absent if path not in made], inputs.refused)
    services.note("check", wording.of_check(draft, state["instruction"], lacking))
    best = better(state, draft, "checked" if draft.sound else "none")
    update = {"draft": plain(draft), "best": best, "expected": plain(expected)}
    if services.settings.run == "none":
        ending, message = bounded(Ending.CHECKED, "not run; its files and options exist", draft)
        return ended(ending, message, **update)
    if services.executor is None:
        return ended(Ending.NOT_REACHED, f"not run, only checked: {services.no_executor}", **update)
    return Command(update=update, goto="execute")


def execute(state: State, services: Services) -> Command[Literal["diagnose", "generate", "__end__"]]:
    """Set up what the repository asks for and run the draft in the sandbox."""
    if services.executor is None:
        return ended(Ending.NOT_REACHED, services.no_executor)
    workspace = workspace_of(state, services)
    draft = msgspec.convert(state["draft"], Draft)
    expected = expected_of(state)
    taken = inputs_for(state, workspace, draft, services).taken
    wanted = FileExpectations(expected=expected, inputs=taken, folder=Path.cwd(), instruction=state["instruction"])
    outcome = services.executor.run(workspace, draft, msgspec.convert(state["repairs"], list[Repair]), wanted)
    draft = with_rows_seen(draft, state["instruction"], outcome.judgements)
    unproven = not draft.sound and outcome.evidence == "checked"
    best = better(state, draft, "none" if unproven else outcome.evidence, outcome)
    services.note("execute", told_of(outcome))
    over = services.budget.time_over() if outcome.response.ended == "timeout" else None
    if over is not None:
        return ended(Ending.BUDGET, str(over), outcome=plain(outcome), best=best)
    if outcome.response.ok and draft.thread is not None and isinstance(services.navigator, Reviewer):
        update = {"outcome": plain(outcome), "best": best, "draft": plain(draft), "review": True}
        return Command(update=update, goto="generate")
    if is_reached(level_asked(services.settings.run, expected), outcome.evidence, outcome.judgements):
        ending, message = bounded(Ending.named(outcome.evidence), outcome.summary, draft)
        return ended(ending, message, outcome=plain(outcome), best=best)
    return Command(update={"outcome": plain(outcome), "best": best}, goto="diagnose")


def review(state: State, services: Services, navigator: Reviewer) -> Command[Any]:
    """The author sees what came of the answer: it is done, or goes on with another one."""
    draft, outcome = msgspec.convert(state["draft"], Draft), msgspec.convert(state["outcome"], Outcome)
    request, workspace, note = request_of(state), workspace_of(state, services), ""
    asked: Draft | None = None
    seen = Seen(report_of(outcome), outcome.pictures)
    try:
        asked = navigator.review(request, workspace, draft, seen, review_of(outcome))
    except Rejected as reason:
        note = f"the model says that it does not do the task: {reason}"
    except BudgetExceededError as error:
        if error.what not in MODEL_LIMITS:
            raise
        note = f"the model did not look at the result: {error}"
    if asked is None or tried_before(asked, [*attempts_of(state), Attempt(draft=draft)]) is not None:
        speaks = asked is not None and (asked.conclusion is not None or len(asked.disputes) > len(draft.disputes))
        said = asked if asked is not None and speaks else draft
        return end_reviewed(state, services, said, concluded(outcome, said, said.disputes[len(draft.disputes) :], note))
    attempts = [*state["attempts"], plain(Attempt(draft=without_conversation(draft), problem=ANEW))]
    if len(attempts) >= services.settings.max_attempts:
        return end_reviewed(state, services, draft, concluded(outcome, draft, (), f"{ANEW}, after the last attempt"))
    best = {**state["best"], "evidence": min(state["best"]["evidence"], "completed", key=EVIDENCE.index)}
    services.note("generate", f"{ANEW}\n{wording.of_draft(asked)}")
    services.trajectory.emit("draft", draft=plain(without_conversation(asked)))
    repairs = [*state["repairs"], *(one for one in plain(asked.set_up) if one not in state["repairs"])]
    update = {"draft": plain(asked), "attempts": attempts, "repairs": repairs, "review": False, "best": best}
    return Command(update=update, goto="check")


def end_reviewed(state: State, services: Services, draft: Draft, outcome: Outcome) -> Command[Any]:
    """The end of a run whose author has seen the result: as far as our code saw it, with what is disputed and doubted."""
    best = better(state, draft, outcome.evidence, outcome)
    disputed = [f"disputed: {one.said}: {one.why}" for one in outcome.judgements if one.verdict == "disputed"]
    message = "; ".join([outcome.summary, *disputed])
    services.note("generate", "\n".join([outcome.told or "the model is done", *(one.doubt for one in outcome.doubts)]))
    update = {"outcome": plain(outcome), "best": best, "draft": plain(draft), "review": False}
    if is_reached(level_asked(services.settings.run, expected_of(state)), outcome.evidence, outcome.judgements):
        ending, message = bounded(Ending.named(outcome.evidence), message, draft)
        return ended(ending, message, **update)
    if draft.conclusion is None and not draft.disputes:  # nobody speaks to it: rules may mend it
        return Command(update=update, goto="diagnose")
    missing = missing_text(outcome.judgements, outcome.made, outcome.response.stdout)
    problem = "\n".join(line for line in (outcome.shortfall, missing) if line) or message
    problem += f"; the model disputes that: {draft.disputes[-1].why}" if draft.disputes else ""
    return ended(Ending.NOT_REACHED if outcome.shortfall else Ending.NOT_DELIVERED, problem, **update)


def diagnose(state: State, services: Services) -> Command[Literal["execute", "generate", "plan", "__end__"]]:
    """What kind of failure it is: set up again, write again, or stop."""
    if services.executor is None:
        return ended(Ending.NOT_REACHED, services.no_executor)
    outcome = msgspec.convert(state["outcome"], Outcome)
    repairs = msgspec.convert(state["repairs"], list[Repair])
    workspace, draft = workspace_of(state, services), msgspec.convert(state["draft"], Draft)
    if outcome.response.ok:
        return not_delivered(state, services, outcome)
    diagnosis = services.executor.diagnose(workspace, draft, outcome, repairs)
    services.note("diagnose", f"{diagnosis.code}: {diagnosis.message}")
    services.trajectory.emit("diagnosis", **plain(diagnosis))
    if (update := mend(state, services, diagnosis, draft)) is not None:
        return Command(update=update, goto="execute")
    can_mend = draft.thread is not None and diagnosis.category == "environment"  # a model may install
    problem = f"{diagnosis.code}: {diagnosis.message}"
    if not can_mend and diagnosis.category == "environment":
        return failed_in(state, services, Ending.NOT_REACHED, problem)
    if not can_mend and diagnosis.category not in ("arguments", "code", "data"):
        return ended(Ending.NOT_REACHED, problem)
    best = state["best"]
    if diagnosis.category == "data":
        if _missed_before(diagnosis, state):
            return ended(Ending.NOT_REACHED, problem)
        best = {**best, "lacks_data": True}
    trouble = services.executor.trouble(workspace) if can_mend else ()
    lines = (*trouble, *outcome.response.error_lines)[-MOST_LINES:]
    told = msgspec.structs.replace(outcome, response=msgspec.structs.replace(outcome.response, error_lines=lines))
    before = [f"repaired before that: {one.why or one.kind}" for one in repairs if one not in draft.set_up]
    about = services.executor.about(workspace) if draft.thread is not None else ()
    report = report_of(told, [problem, *before], about) if draft.thread is not None else ""
    tried = Attempt(draft=draft, problem=problem, error_lines=lines, report=report)
    return Command(update={"attempts": [*state["attempts"], plain(tried)], "best": best}, goto="generate")


def mend(state: State, services: Services, diagnosis: Diagnosis, draft: Draft) -> Plain | None:
    """The repairs with the next one by rules; None where there is none."""
    assert services.executor is not None
    repairs = msgspec.convert(state["repairs"], list[Repair])
    if len(repairs) >= services.settings.max_repairs:
        return None
    repair = services.executor.repair(workspace_of(state, services), draft, diagnosis, repairs)
    return {"repairs": plain([*repairs, repair])} if repair is not None else None


def not_delivered(state: State, services: Services, outcome: Outcome) -> Command[Any]:
    """It ran, and something that should come out did not: it is written anew."""
    missing = missing_text(outcome.judgements, outcome.made, outcome.response.stdout)
    problem = "\n".join(line for line in (outcome.shortfall, missing) if line)
    services.note("diagnose", problem)
    tried = Attempt(draft=msgspec.convert(state["draft"], Draft), problem=problem)
    update = {"attempts": [*state["attempts"], plain(tried)]}
    if len(update["attempts"]) >= services.settings.max_attempts or not problem:
        ending = Ending.NOT_REACHED if outcome.shortfall else Ending.NOT_DELIVERED
        best = state["best"]["draft"]["text"]
        own = next((one["problem"] for one in update["attempts"] if one["draft"]["text"] == best), problem)
        return ended(ending, own or outcome.summary)
    return Command(update=update, goto="generate")


def _missed_before(diagnosis: Diagnosis, state: State) -> bool:
    """Whether an earlier draft missed the same file: writing another one does not bring it."""
    name = PurePosixPath(diagnosis.subject).name
    return bool(name) and any(name in attempt.get("problem", "") for attempt in state["attempts"])


def left_for(state: State, why: str) -> Plain:
    """The next candidate in turn, with why this one was left."""
    one = {"name": state["candidates"][state["position"]]["full_name"], "why": why.splitlines()[0] if why else ""}
    return {"position": state["position"] + 1, "left": [*state.get("left", []), one]}


def reject(state: State, why: str) -> Plain:
    """A verdict from a README's head can be wrong: the candidate is looked at once more when no other is left."""
    candidate = state["candidates"][state["position"]]
    return {
        **left_for(state, why),
        "candidates": [*state["candidates"], candidate],
        "rejected": [*state.get("rejected", []), candidate["full_name"]],
    }


def failed_in(state: State, services: Services, ending: Ending, problem: str) -> Command[Any]:
    """A sound answer failed for reasons of the repository: the next candidate is tried within the budget, and the first failure remembered."""
    first = state.get("failure") or {"ending": ending.label, "message": problem}
    untried = [
        one for one in state["candidates"][state["position"] + 1 :] if one["full_name"] not in state.get("rejected", [])
    ]
    if not untried or state.get("turn") or not services.budget.may_try_repository():
        return ended(Ending.named(first["ending"]), first["message"])
    update = {**left_for(state, problem), "failure": first, "expected": state.get("stated", [])}
    return Command(update=update, goto="plan")


def give_up_candidate(state: State, services: Services) -> Command[Any]:
    """The next candidate is tried; where none is left, an answer that was sound but failed when run ends the run."""
    if (state.get("best") or {}).get("evidence", "none") != "none":
        attempts = attempts_of(state)
        failed = [attempt for attempt in attempts if attempt.draft.sound] or attempts
        own = [attempt for attempt in attempts if attempt.draft.text == state["best"]["draft"]["text"]]
        problem = (own or failed)[-1].problem if failed else ""
        ending = Ending.NOT_DELIVERED if state["best"]["evidence"] == "completed" else Ending.NOT_REACHED
        said = problem or "nothing else to try"
        return failed_in(state, services, ending, said)
    why = state.get("rejection") or "no valid answer was found"
    return Command(update={**left_for(state, why), "rejection": state.get("rejection", "")}, goto="plan")


def stood_by(state: State, services: Services, draft: Draft, problem: str) -> Command[Any]:
    """The end where the author disputes what was said of the run: the answer stays, as far as it was proven, with the dispute."""
    best = state.get("best")
    if best is None or best["evidence"] == "none":
        return give_up_candidate(state, services)
    if best["draft"]["text"].strip() == draft.text.strip():
        best = {**best, "draft": {**best["draft"], "disputes": plain(draft)["disputes"]}}
    ending = Ending.NOT_DELIVERED if best["evidence"] == "completed" else Ending.NOT_REACHED
    return ended(ending, f"{problem}; the model disputes this: {draft.disputes[-1].why}", best=best)


def without_candidates(state: State) -> Command[Any]:
    """What to say when no candidate is left."""
    best, offered = state.get("best"), state.get("offered")
    if best is not None and (first := state.get("failure")):
        return ended(Ending.named(first["ending"]), first["message"])
    if best is None and offered:
        return ended(Ending.UNSURE, f"no answer is likely enough; {what_would_decide(offered)}")
    tried = attempts_of(state) if best is None and state.get("attempts") else ()
    if tried:  # answers that may not even be shown
        return ended(Ending.NO_ANSWER, f"no working answer was found: {tried[0].problem.splitlines()[0]}")
    if best is None:
        unfound = _NOT_IN_NAMED if state["given"]["repository"] else _NONE_FOUND
        return ended(Ending.NO_REPOSITORY, state.get("rejection") or unfound)
    findings = best["draft"].get("findings") or [{"message": "it does not use a value of the request"}]
    worst = next((one for one in findings if one.get("severity") == "error"), findings[0])
    return ended(Ending.NO_ANSWER, f"no working answer was found: {worst['message']}")


def inputs_for(state: State, workspace: Workspace, draft: Draft, services: Services) -> Inputs:
    """Files of the user's that the request names: what goes in, and what is nowhere; nothing goes in where the run may show none."""
    values = [value for _, value in msgspec.convert(state["given"], Given).arguments]
    found = inputs_of(named_paths(state["instruction"], values), draft, workspace.index, Path.cwd())
    return found if services.shows_inputs else kept_out(found)


_LICENCES = {
    "MIT License": "MIT",
    "Permission is hereby granted, free of charge, to any person": "MIT",
    "Apache License": "Apache-2.0",
    "BSD 2-Clause": "BSD-2-Clause",
    "BSD 3-Clause": "BSD-3-Clause",
    "GNU AFFERO GENERAL": "AGPL",
    "GNU LESSER GENERAL": "LGPL",
    "GNU GENERAL PUBLIC": "GPL",
    "Mozilla Public License": "MPL",
    "Attribution-NonCommercial": "CC BY-NC",
}
"""How the text of a licence begins, and what it is called."""


def licence_of(index: RepoIndex) -> str:
    """What the file at the top that holds the licence says in its first lines, or else is called; "" where there is none."""
    names = ("licen", "copying", "unlicense")
    path = next((path for path in index.files if path.lower().startswith(names) and "/" not in path), "")
    if not path:
        return ""
    try:
        text = " ".join(Tree(index.root).read_text(path, 1000).split())
    except (OSError, ToolError):
        return path
    return next((f"{name} ({path})" for begin, name in _LICENCES.items() if begin in text), path)


def better(state: State, draft: Draft, evidence: str, outcome: Outcome | None = None) -> Plain | None:
    """The further proven of the best draft so far and this one.

    Where they are equal that of the likelier repository; of one repository the later one, which knows what was wrong; but the earlier one where it only lacked data,
    and before what the rules write without a model, who learn nothing from a failure: their first one is their best.
    """
    best = state.get("best")
    if best is not None:
        ahead = _height(best["evidence"], best.get("outcome")) - _height(evidence, msgspec.to_builtins(outcome))
        tried = [one["draft"]["text"] for one in state.get("attempts", ())]
        first = draft.source == "offline" and (best["draft"]["source"] != "offline" or best["draft"]["text"] in tried)
        elsewhere = best["candidate"]["full_name"] != state["candidates"][state["position"]]["full_name"]
        if ahead > 0 or (ahead == 0 and (first or elsewhere or best.get("lacks_data"))):
            return best
    candidate = state["candidates"][state["position"]]
    return {
        "draft": msgspec.to_builtins(msgspec.structs.replace(draft, thread=None)),
        "evidence": evidence,
        "outcome": msgspec.to_builtins(outcome) if outcome else None,
        "candidate": candidate,
        "repository": state["repository"],
        "workdir": draft.workdir,
        "repairs": state.get("repairs", []),
    }


def _height(evidence: Any, outcome: Plain | None) -> float:
    """How far a draft got: by its evidence, then by how much of what should come out did."""
    judgements: list[Plain] = (outcome or {}).get("judgements") or []
    delivered = len([one for one in judgements if one["verdict"] == "delivered"])
    return EVIDENCE.index(evidence) + delivered / (len(judgements) + 1)


def request_of(state: State) -> Request:
    """The request in the state."""
    return msgspec.convert(state["request"], Request)


def attempts_of(state: State) -> tuple[Attempt, ...]:
    """What was tried on the candidate in turn."""
    return tuple(msgspec.convert(state["attempts"], list[Attempt]))


def without_thread(attempt: Attempt) -> Attempt:
    """An attempt that is over: only the last draft's conversation is gone on with."""
    return msgspec.structs.replace(attempt, draft=without_conversation(attempt.draft))


def without_conversation(draft: Draft) -> Draft:
    """The draft without what was said before it."""
    return msgspec.structs.replace(draft, thread=None)


def workspace_of(state: State, services: Services) -> Workspace:
    """The workspace of the candidate in turn, opened again where this process has not yet."""
    candidate = msgspec.convert(state["candidates"][state["position"]], Candidate)
    repository = state["repository"]
    candidate = msgspec.structs.replace(candidate, url=repository["url"])
    given = msgspec.convert(state["given"], Given)
    return services.workspaces.open(candidate, Path(repository["root"]), repository["version"], given)


def plain(value: Any) -> Any:
    """Dicts, lists, strings and numbers only, as the checkpoint wants them."""
    return msgspec.to_builtins(value)


def build(checkpointer: BaseCheckpointSaver[Any] | None = None) -> CompiledStateGraph[State, Services, State, State]:
    """The compiled graph."""
    builder = StateGraph(State, context_schema=Services)
    for node in (understand, search, rank, plan, generate, check, execute, diagnose):
        builder.add_node(node.__name__, as_node(node))
    builder.add_edge(START, "understand")
    return builder.compile(checkpointer=checkpointer)
