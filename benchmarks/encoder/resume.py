"""Gives a network the weights of a graph that `export` wrote, so that it can be taught further."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from ml_agent.benchmarks.encoder.export import PARTS
from ml_agent.benchmarks.encoder.network import Network


def restore(network: Network, graph: Path) -> None:
    """Set all weights of a network.

    Args:
        network: of the same shape.
        graph: the file.
    """
    found = _weights(onnx.load(str(graph)))
    missing, unknown = network.load_state_dict({name: torch.tensor(one) for name, one in found.items()}, strict=False)
    if missing or unknown:
        raise ValueError(f"{graph}: no graph of this network: {', '.join([*missing, *unknown][:3])}")


def _weights(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """By name, as the network calls them."""
    tables = {table.name: numpy_helper.to_array(table) for table in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear":
            bits, scale = tables[node.input[0]].astype(np.float32), tables[node.input[1]]
            tables[node.output[0]] = bits * scale[:, None]
    return {name: table for name, table in tables.items() if not name.endswith(PARTS)}
