"""What an answer gives a shell by standard input, or sources from a pipe, is a part of what it does."""

from pathlib import Path

import pytest

from tests.benchmarks.same_call.test_streams import SCORE, passes, pytestmark, words

__all__ = ["pytestmark", "words"]


@pytest.mark.parametrize(
    "before",
    ["bash <<'X'\n/bin/rm -rf d\nX", "printf 'rm -rf d\\n' | bash", "echo rm -rf d | sh -s", "source <(echo rm -rf d)"],
)
def test_more_than_was_asked(before: str, words: Path) -> None:
    assert not passes(words, SCORE, f"{before}\n{SCORE}")


@pytest.mark.parametrize(
    "answer", [f"bash\n{SCORE}", f"bash <<'X'\n{SCORE}\nX", f"echo '{SCORE}' | bash", f"source <(echo A=1)\n{SCORE}"]
)
def test_what_was_asked(answer: str, words: Path) -> None:
    assert passes(words, SCORE, answer)
