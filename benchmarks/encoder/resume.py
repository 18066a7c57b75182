"""Gives a network the weights of a graph that `export` wrote, so that it can be taught further."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from benchmarks.encoder.export import PREFIX
from benchmarks.encoder.network import Network

_LAYERS = ("MatMul", "Gemm")


def restore(network: Network, graph: Path) -> None:
    """Set the weights that are served; those that only serve to learn start as the network has them.

    Args:
        network: of the same shape.
        graph: the file.
    """
    weights = _weights(onnx.load(str(graph)))
    missing, unknown = network.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    lost = [name for name in missing if not name.startswith(("request.", "entry.", "entry_scale"))]
    if lost or unknown:
        raise ValueError(f"{graph}: not a graph of this network: {', '.join([*lost, *unknown][:3])}")


def _weights(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """By name, as the network calls them."""
    tables = {table.name: numpy_helper.to_array(table) for table in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear":
            bits, scale = tables[node.input[0]].astype(np.float32), tables[node.input[1]]
            axis = next(one.i for one in node.attribute if one.name == "axis")
            tables[node.output[0]] = bits * np.expand_dims(scale, 1 - axis)
    found = {name.removeprefix(PREFIX): table for name, table in tables.items() if _is_whole(name, tables)}
    for node in model.graph.node:
        # A linear layer's weights lose their name where they are turned round to be multiplied with.
        layer = node.name.strip("/").rpartition("/")[0].replace("/", ".")
        if node.op_type in _LAYERS and f"{layer}.".startswith(PREFIX):
            turned = [tables[name].T for name in node.input if name in tables and not name.startswith(PREFIX)]
            found |= {f"{layer}.weight".removeprefix(PREFIX): table for table in turned}
    return found


def _is_whole(name: str, tables: Mapping[str, np.ndarray]) -> bool:
    return name.startswith(PREFIX) and f"{name.rpartition('.')[0]}.bits" not in tables
