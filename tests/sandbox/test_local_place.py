"""Environments that are kept for later runs."""

from pathlib import Path

import pytest

from ml_agent.sandbox.local_place import forget, keep, kept, make_environment, setups


def test_the_first_environment_under_a_key_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ML_AGENT_CACHE_DIR", str(tmp_path))
    first, second = make_environment(None), make_environment(None)
    assert setups().stat().st_mode & 0o777 == 0o700
    assert keep(first, "key", "first") == setups() / "key" and keep(second, "key", "second") == second
    place = kept("key")
    assert place is not None and (place / "note.json").read_text() == "first"
    forget("key")
    assert kept("key") is None
