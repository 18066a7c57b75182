"""How long functions and files may be."""

from statistics import median

import pytest

from tests.sources import MAY_IMPORT, ROOT, contents, sources

FOLDERS = (*MAY_IMPORT, "scripts", "tests")
MEDIAN, LONGEST, FILE = 12, 60, 400
LONGER = {"ml_agent/matching/features.py:features": 71}
"""Functions that are still to be divided, with the lines that they have."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions_are_short(folder: str) -> None:
    found = [
        (f"{path.relative_to(ROOT)}:{name}", lines)
        for path in sources(folder)
        for name, lines in contents(path).functions
    ]
    assert [(name, lines) for name, lines in found if lines > LONGER.get(name, LONGEST)] == []
    assert median(lines for _, lines in found) < MEDIAN


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_are_short(folder: str) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources(folder)}
    assert [(path, length) for path, length in lengths.items() if length >= FILE] == []


def test_nothing_stands_in_the_list_of_longer_functions_that_is_short_enough() -> None:
    for place, most in LONGER.items():
        path, name = place.split(":")
        lengths = [lines for one, lines in contents(ROOT / path).functions if one == name]
        assert lengths and LONGEST < max(lengths) <= most, place
