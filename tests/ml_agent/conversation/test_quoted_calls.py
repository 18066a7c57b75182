"""A model whose call cannot be used is shown what it wrote."""

from collections.abc import Callable
from typing import Any

from ml_agent.navigator import Workspace
from tests.ml_agent.conversation.test_navigator import RIGHT, first, told
from tests.servers.model_server import Answer, Seen, completion, put
from tests.servers.talkers import command, replies, saying


def test_a_model_sees_what_it_wrote_and_where_that_is_no_json(stage: Callable[..., Any], workspace: Workspace) -> None:
    wrong = [
        "python train.py --dataset citeseer",
        '{"command": "python train.py", "number": 3}',
    ]

    def badly(seen: Seen, _answer: Answer) -> Any:
        if replies(seen):
            return completion(put(command(RIGHT), seen), seen)
        functions = [{"name": "answer", "arguments": text} for text in wrong]
        calls = [{"id": f"c{at}", "type": "function", "function": one} for at, one in enumerate(functions)]
        return completion({"tool_calls": calls}, seen)

    play = stage(saying(command(RIGHT)), badly)
    assert first(play, workspace).text == RIGHT
    last = play.server.requests[-1]
    (given,) = [message["tool_calls"] for message in last.body["messages"] if "tool_calls" in message]
    assert [call["function"]["arguments"] for call in given] == ["{}", wrong[1]]
    assert "line 1 column 1" in told(last, -2) and wrong[0] in told(last, -2)
    assert "kind" in told(last)
