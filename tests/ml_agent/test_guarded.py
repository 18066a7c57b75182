"""Patterns behind a look for words: the guard may never hide what the pattern matches."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ml_agent.values import readings
from ml_agent.values.guarded import GuardedPattern

GUARDED = {name: value for name, value in vars(readings).items() if isinstance(value, GuardedPattern)}


def test_nothing_is_compiled_for_a_text_without_the_words() -> None:
    pattern = GuardedPattern(r"minus\s+\d", "minus")
    assert not list(pattern.finditer("plus 3")) and "compiled" not in vars(pattern)
    assert [match[0] for match in pattern.finditer("Minus 3, MINUS 4")] == ["Minus 3", "MINUS 4"]


@pytest.mark.parametrize("name", GUARDED)
@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_what_a_pattern_matches_passes_its_guard(name: str, data: st.DataObject) -> None:
    pattern = GUARDED[name].compiled
    text = data.draw(st.from_regex(pattern, alphabet=st.characters(codec="ascii")))
    assert [m.span() for m in GUARDED[name].finditer(text)] == [m.span() for m in pattern.finditer(text)]
