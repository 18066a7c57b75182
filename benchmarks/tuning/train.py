"""Trains the adapter: each program's options are read once for all of its requests, which do not see each other."""

import math
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from benchmarks.tuning.network import Adapted, number_type
from benchmarks.tuning.tokens import Program

_RATE, _WARM, _LEAST = 2e-4, 8, 0.05
"""Learning rate, steps until it is reached, share of it that is left at the end."""
_TOGETHER = 1
"""Programs in a step."""
_REPORT, _KEEP = 5, 10
"""Steps between two reports, and between two times that the adapters are kept."""


class Plan(NamedTuple):
    """How long, and on what."""

    seconds: float
    device: str
    out: Path
    """Where the adapters are kept, also on the way."""
    seed: int = 0


class _Read(NamedTuple):
    """A program as the network reads it."""

    tokens: torch.Tensor
    places: torch.Tensor
    mask: torch.Tensor
    targets: torch.Tensor
    """By place the token that is right there; -1 where nothing is learned."""


def train(network: Any, adapted: Mapping[str, Adapted], programs: Sequence[Program], used: Any, plan: Plan) -> None:
    """Teach the adapters for so many seconds; the learning rate falls to its end in that time.

    Args:
        network: with adapters.
        adapted: the adapters.
        programs: the lessons, drawn again and again.
        used: the tokens that the network has.
        plan: how long, and on what.
    """
    rows = {int(token): row for row, token in enumerate(used)}
    learned = [weight for layer in adapted.values() for weight in (layer.down, layer.up)]
    optimizer = torch.optim.AdamW(learned, lr=_RATE, betas=(0.9, 0.95), weight_decay=0.0)
    began, losses, seen = time.monotonic(), list[float](), 0
    for step, several in enumerate(_draw(programs, plan.seed)):
        spent = (time.monotonic() - began) / plan.seconds
        if spent >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / _WARM) * max(_LEAST, 0.5 * (1 + math.cos(math.pi * spent)))
        answered = sum(len(branch.answer) for one in several for branch in one.branches)
        losses.append(sum(_learn(network, _read(one, rows, plan.device), answered) for one in several))
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seen += sum(len(one.branches) for one in several)
        if step % _KEEP == _KEEP - 1:
            save(adapted, plan.out)
        if step % _REPORT == 0:
            recent = float(np.mean(losses[-2 * _REPORT :]))
            sys.stderr.write(f"step {step} requests {seen} loss {recent:.4f} seconds {time.monotonic() - began:.0f}\n")

    save(adapted, plan.out)


def save(adapted: Mapping[str, Adapted], out: Path) -> None:
    """Write the adapters, by the names that their layers have in the model's file."""
    found = {}
    for name, layer in adapted.items():
        found[f"{name}.lora_a"] = layer.down.detach().cpu().numpy().astype(np.float16)
        found[f"{name}.lora_b"] = layer.up.detach().cpu().numpy().astype(np.float16)
    np.savez(out, **found)


def restore(adapted: Mapping[str, Adapted], kept: Path) -> None:
    """Give adapters the numbers that `save` wrote."""
    found = np.load(kept)
    with torch.no_grad():
        for name, layer in adapted.items():
            layer.down.copy_(torch.from_numpy(found[f"{name}.lora_a"]))
            layer.up.copy_(torch.from_numpy(found[f"{name}.lora_b"]))


def _draw(programs: Sequence[Program], seed: int) -> Iterator[list[Program]]:
    """All programs in an order that is drawn anew each time, some at a time."""
    rng, order = random.Random(seed), list(programs)
    while True:
        rng.shuffle(order)
        for place in range(0, len(order), _TOGETHER):
            yield order[place : place + _TOGETHER]


def _learn(network: Any, read: _Read, answered: int) -> float:
    """Add one program's part to the gradients; its part of the loss."""
    hidden = network.model(
        input_ids=read.tokens[None], position_ids=read.places[None], attention_mask=read.mask, use_cache=False
    ).last_hidden_state[0]
    places = torch.nonzero(read.targets >= 0)[:, 0]
    # A token is foretold by what stands before it: of an answer's first that is the end of its request.
    loss = F.cross_entropy(network.lm_head(hidden[places - 1]).float(), read.targets[places], reduction="sum")
    (loss / answered).backward()
    return float(loss.detach()) / answered


def _read(one: Program, rows: Mapping[int, int], device: str) -> _Read:
    tokens, targets, places = list(one.head), [-1] * len(one.head), list(range(len(one.head)))
    spans = []
    for branch in one.branches:
        begin = len(tokens)
        tokens += [*branch.question, *branch.answer]
        targets += [-1] * len(branch.question) + branch.answer
        places += range(len(one.head), len(one.head) + len(tokens) - begin)
        spans.append(slice(begin, len(tokens)))
    size = len(tokens)
    seen = torch.zeros(size, size, dtype=torch.bool)
    seen[:, : len(one.head)] = True
    for span in spans:
        seen[span, span] = True
    mask = torch.full((size, size), float("-inf")).masked_fill(seen.tril(), 0.0).to(number_type(device))
    return _Read(
        torch.tensor([rows[token] for token in tokens], device=device),
        torch.tensor(places, device=device),
        mask[None, None].to(device),
        torch.tensor([rows[token] if token >= 0 else -1 for token in targets], device=device),
    )
