"""Train the encoder: `python -m benchmarks.encoder --repositories DIR … --marked FILE --keep-back FILE … --base FOLDER [--out FILE]`.

Needs torch, transformers and onnx beside the project.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import torch
from tokenizers import Tokenizer

from ml_agent.benchmarks.encoder.export import export
from ml_agent.benchmarks.encoder.items import items
from ml_agent.benchmarks.encoder.network import Network
from ml_agent.benchmarks.encoder.resume import restore
from ml_agent.benchmarks.encoder.train import Plan, Texts, train

EPOCHS, RATE, SEED = 4, 1e-4, 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, and write the graph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, nargs="+", required=True, help="folders of repositories")
    parser.add_argument("--marked", type=Path, required=True, help="file of marked requests")
    parser.add_argument("--keep-back", type=Path, nargs="*", default=[], help="files of rows whose repositories teach nothing")  # fmt: skip
    parser.add_argument(
        "--base", type=Path, required=True, help="folder of the pretrained model and its tokenizer.json"
    )
    parser.add_argument("--resume", type=Path, help="graph of an earlier run, to be taught further")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="how often each request is seen")
    parser.add_argument("--rate", type=float, default=RATE, help="of learning")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "ml-agent" / "fit")
    parser.add_argument("--out", type=Path, help="where to write the graph; the shipped one without it")
    options = parser.parse_args(arguments)
    kept_back = {name for file in options.keep_back for name in _repositories(file)}
    several = list(items(options.marked, options.repositories, options.cache, kept_back))
    sys.stderr.write(f"{len(several)} requests of {len({one.repository for one in several})} repositories\n")
    tokenizer = Tokenizer.from_file(str(options.base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    torch.manual_seed(SEED)
    network = Network(options.base)
    if options.resume is not None:
        restore(network, options.resume)
    train(network, several, Texts(tokenizer), Plan(options.epochs, options.rate, SEED))
    place = Path(str(files("ml_agent.encoder")))
    export(network, options.out or place / "model.onnx")
    if options.out is None:
        (place / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
    return 0


def _repositories(file: Path) -> set[str]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {str(row.get("repo") or row["github"].rstrip("/").rpartition("/")[2]).lower() for row in rows}


if __name__ == "__main__":
    sys.exit(main())
