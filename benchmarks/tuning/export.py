"""The trained adapter as a GGUF file that llama.cpp loads beside its model."""

from collections.abc import Iterable
from pathlib import Path

import gguf
import numpy as np

from ml_agent.benchmarks.tuning.rank import with_rank

_ROW = 32
"""A quantised row holds multiples of so many numbers."""


def export(parts: Iterable[Path], out: Path, alpha: float, rank: int) -> None:
    """Write the adapter, each row in eight bits where its length allows it.

    Args:
        parts: files of tensors, as `train.save` writes them.
        out: the file to write.
        alpha: of the adapter; llama.cpp divides it by the rank.
        rank: of its matrices, at most.
    """
    writer = gguf.GGUFWriter(out, "qwen2")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for part in parts:
        with np.load(part) as tensors:
            for name, values in sorted(with_rank(tensors, rank).items()):
                if values.shape[-1] % _ROW:
                    writer.add_tensor(name, values.astype(np.float16))
                else:
                    packed = gguf.quants.quantize(values.astype(np.float32), gguf.GGMLQuantizationType.Q8_0)
                    writer.add_tensor(name, packed, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    finish(writer)


def finish(writer: gguf.GGUFWriter) -> None:
    """Write what was added, and close the file."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
