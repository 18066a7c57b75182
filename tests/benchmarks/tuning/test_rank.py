"""An adapter of a lower rank."""

import numpy as np

from ml_agent.benchmarks.tuning.rank import with_rank


def adapter(rank: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {"x.lora_a": random.normal(size=(rank, 12)), "x.lora_b": random.normal(size=(7, rank))}


def product(tensors: dict[str, np.ndarray]) -> np.ndarray:
    """What is added to the layer for an alpha of one: llama.cpp divides by the rank."""
    down = tensors["x.lora_a"].astype(float)
    added: np.ndarray = tensors["x.lora_b"].astype(float) @ down / len(down)
    return added


def test_what_a_lower_rank_can_hold_is_kept() -> None:
    small = adapter(3)
    padded = {
        "x.lora_a": np.vstack([small["x.lora_a"] * 2, np.zeros((3, 12))]),
        "x.lora_b": np.hstack([small["x.lora_b"], np.ones((7, 3))]),
    }
    found = with_rank(padded, 3)
    assert found["x.lora_a"].shape == (3, 12) and found["x.lora_b"].shape == (7, 3)
    assert np.allclose(product(found), product(small), atol=0.02)
