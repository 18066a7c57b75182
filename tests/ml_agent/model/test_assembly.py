"""A prompt never passes its limit, whatever goes into it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.model.prompt import CUT, DoesNotFit, Prompt, Section, assemble, shorten
from ml_agent.prompts.untrusted import PromptText, neutral


def count(text: str) -> int:
    """A strict tokenizer: every two characters are a token."""
    return -(-len(text) // 2)


def prompt(*sections: Section) -> Prompt:
    return Prompt(phase="p", system=neutral("system"), sections=sections, question=neutral("question?"))


def test_sections_stand_in_their_order_and_give_way_by_rank() -> None:
    long = "\n".join(f"line {n}" for n in range(100))
    made = assemble(
        prompt(Section(name="b", text=neutral(long), rank=2), Section(name="a", text=neutral("TASK"), rank=0)),
        120,
        count,
    )
    assert made.cut == ("b",) and made.user.index("line 0") < made.user.index("TASK") < made.user.index("question?")
    assert CUT in made.user and "line 99" not in made.user


def test_a_tail_keeps_its_end() -> None:
    text = neutral("\n".join(f"line {n}" for n in range(100)))
    assert shorten(text, 40, count, "tail").splitlines()[0] == CUT and shorten(text, 40, count, "tail").endswith(
        "line 99"
    )


def test_without_room_for_the_question_it_says_so() -> None:
    with pytest.raises(DoesNotFit):
        assemble(prompt(), 10, count)


@given(
    st.lists(st.tuples(st.text(max_size=300), st.integers(0, 3), st.sampled_from(["head", "tail"])), max_size=5),
    st.integers(24, 400),
)
def test_never_longer_than_its_limit(parts: list[tuple[str, int, str]], limit: int) -> None:
    sections = tuple(Section(name=str(n), text=PromptText(t), rank=r, keep=k) for n, (t, r, k) in enumerate(parts))  # type: ignore[arg-type]
    made = assemble(prompt(*sections), limit, count)
    assert count(made.system) + count(made.user) <= limit


@given(st.text(max_size=500), st.integers(0, 100), st.sampled_from(["head", "tail"]))
def test_shortened_text_fits(text: str, room: int, keep: str) -> None:
    assert count(shorten(PromptText(text), room, count, keep)) <= room  # type: ignore[arg-type]
