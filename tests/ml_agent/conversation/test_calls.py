"""Documented calls in little room."""

from ml_agent.conversation.entries import in_short

CALL = "python -m fit data --rate 3 --workers 8 --log-dir out --seed 1 model.width=4 model.depth=2"


def test_a_long_call_keeps_what_the_request_speaks_of() -> None:
    assert (
        in_short(CALL, "a seed of 7 and twice the width", 60)
        == "python -m fit data --rate 3 --seed 1 model.width=4 ..."
    )


def test_a_short_call_is_whole() -> None:
    assert in_short(CALL, "a seed of 7", 200) == CALL


def test_what_starts_the_program_stays_whole() -> None:
    call = f"python -m torch.distributed.launch --nproc_per_node 4 train.py --name x --seed 1 {'--more 1 ' * 9}"
    short = in_short(call.strip(), "a seed of 7", 90)
    assert short.startswith("python -m torch.distributed.launch --nproc_per_node 4 train.py --") and "--seed 1" in short


def test_a_program_alone_is_cut() -> None:
    assert len(in_short("python " + "x" * 90, "a seed", 40)) == 40
