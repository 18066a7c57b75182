"""Characters that nobody sees."""

import pytest

from tools.hidden import is_hidden, shown, words_with_hidden


@pytest.mark.parametrize(
    "letter", "\x00\x07\x1b\r\x7f\x9b\u00ad\u061c\u180e\u200b\u200d\u202e\u2028\u2066\ufeff\ud800\U000e0041"
)
def test_what_has_no_form(letter: str) -> None:
    assert is_hidden(letter)
    assert words_with_hidden(f"a b{letter}c\nd") == [f"b{letter}c"]
    assert shown(f"b{letter}").isascii()


@pytest.mark.parametrize("letter", "\n\ta \u00a0é日\u0301\U0001f600\ufe0f")
def test_what_is_seen(letter: str) -> None:
    assert not is_hidden(letter)
    assert shown(letter) == letter


def test_line_ends_of_windows_are_line_ends() -> None:
    assert words_with_hidden("a\r\nb\r\n") == []
    assert words_with_hidden("a\rb") == ["a\rb"]
