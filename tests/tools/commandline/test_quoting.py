"""Words with the quotes that a shell needs."""

import pytest

from ml_agent.tools.commandline.quoting import quote, unquote


@pytest.mark.parametrize("word", ["~/logs/run_1", "$HOME/logs", "a.b:c", "--lr=0.1"])
def test_what_a_shell_may_read_stays_bare(word: str) -> None:
    assert quote(word) == word


@pytest.mark.parametrize("word", ["a b", "~other", "~", "{a,b}", "x;y", "~/a b", ""])
def test_everything_else_is_literal(word: str) -> None:
    assert quote(word).startswith("'")
    assert unquote(quote(word)) == word
