"""Expectations from option, sentence and model, each path once."""

import pytest

from ml_agent.budget import Budget, Limits
from ml_agent.delivery.expectation import Expectation
from ml_agent.delivery.expected import expectations
from ml_agent.errors import UsageError
from ml_agent.grounded.navigator import GroundedNavigator
from ml_agent.llm.client import ModelClient
from ml_agent.llm.endpoint import Endpoint
from ml_agent.llm.navigator import LlmNavigator
from ml_agent.navigator import Given
from ml_agent.request import Request
from ml_agent.testing.model_server import Answer, ModelServer, answers


def expected(instruction: str, *options: str) -> list[str]:
    given = Given(expect=options)
    return [
        one.describe()
        for one in expectations(instruction, given, GroundedNavigator(), Request(instruction=instruction))
    ]


def test_the_option_stands_before_the_sentence() -> None:
    said = "Save the table to out.csv with the columns x and y."
    assert expected(said) == ["out.csv (csv), with x, y"]
    assert expected(said, "./out.csv:tsv", "plots/") == ["./out.csv (tsv), with x, y", "plots"]
    with pytest.raises(UsageError, match="no kind"):
        expected(said, "x.csv:table")


def test_a_model_names_what_the_rules_do_not_see() -> None:
    said = "Whatever is written shall sit below curves/today and not below /etc."
    brain = answers(Answer("name_results", {"paths": ["curves/today", "invented.json"]}))
    with ModelServer(brain) as server:
        budget = Budget(Limits())
        client = ModelClient(Endpoint(model="m", base_url=server.url, api_key="k", mode="tools"), budget)
        navigator = LlmNavigator(client, GroundedNavigator())
        found = expectations(said, Given(), navigator, Request(instruction=said))
        assert found == (Expectation(path="curves/today", kind="file", source="model"),)
        assert len(server.requests) == 1
        assert expectations("Train it.", Given(), navigator, Request(instruction="Train it.")) == ()
        assert len(server.requests) == 1, "a sentence that speaks of no file costs no request"
