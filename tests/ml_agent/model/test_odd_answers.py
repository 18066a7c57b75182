"""Answers that a model gives in its own way: another kind, several at once, too long, from nowhere."""

from collections.abc import Callable
from typing import Any

import pytest

from ml_agent.conversation.verdict import examine, next_draft, verdict
from ml_agent.draft import Attempt
from ml_agent.errors import ModelError
from ml_agent.navigator import Workspace
from tests.ml_agent.conversation.test_navigator import RIGHT, first, request_of, turns
from tests.servers.model_server import Answer
from tests.servers.talkers import command, saying


@pytest.mark.parametrize("folder", ["..", "../..", "nope", "/etc", "~", "a\0b", "x" * 5000])
def test_a_folder_that_is_none_of_the_repository_is_refused(
    folder: str, stage: Callable[..., Any], workspace: Workspace
) -> None:
    free = Workspace(index=workspace.index, candidate=workspace.candidate)
    wrong, right = (
        Answer("answer", {**command(RIGHT).arguments, "folder": place}) for place in (folder, "tinynets/..")
    )
    draft = first(stage(saying(wrong, right)), free)
    assert (draft.text, draft.workdir, draft.source) == (RIGHT, ".", "llm")
    assert turns(draft)[0].results[0].startswith("Refused: folder")
    with pytest.raises(ModelError):
        first(stage(saying(wrong)), free)


def test_after_a_dispute_that_was_shown_wrong_the_same_answer_is_none(
    stage: Callable[..., Any], workspace: Workspace
) -> None:
    wrong = command("python train.py --dataset citeseer --nodes 3")
    dispute = Answer("dispute", {"finding": "it did not come out", "why": "it is an input"})
    play = stage(saying(wrong, dispute))
    request = request_of(play)
    draft = examine(next(play.navigator.drafts(request, workspace)), request, workspace)
    assert draft.disputes and not draft.sound
    tried = [Attempt(draft=draft, problem="usage: unrecognized arguments")]
    other = next_draft(play.navigator, request, workspace, tried)
    assert other is None or verdict(other, tried) == "disputed"


def test_python_without_its_kind_is_asked_for_again(stage: Callable[..., Any], workspace: Workspace) -> None:
    code = "from tinynets import load_model\nprint(load_model('citeseer 30 0.05'))"
    untold = Answer("answer", {"text": code})
    draft = first(stage(saying(untold, Answer("answer", {"kind": "python", "text": code}))), workspace)
    assert (draft.kind, draft.source) == ("python", "llm")


def test_a_very_long_answer_does_not_end_the_conversation(stage: Callable[..., Any], workspace: Workspace) -> None:
    long = command("python no_such.py " + "--lr 1 " * 60_000)
    play = stage(saying(long, command(RIGHT)))
    assert (first(play, workspace).text, len(play.server.requests)) == (RIGHT, 2)
