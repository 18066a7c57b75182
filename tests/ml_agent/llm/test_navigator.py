"""The llm navigator decides by calls, never ends worse than the grounded one, and stays within its budget."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.budget import Limits
from ml_agent.draft import Draft
from ml_agent.errors import BudgetExceededError, ConfigurationError
from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.llm.merging import blamed
from ml_agent.llm.navigator import LlmNavigator
from ml_agent.llm.slots import OptionSlots
from ml_agent.navigator import Assessment, Attempt, Evidence, Given, Step, Workspace
from ml_agent.proof import examine
from ml_agent.testing.misbehaviours import MISBEHAVIOURS
from ml_agent.testing.model_server import Answer, Brain, Seen, first_choice
from prompts import functions
from tools.candidates import Candidate
from tools.commandline.parse import parse_one
from tools.signatures.model import Option, Signature

TASK = "Please train on Citeseer for 30 epochs with a learning rate of 0.05."
SLOW = {"timeout", "drip"}
CONFIGURATION = {"key refused", "model unknown"}


def patience(name: str) -> float:
    """Seconds for a request: little where it is to run out."""
    return 0.5 if name in SLOW else 20.0


def brain(**said: Any) -> Brain:
    """Answers each question by the keys that its function has: the first key of `said` that fits decides."""

    def answer(seen: Seen) -> Answer:
        name, schema = next(iter(seen.functions.items()), ("", {}))
        least = first_choice(seen)
        known = schema.get("properties", {})
        return Answer(name, {**least.arguments, **{key: value for key, value in said.items() if key in known}})

    return answer


def request_of(stage: Any, text: str = TASK, **given: Any) -> Any:
    return stage.grounded.understand(text, Given(repository="me/tinynets", **given))


def test_fills_the_options_of_a_command(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(dataset="citeseer", epochs=30, lr=0.05))
    step = play.navigator.write(request_of(play), workspace, Evidence())
    assert step.draft.text == "python train.py --dataset citeseer --epochs 30 --lr 0.05"
    assert [fields["phase"] for fields in play.of("model-call")][-1] == "fill"


def test_among_several_ways_the_model_chooses_twice_the_second_time_turned_round(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(brain(choice="run evaluate.py"))
    step = play.navigator.write(request_of(play, "Train or whatever on Citeseer."), workspace, Evidence())
    assert step.draft.entry == "evaluate.py"
    first, second = (seen.text for seen in play.server.requests[:2])
    assert first.index("run train.py") < first.index("run evaluate.py") and second.index(
        "run evaluate.py"
    ) < second.index("run train.py")


@pytest.mark.parametrize(("words", "both"), [("", True), (" Write a script.", False), (" Show me the code.", True)])
def test_another_kind_is_offered_unless_the_wording_leans_to_the_first(
    words: str, both: bool, stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(brain())
    play.navigator.write(request_of(play, f"Train or whatever on Citeseer.{words}"), workspace, Evidence())
    shown = play.server.requests[0].text
    assert "run train.py" in shown and ("Python: " in shown) is both


def test_code_without_a_place_for_most_of_the_values_is_not_offered(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(brain())
    play.navigator.write(request_of(play), workspace, Evidence())
    assert all("Python: " not in seen.text for seen in play.server.requests)


def test_a_choice_that_follows_the_place_in_the_list_does_not_count(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    def second_one(seen: Seen) -> Answer:
        name, schema = next(iter(seen.functions.items()))
        names = schema["properties"].get("choice", {}).get("enum", ["", ""])
        return Answer(name, {**first_choice(seen).arguments, **({"choice": names[-1]} if names[-1] else {})})

    play = stage(second_one)
    step = play.navigator.write(request_of(play, "Train or whatever on Citeseer."), workspace, Evidence())
    assert step.draft.entry == "train.py" and len(play.server.requests) == 3


class OneDraft(GroundedNavigator):
    """Reads well, but knows only one way to do everything."""

    def write(self, request: Any, workspace: Workspace, evidence: Evidence) -> Step:
        draft = Draft(kind="bash", text="python train.py --dataset cora --epochs 30", entry="train.py")
        if evidence.attempts:
            return Step(action="reject-repository")
        return Step(action="draft", draft=draft)


def test_takes_what_the_grounded_draft_lacks_and_leaves_what_it_has(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(brain(dataset="citeseer", epochs=20, lr="0.05", name="moonshot"))
    navigator = LlmNavigator(play.client, OneDraft(), play.emit)
    task = "Train on Citeseer for 30 epochs, lr 0.05, not 20 of them; the experiment is known as moonshot."
    draft = navigator.write(request_of(play, task), workspace, Evidence()).draft
    assert draft is not None and draft.source == "llm"
    assert draft.text == "python train.py --dataset citeseer --epochs 30 --lr 0.05 --name moonshot"


def test_what_the_user_never_said_is_not_taken(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(choice="run train.py", name="model-7", epochs=99, dataset="cora"))
    step = play.navigator.write(request_of(play), workspace, Evidence())
    assert step.draft.text == "python train.py --dataset citeseer --epochs 30 --lr 0.05"


def test_fills_the_literals_of_python_code(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(choice="Python: Tiny nets / Use it from Python", pretrained="citeseer-large"))
    task = "Write Python code that loads the gcn model with the weights called citeseer-large."
    step = play.navigator.write(request_of(play, task), workspace, Evidence())
    assert step.draft.kind == "python" and 'load_model("gcn", pretrained="citeseer-large")' in step.draft.text


def test_after_a_failure_the_error_is_shown_and_the_next_draft_differs(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(brain())
    request = request_of(play)
    attempts: list[Attempt] = []
    texts = set()
    for number in range(3):
        step = play.navigator.write(request, workspace, Evidence(attempts=tuple(attempts)))
        assert step.action == "draft" and step.draft.text not in texts
        texts.add(step.draft.text)
        if number:
            assert f"RuntimeError: broken {number - 1}" in play.server.requests[-1].text + play.server.requests[-2].text
        attempts.append(Attempt(draft=step.draft, problem="it failed", error_lines=(f"RuntimeError: broken {number}",)))


def test_the_same_answer_again_gives_way_to_another(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(choice="run train.py", epochs=30, lr=0.05))
    request = request_of(play)
    first = play.navigator.write(request, workspace, Evidence()).draft
    second = play.navigator.write(request, workspace, Evidence(attempts=(Attempt(draft=first),))).draft
    assert second.text != first.text


def failed_with(play: Any, workspace: Workspace, error: str) -> Attempt:
    draft = play.grounded.write(request_of(play), workspace, Evidence()).draft
    return Attempt(draft=draft, problem="the run refused an option", error_lines=(error,))


def test_mends_the_option_that_an_error_points_at(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(name="fresh"))
    failed = failed_with(play, workspace, "ValueError: --name run is taken")
    draft = play.navigator.write(request_of(play), workspace, Evidence(attempts=(failed,))).draft
    assert (
        draft.text == "python train.py --dataset citeseer --epochs 30 --lr 0.05 --name fresh" and draft.source == "llm"
    )
    assert "run is taken" in play.server.requests[0].text and len(play.server.requests) == 1


def test_an_error_may_spell_an_option_with_dashes() -> None:
    signature = Signature(
        path="train.py", options=(Option(dest="drop_last", flags=("--drop-last",), nargs="0", type="bool"),)
    )
    call = parse_one("python train.py --drop-last", signature)
    assert call is not None
    assert blamed(OptionSlots(call, signature, ""), "ValueError: --drop-last leaves no batch") == ["drop_last"]


def test_a_value_of_the_users_is_not_mended_away(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(lr=0.01))
    failed = failed_with(play, workspace, "ValueError: --lr must be below 0.02")
    draft = play.navigator.write(request_of(play), workspace, Evidence(attempts=(failed,))).draft
    assert "--lr 0.01" not in draft.text and draft.text != failed.draft.text


def test_another_answer_costs_no_question_where_nothing_is_wrong(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    play = stage(brain())
    request = request_of(play)
    first = Attempt(draft=play.grounded.write(request, workspace, Evidence()).draft)
    second = play.navigator.write(request, workspace, Evidence(attempts=(first,)))
    assert second.draft.text != first.draft.text and not play.server.requests


def test_may_ask_for_a_file_and_sees_it(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(choice=functions.OPEN, path="train.py"))
    request = request_of(play)
    failed = Attempt(draft=play.grounded.write(request, workspace, Evidence()).draft, problem="no good")
    step = play.navigator.write(request, workspace, Evidence(attempts=(failed,)))
    assert (step.action, step.path) == ("open", "train.py")
    play.navigator.write(request, workspace, Evidence(attempts=(failed,), opened=("train.py",)))
    assert 'add_argument("--epochs"' in play.server.requests[2].text


def test_may_reject_the_readme(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(choice=functions.REJECT))
    request = request_of(play)
    failed = Attempt(draft=play.grounded.write(request, workspace, Evidence()).draft, problem="no good")
    assert play.navigator.write(request, workspace, Evidence(attempts=(failed,))).action == "reject-readme"


def test_may_write_python_of_its_own(stage: Callable[..., Any], workspace: Workspace) -> None:
    code = 'from tinynets import load_model\n\nload_model("gcn", pretrained="citeseer")\nepochs, lr = 30, 0.05\n'
    play = stage(brain(choice=functions.WRITE, code=code))
    request = request_of(play)
    failed = Attempt(draft=play.grounded.write(request, workspace, Evidence()).draft, problem="no good")
    step = play.navigator.write(request, workspace, Evidence(attempts=(failed,)))
    assert step.draft.text == code and step.draft.source == "llm" and step.draft.sound
    assert "tinynets.load_model" in play.server.requests[-1].text or "python" in play.server.requests[-1].text


def test_code_that_does_not_stand_the_check_gives_way(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(choice=functions.WRITE, code="from tinynets import nothing_of_the_kind\n"))
    request = request_of(play)
    failed = Attempt(draft=play.grounded.write(request, workspace, Evidence()).draft, problem="no good")
    step = play.navigator.write(request, workspace, Evidence(attempts=(failed,)))
    assert step.draft.source == "grounded" and "nothing_of_the_kind" not in step.draft.text


@pytest.mark.parametrize("name", sorted(set(MISBEHAVIOURS) - CONFIGURATION))
def test_every_misbehaviour_ends_in_a_sound_draft_within_the_budget(
    name: str, stage: Callable[..., Any], workspace: Workspace
) -> None:
    answer = brain(choice="run train.py", dataset="citeseer", epochs=30, lr=0.05)
    play = stage(answer, MISBEHAVIOURS[name], Limits(tokens=6000, calls=14, seconds=60), timeout=patience(name))
    request = play.navigator.understand(TASK, Given(repository="me/tinynets"))
    draft = play.navigator.write(request, workspace, Evidence()).draft
    assert draft.text == "python train.py --dataset citeseer --epochs 30 --lr 0.05"
    assert examine(draft, request, workspace).sound
    usage = play.budget.usage
    assert usage.tokens <= 6000 and usage.calls <= 14 and len(play.server.requests) == usage.calls
    assert play.of("model-call") or play.of("stand-in")


@pytest.mark.parametrize("name", sorted(CONFIGURATION))
def test_what_the_user_must_mend_is_not_covered_up(name: str, stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(), MISBEHAVIOURS[name])
    with pytest.raises(ConfigurationError):
        play.navigator.write(request_of(play), workspace, Evidence())


def test_an_endpoint_that_is_down_is_not_asked_for_ever(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(), MISBEHAVIOURS["500 for ever"])
    for _ in range(5):
        assert play.navigator.write(request_of(play), workspace, Evidence()).draft.source == "grounded"
    assert len(play.server.requests) == 10 and len(play.of("stand-in")) == 2


def test_two_thousand_tokens_are_never_passed(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(), None, Limits(tokens=2000))
    for epochs in range(11, 20):
        request = request_of(play, f"Train on Citeseer for {epochs} epochs.")
        draft = play.navigator.write(request, workspace, Evidence()).draft
        assert f"--epochs {epochs}" in draft.text, "the grounded answers go on when the model's budget is spent"
    spent = 0
    for seen in play.server.requests:
        assert spent + seen.prompt_tokens + seen.output_tokens <= 2000
        spent += seen.prompt_tokens
    assert play.of("stand-in") and play.budget.usage.tokens <= 2000


def test_the_wall_time_ends_the_run(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(), MISBEHAVIOURS["timeout"], Limits(seconds=0.3))
    with pytest.raises(BudgetExceededError, match="seconds"):
        for _ in range(3):
            play.navigator.write(request_of(play), workspace, Evidence())


def test_understanding_adds_what_the_model_knows(stage: Callable[..., Any]) -> None:
    said = {
        "task": "node classification",
        "model": "GCN",
        "dataset": "Citeseer",
        "libraries": ["dgl", "PyG"],
        "queries": ["graph networks"],
    }
    play = stage(brain(**said))
    request = play.navigator.understand(TASK, Given())
    own = play.grounded.understand(TASK, Given())
    assert {"dgl", "PyG", "graph networks"} <= set(request.queries) and set(own.queries) <= set(request.queries)
    assert request.values == own.values and request.task == "node classification"


def test_a_named_repository_costs_no_question(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain())
    request = play.navigator.understand(TASK, Given(repository="me/tinynets"))
    play.navigator.assess(request, workspace)
    play.navigator.rank(request, [workspace.candidate])
    assert not play.server.requests


def candidates() -> list[Candidate]:
    return [
        Candidate(full_name=f"o/{name}", url=name, description=f"all about {name}")
        for name in ("birds", "graphs", "cars")
    ]


def test_ranking_puts_the_models_choice_first_and_loses_none(stage: Callable[..., Any]) -> None:
    play = stage(brain())
    request = play.grounded.understand(TASK, Given())
    own = play.grounded.rank(request, candidates())
    chosen = stage(brain(best_first=[3, "1", 3]))
    ranked = chosen.navigator.rank(request, candidates())
    assert ranked[:2] == [own[2], own[0]] and len(ranked) == 3
    assert {c.full_name for c in ranked} == {c.full_name for c in own}


def test_assessment(stage: Callable[..., Any], workspace: Workspace) -> None:
    play = stage(brain(possible=False, reason="it only knows tiny networks", readmes=["README.md"]))
    request = play.grounded.understand(TASK, Given())
    free = Workspace(index=workspace.index, candidate=workspace.candidate)
    assert play.navigator.assess(request, free) == Assessment(
        possible=False, reason="it only knows tiny networks", readmes=("README.md",)
    )
