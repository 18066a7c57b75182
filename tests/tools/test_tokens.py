"""Token counts come from the shipped rank files, without a network."""

import socket
from collections.abc import Iterator

import pytest

from ml_agent.tools.tokens import count_tokens, load_encoding


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a token count must not use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    load_encoding.cache_clear()
    yield
    load_encoding.cache_clear()


def test_known_models_are_counted_exactly() -> None:
    assert count_tokens("hello world", "gpt-4o") == (2, True)
    assert count_tokens("hello world", "openai/gpt-4.1-mini") == (2, True)
    assert count_tokens("hello world", "gpt-3.5-turbo") == (2, True)


def test_other_models_are_estimated_and_say_so() -> None:
    assert count_tokens("hello world", "qwen2.5-coder") == (2, False)
    assert count_tokens("hello world") == (2, False)
