"""Documented calls in little room."""

from ml_agent.llm.calls import in_short

CALL = "python -m fit data --rate 3 --workers 8 --log-dir out --seed 1 model.width=4 model.depth=2"


def test_a_long_call_keeps_what_the_request_speaks_of() -> None:
    assert (
        in_short(CALL, "a seed of 7 and twice the width", 60)
        == "python -m fit data --rate 3 --seed 1 model.width=4 ..."
    )


def test_a_short_call_is_whole() -> None:
    assert in_short(CALL, "a seed of 7", 200) == CALL


def test_a_program_alone_is_cut() -> None:
    assert len(in_short("python " + "x" * 90, "a seed", 40)) == 40
