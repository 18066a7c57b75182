"""The figures of README.md and docs/models.md are the newest of docs/results.md."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README, MODELS, RESULTS = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/models.md", "docs/results.md")
)
SUMMARY, BY_HAND = RESULTS.partition("\n## ")[0], RESULTS.partition("## The llm navigator\n")[2].partition("\n## ")[0]
NUMBERS = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
)
RUN = re.compile(
    r"\((first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth) run\b"
)
ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
)


def rows(text: str) -> list[list[str]]:
    """The cells of every line of a table."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def row(text: str, words: str) -> list[str]:
    """The one row whose first cell has these words."""
    (found,) = [cells for cells in rows(text) if words in cells[0]]
    return found


def runs_by_hand(mini: bool) -> dict[int, list[str]]:
    """By number, the runs of a capable model with one of the two agents."""
    numbered: dict[int, list[str]] = {}
    for cells in rows(BY_HAND):
        if "grounded" not in cells[0] and cells[1:2] and "of 24" in cells[1] and cells[0].startswith("mini") == mini:
            said = RUN.search(cells[0])
            numbered[ORDINALS.index(said[1]) + 1 if said else 1] = cells
    return numbered


@pytest.mark.parametrize(
    ("who", "what"),
    [
        ("1.5B", "wild, a 1.5B model"),
        ("shipped tables", "wild, no model, shipped tables"),
        ("had not seen", "wild, no model, held-out tables"),
    ],
)
def test_the_wild_rows(who: str, what: str) -> None:
    newest = re.search(r"(\d+)(?: and (\d+))? of 108", row(SUMMARY, what)[1])
    assert newest is not None
    name, right, *_ = row(README, who)
    assert right == f"{newest[1]} of 108"
    assert newest[2] is None or f"the tables alone then: {newest[2]}" in name
    assert f"{newest[1]} of 108" in MODELS


def test_the_capable_model() -> None:
    runs = runs_by_hand(mini=False)
    _, right, _, requests, tokens, *_ = runs[max(runs)]
    name, said, cost, _ = row(README, "with a capable model")
    assert name.endswith(f"{NUMBERS[max(runs) - 1]} runs")
    assert said.endswith(f"the last {right.removesuffix(' of 24')}") and cost.endswith(
        f"the last {requests} and {tokens}"
    )
    least, most = re.findall(r"(\d+) to (\d+) of 24", said)[0]
    assert f"{least} to {most} of 24" in BY_HAND and f"{least} to {most} of 24" in MODELS
    spent = re.findall(r"[\d,]+ to [\d,]+\d", cost)[0]
    assert all(number in BY_HAND for number in spent.split(" to ")) and spent in MODELS
    assert f"medians of {NUMBERS[max(runs) - 1]} runs" in MODELS


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: "3, 2 and 2"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def test_the_other_agent() -> None:
    runs = [cells for _, cells in sorted(runs_by_hand(mini=True).items())]
    right, requests, tokens = map(listed, zip(*(r[1:2] + r[3:5] for r in runs), strict=True))
    name, said, cost, _ = row(README, "mini-SWE-agent")
    assert name.endswith(f"{NUMBERS[len(runs) - 1]} runs")
    assert said == f"{right.replace(' of 24', '')} of 24" and cost == f"{requests}; {tokens}"


def test_repositories_that_nobody_had_looked_at() -> None:
    figures = re.findall(r"\d[\d,.]*", row(SUMMARY, "requests for 123 repositories")[1])
    right, _, _, tokens, others, _, _, spent = figures
    said = f"right {right} times with us and {others} times with mini-SWE-agent, at {tokens} and {spent} prompt tokens"
    assert said in README and said in MODELS


def test_what_bench_make_reaches() -> None:
    said = re.search(r"most repositories \((\d+) of (\d+) tried\)", README)
    found = re.search(r"`--rows (\d+) [^)]*\): [\d,]+ rows [^)]*\) of (\d+) repositories", RESULTS)
    assert said is not None and found is not None
    assert said[1] == found[2] and (said[2], "twelve of the forty") == ("40", "twelve of the forty")
    assert "twelve of the forty" in RESULTS
