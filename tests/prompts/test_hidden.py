"""Characters that nobody sees: one list for prompts, answers and terminals, held against Unicode."""

import sys
import unicodedata

import pytest

from ml_agent.answer_gate import host_risks
from ml_agent.prompts.hidden import HIDDEN, NO_WIDTH, hidden_words, spelt_out
from ml_agent.prompts.untrusted import neutral
from ml_agent.terminal import terminal_text
from ml_agent.tools.check.host_scope import HostScope

SIGNS = ("ARABIC", "SYRIAC", "KAITHI")
"""Format characters with these names are signs that are drawn, but for the Arabic letter mark."""
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u2065\u3164\ufe00\ufe0d\uffa0\U000e0100\U000e0fff"
"""Letters and marks to Unicode, and drawn as nothing."""


@pytest.mark.parametrize(
    "letter",
    f"\x00\x07\x1b\r\x7f\x9b\u00ad\u061c\u180e\u200b\u200d\u202e\u2028\u2066\ufeff\ud800\U000e0041\U0001bca0{FILLERS}",
)
def test_what_has_no_form_is_known_to_all(letter: str) -> None:
    assert hidden_words(f"a b{letter}c\nd") == [f"b{letter}c"]
    assert spelt_out(f"b{letter}").isascii()
    assert letter not in terminal_text(f"b{letter}c") and letter not in neutral(f"b{letter}c")
    for kind in ("bash", "python"):
        assert "invisible" in host_risks(f"a b{letter}c", HostScope(), kind)[0].why


@pytest.mark.parametrize(
    "text", ["\n\ta \u00a0é日\u0301\U0001f600", "❤\ufe0f", "☎\ufe0e a", "1\ufe0f\u20e3", "\u0600\u06dd"]
)
def test_what_is_seen_is_left(text: str) -> None:
    assert hidden_words(text) == [] and spelt_out(text) == terminal_text(text) == text


@pytest.mark.parametrize("text", ["\ufe0fa", "a \ufe0f", "❤\ufe0f\ufe0f", "❤\ufe0f\ufe0e\ufe0f"])
def test_a_selector_that_selects_nothing_is_hidden(text: str) -> None:
    assert hidden_words(text) and terminal_text(text) != text


def test_line_ends_of_windows_are_line_ends() -> None:
    assert hidden_words("a\r\nb\r\n") == []
    assert hidden_words("a\rb") == ["a\rb"]


def test_no_format_character_of_unicode_is_missing() -> None:
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    letters = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in kinds]
    left = [letter for letter in letters if letter not in "\n\t" and not HIDDEN.search(letter)]
    assert all(unicodedata.name(letter).startswith(SIGNS) for letter in left)
    assert all(
        NO_WIDTH.search(letter) for letter in letters if letter not in left and unicodedata.category(letter) != "Cc"
    )
