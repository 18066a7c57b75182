import json
from pathlib import Path
from typing import Any

import pytest

from ml_agent.tools.candidates import Candidate, Wanted
from ml_agent.tools.catalog import Catalog
from ml_agent.tools.errors import CatalogError

ENTRIES: list[dict[str, Any]] = [
    {
        "full_name": "lab/graphs",
        "description": "Graph neural networks",
        "topics": ["gnn"],
        "stars": 1,
        "language": "Python",
    },
    {
        "full_name": "lab/proteins",
        "description": "Pretrained language models for proteins",
        "stars": None,
        "topics": None,
    },
    {"full_name": "lab/forecast", "description": None, "readme": "# Forecasting\nTime series models", "commit": "abc"},
    {"full_name": "lab/nothing", "url": "https://example.org/lab/nothing", "unknown": {"field": 1}},
    {"full_name": "lab/near", "url": "./near"},
]


def write(path: Path, *lines: str | dict[str, Any]) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog.read(write(tmp_path / "catalog.jsonl", *ENTRIES))


def test_entries_become_candidates(catalog: Catalog, tmp_path: Path) -> None:
    graphs, proteins, forecast, nothing, near = catalog.candidates
    assert (graphs.url, graphs.topics, graphs.stars, graphs.source) == ("lab/graphs", ("gnn",), 1, "catalog")
    assert (proteins.topics, proteins.stars, proteins.language) == ((), None, None)
    assert (forecast.description, forecast.commit) == ("", "abc")
    assert nothing.url == "https://example.org/lab/nothing"
    assert near.url == str(tmp_path / "near")


def names(found: list[Candidate]) -> list[str]:
    return [one.full_name for one in found]


def test_finds_by_any_word_and_holds_every_condition(catalog: Catalog) -> None:
    assert names(catalog.search(Wanted(query="graphs citeseer"))) == ["lab/graphs"]
    assert names(catalog.search(Wanted(query="time series"))) == ["lab/forecast"]
    assert catalog.search(Wanted(query="quantum chromodynamics")) == []
    assert names(catalog.search(Wanted(topic="gnn"))) == ["lab/graphs"]
    assert (
        catalog.search(Wanted(query="graphs", min_stars=2))
        == []
        == catalog.search(Wanted(query="graphs", language="C"))
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{broken", "JSON is malformed"),
        ("[1, 2]", "Expected `object`"),
        ("{}", "missing required field `full_name`"),
        ('{"full_name": 1}', "Expected `str`"),
        ('{"full_name": "a/b", "stars": "many"}', "Expected `int | null`"),
        ('{"full_name": "a/b", "topics": "gan"}', "Expected `array | null`"),
        ('{"full_name": "name"}', "is not of the form OWNER/NAME"),
        ('{"full_name": "a/b/c"}', "is not of the form OWNER/NAME"),
        ('{"full_name": "a b/c"}', "is not of the form OWNER/NAME"),
        ('{"full_name": "lab/graphs"}', "is already in line 1: remove one"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = write(tmp_path / "catalog.jsonl", ENTRIES[0], "", line)
    with pytest.raises(CatalogError) as caught:
        Catalog.read(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert problem in str(caught.value)
