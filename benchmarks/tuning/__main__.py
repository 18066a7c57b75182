"""Tune a small model: `python -m benchmarks.tuning lessons …`, then `train …`; see docs/fine-tuning.md."""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import msgspec

from ml_agent.benchmarks.tuning.lessons import Lesson, by_repository, lessons

_HEAD, _BRANCH, _CHOICE = 1400, 420, 1200
"""Tokens of a program's options, of a request with its answer, and of a choice among programs, at most."""
_CHOICES = 0.45
"""Share of the lessons in choosing: they are many, and each teaches one number."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the lessons, or learn from them."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("lessons", help="read every repository's rows, and write one lesson a line")
    writing.add_argument("--repositories", type=Path, required=True, help="folder with one folder for each repository")
    writing.add_argument("--rows", type=Path, nargs="+", required=True, help="written rows and marked requests")
    writing.add_argument("--keep-back", nargs="*", default=[], help="names of repositories that must teach nothing")
    writing.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "ml-agent" / "fit")
    writing.add_argument("--jobs", type=int, default=2)
    writing.add_argument("--out", type=Path, required=True, help="JSONL file of lessons")
    training = commands.add_parser("train", help="needs torch, transformers, tokenizers and gguf")
    training.add_argument("--lessons", type=Path, required=True)
    training.add_argument("--model", type=Path, required=True, help="GGUF file of the Qwen2 family")
    training.add_argument("--seconds", type=float, default=3900.0)
    training.add_argument("--first", type=int, default=12, help="first block that learns")
    training.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    training.add_argument(
        "--resume", type=Path, help="NPZ file of an adapter that an earlier run kept: goes on from it"
    )
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--rate", type=float, default=2e-4, help="of learning, at its highest")
    training.add_argument("--rank", type=int, default=12, help="of the adapter that is written")
    training.add_argument("--tokens", type=int, default=1000, help="of a batch; a graphics card of 80 GB takes 14000")
    ends = training.add_mutually_exclusive_group(required=True)
    ends.add_argument("--pack", type=Path, help="folder: write there what another machine needs, and do not train")
    ends.add_argument("--out", type=Path, help="GGUF file of the adapter")
    options = parser.parse_args(arguments)
    return _write(options) if options.command == "lessons" else _train(options)


def _write(options: argparse.Namespace) -> int:
    rows = {name: several for name, several in by_repository(options.rows).items() if name not in options.keep_back}
    known = sorted(name for name in rows if (options.repositories / name).is_dir())
    with options.out.open("w", encoding="utf-8") as out, ProcessPoolExecutor(options.jobs) as pool:
        work = {pool.submit(_lessons, options.repositories / name, rows[name], options.cache): name for name in known}
        for done in as_completed(work):
            made = done.result()
            out.writelines(f"{msgspec.json.encode(one).decode()}\n" for one in made)
            requests = sum(len(one.requests) for one in made)
            sys.stderr.write(f"{work[done]}: {requests} of {len(rows[work[done]])} requests\n")
    return 0


def _lessons(root: Path, rows: Sequence[dict[str, Any]], cache: Path) -> list[Lesson]:
    return list(lessons(root, rows, cache))


def _train(options: argparse.Namespace) -> int:
    from gguf import GGUFReader  # with torch and transformers an environment of its own

    from ml_agent.benchmarks.tuning import export, network, packed, tokens
    from ml_agent.benchmarks.tuning.train import Plan, restore, train
    from ml_agent.llm import arguments, choosing

    model = GGUFReader(options.model)
    speech = tokens.ChatFormat(model, {"fill": arguments.system(), "choose": choosing.system()})
    read = [msgspec.convert(json.loads(line), Lesson) for line in options.lessons.read_text().splitlines()]
    fill = [speech.program(one) for one in read if one.kind == "fill"]
    choices = [speech.program(one) for one in read if one.kind == "choose"]
    some = random.Random(options.seed).sample(choices, round(_CHOICES * len(choices)))
    programs = [*tokens.short(fill, _HEAD, _BRANCH), *tokens.short(some, _HEAD, _CHOICE)]
    if not programs:
        sys.stderr.write(f"error: no lesson of {options.lessons} is short enough\n")
        return 1
    used = tokens.used_tokens(programs)
    if options.pack is not None:
        packed.pack(model, programs, used, options.pack)
        return 0
    whole = network.load(model, used, options.device)
    adapted = network.adapt(whole, options.first)
    if options.resume is not None:
        restore(adapted, options.resume)
    sys.stderr.write(f"{len(programs)} programs, {sum(len(one.branches) for one in programs)} requests\n")
    kept = options.out.with_suffix(".npz")
    plan = Plan(options.seconds, options.device, kept, options.seed, options.rate, options.tokens)
    train(whole, adapted, programs, used, plan)
    export.export([kept], options.out, network.ALPHA, options.rank)
    return 0


if __name__ == "__main__":
    sys.exit(main())
