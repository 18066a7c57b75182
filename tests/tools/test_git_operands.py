"""What others say of a repository is never an option of git."""

import pytest

from ml_agent.tools.errors import UnsafeUrlError
from ml_agent.tools.git import Operand


@pytest.mark.parametrize("text", ["", "-", "-c", "--upload-pack=touch /tmp/x", "a\0b", "a\nb", "a\x1b[2J"])
def test_what_git_is_not_given(text: str) -> None:
    with pytest.raises(UnsafeUrlError):
        Operand(text)


@pytest.mark.parametrize("text", ["https://example.org/a/b", "refs/heads/größe", "HEAD", "0" * 40, "refs/tags/v1^{}"])
def test_what_git_is_given(text: str) -> None:
    assert Operand(text).text == text
