"""A model file in this process, and the adapter that is used with it."""

from pathlib import Path

import pytest

from ml_agent.llm import in_process
from ml_agent.llm.in_process import find_adapter


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "Qwen2.5-Coder-1.5B-Instruct-Q4_K_M.gguf"
    path.touch()
    return path


def test_an_adapter_beside_the_model_comes_first(model: Path) -> None:
    own = model.with_name(model.stem + ".lora.gguf")
    own.touch()
    assert find_adapter(model) == own


def test_the_shipped_adapter_is_for_the_model_that_it_was_trained_for(model: Path) -> None:
    shipped = find_adapter(model)
    assert shipped is not None and shipped.parent == Path(in_process.__file__).parent / "adapters"
    assert shipped.read_bytes()[:4] == b"GGUF"


@pytest.mark.parametrize("name", ["qwen2.5-coder-7b-instruct-q4_k_m.gguf", "llama-3.2-1b.gguf", "m.gguf"])
def test_other_models_have_none(name: str, tmp_path: Path) -> None:
    assert find_adapter(tmp_path / name) is None
