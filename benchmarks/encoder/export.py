"""Writes a network as an ONNX graph whose large weights are kept in eight bits."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from ml_agent.benchmarks.encoder.network import Network

PARTS = (".bits", ".bits_scale", ".bits_zero")
"""How the names of the parts of a table in eight bits end."""
_LARGE = 20_000
"""Weights; smaller tables stay as they are."""
_OUTPUTS = ("tokens", "idle", "option")
_VERSION = 17


def export(network: Network, path: Path) -> None:
    """Write the graph; weights keep their names in it, as nothing is worked out beforehand."""
    ids, mask = torch.tensor([[101, 2000, 102], [101, 102, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])
    axes = {name: {0: "texts", 1: "tokens"} for name in ("ids", "mask", "tokens", "idle")}
    axes["option"] = {0: "texts"}
    whole = io.BytesIO()
    torch.onnx.export(
        network, (ids, mask), whole, input_names=["ids", "mask"], output_names=list(_OUTPUTS), dynamic_axes=axes,
        opset_version=_VERSION, do_constant_folding=False, dynamo=False,
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
    """A table in eight bits with a scale for each row, and the node that makes it full again."""
    scale = np.abs(weights).max(1, keepdims=True) / 127 + 1e-12
    parts = {
        "bits": np.clip(np.round(weights / scale), -127, 127).astype(np.int8),
        "bits_scale": scale.reshape(-1).astype(np.float32),
        "bits_zero": np.zeros(scale.size, np.int8),
    }
    node = helper.make_node("DequantizeLinear", [f"{name}.{part}" for part in parts], [name], axis=0)
    return list(_tables(name, parts)), node


def _tables(name: str, parts: dict[str, np.ndarray]) -> Iterator[onnx.TensorProto]:
    for part, values in parts.items():
        yield numpy_helper.from_array(values, f"{name}.{part}")
