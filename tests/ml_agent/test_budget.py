"""Budgets hold: before anything is sent, over threads, nested, and across a resume."""

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ml_agent.cli.app import loaded
from ml_agent.errors import LIMIT_FLAGS, BudgetExceededError, ConfigurationError
from ml_agent.model.budget import FREE, Budget, Limits, Price, RequestDemand, RequestUsage, load_prices

DEAR = Price(input=10.0, output=30.0)


def demand(prompt: int = 100, output: int = 50, price: Price | None = None, least: int = 1) -> RequestDemand:
    return RequestDemand(prompt_tokens=prompt, output_tokens=output, price=price, least_output=least)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_output_shrinks_to_what_is_left() -> None:
    budget = Budget(Limits(tokens=120))
    assert budget.reserve(demand()).output_tokens == 20


def test_nothing_is_spent_when_the_prompt_does_not_fit() -> None:
    budget = Budget(Limits(tokens=120))
    with pytest.raises(BudgetExceededError) as error:
        budget.reserve(demand(prompt=119, least=10))
    assert (error.value.what, error.value.spent, error.value.limit) == ("tokens", 0, 120)
    assert error.value.exit_code == 5
    assert budget.usage.calls == 0


def test_what_is_held_counts_until_it_is_charged() -> None:
    budget = Budget(Limits(tokens=300))
    first = budget.reserve(demand())
    assert budget.tokens_left() == 150
    first.charge(RequestUsage(prompt_tokens=90, completion_tokens=10))
    assert budget.tokens_left() == 200
    first.release()
    assert budget.usage.tokens == 100


def test_a_lost_reply_is_charged_in_full() -> None:
    budget = Budget()
    budget.reserve(demand()).charge()
    assert (budget.usage.tokens, budget.usage.estimated_calls) == (150, 1)


def test_money_shrinks_output_and_then_refuses() -> None:
    budget = Budget(Limits(usd=0.002))
    held = budget.reserve(demand(price=DEAR))
    assert held.output_tokens == 33  # 0.001 for the prompt leaves 0.001 at 30 USD a million
    with pytest.raises(BudgetExceededError, match="usd"):
        budget.reserve(demand(price=DEAR))


def test_unknown_price_is_no_error_and_no_number() -> None:
    budget = Budget(Limits(usd=0.0))
    budget.reserve(demand()).charge(RequestUsage(prompt_tokens=1, completion_tokens=1))
    assert budget.usage.cost is None


def test_wall_time() -> None:
    clock = Clock()
    budget = Budget(Limits(seconds=10), clock=clock)
    clock.now = 9.0
    assert budget.seconds_left() == 1.0
    clock.now = 10.0
    for check in (budget.check_time, lambda: budget.reserve(demand()), budget.spend_repository):
        with pytest.raises(BudgetExceededError, match="seconds"):
            check()


def test_so_many_repositories_may_be_looked_at() -> None:
    budget = Budget(Limits(repositories=1))
    assert budget.may_try_repository()
    budget.spend_repository()
    assert not budget.may_try_repository()
    with pytest.raises(BudgetExceededError, match="repositories"):
        budget.spend_repository()


def test_goes_on_after_a_resume() -> None:
    clock = Clock()
    budget = Budget(Limits(tokens=1000), clock=clock)
    budget.spend_repository()
    budget.reserve(demand(price=DEAR)).charge(RequestUsage(prompt_tokens=100, completion_tokens=10))
    budget.reserve(demand())  # under way when the process is killed: counts in full
    clock.now = 5.0
    again = Budget(Limits(tokens=1000))
    again.restore(budget.to_dict())
    assert again.usage.tokens == 260 and again.usage.counters == {"repositories": 1}
    assert again.usage.seconds >= 5.0 and again.usage.usd == pytest.approx(0.0013)


@given(limit=st.integers(1, 5000), wants=st.lists(st.tuples(st.integers(1, 800), st.integers(1, 800)), max_size=20))
def test_never_passes_its_limit(limit: int, wants: list[tuple[int, int]]) -> None:
    budget = Budget(Limits(tokens=limit))
    for prompt, output in wants:
        try:
            held = budget.reserve(demand(prompt, output))
        except BudgetExceededError:
            continue
        held.charge()
    assert budget.usage.tokens <= limit


def test_threads_share_it() -> None:
    budget = Budget(Limits(tokens=10_000, usd=0.1))
    sent: list[int] = []

    def work() -> None:
        for _ in range(50):
            try:
                held = budget.reserve(demand(price=DEAR))
            except BudgetExceededError:
                return
            sent.append(held.tokens)
            held.charge()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sent) <= 10_000 and budget.usage.usd <= 0.1
    assert len(sent) == budget.usage.calls > 10


def test_prices(tmp_path) -> None:  # type: ignore[no-untyped-def]
    own = tmp_path / "prices.toml"
    own.write_text('[models]\n"my-model" = { input = 1, output = 2 }\n"gpt-4o" = { input = 9, output = 9 }\n')
    table = load_prices(own)
    assert table.find("my-model", local=True) == Price(input=1, output=2)
    assert table.find("gpt-4o-2024-08-06") == Price(input=9, output=9)
    assert table.find("openai/gpt-4.1-mini") == Price(input=0.4, cached=0.1, output=1.6)
    assert table.find("qwen") is None
    assert load_prices().find("gpt-4o", local=True) == FREE


def test_a_broken_price_file_is_a_configuration_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    own = tmp_path / "prices.toml"
    own.write_text('[models]\n"m" = { in = 1 }\n')
    with pytest.raises(ConfigurationError, match=r"prices\.toml"):
        load_prices(own)


def options(command: str) -> set[str]:
    parameters: list[Any] = loaded(command).params
    return {name for one in parameters for name in one.opts}


def test_a_resume_takes_the_limits_that_a_run_takes() -> None:
    limits = {name for name in options("solve") if name.startswith("--max-")}
    assert limits == set(LIMIT_FLAGS.values()) and limits <= options("resume")
