"""Words with a slip in them."""

import pytest

from ml_agent.tools.signatures import nearest


def test_the_letters_of_a_word_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def counted(pattern: str, new: str, text: str) -> str:
        seen.append(text)
        return "".join(filter(str.isalnum, text))

    monkeypatch.setattr("ml_agent.tools.signatures.nearest.re.sub", counted)
    known = [f"quokka-{number}" for number in range(20)]
    assert not any(nearest.is_slip(f"wombat-{word}", other) for word in range(20) for other in known)
    assert len(seen) <= 40
