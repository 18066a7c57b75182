"""Lessons and model in two files for a machine that has nothing of this program: `python -m benchmarks.tuning.packed DIR --seconds N --out NAME`.

There it needs torch, transformers, tokenizers, gguf and these files of `benchmarks/tuning`: `packed`, `train`, `network`, `tokens`, `export`, `rank`.
"""

import argparse
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from ml_agent.benchmarks.tuning import export, network
from ml_agent.benchmarks.tuning.tokens import Branch, Program
from ml_agent.benchmarks.tuning.train import Plan, train

_MODEL, _LESSONS = "model.gguf", "lessons.json.gz"
_COUNTS = ("embedding_length", "feed_forward_length", "block_count", "attention.head_count", "attention.head_count_kv")
_NUMBERS = ("attention.layer_norm_rms_epsilon", "rope.freq_base")


def pack(model: gguf.GGUFReader, programs: Sequence[Program], used: Any, folder: Path) -> None:
    """Write the model without the rows of tokens that do not occur, and the lessons in the tokens that are left.

    Args:
        model: its file, opened.
        programs: the lessons.
        used: the tokens that occur.
        folder: where both go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(folder / _MODEL, "qwen2")
    for name in _COUNTS:
        writer.add_uint32(f"qwen2.{name}", int(model.fields[f"qwen2.{name}"].contents()))
    for name in _NUMBERS:
        writer.add_float32(f"qwen2.{name}", float(model.fields[f"qwen2.{name}"].contents()))
    for tensor in model.tensors:
        data = tensor.data[used] if tensor.name in network.BY_ROW else tensor.data
        writer.add_tensor(tensor.name, np.ascontiguousarray(data), raw_dtype=tensor.tensor_type)
    export.finish(writer)
    rows = {int(token): row for row, token in enumerate(used)}
    with gzip.open(folder / _LESSONS, "wt") as out:
        json.dump({"tokens": len(used), "programs": [_in_rows(one, rows) for one in programs]}, out)


def _in_rows(one: Program, rows: Mapping[int, int]) -> Any:
    branches = [[[rows[token] for token in part] for part in branch] for branch in one.branches]
    return [[rows[token] for token in one.head], branches]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from a packed folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--first", type=int, default=0, help="first block that learns")
    parser.add_argument("--rate", type=float, default=3e-4, help="of learning: larger batches take more")
    parser.add_argument("--rank", type=int, default=12, help="of the adapter that is written")
    parser.add_argument("--tokens", type=int, default=14000, help="of a batch")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, required=True, help="GGUF file of the adapter")
    options = parser.parse_args(arguments)
    with gzip.open(options.folder / _LESSONS, "rt") as file:
        data = json.load(file)
    programs = [Program(head, [Branch(*one) for one in branches]) for head, branches in data["programs"]]
    used = np.arange(data["tokens"])
    whole = network.load(gguf.GGUFReader(options.folder / _MODEL), used, options.device)
    adapted, kept = network.adapt(whole, options.first), options.out.with_suffix(".npz")
    plan = Plan(options.seconds, options.device, kept, 0, options.rate, options.tokens)
    train(whole, adapted, programs, used, plan)
    export.export([kept], options.out, network.ALPHA, options.rank)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
