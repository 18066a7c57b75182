"""The word lists of the value extraction, kept as data in `words.toml`."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def words(name: str) -> frozenset[str]:
    """The words listed under `name`."""
    table = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    return frozenset(str(table[name]).split())
