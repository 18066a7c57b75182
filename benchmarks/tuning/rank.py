"""An adapter in fewer numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def with_rank(tensors: Mapping[str, Any], rank: int) -> dict[str, Any]:
    """The same adapter with matrices of a lower rank: what the largest singular values of each product keep.

    Args:
        tensors: by name, as `train.save` writes them.
        rank: at most; the adapter's alpha stays as it is.
    """
    found: dict[str, Any] = {}
    for name in sorted({one.rpartition(".")[0] for one in tensors}):
        down, up = (tensors[f"{name}.lora_{one}"].astype(np.float64) for one in "ab")
        whole = down.shape[0]
        (left, inner_up), (right, inner_down) = np.linalg.qr(up), np.linalg.qr(down.T)
        u, sizes, v = np.linalg.svd(inner_up @ inner_down.T)
        scale = np.sqrt(sizes[:rank] * rank / whole)
        found[f"{name}.lora_b"] = (left @ u[:, :rank] * scale).astype(np.float16)
        found[f"{name}.lora_a"] = (scale[:, None] * v[:rank] @ right.T).astype(np.float16)
    return found
