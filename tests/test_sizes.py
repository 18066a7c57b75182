"""How long functions and files may be."""

from statistics import median

import pytest

from tests.sources import MAY_IMPORT, ROOT, contents, sources

FOLDERS = (*MAY_IMPORT, "scripts", "tests")
MEDIAN, LONGEST, FILE = 12, 60, 400


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
