"""Small repositories written for a test, and what the check of commands says of them."""

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ml_agent.tools.check.command import check_command
from ml_agent.tools.index import RepoIndex

Check = Callable[[str], list[str]]
Make = Callable[[Mapping[str, str]], Check]


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Files by their paths below a folder; their texts without the indentation that they share."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text))


@pytest.fixture
def checked(tmp_path: Path) -> Make:
    """Write files; gives a function that says code and severity of each finding about a command."""

    def make(files: Mapping[str, str]) -> Check:
        write_files(tmp_path, files)
        index = RepoIndex(tmp_path, "1")
        return lambda text: [f"{f.severity} {f.code}" for f in check_command(text, index)]

    return make
