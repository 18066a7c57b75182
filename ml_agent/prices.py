"""What a model's tokens cost. An unknown price is None, never an error, and never a guess."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ml_agent.errors import ConfigurationError

SHIPPED = Path(__file__).with_name("prices.toml")
_DATE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


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


class PriceTable:
    """Prices by model name: the user's file first, then the shipped table for endpoints elsewhere."""

    def __init__(self, shipped: Mapping[str, Price], own: Mapping[str, Price]) -> None:
        self._shipped, self._own = dict(shipped), dict(own)

    @property
    def names(self) -> frozenset[str]:
        """The models that have a price."""
        return frozenset({*self._shipped, *self._own})

    def find(self, model: str, *, local: bool = False) -> Price | None:
        """The price of a model, or None; an endpoint on this machine (`local`) only has one where the user says so."""
        tables = [self._own] if local else [self._own, self._shipped]
        names = [model, _DATE.sub("", model), model.rpartition("/")[2], _DATE.sub("", model.rpartition("/")[2])]
        return next((table[name] for table in tables for name in names if name in table), None)


def load_prices(override: Path | None = None) -> PriceTable:
    """The shipped table under the user's TOML file; ConfigurationError where that file cannot be read as prices."""
    return PriceTable(_read(SHIPPED), _read(override) if override else {})


def _read(path: Path) -> dict[str, Price]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(content.get("models", content), dict[str, Price])
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise ConfigurationError(f"price file {path} cannot be read: {error}") from error
