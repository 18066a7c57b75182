"""The word lists of the value extraction, kept as data in `words.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def words(name: str) -> frozenset[str]:
    """The words listed under `name`."""
    return frozenset(str(_table()[name]).split())


@cache
def _table() -> Mapping[str, object]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
