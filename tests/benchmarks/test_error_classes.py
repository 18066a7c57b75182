"""Which class a failure belongs to."""

from pathlib import Path

import pytest

from ml_agent.benchmarks.error_classes import classify


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fit.yaml", "E5"),
        ("none.yaml", "E2"),
        ("fit**.yaml", "E2"),
        ("f?t.yaml", "E2"),
        ("[ab].yaml", "E5"),
        ("*.yaml", "E2"),
    ],
)
def test_a_file_that_stands_elsewhere_is_told_by_its_name_as_it_is_spelled(
    name: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "configs").mkdir()
    for file in ("fit.yaml", "[ab].yaml"):
        (tmp_path / "configs" / file).touch()
    assert classify(f"no-such-file: no such file: {name!r}", tmp_path) == expected
