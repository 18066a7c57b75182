"""What a run may spend, and what it spent: tokens, money, requests, wall time, repositories.

A request to a model first reserves the most that it can use (`Budget.reserve`), so that a limit is met before anything is sent; what it
really used is charged when the reply is there.
"""

import re
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.errors import BudgetExceededError, ConfigurationError

SHIPPED = Path(__file__).with_name("prices.toml")
LEAST_OUTPUT = 48
"""Tokens; a reply with less room is not asked for."""
_DATE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


MODEL_LIMITS = frozenset({"tokens", "usd", "calls"})
"""Limits that end the model's part: a navigator without one spends none of them."""


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """USD per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Prompt tokens from the provider's cache; None costs the same as `input`."""

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """USD for one request; `cached_tokens` are part of `prompt_tokens`."""
        cached = self.input if self.cached is None else self.cached
        fresh = (prompt_tokens - cached_tokens) * self.input
        return (fresh + cached_tokens * cached + completion_tokens * self.output) / 1_000_000


FREE = Price(input=0.0, output=0.0)


class PriceTable:
    """Prices by model name: the user's file first, then the shipped table for endpoints elsewhere."""

    def __init__(self, shipped: Mapping[str, Price], own: Mapping[str, Price]) -> None:
        self._shipped, self._own = dict(shipped), dict(own)

    @property
    def names(self) -> frozenset[str]:
        """The models that have a price."""
        return frozenset({*self._shipped, *self._own})

    def find(self, model: str, *, local: bool = False) -> Price | None:
        """The price of a model, or None; an endpoint on this machine (`local`) is free unless the user's file has a price."""
        tables = [self._own] if local else [self._own, self._shipped]
        names = [model, _DATE.sub("", model), model.rpartition("/")[2], _DATE.sub("", model.rpartition("/")[2])]
        return next((table[name] for table in tables for name in names if name in table), FREE if local else None)


def load_prices(override: Path | None = None) -> PriceTable:
    """The shipped table under the user's TOML file; ConfigurationError where that file cannot be read as prices."""
    return PriceTable(_read(SHIPPED), _read(override) if override else {})


def _read(path: Path) -> dict[str, Price]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(content.get("models", content), dict[str, Price])
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise ConfigurationError(f"the file of prices {path} cannot be read: {error}") from error


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What may be spent; None is without limit."""

    tokens: int | None = None
    """Prompt and completion tokens together."""
    usd: float | None = None
    calls: int | None = None
    """Requests to a model, each retry counted."""
    seconds: float | None = None
    """Wall time."""
    repositories: int | None = None


class Usage(msgspec.Struct, kw_only=True):
    """What was spent."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Part of `prompt_tokens`."""
    completion_tokens: int = 0
    calls: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0
    """Requests to models whose price is unknown."""
    estimated_calls: int = 0
    """Requests for which the endpoint did not say what it used."""
    seconds: float = 0.0
    counters: dict[str, int] = msgspec.field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def cost(self) -> float | None:
        """USD; None where the price of some request is unknown."""
        return None if self.unpriced_calls else self.usd


class RequestUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What one request used."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    estimated: bool = False


class RequestDemand(msgspec.Struct, frozen=True, kw_only=True):
    """What one request may use at most."""

    prompt_tokens: int
    """Counted; an upper bound where the model's tokenizer is unknown."""
    output_tokens: int
    """Wanted at most."""
    least_output: int = 1
    """With less room than this the request is not worth sending."""
    price: Price | None = None


class Reservation:
    """Room held for one request until it is charged or released, whichever comes first; the other does nothing."""

    def __init__(self, budget: "Budget", demand: RequestDemand, output_tokens: int) -> None:
        self.demand = demand
        self.output_tokens = output_tokens
        """What the request may generate: send it as max_tokens."""
        self._budget: Budget | None = budget

    @property
    def tokens(self) -> int:
        """Prompt and output together."""
        return self.demand.prompt_tokens + self.output_tokens

    @property
    def usd(self) -> float:
        """USD at most; 0 where the price is unknown."""
        price = self.demand.price
        return price.cost(self.demand.prompt_tokens, self.output_tokens) if price else 0.0

    def charge(self, spent: RequestUsage | None = None) -> None:
        """Count what was used; None counts all that was reserved, for a request of which nobody knows what it used."""
        budget, self._budget = self._budget, None
        if budget is not None:
            budget._close(self, spent or _everything(self))

    def release(self) -> None:
        """Give the room back: nothing was used (the request was never answered and is not billed)."""
        budget, self._budget = self._budget, None
        if budget is not None:
            budget._close(self, None)


class Budget:
    """Limits, and what was spent; safe to share between threads."""

    def __init__(self, limits: Limits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or Limits()
        self._clock = clock
        self._lock = threading.RLock()
        self._spent = Usage()
        self._open: set[Reservation] = set()
        self._since = clock()

    @property
    def usage(self) -> Usage:
        """A copy of what was spent so far, wall time included."""
        with self._lock:
            usage = msgspec.convert(msgspec.to_builtins(self._spent), Usage)
            usage.seconds = self._elapsed_seconds()
            return usage

    def spend_repository(self) -> None:
        """Count a repository that is looked at; BudgetExceededError where that would pass the limit."""
        with self._lock:
            self.check_time()
            used, limit = self._spent.counters.get("repositories", 0), self.limits.repositories
            if limit is not None and used >= limit:
                raise BudgetExceededError("repositories", used, limit)
            self._spent.counters["repositories"] = used + 1

    def may_try_repository(self) -> bool:
        """Whether another repository may be looked at."""
        limit = self.limits.repositories
        return limit is None or self._spent.counters.get("repositories", 0) < limit

    def check_time(self) -> None:
        """BudgetExceededError when the wall time is over."""
        limit, elapsed = self.limits.seconds, self._elapsed_seconds()
        if limit is not None and elapsed >= limit:
            raise BudgetExceededError("seconds", round(elapsed, 1), limit)

    def time_over(self) -> BudgetExceededError | None:
        """What `check_time` would raise; None while there is time."""
        try:
            self.check_time()
        except BudgetExceededError as error:
            return error
        return None

    def seconds_left(self) -> float | None:
        """Wall time that is left, in seconds; None without limit."""
        limit = self.limits.seconds
        return None if limit is None else max(0.0, limit - self._elapsed_seconds())

    def time_for(self, most: float) -> float:
        """Seconds that a request may take: `most`, or the wall time that is left where that is less; never 0."""
        left = self.seconds_left()
        return most if left is None else max(0.001, min(most, left))

    def tokens_left(self) -> int | None:
        """Tokens that are neither spent nor held; None without limit."""
        with self._lock:
            return None if self.limits.tokens is None else max(0, self.limits.tokens - self._tokens_held())

    def reserve(self, demand: RequestDemand) -> Reservation:
        """Hold room for one request, with as much of its output as fits.

        Raises BudgetExceededError, with nothing spent, where not even the prompt and `least_output` fit.
        """
        with self._lock:
            reservation = Reservation(self, demand, self._fitting_output(demand))
            self._open.add(reservation)
            return reservation

    def to_dict(self) -> dict[str, Any]:
        """What was spent, to be checkpointed; open reservations count as spent, since a kill may lose their answer."""
        with self._lock:
            usage = self.usage
            for reservation in self._open:
                _add(usage, _everything(reservation), reservation.demand.price)
            built: dict[str, Any] = msgspec.to_builtins(usage)
            return built

    def restore(self, spent: Mapping[str, Any]) -> None:
        """Go on from `to_dict`, as after a resume."""
        with self._lock:
            self._spent = msgspec.convert(dict(spent), Usage)
            self._since = self._clock()

    def _elapsed_seconds(self) -> float:
        return self._spent.seconds + self._clock() - self._since

    def _tokens_held(self) -> int:
        return self._spent.tokens + sum(reservation.tokens for reservation in self._open)

    def _fitting_output(self, demand: RequestDemand) -> int:
        self.check_time()
        calls = self._spent.calls + len(self._open)
        if self.limits.calls is not None and calls + 1 > self.limits.calls:
            raise BudgetExceededError("calls", calls, self.limits.calls)
        output = demand.output_tokens
        if self.limits.tokens is not None:
            held = self._tokens_held()
            output = min(output, self.limits.tokens - held - demand.prompt_tokens)
            if output < demand.least_output:
                needed = demand.prompt_tokens + demand.least_output
                raise BudgetExceededError("tokens", held, self.limits.tokens, needed)
        if self.limits.usd is not None and demand.price is not None:
            output = min(output, self._affordable(demand, demand.price, self.limits.usd))
        return output

    def _affordable(self, demand: RequestDemand, price: Price, limit: float) -> int:
        """Output tokens that the money still buys."""
        held = self._spent.usd + sum(reservation.usd for reservation in self._open)
        room = limit - held - price.cost(demand.prompt_tokens, 0)
        if room < price.cost(0, demand.least_output):
            needed = price.cost(demand.prompt_tokens, demand.least_output)
            raise BudgetExceededError("usd", round(held, 6), limit, needed)
        return int(room * 1_000_000 / price.output) if price.output else demand.output_tokens

    def _close(self, reservation: Reservation, spent: RequestUsage | None) -> None:
        with self._lock:
            self._open.discard(reservation)
            if spent is not None:
                _add(self._spent, spent, reservation.demand.price)


def _everything(reservation: Reservation) -> RequestUsage:
    return RequestUsage(
        prompt_tokens=reservation.demand.prompt_tokens, completion_tokens=reservation.output_tokens, estimated=True
    )


def _add(usage: Usage, spent: RequestUsage, price: Price | None) -> None:
    usage.calls += 1
    usage.prompt_tokens += spent.prompt_tokens
    usage.cached_tokens += spent.cached_tokens
    usage.completion_tokens += spent.completion_tokens
    usage.estimated_calls += spent.estimated
    if price is None:
        usage.unpriced_calls += 1
    else:
        usage.usd += price.cost(spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens)
