"""How long functions and files may be, and what helper functions are called."""

import re
from statistics import median

import pytest

from tests.sources import MAY_IMPORT, ROOT, contents, sources

FOLDERS = (*MAY_IMPORT, "scripts", "tests")
MEDIAN, LONGEST, FILE = 12, 60, 400
PARTICIPLE = re.compile(
    r"_(?:(?!need|seed|feed|speed|embed|pred)[a-z]+ed|asked|begun|bound|built|called|chosen|done|drawn|found|given|held|hidden|kept|known|laid|"
    r"left|lost|made|meant|met|paid|said|seen|sent|shown|spent|taken|thought|told|written)"
)


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions_are_short(folder: str) -> None:
    found = [
        (f"{path.relative_to(ROOT)}:{name}", lines)
        for path in sources(folder)
        for name, lines in contents(path).functions
    ]
    assert [(name, lines) for name, lines in found if lines > LONGEST] == []
    assert median(lines for _, lines in found) < MEDIAN


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_are_short(folder: str) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources(folder)}
    assert [(path, length) for path, length in lengths.items() if length >= FILE] == []


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_helpers_are_named_by_what_they_do_or_give(folder: str) -> None:
    """`_join` or `_headers`, not `_joined`: a participle says neither."""
    named = [
        f"{path.relative_to(ROOT)}:{name}"
        for path in sources(folder)
        for name, _ in contents(path).functions
        if PARTICIPLE.fullmatch(name)
    ]
    assert named == []
