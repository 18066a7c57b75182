"""Writes a network as an ONNX graph whose large weights are kept in eight bits."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

from benchmarks.encoder.network import Network


class _Served(nn.Module):  # type: ignore[misc]
    """What the program asks for: programs are told from others to learn, and not when requests are read."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Vectors of tokens, their log-odds of meaning nothing, vectors of the texts as options."""
        return self.network(ids, mask)[:3]  # type: ignore[no-any-return]


PREFIX = "network."
"""Before the names of the network's weights in a graph."""
_LARGE = 20_000
"""Weights; smaller tables stay as they are."""
_OUTPUTS = ("tokens", "idle", "option")
_VERSION = 17


def export(network: Network, path: Path) -> None:
    """Write the graph."""
    ids, mask = torch.tensor([[101, 2000, 102], [101, 102, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])
    axes = {name: {0: "texts", 1: "tokens"} for name in ("ids", "mask", "tokens", "idle")}
    axes["option"] = {0: "texts"}
    whole = io.BytesIO()
    torch.onnx.export(
        _Served(network), (ids, mask), whole, input_names=["ids", "mask"], output_names=list(_OUTPUTS), dynamic_axes=axes,
        opset_version=_VERSION, dynamo=False,
    )  # fmt: skip
    model = onnx.load_from_string(whole.getvalue())
    kept, nodes = [], []
    for table in model.graph.initializer:
        weights = numpy_helper.to_array(table)
        if weights.ndim == 2 and weights.size > _LARGE:
            made, node = _in_eight_bits(table.name, weights)
            kept += made
            nodes.append(node)
        else:
            kept.append(table)
    nodes += model.graph.node
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    path.write_bytes(model.SerializeToString())


def _in_eight_bits(name: str, weights: np.ndarray) -> tuple[list[onnx.TensorProto], onnx.NodeProto]:
    """A table in eight bits with a scale for each row (of embeddings) or column, and the node that makes it full again."""
    axis = 0 if "embedding" in name else 1
    scale = np.abs(weights).max(1 - axis, keepdims=True) / 127 + 1e-12
    parts = {
        "bits": np.clip(np.round(weights / scale), -127, 127).astype(np.int8),
        "scale": scale.reshape(-1).astype(np.float32),
        "zero": np.zeros(scale.size, np.int8),
    }
    node = helper.make_node("DequantizeLinear", [f"{name}.{part}" for part in parts], [name], axis=axis)
    return list(_tables(name, parts)), node


def _tables(name: str, parts: dict[str, np.ndarray]) -> Iterator[onnx.TensorProto]:
    for part, values in parts.items():
        yield numpy_helper.from_array(values, f"{name}.{part}")
