"""A prompt never passes its limit, whatever goes into it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.model.prompt import CUT, DoesNotFit, Prompt, assemble, shorten
from ml_agent.prompts.untrusted import PromptText, neutral


def count(text: str) -> int:
    """A strict tokenizer: every two characters are a token."""
    return -(-len(text) // 2)


def prompt(evidence: str = "") -> Prompt:
    return Prompt(phase="p", system=neutral("system"), evidence=PromptText(evidence), question=neutral("question?"))


def test_the_evidence_gives_way_and_the_question_stays() -> None:
    made = assemble(prompt("\n".join(f"line {n}" for n in range(100))), 120, count)
    assert made.user.startswith("line 0\n") and made.user.endswith(f"{CUT}\n\nquestion?")


def test_without_room_for_the_question_it_says_so() -> None:
    with pytest.raises(DoesNotFit):
        assemble(prompt(), 10, count)


@given(st.text(max_size=900), st.integers(24, 400))
def test_never_longer_than_its_limit(text: str, limit: int) -> None:
    made = assemble(prompt(text), limit, count)
    assert count(made.system) + count(made.user) <= limit


@given(st.text(max_size=500), st.integers(0, 100))
def test_shortened_text_fits(text: str, room: int) -> None:
    assert count(shorten(PromptText(text), room, count)) <= room
